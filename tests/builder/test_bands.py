"""Numbers in bands, years, months and “Something else” in the builder."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from builder.editing import questions_and_sections
from builder.editing.commands import QUESTION_COMMANDS, add_question_command, section_digest
from builder.editing.save_edit import load_questionnaire
from surveys.kinds.plain.kind import propose_bands_command
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from surveys.questionnaire import answer_choices
from surveys.questionnaire.choice_question_kinds import change_question_kind, question_kind
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.number_bands import BandsQuestion, DraftBands, question_with_bands
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_blocks import BlockPosition, find_block
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import SCRIPT, of_question
from tests.builder.written import draft as written, plain, question, sensitive, stored

pytestmark = pytest.mark.page
AGE = question_with_bands(DraftQuestion(name="age"), DraftBands(0, 120, 1, (18, 35, 55)), ["en"]).as_json()


def added(given: Questionnaire, kind: str) -> Questionnaire:
    sent = {"kind": kind, "section": "0", "seen": section_digest(given.sections[0])}
    return add_question_command(given, sent).draft


def number(given: Questionnaire, key: str) -> DraftBands:
    [asked] = find_block(given, key)[1]
    assert isinstance(asked, BandsQuestion)
    return asked.number


@pytest.fixture
def asking(survey: Survey) -> Survey:
    survey.draft = stored(plain(AGE, question("later", "a", "b", show_if={"age": ["35..54"]})))
    survey.save()
    return survey


def save(client: Client, survey: Survey, **fields: Any) -> Any:
    sent = of_question(survey, "age") | fields
    answer = client.post(f"/app/surveys/{survey.pk}/edit/save", sent, headers=SCRIPT)
    survey.refresh_from_db()
    return answer


def test_a_number_a_year_and_a_month_are_added_with_their_answers() -> None:
    bands = added(written(plain(question("work"))), "bands")
    assert number(bands, "q1") == DraftBands()
    year = number(added(written(plain(question("work"))), "year"), "q1")
    assert (year.low, year.high, year.step) == (1900, timezone.localdate().year, 1)
    [month] = find_block(added(written(plain(question("work"))), "month"), "q1")[1]
    assert [dict(choice.label)["en"] for choice in month.choices][::11] == ["January", "December"]
    for draft, kind in ((bands, "bands"), (added(written(plain(question("work"))), "year"), "year")):
        assert question_kind(find_block(draft, "q1")[1]) == kind
        assert read_questionnaire(draft.as_json()) == draft


@pytest.mark.parametrize("kind", ["bands", "year"])
def test_a_sensitive_section_takes_no_plain_number(kind: str) -> None:
    with pytest.raises(NotAllowed, match="not disguised"):
        added(written(sensitive(question("theft"))), kind)


def test_its_kind_can_change_both_ways_and_keeps_the_bands_as_answers() -> None:
    asked = change_question_kind(written(plain(AGE)), "age", "one")
    [changed] = find_block(asked, "age")[1]
    assert (changed.takes_number, changed.choice_names) == (False, ("<18", "18..34", "35..54", "55+"))
    assert number(change_question_kind(asked, "age", "bands"), "age") == DraftBands()


def test_moved_among_sensitive_questions_it_is_asked_by_its_bands() -> None:
    moved = questions_and_sections.move_block(
        written(plain(AGE), sensitive(question("theft"))), "age", BlockPosition(1, 0)
    )
    [asked] = find_block(moved, "age")[1]
    assert (asked.takes_number, len(asked.choices)) == (False, 4)
    assert read_questionnaire(moved.as_json()) == moved


def test_its_answers_are_no_answers_to_edit() -> None:
    draft = written(plain(AGE))
    for command in ("answer-add", "answer-remove", "answer-up", "prefer-not", "other-add"):
        with pytest.raises(NotAllowed, match="are its bands"):
            QUESTION_COMMANDS[command](draft, {"key": "age", "row": "1"})
    with pytest.raises(NotAllowed, match="are its bands"):
        answer_choices.rename_choice(draft, "age", 0, "young")


@pytest.mark.django_db
def test_bands_that_nobody_changed_follow_the_range_and_others_stay(client: Client, asking: Survey) -> None:
    asking.draft = stored(plain(AGE))
    asking.save()
    assert save(client, asking, high="90").status_code == 200
    assert number(load_questionnaire(asking), "age") == DraftBands(0, 90, 1, (18, 35, 55))
    assert save(client, asking, limits="20, 40; 60 80").status_code == 200
    assert of_question(asking, "age")["proposed"] == "20 40 60 80"
    assert save(client, asking, high="1000").status_code == 200
    assert number(load_questionnaire(asking), "age").limits == (200, 400, 600, 800)


LABELS = {
    "limits": "Where each further band begins",
    "high": "Highest number",
    "step": "Step",
}
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
def test_what_makes_no_bands_is_refused_at_its_field(
    client: Client, asking: Survey, fields: dict[str, str], field: str, reason: str
) -> None:
    answer = save(client, asking, **fields)
    assert answer.status_code == 422
    assert reason.lower() in answer.json()["said"].lower()
    assert answer.json()["said"].startswith(LABELS[field])
    assert number(load_questionnaire(asking), "age") == DraftBands(0, 120, 1, (18, 35, 55))


@pytest.mark.django_db
def test_the_unit_is_said_in_the_bands(client: Client, asking: Survey) -> None:
    assert save(client, asking, unit="years").status_code == 200
    [asked] = find_block(load_questionnaire(asking), "age")[1]
    assert asked.choices[0].label == {"en": "under 18 years"}
    page = client.get(f"/app/surveys/{asking.pk}/edit?open=age").content.decode()
    assert "35 to under 55 years" in page
    assert 'name="label-0"' not in page


def test_round_bands_are_proposed_on_request() -> None:
    result = propose_bands_command(written(plain(AGE)), {"key": "age"})
    assert number(result.draft, "age").limits == (20, 40, 60, 80, 100)
    assert result.removed
    ruled = written(plain(AGE, question("later", "a", "b", show_if={"age": ["35..54"]})))
    with pytest.raises(NotAllowed):
        propose_bands_command(ruled, {"key": "age"})
    with pytest.raises(NotAllowed, match="not a number"):
        propose_bands_command(written(plain(question("work"))), {"key": "work"})


def test_something_else_is_an_answer_in_all_languages_of_the_survey() -> None:
    draft = written(plain(question("work", "a", "b")), languages=["en", "de", "fr"])
    result = QUESTION_COMMANDS["other-add"](draft, {"key": "work"})
    label = find_block(result.draft, "work")[1][0].choices[-1].label
    assert label == {"en": "Something else", "de": "Etwas anderes", "fr": "Autre chose"}


@pytest.mark.django_db
def test_something_else_is_offered_once_and_says_that_nobody_writes(client: Client, survey: Survey) -> None:
    address = f"/app/surveys/{survey.pk}/edit"
    page = client.get(f"{address}?open=age").content.decode()
    assert 'value="other-add"' in page
    assert "what people write could identify them" in page
    sent = of_question(survey, "age") | {"do": "other-add"}
    client.post(f"{address}/save", sent)
    survey.refresh_from_db()
    assert 'value="other-add"' not in client.get(f"{address}?open=age").content.decode()
    [asked] = find_block(load_questionnaire(survey), "age")[1]
    assert asked.choices[-1].label["zh-hans"] == "其他"
