"""Finds the texts of a design that have words by which Candor's pages say what kind a question is."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache

from privacy.grammar.text_as_seen import letters_as_seen, texts_with_paths

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


@lru_cache(MOST_KEPT)
def kind_words_outside_phrases(canonical: str) -> tuple[tuple[str, str], ...]:
    """Returns the path of each text with such a word, and the language of the word, from the JSON of a design."""
    texts = texts_with_paths({key: part for key, part in json.loads(canonical).items() if key != "phrases"})
    return tuple((path, code) for path, text in texts if (code := language_of_kind_word(text)))


def language_of_kind_word(text: str) -> str:
    """Returns the shipped language in whose words the text names a kind of question; empty if it does not."""
    letters = letters_as_seen(text)
    return next((code for code, word in _kind_words_as_seen() if word in letters), "")


@cache
def _kind_words_as_seen() -> tuple[tuple[str, str], ...]:
    return tuple((code, letters_as_seen(word)) for code, words in KIND_WORDS.items() for word in words)
