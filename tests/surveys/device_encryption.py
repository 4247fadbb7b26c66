"""Encrypts records as a field device does (`intake/static/intake/field/sealing.js`)."""

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from privacy.blind_signatures.protocol import base64url_text
from privacy.designs.record_encryption_key import read_sealing_key
from surveys.field_record_encryption import INFO, VERSION


def encrypt_field_record(key: str, fingerprint: str, content: bytes) -> str:
    """Encrypts a record for the holder of the private half of `key`."""
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read_sealing_key(key))
    suite = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
    return base64url_text(VERSION + suite.encrypt(content, public, INFO + bytes.fromhex(fingerprint)))
