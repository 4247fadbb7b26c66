"""A command whose answer was lost is sent again with the same idempotency key: it is answered alike and done once."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing import save_edit
from builder.editing.commands import section_digest
from surveys.lifecycle import opening, state_changes as lifecycle
from surveys.models import DraftCommand, Survey
from tests.builder.conftest import HTMX, SCRIPT, of_question, post_act as press, saved_draft
from tests.builder.test_protection_pages import settings_form_data as protection_form
from tests.cast import As
from tests.surveys import drafts
from tests.surveys.conftest import NOW, address, post
from tests.surveys.drafts import names, plain, question, stored_draft

pytestmark = pytest.mark.page
KEY, OTHER = "0f" * 16, "1e" * 16
SECTION = {"do": "section-add", "kind": "plain"}


def add_form(survey: Survey, word: str = "add", **more: str) -> dict[str, Any]:
    seen = section_digest(saved_draft(survey).sections[0])
    return {"do": word, "section": 0, "seen": seen, "kind": "yes-no", **more}


def press_once(
    client: Client, survey: Survey, sent: dict[str, Any], key: str = KEY, *, shown: bool = False
) -> Any:
    """`shown`: htmx gets the page; otherwise none is rendered."""
    return press(client, survey, headers=HTMX if shown else None, **sent, idempotency_key=key)


def press_twice(client: Client, survey: Survey, sent: dict[str, Any]) -> list[Any]:
    """Both answers, which are alike."""
    both = [press_once(client, survey, sent, shown=True) for _time in range(2)]
    assert done_event(both[0]) == done_event(both[1])
    return both


def done_event(answer: Any) -> Any:
    assert answer.status_code == 200
    return json.loads(answer["HX-Trigger-After-Settle"])["builder:done"]


def question_counts(survey: Survey) -> list[int]:
    return [len(section.questions) for section in saved_draft(survey).sections]


def test_repeated_add_question_is_done_once_and_answered_alike(client: Client, survey: Survey) -> None:
    """Another key adds another question, and a form without a key is done each time."""
    first, repeat = press_twice(client, survey, add_form(survey))
    assert question_counts(survey) == [5, 2]
    opened = b"novalidate data-keeps"
    assert repeat.content.count(opened) == first.content.count(opened) == 1
    press_once(client, survey, add_form(survey), OTHER)
    assert question_counts(survey) == [6, 2]
    before = DraftCommand.objects.count()
    for _time in range(2):
        press_once(client, survey, SECTION, "")
    assert question_counts(survey) == [6, 2, 0, 0]
    assert DraftCommand.objects.count() == before


def test_repeated_battery_section_copy_and_move_are_done_once(client: Client, survey: Survey) -> None:
    presses: list[dict[str, Any]] = [
        {"do": "section-add", "kind": "sensitive"},
        {"do": "duplicate", "key": "age"},
        {"do": "down", "key": "age"},
    ]
    for key, sent in enumerate(presses):
        for _time in range(2):
            press_once(client, survey, sent, f"{key:032x}")
    assert names(saved_draft(survey)) == [["age-2", "age", "work", "bus", "car"], ["theft", "debt"], []]
    press_twice(
        client, survey, add_form(survey, "battery-add", statements="I like it.\nI do.", scale="agreement-5")
    )
    assert question_counts(survey) == [7, 2, 0]


def test_repeated_add_answer_is_done_once_without_a_conflict(client: Client, survey: Survey) -> None:
    """What a repeat sends beside its key belongs to rows that the page does not know yet, and is not stored."""
    sent = of_question(survey, "age") | {"do": "answer-add 0", "text": "Your age?", "idempotency_key": KEY}
    first, repeat = (
        post(client, survey, "edit/save", HTMX, **sent | more) for more in ({}, {"label-1": "older"})
    )
    assert done_event(first) == done_event(repeat)
    assert b"data-conflict" not in repeat.content
    age = saved_draft(survey).sections[0].questions[0]
    assert age.choice_names == ("young", "1", "old")
    assert [choice.label.get("en", "") for choice in age.choices] == ["young", "", "old"]


def test_a_repeated_deletion_can_still_be_undone(client: Client, survey: Survey) -> None:
    both = press_twice(client, survey, {"do": "delete", "key": "debt"})
    assert question_counts(survey) == [4, 1]
    for answer in both:
        toast = answer.text.partition("data-toast")[2]
        assert "is deleted" in toast
        assert 'name="removed"' in toast


def test_repeated_preset_is_set_once(client: Client, survey: Survey) -> None:
    form = protection_form(survey, do="preset stronger", idempotency_key=KEY)
    first, repeat = (post(client, survey, "edit/protection/save", HTMX, **form) for _time in range(2))
    assert done_event(first) == done_event(repeat)


def test_command_key_of_another_survey_or_person_is_ignored(
    client: Client, survey: Survey, owner: Person, editor: Person, signed_in_as: As
) -> None:
    other = Survey.objects.create(owner=owner, draft=stored_draft(plain(question("age"))))
    for each in (other, survey):
        press_once(client, each, SECTION)
    assert (question_counts(other), question_counts(survey)) == ([1, 0], [4, 2, 0])
    press_once(signed_in_as(editor), survey, SECTION)
    assert question_counts(survey) == [4, 2, 0, 0]


@pytest.fixture
def key_limit(monkeypatch: pytest.MonkeyPatch) -> int:
    """A few keys of each person, so that few commands displace one."""
    monkeypatch.setattr(save_edit, "KEPT", 3)
    return save_edit.KEPT


def test_commands_of_other_editors_do_not_displace_a_key(
    client: Client, survey: Survey, editor: Person, signed_in_as: As, key_limit: int
) -> None:
    press_once(client, survey, SECTION)
    other = signed_in_as(editor)
    for number in range(key_limit + 1):
        press_once(other, survey, {"do": "down" if number % 2 else "up", "key": "work"}, f"{number:032x}")
    press_once(client, survey, SECTION)
    assert question_counts(survey) == [4, 2, 0]


def test_few_command_keys_and_one_deletion_are_kept_per_person(
    client: Client, survey: Survey, key_limit: int
) -> None:
    for number in range(key_limit + 3):
        deleted = {key_limit + 1: "debt", key_limit + 2: "age"}.get(number)
        press_once(client, survey, {"do": "delete", "key": deleted} if deleted else SECTION, f"{number:032x}")
    stored = DraftCommand.objects.filter(survey=survey)
    assert stored.count() == key_limit
    assert not stored.filter(key__in=[f"{number:032x}" for number in range(3)]).exists()
    assert [command.key for command in stored.filter(removed__isnull=False)] == [f"{key_limit + 2:032x}"]


def test_a_refused_command_is_done_when_it_is_sent_again(client: Client, survey: Survey) -> None:
    sent = add_form(survey)
    press_once(client, survey, sent | {"seen": "stale"})
    press_once(client, survey, sent)
    assert question_counts(survey) == [5, 2]
    for key in ["x" * 32, "0F" * 16, "0f" * 15, "0f" * 17]:
        answer = press_once(client, survey, SECTION, key, shown=True)
        assert (answer["HX-Reswap"], question_counts(survey)) == ("none", [5, 2]), key


def test_opening_and_destroying_delete_command_keys(client: Client, survey: Survey, owner: Person) -> None:
    opened = Survey.objects.create(owner=owner, draft=drafts.complete())
    for each in (survey, opened):
        press_once(client, each, {"do": "up", "key": saved_draft(each).sections[0].questions[0].name})
    opening.open_survey_now(opened, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    assert not DraftCommand.objects.exists()


def test_repeated_save_is_no_conflict_but_different_words_are(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "age")
    words = {"text": "Your age?", "label-1": "older"}
    first, repeat = (post(client, survey, "edit/save", SCRIPT, **sent | words) for _time in range(2))
    assert first.json() == repeat.json()
    assert post(client, survey, "edit/save", SCRIPT, **sent | {"text": "How old?"}).status_code == 409


def test_a_section_is_copied_once_for_each_page(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=stored_draft(plain(question("age"))))
    page = address(other, "edit/copy")
    keys = [client.get(page, {"time": time}).context["idempotency_key"] for time in ("1", "2")]
    assert keys[0] != keys[1]
    sent = {"section": f"{survey.pk}:1", "idempotency_key": keys[0]}
    places = [post(client, other, "edit/copy", **sent)["Location"] for _time in range(2)]
    assert (question_counts(other), places[0]) == ([1, 2], places[1])
