"""A disguised scale of numbers becomes a number whose every value is a class, and is brought back."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from builder.editing.questions_and_sections import turn_scale_into_number
from privacy.kinds.number.classes.section import ClassesSection
from surveys.kinds.apply_protection_presets import apply_presets
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import HTMX, post_act, removed_in, save, saved_draft
from tests.surveys.conftest import page_text
from tests.surveys.drafts import draft as written, names, plain, put, question, sensitive

WORK = plain(question("work", "employed", "none"))


def scale(*values: object, name: str = "mood", **more: Any) -> dict[str, Any]:
    return question(name, *map(str, values), form="scale", **more)


def turn_scale(before: Questionnaire, key: str = "mood") -> Questionnaire:
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
    after = turn_scale(before)
    made = after.as_json()["sections"][1]
    [asked], [of] = made["questions"], before.as_json()["sections"][1]["questions"]
    assert (made["kind"], asked["low"], asked["high"]) == ("number", values[0], values[-1])
    assert (asked["step"], asked["limits"]) == (step, list(values[1:]))
    assert all(asked[key] == of[key] for key in ("name", "text", "show_if"))
    was, now = (gamma(each.sections[1]) for each in (before, after))
    assert was * Fraction(99, 100) < now <= was
    assert isinstance(freeze_design(after.as_json()).sections[1], ClassesSection)


def test_other_questions_stay_as_they_are() -> None:
    moods = scale(1, 2, 3, of="moods"), scale(1, 2, 3, name="sleep", of="moods")
    for why, of in {
        "prefer not": sensitive(scale(1, 2, 3, "prefer-not-to-say")),
        "words": sensitive(scale("low", "middle", "high")),
        "two": sensitive(scale(1, 2)),
        "22": sensitive(scale(*range(22))),
        "falling": sensitive(scale(3, 2, 1)),
        "no scale": sensitive(question("mood", "1", "2", "3")),
        "battery": sensitive(*moods),
        "plain": plain(scale(1, 2, 3)),
    }.items():
        with pytest.raises(NotAllowed) as refused:
            turn_scale_into_number(written(of), "mood")
        said = "Only a disguised question whose answers are a scale of numbers"
        assert said in str(refused.value), why


def test_a_scale_among_others_gets_a_section_of_its_own_within_the_preset() -> None:
    theft, drink = question("theft"), question("drink")
    marked = {"preset": "standard"}
    first = turn_scale(written(sensitive(scale(1, 2, 3), theft, **marked)))
    middle = turn_scale(written(sensitive(theft, scale(1, 2, 3), drink, **marked)))
    assert names(first) == [["mood"], ["theft"]]
    assert names(middle) == [["theft", "drink"], ["mood"]]
    for made in (first, middle):
        assert gamma(made.sections[0]) * gamma(made.sections[1]) <= 19
    # Also beside a question that is not finished.
    unfinished = theft | {"choices": []}
    assert names(turn_scale(written(sensitive(unfinished, scale(1, 2, 3))))) == [["theft"], ["mood"]]


@pytest.mark.page
def test_the_button_turns_the_open_question_and_undo_brings_it_back(client: Client, draft: Survey) -> None:
    put(draft, WORK, sensitive(scale(*range(11)), question("theft")))
    before = saved_draft(draft).sections
    assert 'value="as-number">Ask as a number' in page_text(client, draft, "edit", open="mood")
    assert 'value="as-number"' not in page_text(client, draft, "edit", open="theft")
    page = save(client, draft, "mood", "as-number", HTMX)
    assert "Each of its answers is a class." in page.text
    assert [each.kind for each in saved_draft(draft).sections] == ["plain", "number", "unrelated-question"]
    post_act(client, draft, "undo", HTMX, removed=removed_in(page))
    assert saved_draft(draft).sections == before
