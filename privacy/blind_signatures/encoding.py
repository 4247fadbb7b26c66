"""EMSA-PSS with SHA-384 and MGF1 (RFC 8017, sections 9.1 and B.2.1), on which RFC 9474 stands."""

from hashlib import sha384
from hmac import compare_digest

HASH = 48
"""Bytes of a SHA-384."""
TRAILER = b"\xbc"


def encode(message: bytes, bits: int, salt: bytes) -> bytes:
    """The encoded message, of ceil(bits / 8) bytes; `bits` is one less than the modulus has."""
    length = -(-bits // 8)
    if length < HASH + len(salt) + 2:
        raise ValueError("encoding error")
    hashed = _hash_of(message, salt)
    padded = bytes(length - len(salt) - HASH - 2) + b"\x01" + salt
    return _masked(padded, hashed, bits) + hashed + TRAILER


def is_encoding(message: bytes, bits: int, encoded: bytes, salt_length: int) -> bool:
    """Whether `encoded` encodes the message with some salt of this length."""
    length = -(-bits // 8)
    if len(encoded) != length or length < HASH + salt_length + 2 or encoded[-1:] != TRAILER:
        return False
    masked, hashed = encoded[: -HASH - 1], encoded[-HASH - 1 : -1]
    if masked[0] >> (8 - (8 * length - bits)):
        return False
    padded = _masked(masked, hashed, bits)
    salt = padded[len(padded) - salt_length :]
    zeros = bytes(length - salt_length - HASH - 2)
    return padded == zeros + b"\x01" + salt and compare_digest(hashed, _hash_of(message, salt))


def _hash_of(message: bytes, salt: bytes) -> bytes:
    return sha384(bytes(8) + sha384(message).digest() + salt).digest()


def _masked(padded: bytes, seed: bytes, bits: int) -> bytes:
    """XOR with MGF1 of the seed; the bits above `bits` are zero. It is its own inverse."""
    blocks = -(-len(padded) // HASH)
    mask = b"".join(sha384(seed + block.to_bytes(4, "big")).digest() for block in range(blocks))
    xored = int.from_bytes(padded, "big") ^ int.from_bytes(mask[: len(padded)], "big")
    return (xored & ((1 << (bits - 8 * (HASH + 1))) - 1)).to_bytes(len(padded), "big")
