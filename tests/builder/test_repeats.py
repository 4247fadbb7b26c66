"""A command whose answer was lost is sent again with the same idempotency key: it is answered alike and done once."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing import save_edit
from builder.editing.commands import order_digest, section_digest
from builder.editing.save_edit import load_questionnaire
from surveys.lifecycle import opening, state_changes as lifecycle
from surveys.models import DraftCommand, Survey
from tests.builder.conftest import HTMX, SCRIPT, of_question
from tests.builder.written import plain, question, stored
from tests.cast import As
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
KEY, OTHER = "0f" * 16, "1e" * 16


def fields(survey: Survey, word: str, section: int = 0) -> dict[str, Any]:
    seen = section_digest(load_questionnaire(survey).sections[section])
    return {"do": word, "section": section, "seen": seen}


def act(client: Client, survey: Survey, sent: dict[str, Any], key: str = KEY, *, shown: bool = True) -> Any:
    """`shown`: htmx gets the page; otherwise none is rendered."""
    sent = {"order": order_digest(load_questionnaire(survey)), **sent, "idempotency_key": key}
    answer = client.post(f"/app/surveys/{survey.pk}/edit/act", sent, headers=HTMX if shown else None)
    survey.refresh_from_db()
    return answer


def save(client: Client, survey: Survey, sent: dict[str, Any], key: str = KEY) -> Any:
    sent = sent | {"idempotency_key": key}
    answer = client.post(f"/app/surveys/{survey.pk}/edit/save", sent, headers=HTMX)
    survey.refresh_from_db()
    return answer


def done(answer: Any) -> Any:
    assert answer.status_code == 200
    return json.loads(answer["HX-Trigger-After-Settle"])["builder:done"]


def counts(survey: Survey) -> list[int]:
    return [len(section.questions) for section in load_questionnaire(survey).sections]


def answers(survey: Survey) -> list[str]:
    return [choice.name for choice in load_questionnaire(survey).sections[0].questions[0].choices]


def test_a_question_is_added_once_and_a_repeat_is_answered_alike(client: Client, survey: Survey) -> None:
    sent = fields(survey, "add") | {"kind": "yes-no"}
    first = act(client, survey, sent)
    repeat = act(client, survey, sent)
    assert counts(survey) == [5, 2]
    assert done(first) == done(repeat)
    assert (
        repeat.content.count(b"novalidate data-keeps") == first.content.count(b"novalidate data-keeps") == 1
    )


def test_another_key_adds_another_question(client: Client, survey: Survey) -> None:
    for key in (KEY, OTHER):
        act(client, survey, fields(survey, "add") | {"kind": "yes-no"}, key, shown=False)
    assert counts(survey) == [6, 2]


def test_a_section_is_added_a_copy_made_and_a_question_moved_once(client: Client, survey: Survey) -> None:
    presses: list[dict[str, Any]] = [
        {"do": "section-add", "kind": "sensitive"},
        {"do": "duplicate", "key": "age"},
        {"do": "down", "key": "age"},
    ]
    for key, sent in enumerate(presses):
        for _time in range(2):
            act(client, survey, sent, f"{key:032x}", shown=False)
    assert counts(survey) == [5, 2, 0]
    names = [each.name for each in load_questionnaire(survey).sections[0].questions]
    assert names == ["age-2", "age", "work", "bus", "car"]


def test_a_battery_is_added_once(client: Client, survey: Survey) -> None:
    sent = fields(survey, "battery-add") | {
        "statements": "I like it.\nI know it.",
        "scale": "agreement-5",
        "in": "en",
    }
    first, repeat = (act(client, survey, sent) for _time in range(2))
    assert (counts(survey), done(first)) == ([6, 2], done(repeat))


def test_an_answer_is_added_once_and_its_form_is_in_no_conflict(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "age") | {"do": "answer-add 0", "text": "Your age?"}
    first, repeat = (save(client, survey, sent) for _time in range(2))
    assert answers(survey) == ["young", "1", "old"]
    assert done(first) == done(repeat)
    assert b"data-conflict" not in repeat.content


def test_what_a_repeat_sends_beside_its_key_is_not_stored(client: Client, survey: Survey) -> None:
    """It belongs to rows that the page does not know yet; the page saves it once it has the answer."""
    sent = of_question(survey, "age") | {"do": "answer-add 0"}
    first, repeat = (save(client, survey, sent | more) for more in ({}, {"label-1": "older"}))
    assert done(first) == done(repeat)
    assert [
        choice.label.get("en", "") for choice in load_questionnaire(survey).sections[0].questions[0].choices
    ] == ["young", "", "old"]


def test_a_repeated_deletion_can_still_be_undone(client: Client, survey: Survey) -> None:
    sent = {"do": "delete", "key": "debt"}
    first, repeat = (act(client, survey, sent) for _time in range(2))
    assert (counts(survey), done(first)) == ([4, 1], done(repeat))
    toasts = [answer.content.decode().partition("data-toast")[2] for answer in (first, repeat)]
    assert all("is deleted" in toast and 'name="removed"' in toast for toast in toasts)


def test_a_preset_is_set_once(client: Client, survey: Survey) -> None:
    address = f"/app/surveys/{survey.pk}/edit/protection"
    form = client.get(address).context["panel"].form
    values = {field.name: field.value() for field in form if field.value() is not None}
    base = client.get(address).context["base"]
    sent = values | {"base": base, "do": "preset stronger", "idempotency_key": KEY}
    first, repeat = (client.post(f"{address}/save", sent, headers=HTMX) for _time in range(2))
    assert (first.status_code, done(first)) == (200, done(repeat))


def test_a_key_of_another_survey_does_nothing_here(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=stored(plain(question("age"))))
    for each in (other, survey):
        act(client, each, {"do": "section-add", "kind": "plain"}, shown=False)
    assert (counts(other), counts(survey)) == ([1, 0], [4, 2, 0])


def test_a_key_of_another_person_does_nothing_here(
    client: Client, survey: Survey, editor: Person, signed_in_as: As
) -> None:
    for each in (client, signed_in_as(editor)):
        act(each, survey, {"do": "section-add", "kind": "plain"}, shown=False)
    assert counts(survey) == [4, 2, 0, 0]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> int:
    """A few keys of each person, so that few commands displace one."""
    monkeypatch.setattr(save_edit, "KEPT", 3)
    return save_edit.KEPT


def test_others_who_edit_meanwhile_do_not_displace_a_key(
    client: Client, survey: Survey, editor: Person, signed_in_as: As, kept: int
) -> None:
    act(client, survey, {"do": "section-add", "kind": "plain"}, shown=False)
    other = signed_in_as(editor)
    for number in range(kept + 1):
        act(
            other,
            survey,
            {"do": "down" if number % 2 else "up", "key": "work"},
            f"{number:032x}",
            shown=False,
        )
    act(client, survey, {"do": "section-add", "kind": "plain"}, shown=False)
    assert counts(survey) == [4, 2, 0]


def test_a_refused_command_is_done_when_it_is_sent_again(client: Client, survey: Survey) -> None:
    sent = fields(survey, "add") | {"kind": "yes-no"}
    act(client, survey, sent | {"seen": "stale"}, shown=False)
    act(client, survey, sent, shown=False)
    assert counts(survey) == [5, 2]


def test_a_key_of_another_form_is_refused(client: Client, survey: Survey, subtests: pytest.Subtests) -> None:
    for key in ["x" * 32, "0F" * 16, "0f" * 15, "0f" * 17]:
        with subtests.test(f"{key!r:.60}"):
            answer = act(client, survey, {"do": "section-add", "kind": "plain"}, key)
            assert (answer["HX-Reswap"], counts(survey)) == ("none", [4, 2])


def test_a_form_without_a_key_is_done_each_time(client: Client, survey: Survey) -> None:
    for _time in range(2):
        act(client, survey, {"do": "section-add", "kind": "plain"}, "", shown=False)
    assert counts(survey) == [4, 2, 0, 0]
    assert not DraftCommand.objects.exists()


def test_a_few_keys_of_each_person_are_kept_and_one_deletion(
    client: Client, survey: Survey, kept: int
) -> None:
    for number in range(kept + 3):
        deleted = {kept + 1: "debt", kept + 2: "age"}.get(number)
        sent = {"do": "delete", "key": deleted} if deleted else {"do": "section-add", "kind": "plain"}
        act(client, survey, sent, f"{number:032x}", shown=False)
    stored = DraftCommand.objects.filter(survey=survey)
    assert stored.count() == kept
    assert not stored.filter(key__in=[f"{number:032x}" for number in range(3)]).exists()
    assert [command.key for command in stored.filter(removed__isnull=False)] == [f"{kept + 2:032x}"]


def test_opening_and_destroying_delete_the_keys(client: Client, survey: Survey, owner: Person) -> None:
    opened = Survey.objects.create(owner=owner, draft=drafts.complete())
    for each in (survey, opened):
        act(
            client,
            each,
            {"do": "up", "key": next(iter(each.questionnaire["sections"]))["questions"][0]["name"]},
        )
    opening.open_survey_now(opened, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    assert not DraftCommand.objects.exists()


def test_a_repeated_save_is_no_conflict_with_itself(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "age") | {"text": "Your age?", "label-1": "older"}
    address = f"/app/surveys/{survey.pk}/edit/save"
    first, repeat = (client.post(address, sent, headers=SCRIPT) for _time in range(2))
    assert first.json() == repeat.json()


def test_a_save_with_other_words_is_still_a_conflict(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "age")
    address = f"/app/surveys/{survey.pk}/edit/save"
    client.post(address, sent | {"text": "Your age?"}, headers=SCRIPT)
    assert client.post(address, sent | {"text": "How old?"}, headers=SCRIPT).status_code == 409


def test_a_section_of_another_survey_is_copied_once(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=stored(plain(question("age"))))
    address = f"/app/surveys/{other.pk}/edit/copy"
    key = client.get(address).context["idempotency_key"]
    sent = {"section": f"{survey.pk}:1", "idempotency_key": key}
    places = [client.post(address, sent)["Location"] for _time in range(2)]
    other.refresh_from_db()
    assert (counts(other), places[0]) == ([1, 2], places[1])


def test_each_page_to_copy_a_section_has_a_key_of_its_own(client: Client, survey: Survey) -> None:
    pages = [client.get(f"/app/surveys/{survey.pk}/edit/copy").context for _time in range(2)]
    assert pages[0]["idempotency_key"] != pages[1]["idempotency_key"]
