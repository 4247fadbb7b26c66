"""Reads the public key of a design, for which field devices encrypt (seal) records."""

from privacy.blind_signatures.protocol import base64url_bytes, base64url_text

PUBLIC_BYTES = 65
"""Number of bytes of a public key as an uncompressed point of the elliptic curve."""
# P-256 (SP 800-186): y^2 = x^3 - 3x + B modulo PRIME.
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


def read_sealing_key(text: str) -> bytes:
    """Reads a public key of the curve P-256 from base64url; raises ValueError for any other text."""
    key = base64url_bytes(text)
    x, y = int.from_bytes(key[1:33], "big"), int.from_bytes(key[33:], "big")
    is_point = x < PRIME and y < PRIME and (y * y - x * x * x + 3 * x - B) % PRIME == 0
    if len(key) != PUBLIC_BYTES or key[0] != 4 or not is_point or base64url_text(key) != text:
        raise ValueError("not a point of P-256")
    return key
