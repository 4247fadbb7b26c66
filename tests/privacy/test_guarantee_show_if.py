"""The stated gamma of whole designs, rules and rotation included, against all truths and all records."""

import json
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from privacy.designs import parse
from privacy.guarantee.audit import audit
from proof.record_law import record_law
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, THIRDS, WORK, plain, question, sensitive, written

DISGUISED = 1
IF_NOT = {"show_if": {"work": ["not"]}}
SHIFT = {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}
IF_NIGHT = {"show_if": {"shift": ["night"]}}


def laws(design: dict[str, Any]) -> Iterator[list[dict[str, Fraction]]]:
    """The laws of all truths that go with the same plain answers."""
    sections = design["sections"]
    questions = [
        (asked, section["kind"] == "plain") for section in sections for asked in section["questions"]
    ]
    alike = defaultdict(list)
    for answers in product(*(range(len(asked["choices"])) for asked, _ in questions)):
        told = tuple(code for code, (_, is_plain) in zip(answers, questions, strict=True) if is_plain)
        alike[told].append(record_law(design, DISGUISED, answers))
    return iter(alike.values())


def most_amplified(laws: list[dict[str, Fraction]]) -> Fraction:
    """The largest P(y|x) / P(y|x'), every record being possible for every truth."""
    assert all(law.keys() == laws[0].keys() for law in laws)
    return max(max(law[record] for law in laws) / min(law[record] for law in laws) for record in laws[0])


def stated(design: dict[str, Any]) -> Fraction:
    found = parse(json.dumps(design))
    person = audit(found, Fraction(1, 20), Fraction(1, 20), Fraction(1, 2)).person
    assert person is not None
    return person.gamma


ALL_SHOWN_TO_SOMEBODY = {
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


@pytest.mark.parametrize("name", ALL_SHOWN_TO_SOMEBODY)
def test_gamma_is_reached_by_those_who_are_shown_everything(name: str) -> None:
    design = ALL_SHOWN_TO_SOMEBODY[name]
    found = [most_amplified(alike) for alike in laws(design)]
    assert max(found) == stated(design)
    assert min(found) < stated(design)


@pytest.mark.parametrize("name", NEVER_TOGETHER)
def test_gamma_is_an_upper_bound_where_questions_never_show_together(name: str) -> None:
    design = NEVER_TOGETHER[name]
    assert max(most_amplified(alike) for alike in laws(design)) < stated(design)


def test_what_a_rule_can_save_by_hand() -> None:
    # Only one of the two is ever answered: 1 + 3/7 / .3 at most, and not 1 + 3/7 / (.4 * .3).
    design = NEVER_TOGETHER["in one section"]
    assert sorted(most_amplified(alike) for alike in laws(design)) == [
        1 + Fraction(3, 7) / Fraction(4, 10),
        1 + Fraction(3, 7) / Fraction(3, 10),
    ]
    assert stated(design) == 1 + Fraction(3, 7) / Fraction(12, 100)


def test_a_section_that_is_hidden_whole_says_nothing() -> None:
    hidden = written(plain(WORK), sensitive("0.3", question("theft", *HALF, **IF_EMPLOYED)))
    assert sorted(most_amplified(alike) for alike in laws(hidden)) == [1, stated(hidden)]
