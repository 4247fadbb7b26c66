"""A device that exchanges an invitation for a token, as `intake/static/intake/blinding.js` does in the browser."""

from hashlib import sha384
from math import gcd

from privacy.blind_signatures.protocol import (
    HASH,
    SALT,
    TRAILER,
    PublicKey,
    RandomBytes,
    base64url_bytes,
    base64url_text,
    prepare,
    read_public_key,
    verify,
)
from privacy.blind_signatures.tokens import make_token


def encode_emsa_pss(message: bytes, bits: int, salt: bytes) -> bytes:
    """Encodes a message for signing by EMSA-PSS; returns ceil(bits / 8) bytes.

    `bits`: number of bits of the modulus, less one.
    """
    length = -(-bits // 8)
    if length < HASH + len(salt) + 2:
        raise ValueError("encoding error")
    hashed = sha384(bytes(8) + sha384(message).digest() + salt).digest()
    padded = bytes(length - len(salt) - HASH - 2) + b"\x01" + salt
    mask = b"".join(sha384(hashed + block.to_bytes(4, "big")).digest() for block in range(-(-length // HASH)))
    masked = bytes(each ^ of_mask for each, of_mask in zip(padded, mask, strict=False))
    return bytes([masked[0] & (0xFF >> (8 * length - bits))]) + masked[1:] + hashed + TRAILER


def blind(
    key: PublicKey, message: bytes, random_bytes: RandomBytes, salt_length: int = SALT
) -> tuple[bytes, bytes]:
    """Blinds a message on the device; returns the blinded message, to be sent, and the secret inverse."""
    encoded = encode_emsa_pss(message, key.n.bit_length() - 1, random_bytes(salt_length))
    m = int.from_bytes(encoded, "big")
    if gcd(m, key.n) != 1:
        raise ValueError("invalid input")
    while not 1 <= (r := int.from_bytes(random_bytes(key.length), "big")) < key.n:
        pass
    z = m * pow(r, key.e, key.n) % key.n
    return z.to_bytes(key.length, "big"), pow(r, -1, key.n).to_bytes(key.length, "big")


def finalize(
    key: PublicKey, message: bytes, blind_signature: bytes, inverse: bytes, salt_length: int = SALT
) -> bytes:
    """Unblinds the server's signature of a message on the device; ValueError if the signature is invalid."""
    if len(blind_signature) != key.length or len(inverse) != key.length:
        raise ValueError("unexpected input size")
    s = int.from_bytes(blind_signature, "big") * int.from_bytes(inverse, "big") % key.n
    signature = s.to_bytes(key.length, "big")
    if not verify(key, message, signature, salt_length):
        raise ValueError("invalid signature")
    return signature


class TokenExchange:
    """Simulates a respondent's page that exchanges an invitation for a token.

    `intake/static/intake/blinding.js` does the same in the browser.
    """

    def __init__(self, key: str, random_bytes: RandomBytes) -> None:
        self._key = read_public_key(key)
        self._message = prepare(b"", random_bytes)
        blinded, self._inverse = blind(self._key, self._message, random_bytes)
        self.blinded = base64url_text(blinded)

    def token(self, blind_signature: str) -> str:
        """Returns the token made from the server's blind signature; ValueError if the server has not signed."""
        return make_token(
            self._message, finalize(self._key, self._message, base64url_bytes(blind_signature), self._inverse)
        )
