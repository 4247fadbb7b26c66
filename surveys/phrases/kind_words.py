"""Finds the texts of a design that have words by which Candor's pages say what kind a question is."""

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache

from surveys.phrases.text_as_seen import letters_as_seen, texts_with_paths

KIND_WORDS: Mapping[str, tuple[str, ...]] = {
    "en": ("disguised",),
    "zh-hans": ("伪装",),
    "de": ("verschleiert",),
    "fr": ("brouillage", "brouillée"),
    "es": ("camufla",),
    "ar": ("تمويه", "مموه", "تموه", "يموه"),
}
"""The words, or their stems, in the phrases `disguised`, `sent_as_answered` and the names of the two choices, by the
languages that Candor ships."""
MOST_KEPT = 32
DIRECTIONS = re.compile("[\u200e\u200f\u061c\u2066-\u2069]+")
"""Marks and isolates, which texts of two directions need."""
LATIN, OTHERS = re.compile("[a-z]+", re.ASCII), re.compile("[^a-z]+", re.ASCII)


@lru_cache(MOST_KEPT)
def kind_words_outside_phrases(canonical: str) -> tuple[tuple[str, str], ...]:
    """Returns the path of each text with such a word, and the language of the word, from the JSON of a design."""
    texts = texts_with_paths({key: part for key, part in json.loads(canonical).items() if key != "phrases"})
    return tuple((path, code) for path, text in texts if (code := language_of_kind_word(text)))


def language_of_kind_word(text: str) -> str:
    """Returns the shipped language in whose words the text names a kind of question; empty if it does not."""
    pieces = [letters_as_seen(piece) for piece in DIRECTIONS.split(text)]
    letters = "".join(pieces)
    latin, others = OTHERS.sub("", letters), LATIN.sub("", letters)
    for code, word in _kind_words_as_seen():
        if word in (latin if word.isascii() else others) or (pieces[1:] and _is_spelt_by(word, pieces)):
            return code
    return ""


def _is_spelt_by(word: str, pieces: list[str]) -> bool:
    """True if pieces of a text can stand in an order in which they show the word: marks of direction between them can
    turn their order, though they force none."""
    reached = {end for end in range(1, len(word)) if any(piece.endswith(word[:end]) for piece in pieces)}
    for start in range(1, len(word)):
        for piece in pieces if start in reached else ():
            if piece.startswith(word[start:]):
                return True
            if piece and word.startswith(piece, start):
                reached.add(start + len(piece))
    return False


@cache
def _kind_words_as_seen() -> tuple[tuple[str, str], ...]:
    return tuple((code, letters_as_seen(word)) for code, words in KIND_WORDS.items() for word in words)
