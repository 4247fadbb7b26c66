"""Numbers in bands, control items, drawn questions and answers in random order, in the builder."""

import json
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from builder.editing import questions_and_sections
from builder.editing.commands import QUESTION_COMMANDS, add_question_command, section_digest
from builder.editing.separately_saved_parts import part_from_key
from importing import candor_format, xlsform
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft_json import PREFER_NOT
from surveys.kinds.plain.kind import propose_bands_command
from surveys.kinds.read_draft import read_questionnaire
from surveys.kinds.registry import KINDS
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire import answer_choice_editing
from surveys.questionnaire.choice_question_kinds import (
    change_question_kind,
    question_kind,
    set_prefer_not_to_say,
)
from surveys.questionnaire.draft_question import DraftQuestion, error_growth_of_other_questions
from surveys.questionnaire.plain_number_bands import BandsQuestion, DraftBands, question_with_bands
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import BlockPosition, find_block
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import of_question, save, saved_draft
from tests.surveys.conftest import page_text
from tests.surveys.drafts import (
    crosswise,
    draft as written,
    drawn_question,
    names,
    not_none,
    options,
    plain,
    put,
    question,
    sensitive,
    stored_draft,
)

pytestmark = pytest.mark.page
AGE = question_with_bands(DraftQuestion(name="age"), DraftBands(0, 120, 1, (18, 35, 55)), ["en"]).as_json()
WORK = plain(question("work"))
LATER = question("later", "a", "b", show_if={"age": ["35..54"]})


def add_question(given: Questionnaire, kind: str, section: int = 0) -> Questionnaire:
    seen = section_digest(given.sections[section])
    return add_question_command(given, {"kind": kind, "section": str(section), "seen": seen}).draft


def question_at(given: Questionnaire, key: str) -> Any:
    [asked] = find_block(given, key)[1]
    return asked


# Numbers in bands, years, months and “Something else”.


def numeric_bands(given: Questionnaire, key: str = "age") -> DraftBands:
    asked = question_at(given, key)
    assert isinstance(asked, BandsQuestion)
    return asked.number


def test_a_number_a_year_and_a_month_are_added_with_their_answers() -> None:
    bands, year, month = (add_question(written(WORK), kind) for kind in ("bands", "year", "month"))
    assert numeric_bands(bands, "q1") == DraftBands()
    this_year = numeric_bands(year, "q1")
    assert (this_year.low, this_year.high, this_year.step) == (1900, timezone.localdate().year, 1)
    assert [dict(choice.label)["en"] for choice in question_at(month, "q1").choices][::11] == [
        "January",
        "December",
    ]
    for draft, kind in ((bands, "bands"), (year, "year")):
        assert question_kind(find_block(draft, "q1")[1]) == kind
        assert read_questionnaire(draft.as_json()) == draft
    # A sensitive section takes no plain number and nothing drawn.
    for kind in ("bands", "year", "drawn"):
        with pytest.raises(NotAllowed, match="not disguised"):
            add_question(written(sensitive(question("theft"))), kind)


def test_other_kind_or_sensitive_section_turns_bands_into_answers() -> None:
    asked = change_question_kind(written(plain(AGE)), "age", "one")
    assert not question_at(asked, "age").takes_number
    assert question_at(asked, "age").choice_names == ("<18", "18..34", "35..54", "55+")
    assert numeric_bands(change_question_kind(asked, "age", "bands")) == DraftBands()
    both = written(plain(AGE), sensitive(question("theft")))
    moved = questions_and_sections.move_block(both, "age", BlockPosition(1, 0))
    assert (question_at(moved, "age").takes_number, len(question_at(moved, "age").choices)) == (False, 4)
    assert read_questionnaire(moved.as_json()) == moved


def test_number_has_no_editable_answers_and_round_bands_are_proposed_on_request() -> None:
    draft = written(plain(AGE))
    for command in ("answer-add", "answer-remove", "answer-up", "prefer-not", "other-add"):
        with pytest.raises(NotAllowed, match="are its bands"):
            QUESTION_COMMANDS[command](draft, {"key": "age", "row": "1"})
    with pytest.raises(NotAllowed, match="are its bands"):
        answer_choice_editing.rename_choice(draft, "age", 0, "young")
    result = propose_bands_command(draft, {"key": "age"})
    assert numeric_bands(result.draft).limits == (20, 40, 60, 80, 100)
    assert result.removed
    with pytest.raises(NotAllowed):
        propose_bands_command(written(plain(AGE, LATER)), {"key": "age"})
    with pytest.raises(NotAllowed, match="not a number"):
        propose_bands_command(written(WORK), {"key": "work"})


@pytest.mark.django_db
def test_unchanged_bands_follow_range_and_unit(client: Client, survey: Survey) -> None:
    put(survey, plain(AGE))
    assert save(client, survey, "age", high="90").status_code == 200
    assert numeric_bands(saved_draft(survey)) == DraftBands(0, 90, 1, (18, 35, 55))
    assert save(client, survey, "age", limits="20, 40; 60 80").status_code == 200
    assert of_question(survey, "age")["proposed"] == "20 40 60 80"
    assert save(client, survey, "age", high="1000").status_code == 200
    assert numeric_bands(saved_draft(survey)).limits == (200, 400, 600, 800)
    assert save(client, survey, "age", unit="years").status_code == 200
    assert question_at(saved_draft(survey), "age").choices[0].label == {"en": "under 200 years"}
    page = page_text(client, survey, "edit", open="age")
    assert "200 to under 400 years" in page
    assert 'name="label-0"' not in page


LABELS = {"limits": "Where each further band begins", "high": "Highest number", "step": "Step"}
WRONG: list[tuple[dict[str, str], str, str]] = [
    ({"limits": "18 35 200"}, "limits", "at most the highest number, 120"),
    ({"limits": "0 35 55"}, "limits", "above 0"),
    ({"limits": "35 18"}, "limits", "above 35"),
    ({"limits": "18 thirty"}, "limits", "Whole numbers"),
    ({"limits": "1.5"}, "limits", "Whole numbers"),
    ({"limits": " ".join(map(str, range(1, 100)))}, "limits", "At most 20 bands"),
    ({"low": "120"}, "high", "above the lowest"),
    ({"step": "0"}, "step", "at least 1"),
    ({"step": "7"}, "step", "whole number of steps"),
    ({"high": "1e9"}, "high", "whole number"),
    ({"limits": ""}, "limits", "required"),
    ({"limits": "18 40"}, "limits", "shown only after “35 to under 55”"),
]


@pytest.mark.at_push(3)
@pytest.mark.django_db
@pytest.mark.parametrize(("fields", "field", "reason"), WRONG)
def test_invalid_bands_are_refused_at_their_field(
    client: Client, survey: Survey, fields: dict[str, str], field: str, reason: str
) -> None:
    put(survey, plain(AGE, LATER))
    answer = save(client, survey, "age", **fields)
    assert answer.status_code == 422
    assert reason.lower() in answer.json()["said"].lower()
    assert answer.json()["said"].startswith(LABELS[field])
    assert numeric_bands(saved_draft(survey)) == DraftBands(0, 120, 1, (18, 35, 55))


@pytest.mark.django_db
def test_another_answer_choice_is_offered_once_in_all_languages(client: Client, survey: Survey) -> None:
    result = QUESTION_COMMANDS["other-add"](written(WORK, languages=["en", "de", "fr"]), {"key": "work"})
    label = question_at(result.draft, "work").choices[-1].label
    assert label == {"en": "Something else", "de": "Etwas anderes", "fr": "Autre chose"}
    page = page_text(client, survey, "edit", open="age")
    assert 'value="other-add"' in page
    assert "what people write could identify them" in page
    save(client, survey, "age", "other-add")
    assert 'value="other-add"' not in page_text(client, survey, "edit", open="age")
    assert question_at(saved_draft(survey), "age").choices[-1].label["zh-hans"] == "其他"


# Control items: plain ones proposed, their known share, and what one costs inside a section.

HALF = (Fraction(1, 2), Fraction(1, 2))


def yes_no(name: str, **more: Any) -> dict[str, Any]:
    return {**question(name, "no", "yes", **more), "form": "yes-no"}


def known_shares(given: Questionnaire) -> list[object]:
    return [each.known or None for section in given.sections for each in section.questions]


def test_known_share_survives_our_format_and_invalid_ones_are_dropped() -> None:
    for share in ["0.0000", "0.3000", "0.7000", "1.0000"]:
        of_share = plain(yes_no("moon", known=share)), sensitive(yes_no("mars", known=share))
        made = written(*of_share, crosswise("tax", known=share))
        stored = made.as_json()
        assert known_shares(made) == [share] * 3
        assert read_questionnaire(stored) == made
        assert (
            known_shares(read_questionnaire(candor_format.read(candor_format.write(stored)))) == [share] * 3
        )
        parts = [each.known_parts for each in freeze_design(stored).questions]
        assert parts == [int(float(share) * 10_000)] * 3
    refused: list[object] = ["0.3001", "0.6999", "1.1000", "-0.1000", "", 0, None]
    for none in refused:
        assert known_shares(written(plain(yes_no("moon", known=none)))) == [None]
    assert known_shares(written(plain(question("age", known="0.0000")))) == [None]
    # A question that is no longer yes or no alone is none.
    made = written(plain(yes_no("moon", known="0.0000")))
    assert known_shares(set_prefer_not_to_say(made, "moon", True)) == [None]
    assert known_shares(change_question_kind(made, "moon", "one")) == [None]


@pytest.mark.parametrize(("alone", "factor"), [(1, 1.2), (3, 1.4), (5, 1.7)])
def test_control_item_in_a_section_costs_what_is_documented(alone: int, factor: float) -> None:
    """At gamma 19 with theta one half, a share of .1."""
    keep = not_none(admissible_keep((HALF,) * (alone + 1), alone + 1, GammaLimit(Fraction(19), strict=False)))
    found = error_growth_of_other_questions(SectionLaw(keep, (HALF,) * (alone + 1), alone + 1), alone)
    assert found == pytest.approx(factor, abs=0.05)
    assert error_growth_of_other_questions(SectionLaw(Fraction(1, 2), (HALF,), 1), 0) is None


def test_plain_control_item_is_proposed_wherever_asked_for() -> None:
    """In this section if it is plain, else in the nearest above, else in a new one before it."""
    asked, told = plain(yes_no("q1")), sensitive(yes_no("theft"))
    debt = told | {"questions": [yes_no("debt")]}
    for sections, at, after in (
        ((asked, told), 0, [["q1", "q2"], ["theft"]]),
        ((asked, told, debt), 2, [["q1", "q2"], ["theft"], ["debt"]]),
        ((told, asked), 0, [["q2"], ["theft"], ["q1"]]),
    ):
        assert names(add_question(written(*sections), "control", at)) == after
    assert known_shares(add_question(written(asked), "control")) == [None, "0.0000"]


def test_known_share_is_saved_and_its_cost_stated(client: Client, draft: Survey) -> None:
    moon, mars = yes_no("moon", known="0.0000"), yes_no("mars")
    survey = put(draft, plain(moon, question("age")), sensitive(mars, yes_no("theft")))
    page = page_text(client, survey, "edit").replace("\u00a0", " ")
    assert "Control item: 0 % truly say yes" in page
    assert 'value="control"' in page
    assert save(client, survey, "mars", known="97.5").status_code == 200
    assert known_shares(saved_draft(survey)) == ["0.0000", None, "0.9750", None]
    for near_one_half in ("31", "69.99", "101", "-1", "few"):
        assert save(client, survey, "moon", known=near_one_half).status_code == 422
    pages = {key: page_text(client, survey, "edit", open=key) for key in ("mars", "moon", "age")}
    cost = "makes the errors of the others"
    assert [cost in page for page in pages.values()] == [True, False, False]
    assert 'name="known"' not in pages["age"]
    save(client, survey, "moon", known="")
    assert known_shares(saved_draft(survey))[0] is None


# Questions that the device answers by a random draw.


def answer_shares(given: Questionnaire, key: str = "version") -> list[str]:
    return list(question_at(given, key).shares)


def test_drawn_question_starts_with_two_equal_answers_and_a_third_gets_an_equal_share() -> None:
    halves, thirds = ["0.5000", "0.5000"], ["0.3334", "0.3333", "0.3333"]
    made = add_question(written(plain(question("age"))), "drawn")
    assert answer_shares(made, "q1") == halves
    assert read_questionnaire(made.as_json()) == made
    assert question_kind(find_block(made, "q1")[1]) == "drawn"
    assert "drawn by the device" in KINDS["plain"].summary_line(find_block(made, "q1")[1], "en").kind
    drawing = written(plain(drawn_question("version")))
    more, _row = answer_choice_editing.add_choice(drawing, "version")
    less, _removed = answer_choice_editing.remove_choice(more, "version", 2)
    asked = change_question_kind(drawing, "version", "one")
    back = change_question_kind(asked, "version", "drawn")
    assert [answer_shares(each) for each in (more, less, asked, back)] == [thirds, halves, [], halves]


@pytest.mark.django_db
def test_drawn_question_never_offers_prefer_not_to_say(client: Client, survey: Survey) -> None:
    with pytest.raises(NotAllowed):
        set_prefer_not_to_say(written(plain(drawn_question("version"))), "version", True)
    for made, offered in ((drawn_question("version"), False), (question("version"), True)):
        page = page_text(client, put(survey, plain(made)), "edit", open="version")
        assert ('value="prefer-not"' in page) is offered


def test_drawn_question_decides_which_question_is_shown() -> None:
    made = written(plain(drawn_question("version"), question("age", show_if={"version": ["a"]})))
    design = freeze_design(candor_format.read(candor_format.write(made.as_json())))
    assert design.drawn == (0,)
    assert design.questions[1].show_if


# Answers in random order: ticked in the builder, in a design, and in XLSForm.

ORDERED = question("work", "miner", "nurse", "other", PREFER_NOT)


def save_with_tick(before: Questionnaire, key: str, **sent: str) -> Questionnaire:
    part = part_from_key(key, "en")
    form = part.build_form(before)
    shown = {each.html_name: each.value() for each in form if each.value() not in (None, False)}
    data = {name: value for name, value in shown.items() if name != "shuffled"}
    made = part.build_form(before, {**data, **sent})
    assert made.is_valid(), made.errors
    return part.apply_cleaned(before, made.cleaned_data)


def shuffled_counts(given: Questionnaire) -> list[int]:
    return [each.shuffled for each in given.sections[0].questions]


def test_random_order_covers_all_answers_but_prefer_not_to_say_and_follows_edits() -> None:
    for make in (plain, sensitive):
        after = save_with_tick(written(make(ORDERED)), "work", shuffled="on")
        assert shuffled_counts(after) == [3]
        assert read_questionnaire(after.as_json()) == after
        assert shuffled_counts(save_with_tick(after, "work")) == [0]
        assert shuffled_counts(answer_choice_editing.add_choice(after, "work", 0)[0]) == [4]
        assert shuffled_counts(answer_choice_editing.remove_choice(after, "work", 0)[0]) == [2]
    group = save_with_tick(written(plain(*options("use", "bus", "car", "bike"))), "of=use", shuffled="on")
    assert shuffled_counts(group) == [3, 0, 0]
    assert shuffled_counts(answer_choice_editing.move_choice(group, "of=use", 0, 1)) == [3, 0, 0]
    assert shuffled_counts(set_prefer_not_to_say(group, "of=use", True)) == [3, 0, 0, 0]


def test_answers_with_their_own_order_keep_it() -> None:
    for asked in (
        question("age", "young", "old", form="scale"),
        question("age", "young", "old", of="ages"),
        question("paid", "no", "yes", form="yes-no"),
        question("paid", "no", "yes", PREFER_NOT),
    ):
        given = written(plain({**asked, "shuffled": 2}))
        assert shuffled_counts(given) == [0]
        assert "shuffled" not in part_from_key(asked["name"], "en").build_form(given).fields


def test_random_answer_order_is_kept_in_design_and_xlsform() -> None:
    design = freeze_design(stored_draft(plain(ORDERED | {"shuffled": 3}), sensitive(question("theft"))))
    assert design.questions[0].shuffled == 3
    assert json.loads(design.canonical)["sections"][0]["questions"][0]["shuffled"] == 3
    bus, car = options("use", "bus", "car")
    before = written(plain(ORDERED | {"shuffled": 3}, bus | {"shuffled": 2}, car))
    found = read_questionnaire(xlsform.read(xlsform.write(before)).draft)
    assert shuffled_counts(found) == shuffled_counts(before) == [3, 2, 0]
