"""The permanent draws of lasting sections, which a person's code fixes for life; in JavaScript permanent.js.

    words = HMAC-SHA-256(code, "candor-lasting/1" 0x00 study i purpose codes block): eight 32-bit words, big endian

with `study` the fingerprint of the first design of the study (32 bytes), i the index among the lasting sections of the
design (one byte), the purpose `answers` or `rotation` in ASCII, the codes of the true answers (two bytes each, *not
asked* as its code) and the block's number from 0 (four bytes); nothing stands between the parts.

* `rotation`, without codes: the shuffle coins of the section. Its questions are drawn once for life.
* `answers`: a keep coin below 10,000 (kept if it is below 10,000 a), then a noise coin for each question.

Draws for different true answers are independent: with one keep coin for all, a change would prove both answers true.
See docs/mathematics.md, Lasting disguise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import digest
from struct import pack, unpack

from privacy.designs.design import Design
from privacy.grammar.json_node import PARTS
from privacy.grammar.question import Answers
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.mechanisms.random_draws import WORD_BITS, Coins, RandomWords, coin_sides_by_section, draw_below


@dataclass(frozen=True, slots=True)
class _LastingSectionIndexes:
    """A lasting section with its index among the lasting sections, and the indexes of its first question and coin."""

    section: UnrelatedQuestionSection
    number: int
    question: int
    coin: int


def study_fingerprint(design: Design) -> str:
    """Returns the fingerprint of the first design of the study, which may be this design itself."""
    return design.study or design.fingerprint


def coins_with_permanent_rotation(design: Design, coins: Coins, code: bytes) -> Coins:
    """Returns the coins with the shuffle coins of lasting sections replaced by those that the person's code fixes.

    So a person is asked the same questions in every round.
    """
    values = list(coins.values)
    for place in _lasting_sections(design, coins.modulus):
        if place.section.rotates:
            words = permanent_words(code, study_fingerprint(design), place.number, "rotation", ())
            sides = place.section.permanent.sides_of_coins(PARTS)[: place.section.asked]
            values[place.coin : place.coin + len(sides)] = (draw_below(n, words) for n in sides)
    return Coins(tuple(values), coins.modulus)


def permanent_answers(design: Design, coins: Coins, answers: Answers, code: bytes) -> list[int | None]:
    """Returns the answers with those of lasting sections replaced by the permanent draw of the person's code.

    `coins` come from `coins_with_permanent_rotation`.
    """
    replaced = list(answers)
    for place in _lasting_sections(design, coins.modulus):
        section, first = place.section, place.question
        shuffle = coins.values[place.coin : place.coin + section.asked] if section.rotates else ()
        drawn = section.drawn_questions(shuffle)
        own = answers[first : first + len(section.questions)]
        true = [
            answer if is_drawn and answer is not None else question.not_asked
            for question, answer, is_drawn in zip(section.questions, own, drawn, strict=True)
        ]
        words = permanent_words(code, study_fingerprint(design), place.number, "answers", true)
        thrown = [draw_below(PARTS, words) for _ in range(1 + len(section.questions))]
        codes: list[int] = []
        section.permanent.disguise([*shuffle, *thrown], PARTS, False, own, codes)
        for index, (is_drawn, drawn_code) in enumerate(zip(drawn, codes, strict=True), first):
            if is_drawn:
                replaced[index] = drawn_code
    return replaced


def permanent_words(code: bytes, study: str, section: int, purpose: str, codes: Sequence[int]) -> RandomWords:
    """Returns the random words that a person's code fixes for a section and a `purpose`, `answers` or `rotation`.

    `codes`: codes of the true answers of the section, for `answers`.
    """
    return RandomWords(WORD_BITS, _permanent_word_stream(code, study, section, purpose, codes).__next__)


def _permanent_word_stream(
    code: bytes, study: str, section: int, purpose: str, codes: Sequence[int]
) -> Iterator[int]:
    about = b"candor-lasting/1\0" + bytes.fromhex(study) + bytes([section]) + purpose.encode()
    about += pack(f">{len(codes)}H", *codes)
    block = 0
    while True:
        yield from unpack(">8I", digest(code, about + pack(">I", block), "sha256"))
        block += 1


def _lasting_sections(design: Design, modulus: int) -> Iterator[_LastingSectionIndexes]:
    question = coin = number = 0
    for section, sides in zip(design.sections, coin_sides_by_section(design, modulus), strict=True):
        if isinstance(section, UnrelatedQuestionSection) and section.lasting_law:
            yield _LastingSectionIndexes(section, number, question, coin)
            number += 1
        question += len(section.questions)
        coin += len(sides)


# --- person code
# The code of a person: eighty random bits, which the person alone keeps (in JavaScript `permanent.js`).
# It is shown in Crockford's base 32 as three groups of six characters: sixteen of the code and two that check
# it, the first ten bits of SHA-256("candor-code/1" code). Small letters, spaces and hyphens do not matter; O is
# read as 0, I and L as 1.
# Each study shows the bits of a code XOR the first ten bytes of SHA-256("candor-code-of/1" study), `study`
# being the fingerprint of the first design (32 bytes). So in another study the two last characters do not fit,
# though every code stays possible in every study.

LENGTH = 10
CHECK_BITS = 10
CHARACTERS = 18
GROUP = 6
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS = {**{letter: letter for letter in ALPHABET}, "O": "0", "I": "1", "L": "1"}


def draw_person_code(words: RandomWords) -> bytes:
    """Draws a person's new code from a secure source, or from a seeded one for files and rehearsals."""
    return bytes(draw_below(256, words) for _ in range(LENGTH))


def person_code_text(code: bytes, study: str = "") -> str:
    """Writes a person's code as text to note down, masked with the study if one is given."""
    number = int.from_bytes(_mix_with_study(code, study)) << CHECK_BITS | _checksum(code)
    letters = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(CHARACTERS)))
    return "-".join(letters[start : start + GROUP] for start in range(0, CHARACTERS, GROUP))


def read_person_code(text: str, study: str = "") -> bytes | None:
    """Reads a code that a person typed; None if its check characters do not match.

    The check finds 1,023 of 1,024 typing errors, and as many codes of another study.
    """
    letters = [_READ_AS.get(letter) for letter in "".join(text.split()).replace("-", "").upper()]
    if len(letters) != CHARACTERS:
        return None
    number = 0
    for letter in letters:
        if letter is None:
            return None
        number = number << 5 | ALPHABET.index(letter)
    code = _mix_with_study((number >> CHECK_BITS).to_bytes(LENGTH), study)
    return code if number & (1 << CHECK_BITS) - 1 == _checksum(code) else None


def _mix_with_study(code: bytes, study: str) -> bytes:
    """Masks a person's code by the study (XOR); the same operation unmasks it."""
    if not study:
        return code
    mask = sha256(b"candor-code-of/1" + bytes.fromhex(study)).digest()
    return bytes(one ^ other for one, other in zip(code, mask, strict=False))


def _checksum(code: bytes) -> int:
    return int.from_bytes(sha256(b"candor-code/1" + code).digest()[:2]) >> 16 - CHECK_BITS
