"""Encryption ("sealing") of a field device's records: HPKE (RFC 9180) in base mode, one message a record.

The suite is DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, without additional data. `info` names the
purpose and the design, so that a record sealed for one survey opens for no other. A sealed record is written
as its version (1 byte), the device's one-time public key (65 bytes) and the ciphertext, in base64url without
padding. Twin: `intake/static/intake/field/sealing.js`.
"""

from typing import TYPE_CHECKING

from privacy.blind_signatures.protocol import base64url_bytes, base64url_text
from privacy.designs.record_encryption_key import PUBLIC_BYTES

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.hpke import Suite

PRIVATE_BYTES = 32
VERSION = b"\x01"
TAG = 16
"""Number of bytes by which a ciphertext is longer than its plaintext."""
OVERHEAD = len(VERSION) + PUBLIC_BYTES + TAG
INFO = b"candor-field/1"


def make_sealing_key() -> tuple[bytes, str]:
    """Returns a new private key that decrypts the sealed records of field devices, and its public half as text."""
    from cryptography.hazmat.primitives.asymmetric import ec  # late for cost

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    private = number.to_bytes(PRIVATE_BYTES, "big")
    return private, public_sealing_key(private)


def public_sealing_key(private: bytes) -> str:
    """Returns the public half of a private key as text (base64url)."""
    from cryptography.hazmat.primitives.asymmetric import ec  # late for cost
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # late for cost

    key = ec.derive_private_key(int.from_bytes(private, "big"), ec.SECP256R1())
    return base64url_text(key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def decrypt_field_record(private: bytes, fingerprint: str, sealed: str) -> bytes:
    """Decrypts a sealed record of the design with this fingerprint; raises ValueError if it was changed or
    sealed for another key or design."""
    from cryptography.exceptions import InvalidTag  # late for cost
    from cryptography.hazmat.primitives.asymmetric import ec  # late for cost

    content = base64url_bytes(sealed)
    if content[:1] != VERSION or len(content) < OVERHEAD or base64url_text(content) != sealed:
        raise ValueError("not a sealed record")
    key = ec.derive_private_key(int.from_bytes(private, "big"), ec.SECP256R1())
    try:
        return _hpke_suite().decrypt(content[1:], key, _hpke_info(fingerprint))
    except InvalidTag:
        raise ValueError("does not open") from None


def _hpke_suite() -> "Suite":
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite as HpkeSuite  # late for cost

    return HpkeSuite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def _hpke_info(fingerprint: str) -> bytes:
    return INFO + bytes.fromhex(fingerprint)
