"""Plain numbers in drafts: round bands are proposed, and words follow the numbers in every language."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from privacy.grammar.input_error import InputError
from privacy.grammar.number_range import FURTHEST, NumberRange
from privacy.kinds.plain.number_bands import check_limits
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.plain_number_bands import (
    MOST_PROPOSED,
    DraftBands,
    band_labels,
    propose_round_limits,
    question_with_bands,
    question_with_unit,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.translatable_texts import add_language

AGE = DraftBands(0, 120, 1, (18, 35, 55), {"en": "years"})


def question(*languages: str) -> DraftQuestion:
    return question_with_bands(DraftQuestion(name="age"), AGE, languages)


def draft(node: dict[str, Any], *languages: str) -> Questionnaire:
    sections = [{"kind": "plain", "questions": [node]}]
    return read_questionnaire({"languages": list(languages), "sections": sections})


def test_round_bands_are_proposed_from_the_range() -> None:
    for numbers, limits in (
        (NumberRange(0, 120), (20, 40, 60, 80, 100)),
        (NumberRange(18, 99), (20, 40, 60, 80)),
        (NumberRange(1900, 2026), (1925, 1950, 1975, 2000, 2025)),
        (NumberRange(0, 168), (50, 100, 150)),
        (NumberRange(0, 5000, 50), (1000, 2000, 3000, 4000)),
        (NumberRange(-40, 40), (-20, 0, 20)),
        (NumberRange(3, 31, 7), (10, 17, 24, 31)),
        (NumberRange(1, 2), (2,)),
    ):
        assert propose_round_limits(numbers) == limits


@given(st.integers(-FURTHEST, FURTHEST), st.integers(1, 10**6), st.integers(1, 10**3))
def test_the_proposal_makes_two_to_six_bands_of_any_range(low: int, steps: int, step: int) -> None:
    numbers = NumberRange(low, low + steps * step, step)
    limits = propose_round_limits(numbers)
    check_limits(numbers, limits)
    assert 1 <= len(limits) <= MOST_PROPOSED


def test_the_bands_are_said_in_each_language() -> None:
    """Years have no sign between their digits and amounts have."""
    ages = ["under 18 years", "18 to under 35 years", "35 to under 55 years", "55 years or more"]
    assert band_labels(AGE, "en") == ages
    assert band_labels(AGE, "de")[1] == "18 bis unter 35"
    assert band_labels(AGE, "it") == ["< 18", "18–34", "35–54", "≥ 55"]
    assert len({tuple(band_labels(AGE, code)) for code in SHIPPED}) == len(SHIPPED)
    assert band_labels(DraftBands(1900, 2026, 1, (1950,)), "en") == ["under 1950", "1950 or more"]
    amounts = DraftBands(0, 9000, 1, (1950,), {"en": "euros"})
    assert band_labels(amounts, "en")[0] == "under 1,950 euros"


def test_a_number_is_read_and_written_again_with_its_bands_as_answers() -> None:
    """Names that a file gives them stay with the rules that know them."""
    made = draft(question("en", "de").as_json(), "en", "de")
    [read] = made.all_questions
    assert read == replace(question("en", "de"), role="other")
    assert read.choice_names == ("<18", "18..34", "35..54", "55+")
    design = freeze_design(made.as_json())
    assert design.has_banded_numbers
    assert "number_banded" in design.as_json()["phrases"]
    names = ["child", "young", "middle", "old"]
    [read] = draft({**question("en").as_json(), "choices": names}, "en").all_questions
    assert read.choice_names == tuple(names)


def test_a_number_that_makes_no_bands_is_read_as_a_question_with_answers_and_none_is_made() -> None:
    node: dict[str, Any] = question("en").as_json()
    wrongs: list[dict[str, Any]] = [{"limits": []}, {"limits": [0]}, {"low": "0"}, {"step": 7}, {"high": -1}]
    for wrong in wrongs:
        [read] = draft({**node, "number": {**node["number"], **wrong}}, "en").all_questions
        assert (read.takes_number, len(read.choices)) == (False, 4), wrong
    with pytest.raises(InputError):
        question_with_bands(DraftQuestion(name="age", choices=(Choice("a"),)), DraftBands(limits=()), ["en"])


def test_another_language_gets_the_words_of_the_bands_at_once_and_the_unit_in_its_own_alone() -> None:
    [read] = add_language(draft(question("en").as_json(), "en"), "fr").all_questions
    assert read.choices[0].label["fr"] == "moins de 18"
    [read] = draft(question("en", "de").as_json(), "en", "de").all_questions
    german = question_with_unit(read, "de", "Jahre")  # type: ignore[arg-type]
    assert german.choices[0].label == {"en": "under 18 years", "de": "unter 18 Jahre"}
    assert question_with_unit(german, "en", "").choices[0].label["en"] == "under 18"


def test_what_reports_say_of_a_band_stays_while_the_band_does() -> None:
    first, *others = question("en").choices
    asked = replace(question("en"), choices=(replace(first, predicate={"en": "are children"}), *others))
    moved = question_with_bands(asked, DraftBands(0, 120, 1, (18, 40)), ["en"])
    assert [dict(choice.predicate) for choice in moved.choices] == [{"en": "are children"}, {}, {}]
