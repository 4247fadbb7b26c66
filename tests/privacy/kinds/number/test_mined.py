"""What mining sees of a number."""

import numpy as np

from privacy.kinds.number.form import ThresholdsQuestion
from privacy.kinds.number.mined_codes import items_of
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    design,
    plain,
    question,
    sensitive,
    thresholds,
    window,
)

WHOLE = design(
    window("income", 101, 3),
    plain(WORK),
    thresholds("debt", "0.5", 0, 5, 10, 20, **IF_EMPLOYED),
    sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED)),
)


def test_a_design_without_numbers_is_mined_as_it_is() -> None:
    found = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    assert found.mined is found


def test_behind_a_number_a_rule_may_name_a_question_of_its_own_section() -> None:
    shift = {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}
    found = design(thresholds("debt", "0.5", 0, 5, 10), plain(WORK, shift))
    (rule,) = found.mined.questions[-1].show_if
    assert found.mined.questions[rule.place].name == "work"


def test_thresholds_are_yes_no_questions_of_which_one_is_asked() -> None:
    section = WHOLE.mined.sections[2]
    assert (section.asked, section.rotates, section.mined.keep_parts) == (1, True, 5000)
    assert [[choice.name for choice in of.choices] for of in section.questions] == [
        ["<5", ">=5"],
        ["<10", ">=10"],
        ["<20", ">=20"],
    ]
    assert {of.name for of in section.questions} == {"debt"}
    assert section.mined.noise_parts == ((5000, 5000),) * 3


def test_a_window_has_no_items_but_its_rules() -> None:
    income = WHOLE.mined.questions[0]
    assert (income.name, income.codes) == ("income", 0)


def test_rules_name_the_place_that_a_question_has_among_the_mined_ones() -> None:
    moved = design(
        thresholds("debt", "0.5", 0, 5, 10, 20),
        plain(WORK),
        sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED)),
    )
    assert moved.questions[2].show_if[0].place == 1
    assert moved.mined.questions[4].show_if[0].place == 3


def test_the_fingerprint_stays() -> None:
    assert WHOLE.mined is not WHOLE
    assert (WHOLE.mined.fingerprint, WHOLE.mined.canonical) == (WHOLE.fingerprint, WHOLE.canonical)
    assert WHOLE.mined.mined is WHOLE.mined


def test_codes_become_answers_to_thresholds() -> None:
    of = WHOLE.questions[2]
    assert isinstance(of, ThresholdsQuestion)
    codes = np.array([0, 1, 2, 3, 4, 5, of.not_applicable], np.uint8)
    items = items_of(of, codes)
    assert items.tolist() == [
        [0, 1, 2, 2, 2, 2, 2],
        [2, 2, 0, 1, 2, 2, 2],
        [2, 2, 2, 2, 0, 1, 2],
    ]
