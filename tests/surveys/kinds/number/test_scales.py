"""A disguised scale of numbers becomes a number whose every value is a class, and is brought back."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.questions_and_sections import turn_scale_into_number
from builder.editing.save_edit import load_questionnaire
from privacy.kinds.number.classes.section import ClassesSection
from surveys.kinds.protection_presets import apply_presets
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import HTMX, of_question
from tests.builder.written import draft as written, names, plain, question, sensitive, stored
from tests.cast import As
from tests.surveys.kinds.number.test_pages import removed_in

WORK = plain(question("work", "employed", "none"))


def scale(*values: object, name: str = "mood", **more: Any) -> dict[str, Any]:
    return question(name, *map(str, values), form="scale", **more)


def turned(before: Questionnaire, key: str = "mood") -> Questionnaire:
    return apply_presets(turn_scale_into_number(before, key))


def gamma(section: DraftSection) -> Fraction:
    law = section.disguise_law()
    assert law
    return law.gamma


@pytest.mark.parametrize(
    ("values", "step"),
    [(range(1, 6), 1), (range(11), 1), (range(21), 1), (range(-10, 11, 5), 5), ((0, 10, 20, 50), 10)],
    ids=["1 to 5", "0 to 10", "21 values", "steps of five", "uneven"],
)
def test_every_value_of_the_scale_is_a_class_at_the_same_protection(values: Sequence[int], step: int) -> None:
    before = written(WORK, sensitive(scale(*values, show_if={"work": ["employed"]}), keep="0.4000"))
    after = turned(before)
    made = after.as_json()["sections"][1]
    [asked] = made["questions"]
    assert (made["kind"], asked["low"], asked["high"], asked["step"]) == (
        "number",
        values[0],
        values[-1],
        step,
    )
    assert asked["limits"] == list(values[1:])
    assert {key: asked[key] for key in ("name", "text", "show_if")} == {
        key: before.as_json()["sections"][1]["questions"][0][key] for key in ("name", "text", "show_if")
    }
    was, now = (gamma(each.sections[1]) for each in (before, after))
    assert was * Fraction(99, 100) < now <= was
    assert isinstance(freeze_design(after.as_json()).sections[1], ClassesSection)


@pytest.mark.parametrize(
    "of",
    [
        sensitive(scale(1, 2, 3, "prefer-not-to-say")),
        sensitive(scale("low", "middle", "high")),
        sensitive(scale(1, 2)),
        sensitive(scale(*range(22))),
        sensitive(scale(3, 2, 1)),
        sensitive(question("mood", "1", "2", "3")),
        sensitive(scale(1, 2, 3, of="moods"), scale(1, 2, 3, name="sleep", of="moods")),
        plain(scale(1, 2, 3)),
    ],
    ids=["prefer not", "words", "two", "22", "falling", "no scale", "battery", "plain"],
)
def test_other_questions_stay_as_they_are(of: Any) -> None:
    with pytest.raises(NotAllowed, match="Only a disguised question whose answers are a scale of numbers"):
        turn_scale_into_number(written(of), "mood")


def test_a_scale_among_others_gets_a_section_of_its_own_within_the_preset() -> None:
    theft, drink = question("theft"), question("drink")
    marked = {"preset": "standard"}
    first = turned(written(sensitive(scale(1, 2, 3), theft, **marked)))
    middle = turned(written(sensitive(theft, scale(1, 2, 3), drink, **marked)))
    assert [names(made) for made in (first, middle)] == [
        [["mood"], ["theft"]],
        [["theft", "drink"], ["mood"]],
    ]
    for made in (first, middle):
        assert gamma(made.sections[0]) * gamma(made.sections[1]) <= 19


def test_a_scale_beside_an_unfinished_question_becomes_a_number() -> None:
    unfinished = question("theft") | {"choices": []}
    after = turned(written(sensitive(unfinished, scale(1, 2, 3))))
    assert names(after) == [["theft"], ["mood"]]


@pytest.mark.page
def test_the_button_turns_the_open_question_and_undo_brings_it_back(
    owner: Person, signed_in_as: As, draft: Survey
) -> None:
    draft.draft = stored(WORK, sensitive(scale(*range(11)), question("theft")))
    draft.save()
    client: Client = signed_in_as(owner)
    before = load_questionnaire(draft).sections
    shown = client.get(f"/app/surveys/{draft.pk}/edit?open=mood").content.decode()
    assert 'value="as-number">Ask as a number' in shown
    assert 'value="as-number"' not in client.get(f"/app/surveys/{draft.pk}/edit?open=theft").content.decode()
    fields = {**of_question(draft, "mood"), "do": "as-number"}
    page = client.post(f"/app/surveys/{draft.pk}/edit/save", fields, headers=HTMX)
    assert "Each of its answers is a class." in page.content.decode()
    draft.refresh_from_db()
    assert [each["kind"] for each in draft.draft["sections"]] == ["plain", "number", "unrelated-question"]
    back = {"do": "undo", "in": "en", "removed": removed_in(page)}
    client.post(f"/app/surveys/{draft.pk}/edit/act", back, headers=HTMX)
    draft.refresh_from_db()
    assert load_questionnaire(draft).sections == before
