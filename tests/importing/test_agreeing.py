"""Nothing sensitive becomes plain without a tick."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest

from importing import questionnaire_file
from importing.apply_sensitivity_choice import dependents_by_question, make_unticked_sensitive
from importing.import_result import ImportResult
from importing.xlsform import write
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from tests.importing.flow.made_files import form
from tests.surveys.drafts import bilingual

pytestmark = pytest.mark.page
ROWS = [
    ["select_one ages", "age", "Age?", "yes"],
    ["select_one yes_no", "theft", "Stolen?", "yes", "${age} = 'old'"],
    ["select_multiple paid", "paid", "Paid?", "yes"],
    ["select_one paid", "how", "How?", "yes", "selected(${paid}, 'cash') and ${age} = 'old'"],
]


def read_rows(*rows: list[Any]) -> ImportResult:
    return questionnaire_file.read(form(*(rows or ROWS)))


def agreed_json(draft: Draft, unmarked: Sequence[Sequence[str]], ticked: Collection[int]) -> Draft:
    return make_unticked_sensitive(read_questionnaire(draft), unmarked, ticked).as_json()


def unmarked_questions(found: ImportResult) -> list[tuple[str, ...]]:
    return [line.questions for line in found.lines if line.unmarked]


def sections_after_ticking(ticked: set[int], *rows: list[Any]) -> list[tuple[str, list[str]]]:
    found = read_rows(*rows)
    sections = agreed_json(found.draft, unmarked_questions(found), ticked)["sections"]
    return [(each["kind"], [question["name"] for question in each["questions"]]) for each in sections]


def test_unticked_questions_are_sensitive_and_ticked_ones_plain_in_place() -> None:
    assert sections_after_ticking(set()) == [
        ("unrelated-question", ["age", "theft", "paid-cash", "paid-goods", "how"])
    ]
    disguised = ("unrelated-question", ["theft", "paid-cash", "paid-goods"])
    assert sections_after_ticking({0, 3}) == [("plain", ["age"]), disguised, ("plain", ["how"])]


def test_the_text_of_a_section_stays_before_its_first_question() -> None:
    found = read_rows(["begin_group", "g", "About you"], *ROWS, ["end_group"])
    for ticked in ({0, 3}, {1}):
        sections = agreed_json(found.draft, unmarked_questions(found), ticked)["sections"]
        intros = [each.get("intro") for each in sections]
        assert intros == [{"en": "About you"}, *[None] * (len(sections) - 1)]


def test_ticks_decide_which_questions_are_sensitive_and_which_rules_stay() -> None:
    found = read_rows()
    assert agreed_json(found.draft, unmarked_questions(found), {0, 1, 2, 3}) == found.draft
    # Rules on what becomes sensitive are left out and others stay.
    draft = agreed_json(found.draft, unmarked_questions(found), {0})
    rules = {each["name"]: each["show_if"] for section in draft["sections"] for each in section["questions"]}
    old = {"age": ["old"]}
    assert rules == {"age": {}, "theft": old, "paid-cash": {}, "paid-goods": {}, "how": old}
    # The rules that would be lost are named.
    dependents = {"age": ["theft", "how"], "paid-cash": ["how"]}
    assert dependents_by_question(read_questionnaire(read_rows().draft)) == dependents


def test_kind_stated_in_the_file_needs_no_tick() -> None:
    marked = [
        ["select_one ages", "a", "A?", "yes", "", "plain"],
        ["select_one ages", "b", "B?", "yes", "", "sensitive"],
        ["select_one ages", "c", "C?", "yes"],
    ]
    assert [line.unmarked for line in read_rows(*marked).lines] == [False, False, True]
    own = questionnaire_file.read(write(read_questionnaire(bilingual())))
    assert not any(line.unmarked for line in own.lines)
    disguised = [("unrelated-question", [name]) for name in "bc"]
    assert sections_after_ticking(set(), *marked) == [("plain", ["a"]), *disguised]


AGE = ["integer", "age", "Age?", "yes", "", ". >= 0 and . <= 120"]
WITH_ENDS = ["type", "name", "label", "required", "relevant", "constraint"]


def test_unticked_number_becomes_sensitive_with_its_own_limits() -> None:
    found = questionnaire_file.read(form(ROWS[0], AGE, ROWS[2], header=WITH_ENDS))
    plain, number, last = agreed_json(found.draft, unmarked_questions(found), {0, 2})["sections"]
    assert (plain["kind"], number["kind"], last["kind"]) == ("plain", "number", "plain")
    [question] = number["questions"]
    assert (question["low"], question["high"], question["limits"]) == (0, 120, [20, 40, 60, 80, 100])
    assert (number["preset"], question["law"]) == ("balanced", "classes")
    assert agreed_json(found.draft, unmarked_questions(found), {0, 1, 2}) == found.draft
    # One of two values becomes a question with choices.
    found = questionnaire_file.read(form([*AGE[:5], ". >= 0 and . <= 1"], header=WITH_ENDS))
    [section] = agreed_json(found.draft, [["age"]], set())["sections"]
    assert (section["kind"], "number" in section["questions"][0]) == ("unrelated-question", False)


def test_unticked_numeric_scale_becomes_a_number_with_a_class_each() -> None:
    """A battery, and a scale with an answer that is no number, stay questions with choices."""
    scale: dict[str, Any] = {"form": "scale", "text": {"en": "How content?"}, "show_if": {}}
    choices = [{"name": str(at), "label": {"en": str(at)}} for at in range(1, 6)]
    asked = [
        {**scale, "name": "content", "choices": choices},
        {**scale, "name": "well", "choices": [*choices, {"name": "none", "label": {"en": "None"}}]},
        {**scale, "name": "calm", "of": "views", "choices": choices},
    ]
    sections = [{"kind": "plain", "questions": asked}]
    draft = {"format": "candor-design/1", "languages": ["en"], "sections": sections}
    content, others = agreed_json(draft, [["content"], ["well"], ["calm"]], set())["sections"]
    [number] = content["questions"]
    assert (content["kind"], number["low"], number["high"]) == ("number", 1, 5)
    assert number["limits"] == [2, 3, 4, 5]
    assert (number["cuts"], number["rest"]) == (4, 0)
    assert [each["name"] for each in others["questions"]] == ["well", "calm"]
