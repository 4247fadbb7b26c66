"""What mining sees of a number."""

from typing import Any

import pytest

from privacy.kinds.scored_items import ScoredItems
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    design,
    plain,
    question,
    sensitive,
    window,
)

WHOLE = design(
    window("income", 101, 3),
    plain(WORK),
    classes("debt", "0.5", 0, 5, 10, 20, **IF_EMPLOYED),
    sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED)),
)


def test_a_design_without_numbers_is_mined_as_it_is() -> None:
    found = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    assert found.mined is found


def test_every_question_keeps_its_place() -> None:
    assert [question.name for question in WHOLE.mined.questions] == ["income", "work", "debt", "theft"]


def test_the_items_of_a_number_are_its_limits_its_inner_classes_and_their_absences() -> None:
    items = WHOLE.mined.questions[2]
    assert isinstance(items, ScoredItems)
    names = [choice.name for choice in items.choices]
    assert names == [">=5", ">=10", ">=20", ">=5 <10", ">=10 <20", "<5", "<10", "<20"]
    assert [names[item] for item in items.listed_codes] == names[:5]
    assert [names[item] for item in items.class_items] == ["<5", ">=5 <10", ">=10 <20", ">=20"]


def test_some_records_have_no_score_where_some_send_the_rest_or_a_rule_hides_it(
    subtests: pytest.Subtests,
) -> None:
    cases: list[tuple[int, Any, bool]] = [(0, {}, False), (2, {}, True), (0, IF_EMPLOYED, True)]
    for rest, rule, rotates in cases:
        with subtests.test(f"{rest} {rule!r:.60}"):
            found = design(plain(WORK), classes("debt", "0.5", 0, 5, 10, rest=rest, **rule))
            assert found.mined.sections[1].rotates is rotates


def test_a_window_has_no_items_but_its_rules() -> None:
    income = WHOLE.mined.questions[0]
    assert (income.name, income.codes) == ("income", 0)


def test_the_fingerprint_stays() -> None:
    assert WHOLE.mined is not WHOLE
    assert (WHOLE.mined.fingerprint, WHOLE.mined.canonical) == (WHOLE.fingerprint, WHOLE.canonical)
    assert WHOLE.mined.mined is WHOLE.mined
