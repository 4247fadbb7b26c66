"""RSA blind signatures (RFC 9474): the signer learns neither the message nor the signature.

Candor uses the variant RSABSSA-SHA384-PSS-Randomized with an empty input message: what is signed is the 32 random bytes
that `prepare` puts before it. So a message cannot be guessed, which the variants without random bytes would ask of
their input; and the salt of PSS keeps the tighter proof, which PSSZERO gives up to save bytes that nobody misses here.
The browser uses @cloudflare/blindrsa-ts (static/vendor/VENDORED.md).

The device blinds and unblinds, the server calls `blind_sign` and `verify`. Python's integers take time
that depends on their values. So `blind_sign` multiplies by a random number before the private operation: its time tells
little of the key, but is not constant (the page /limits, signing-time).
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha384
from hmac import compare_digest

# --- encoding
# EMSA-PSS with SHA-384 and MGF1 (RFC 8017, sections 9.1 and B.2.1), on which RFC 9474 stands.

HASH = 48
"""Number of bytes of a SHA-384 hash."""
TRAILER = b"\xbc"


def is_emsa_pss_encoding(message: bytes, bits: int, encoded: bytes, salt_length: int) -> bool:
    """Returns True if `encoded` is an EMSA-PSS encoding of the message, with a salt of this length."""
    length = -(-bits // 8)
    if len(encoded) != length or length < HASH + salt_length + 2 or encoded[-1:] != TRAILER:
        return False
    masked, hashed = encoded[: -HASH - 1], encoded[-HASH - 1 : -1]
    if masked[0] >> (8 - (8 * length - bits)):
        return False
    padded = _mask_bytes(masked, hashed, bits)
    salt = padded[len(padded) - salt_length :]
    zeros = bytes(length - salt_length - HASH - 2)
    return padded == zeros + b"\x01" + salt and compare_digest(hashed, _hash_message(message, salt))


def _hash_message(message: bytes, salt: bytes) -> bytes:
    return sha384(bytes(8) + sha384(message).digest() + salt).digest()


def _mask_bytes(padded: bytes, seed: bytes, bits: int) -> bytes:
    """XORs the data block of an EMSA-PSS encoding with the mask MGF1(seed), and clears its unused top bits.

    `bits`: the length of the whole encoding. It is its own inverse where the unused bits are 0.
    """
    blocks = -(-len(padded) // HASH)
    mask = b"".join(sha384(seed + block.to_bytes(4, "big")).digest() for block in range(blocks))
    xored = int.from_bytes(padded, "big") ^ int.from_bytes(mask[: len(padded)], "big")
    return (xored & ((1 << (bits - 8 * (HASH + 1))) - 1)).to_bytes(len(padded), "big")


# --- protocol

RandomBytes = Callable[[int], bytes]

EXPONENT = 65_537
BITS = 2048
"""Number of bits of the modulus of a survey's RSA key."""
PREFIX = 32
"""Number of random bytes before a prepared message."""
SALT = 48


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The RSA key that verifies signatures: modulus and exponent."""

    n: int
    e: int = EXPONENT

    @property
    def length(self) -> int:
        """Number of bytes of the modulus, of a blinded message and of a signature."""
        return -(-self.n.bit_length() // 8)

    @property
    def text(self) -> str:
        """The modulus as base64url text, as in a JSON Web Key (RFC 7518, section 6.3.1.1)."""
        return base64url_text(self.n.to_bytes(self.length, "big"))


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """The RSA key that signs blinded messages; it stays on the server."""

    p: int
    q: int

    @property
    def public(self) -> PublicKey:
        return PublicKey(self.p * self.q)


def read_public_key(text: str) -> PublicKey:
    """Reads a public key from its base64url text; ValueError unless its modulus has 2,048 bits."""
    key = PublicKey(int.from_bytes(base64url_bytes(text), "big"))
    if key.n.bit_length() != BITS or key.n % 2 == 0 or key.text != text:
        raise ValueError("not the modulus of a key")
    return key


def base64url_text(content: bytes) -> str:
    """Encodes bytes in base64url without padding."""
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def base64url_bytes(text: str) -> bytes:
    """Decodes base64url without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


# --- on the device ------------------------------------------------------------------------------------------


def prepare(message: bytes, random_bytes: RandomBytes) -> bytes:
    """Prepares a message for blind signing: puts random bytes before it (variant Randomized of RFC 9474)."""
    return random_bytes(PREFIX) + message


# --- on the server ------------------------------------------------------------------------------------------


def blind_sign(key: PrivateKey, blinded: bytes, random_bytes: RandomBytes) -> bytes:
    """Signs a blinded message on the server; equal blinded messages get equal signatures, whatever bytes are drawn."""
    public = key.public
    if len(blinded) != public.length:
        raise ValueError("unexpected input size")
    z = int.from_bytes(blinded, "big")
    if z >= public.n:
        raise ValueError("message representative out of range")
    r = _draw_positive_below(public.n, random_bytes)
    s = _private_power(key, z * pow(r, public.e, public.n) % public.n) * pow(r, -1, public.n) % public.n
    # A fault in one half of the private operation would give the key away.
    if pow(s, public.e, public.n) != z:
        raise ValueError("signing failure")
    return s.to_bytes(public.length, "big")


def verify(key: PublicKey, message: bytes, signature: bytes, salt_length: int = SALT) -> bool:
    """Returns True if the signature of the message is valid (RSASSA-PSS-VERIFY)."""
    s, bits = int.from_bytes(signature, "big"), key.n.bit_length() - 1
    if len(signature) != key.length or s >= key.n:
        return False
    m = pow(s, key.e, key.n)
    if m.bit_length() > bits:
        return False
    return is_emsa_pss_encoding(message, bits, m.to_bytes(-(-bits // 8), "big"), salt_length)


def _private_power(key: PrivateKey, base: int) -> int:
    """Computes base^d mod n by the Chinese remainder theorem (RFC 8017, section 5.1.2)."""
    of_p = pow(base, pow(EXPONENT, -1, key.p - 1), key.p)
    of_q = pow(base, pow(EXPONENT, -1, key.q - 1), key.q)
    return of_q + key.q * ((of_p - of_q) * pow(key.q, -1, key.p) % key.p)


def _draw_positive_below(n: int, random_bytes: RandomBytes) -> int:
    """Draws a uniform random number from 1 to n - 1."""
    length = -(-n.bit_length() // 8)
    while not 1 <= (r := int.from_bytes(random_bytes(length), "big")) < n:
        pass
    return r
