"""Answers in random order: ticked in the builder, in a design, and in XLSForm."""

import json
from typing import Any

import pytest

from builder.editing.separately_saved_parts import part_from_key
from importing import xlsform
from surveys.draft_json import PREFER_NOT
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.questionnaire import answer_choices, choice_question_kinds
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.written import draft, options, plain, question, sensitive, stored

WORK = question("work", "miner", "nurse", "other", PREFER_NOT)


def asking(*asked: dict[str, Any], make: Any = plain) -> Questionnaire:
    return draft(make(*asked))


def ticked(before: Questionnaire, key: str, **sent: str) -> Questionnaire:
    part = part_from_key(key, "en")
    form = part.build_form(before)
    shown = {each.html_name: each.value() for each in form if each.value() not in (None, False)}
    data = {name: value for name, value in shown.items() if name != "shuffled"}
    made = part.build_form(before, {**data, **sent})
    assert made.is_valid(), made.errors
    return part.apply_cleaned(before, made.cleaned_data)


def counted(of: Questionnaire) -> list[int]:
    return [each.shuffled for each in of.sections[0].questions]


@pytest.mark.parametrize("make", [plain, sensitive])
def test_a_tick_shuffles_all_answers_but_prefer_not_to_say(make: Any) -> None:
    before = asking(WORK, make=make)
    after = ticked(before, "work", shuffled="on")
    assert counted(after) == [3]
    assert read_questionnaire(after.as_json()) == after
    assert counted(ticked(after, "work")) == [0]


def test_a_tick_shuffles_the_options_of_a_group() -> None:
    before = asking(*options("use", "bus", "car", "bike"))
    after = ticked(before, "of=use", shuffled="on")
    assert counted(after) == [3, 0, 0]
    moved = answer_choices.move_choice(after, "of=use", 0, 1)
    assert counted(moved) == [3, 0, 0]
    kept = choice_question_kinds.set_prefer_not_to_say(after, "of=use", True)
    assert counted(kept) == [3, 0, 0, 0]


def test_answers_that_come_and_go_are_counted() -> None:
    one = ticked(asking(WORK), "work", shuffled="on")
    more, _row = answer_choices.add_choice(one, "work", 0)
    assert counted(more) == [4]
    fewer, _removed = answer_choices.remove_choice(one, "work", 0)
    assert counted(fewer) == [2]


@pytest.mark.parametrize(
    "asked",
    [
        question("age", "young", "old", form="scale"),
        question("age", "young", "old", of="ages"),
        question("paid", "no", "yes", form="yes-no"),
        question("paid", "no", "yes", PREFER_NOT),
    ],
)
def test_answers_with_an_order_of_their_own_keep_it(asked: dict[str, Any]) -> None:
    given = asking({**asked, "shuffled": 2})
    assert counted(given) == [0]
    key = "age" if asked["name"] == "age" else "paid"
    assert "shuffled" not in part_from_key(key, "en").build_form(given).fields


def test_the_design_has_it() -> None:
    design = freeze_design(stored(plain(WORK | {"shuffled": 3}), sensitive(question("theft"))))
    assert design.questions[0].shuffled == 3
    assert json.loads(design.canonical)["sections"][0]["questions"][0]["shuffled"] == 3


def test_xlsform_keeps_it() -> None:
    asked = [WORK | {"shuffled": 3}, *options("use", "bus", "car")]
    asked[1] |= {"shuffled": 2}
    before = asking(*asked)
    found = xlsform.read(xlsform.write(before))
    assert counted(read_questionnaire(found.draft)) == counted(before) == [3, 2, 0]
