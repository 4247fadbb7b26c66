"""The stated gamma of whole designs, rules and rotation included, against all truths and all records."""

import json
from fractions import Fraction
from typing import Any

import pytest

from privacy.designs import parse
from privacy.guarantee.design_guarantees import audit
from proof.record_probabilities import largest_ratio, laws_by_plain_answers
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    classes,
    plain,
    question,
    sensitive,
    window,
    written,
)

IF_NOT = {"show_if": {"work": ["not"]}}
SHIFT = {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}
IF_NIGHT = {"show_if": {"shift": ["night"]}}


def stated(design: dict[str, Any]) -> Fraction:
    found = parse(json.dumps(design))
    person = audit(found, Fraction(1, 20), Fraction(1, 20), Fraction(1, 2)).person
    assert person is not None
    return person.gamma


BOTH = (window("age", 5, 1, "0.4"), classes("debt", "0.5", 0, 2, 3, rest=2))
ALL_SHOWN_TO_SOMEBODY = {
    "a window behind a rule": written(plain(WORK), window("age", 5, 1, "0.5", **IF_EMPLOYED)),
    "classes behind a rule": written(plain(WORK), classes("debt", "0.7", 0, 1, 3, **IF_EMPLOYED)),
    "both laws": written(*BOTH),
    "both laws and a question": written(
        plain(WORK), *BOTH, sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED))
    ),
    "classes beside a rotating section": written(
        plain(WORK),
        classes("debt", "0.6", 0, 1, 2, 4, rest=2, **IF_EMPLOYED),
        sensitive("0.45", question("drink", *THIRDS, **IF_EMPLOYED), question("drugs", *HALF), asked=1),
    ),
    "a window beside a rotating section": written(
        plain(WORK),
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drink", *THIRDS), asked=1),
        window("age", 4, 0, "0.9", **IF_EMPLOYED),
    ),
    "two numbers by classes": written(
        classes("debt", "0.6", 0, 1, 2), classes("pay", "0.25", 10, 30, 50, step=10, rest=2)
    ),
    "one behind a rule": written(
        plain(WORK),
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drugs", *HALF)),
    ),
    "rotating": written(
        plain(WORK),
        sensitive(
            "0.6",
            question("drink", *THIRDS),
            question("theft", "0.4", "0.6", **IF_EMPLOYED),
            question("drugs", *HALF),
            asked=2,
        ),
    ),
    "one of three": written(
        plain(WORK),
        sensitive(
            "0.45",
            question("drink", *THIRDS, **IF_EMPLOYED),
            question("theft", "0.9", "0.1", **IF_EMPLOYED),
            question("drugs", *HALF),
            asked=1,
        ),
    ),
    "a rule behind a rule": written(
        plain(WORK, SHIFT),
        sensitive(
            "0.25", question("theft", "0.7", "0.3", **IF_NIGHT), question("drink", *THIRDS, **IF_EMPLOYED)
        ),
    ),
    "two sections": written(
        plain(WORK),
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED)),
        sensitive("0.5", question("drugs", *HALF, **IF_EMPLOYED), question("drink", *THIRDS), asked=1),
    ),
}
NEVER_TOGETHER = {
    "numbers of both laws": written(
        plain(WORK), window("age", 5, 1, "0.4", **IF_EMPLOYED), classes("debt", "0.5", 0, 2, 3, **IF_NOT)
    ),
    "a number beside a question": written(
        plain(WORK),
        classes("debt", "0.5", 0, 2, 3, rest=2, **IF_NOT),
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED)),
    ),
    "in one section": written(
        plain(WORK),
        sensitive(
            "0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drugs", "0.3", "0.7", **IF_NOT)
        ),
    ),
    "in two sections": written(
        plain(WORK),
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED)),
        sensitive("0.3", question("drugs", "0.3", "0.7", **IF_NOT)),
    ),
    "rotating": written(
        plain(WORK),
        sensitive(
            "0.3",
            question("theft", "0.4", "0.6", **IF_EMPLOYED),
            question("drugs", "0.3", "0.7", **IF_NOT),
            question("drink", *HALF),
            asked=2,
        ),
    ),
}


def test_gamma_is_reached_by_those_who_are_shown_everything(subtests: pytest.Subtests) -> None:
    for name, design in ALL_SHOWN_TO_SOMEBODY.items():
        with subtests.test(f"{name!r:.60}"):
            found = [largest_ratio(alike) for alike in laws_by_plain_answers(design)]
            assert max(found) == stated(design)
            assert len(found) == 1 or min(found) < stated(design)


def test_gamma_is_an_upper_bound_where_questions_never_show_together(subtests: pytest.Subtests) -> None:
    for name, design in NEVER_TOGETHER.items():
        with subtests.test(f"{name!r:.60}"):
            assert max(largest_ratio(alike) for alike in laws_by_plain_answers(design)) < stated(design)


def test_what_a_rule_can_save_by_hand() -> None:
    # Only one of the two is ever answered: 1 + 3/7 / .3 at most, and not 1 + 3/7 / (.4 * .3).
    design = NEVER_TOGETHER["in one section"]
    assert sorted(largest_ratio(alike) for alike in laws_by_plain_answers(design)) == [
        1 + Fraction(3, 7) / Fraction(4, 10),
        1 + Fraction(3, 7) / Fraction(3, 10),
    ]
    assert stated(design) == 1 + Fraction(3, 7) / Fraction(12, 100)


def test_a_section_that_is_hidden_whole_says_nothing(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, Any]] = [
        sensitive("0.3", question("theft", *HALF, **IF_EMPLOYED)),
        window("age", 5, 1, "0.5", **IF_EMPLOYED),
        classes("debt", "0.7", 0, 1, 3, **IF_EMPLOYED),
    ]
    for section in cases:
        with subtests.test(f"{section!r:.60}"):
            hidden = written(plain(WORK), section)
            assert sorted(largest_ratio(alike) for alike in laws_by_plain_answers(hidden)) == [
                1,
                stated(hidden),
            ]
