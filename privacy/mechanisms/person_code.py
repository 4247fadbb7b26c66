"""The code of a person: eighty random bits, which the person alone keeps. The twin is `permanent.js`.

It is shown in Crockford's base 32 as three groups of six characters: sixteen of the code and two that check it, the
first ten bits of SHA-256("candor-code/1" code). Small letters, spaces and hyphens do not matter; O is read as 0, I and
L as 1.

Each study shows the bits of a code XOR the first ten bytes of SHA-256("candor-code-of/1" study),
`study` being the fingerprint of the first design (32 bytes). So in another study the two last characters do not fit,
though every code stays possible in every study.
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


def written(code: bytes, study: str = "") -> str:
    """As the person writes it down; without a study as it is."""
    number = int.from_bytes(_of_study(code, study)) << CHECK_BITS | _check(code)
    letters = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(CHARACTERS)))
    return "-".join(letters[start : start + GROUP] for start in range(0, CHARACTERS, GROUP))


def typed(text: str, study: str = "") -> bytes | None:
    """The code that was typed; None where the check characters do not fit, as for 1,023 of 1,024 typing errors and of
    the codes of another study."""
    letters = [_READ_AS.get(letter) for letter in "".join(text.split()).replace("-", "").upper()]
    if len(letters) != CHARACTERS:
        return None
    number = 0
    for letter in letters:
        if letter is None:
            return None
        number = number << 5 | ALPHABET.index(letter)
    code = _of_study((number >> CHECK_BITS).to_bytes(LENGTH), study)
    return code if number & (1 << CHECK_BITS) - 1 == _check(code) else None


def _of_study(code: bytes, study: str) -> bytes:
    """What is shown of the code; the other way round too."""
    if not study:
        return code
    mask = sha256(b"candor-code-of/1" + bytes.fromhex(study)).digest()
    return bytes(one ^ other for one, other in zip(code, mask, strict=False))


def _check(code: bytes) -> int:
    return int.from_bytes(sha256(b"candor-code/1" + code).digest()[:2]) >> 16 - CHECK_BITS
