"""Phrases that say what kind a question is and with which chance its answer is changed: always Candor's own.

In a language that Candor lacks, such a phrase is digits, which everybody reads, and Candor's English in brackets.
"""

from functools import cache

from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.start_page import REHEARSAL

KEYS_BY_DIGITS = {
    "100 %": "sent_as_answered choice_open short_open send_about_open number_class_open arm_direct disguise_others"
    " disguise_nothing",
    "< 100 %": "disguised choice_disguised arm_disguised",
    "%(n)s/%(questions)s": "disguise_some crosswise_some",
    "%(share)s": "grouped_kept grouped_yes grouped_rarest set_kept set_other classes_kept classes_rest steps_kept"
    " window_kept crosswise_share crosswise_forms_share crosswise_rarest place_chances_outside arms_direct"
    " arms_disguised",
    "%(odds)s": "place_chances_inside place_chances_level place_inside place_level",
    "": "grouped_drawn classes_drawn steps_drawn window_drawn set_drawn set_odds place_outside place_disguised"
    " number_near number_exact number_class number_class_sent number_step_sent number_rest number_rest_open"
    " number_banded bands_only answer_if_true answer_if_not yes_if_true yes_if_not arms_draw crosswise_protects",
}
DIGITS = {key: digits for digits, keys in KEYS_BY_DIGITS.items() for key in keys.split()}
"""The digits with which each of these phrases begins; empty if it has none, or has them in its sentence."""
WITHIN_OTHERS = frozenset({"odds", "odds_people", "odds_first", "about_times", "percent"})
"""Phrases for the chances inside these sentences: English without brackets."""
KIND_AND_CHANCE = DIGITS.keys() | WITHIN_OTHERS
ALWAYS_CANDORS = frozenset(KIND_AND_CHANCE | REHEARSAL.keys())
"""Phrases that no researcher translates. Nobody reviews a rehearsal's own words."""


@cache
def digits_and_english(key: str) -> str | None:
    """Returns such a phrase for languages that Candor lacks; None for any other phrase.

    Two marks keep it from left to right on a page that runs from right to left.
    """
    if key not in DIGITS:
        return PHRASES[key].original_english if key in WITHIN_OTHERS else None
    return f"\u2066{DIGITS[key]} ({PHRASES[key].original_english})\u2069".replace("\u2066 ", "\u2066")
