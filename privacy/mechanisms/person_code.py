"""The code of a person: eighty random bits, which the person alone keeps. The twin is `permanent.js`.

It is shown in Crockford's base 32 as three groups of six characters: sixteen of the code and two that check it, the
first ten bits of SHA-256("candor-code/1" code). Small letters, spaces and hyphens do not matter; O is read as 0, I and
L as 1.
"""

from hashlib import sha256

from privacy.mechanisms.coins import RandomWords, below

LENGTH = 10
CHECK_BITS = 10
CHARACTERS = 18
GROUP = 6
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS = {**{letter: letter for letter in ALPHABET}, "O": "0", "I": "1", "L": "1"}


def draw_code(words: RandomWords) -> bytes:
    """A new code from a secure source, or from a seeded one for files and rehearsals."""
    return bytes(below(256, words) for _ in range(LENGTH))


def written(code: bytes) -> str:
    """As the person writes it down."""
    number = int.from_bytes(code) << CHECK_BITS | _check(code)
    letters = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(CHARACTERS)))
    return "-".join(letters[start : start + GROUP] for start in range(0, CHARACTERS, GROUP))


def typed(text: str) -> bytes | None:
    """The code that was typed; None where the check characters do not fit, as for 1,023 of 1,024 typing errors."""
    letters = [_READ_AS.get(letter) for letter in "".join(text.split()).replace("-", "").upper()]
    if len(letters) != CHARACTERS:
        return None
    number = 0
    for letter in letters:
        if letter is None:
            return None
        number = number << 5 | ALPHABET.index(letter)
    code = (number >> CHECK_BITS).to_bytes(LENGTH)
    return code if number & (1 << CHECK_BITS) - 1 == _check(code) else None


def _check(code: bytes) -> int:
    return int.from_bytes(sha256(b"candor-code/1" + code).digest()[:2]) >> 16 - CHECK_BITS
