"""Finds what a design says of the protection in words that are not Candor's: its own sentences in place of phrases, and
texts with the words by which Candor says what kind a question is."""

from typing import NamedTuple

from privacy.designs import Design
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.fixed_page_sentence import BOLD, PLACEHOLDER
from surveys.phrases.kind_and_chance import KIND_AND_CHANCE, digits_and_english
from surveys.phrases.kind_words import kind_words_outside_phrases, language_of_kind_word
from surveys.phrases.languages import ENGLISH, SHIPPED, nearest_language, shipped_language_for
from surveys.phrases.phrase_rendering import shipped_phrase_text

WHAT_HAPPENS = frozenset(
    {
        *("throw_kept", "throw_chance", "throws_so_far", "throw_set", "throw_others", "throws_set"),
        *("throw_near", "throw_any", "throws_near", "throw_class", "throws_class"),
        *("throw_place", "throw_exact", "throw_anywhere", "throws_place", "throws_exact"),
        *("toy_kept", "toy_random", "short_drawn", "grouped_asked", "grouped_asked_each", "number_inside"),
        *("receipt_about", "nothing_kept", "kept_about", "deleted_about", "preview_about", "preview_notice"),
        *("decide_leave", "uninvited_about", "completion_about", "invite_everybody"),
        *("exchange_once", "exchange_held", "code_set", "field_practised", "follows_disguised"),
    }
)
"""Phrases that say what becomes of an answer or a record, or who is tied to it. They may stay in English, so that they
are not among those that a survey must translate (`Phrase.protects`); in a survey's own words they are reviewed too."""


class OwnSentence(NamedTuple):
    """A design's own text in place of a phrase, which `protects` if it is about the protection; and Candor's text."""

    language: str
    key: str
    text: str
    protects: bool
    candors_language: str
    candors: str


def own_sentences(design: Design) -> list[OwnSentence]:
    """Returns the design's sentences that are neither Candor's in the nearest language nor its English; a shipped
    language has none."""
    own = []
    for key, texts in design.phrases:
        for code, text in texts.entries if key in PHRASES else ():
            if code in SHIPPED:
                continue
            nearest = shipped_language_for(code) or nearest_language(code, SHIPPED) or ENGLISH
            candors = shipped_phrase_text(key, nearest)
            known = (candors, PHRASES[key].original_english, digits_and_english(key))
            if text not in known:
                protects = PHRASES[key].protects or key in KIND_AND_CHANCE | WHAT_HAPPENS
                own.append(OwnSentence(code, key, text, protects, nearest, candors))
    return own


def own_protection_sentences(design: Design) -> list[OwnSentence]:
    return [sentence for sentence in own_sentences(design) if sentence.protects]


def texts_with_kind_words(design: Design) -> list[tuple[str, str]]:
    """Returns the path of each text that names a kind of question in Candor's words, and the language of these words.

    Of the phrases, only the design's own about other matters are searched.
    """
    others = ((f"phrases.{own.language}", own.text) for own in own_sentences(design) if not own.protects)
    named = ((path, language_of_kind_word(PLACEHOLDER.sub("", BOLD.sub("", text)))) for path, text in others)
    return [*kind_words_outside_phrases(design.canonical), *(row for row in named if row[1])]
