"""Writing in the forms of a draft: stored, refused, or in conflict with somebody else."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT, of_question, post_act, refusal, saved_draft, start
from tests.cast import As
from tests.surveys.conftest import address, page_text, post
from tests.surveys.drafts import plain, put, question

pytestmark = pytest.mark.page


def save(client: Client, survey: Survey, sent: dict[str, Any], headers: dict[str, str] | None = None) -> Any:
    return post(client, survey, "edit/save", headers, **sent)


def stored_question_at(survey: Survey, section: int, number: int = 0) -> Any:
    return saved_draft(survey).sections[section].questions[number]


def test_start_page_texts_are_stored(client: Client, survey: Survey) -> None:
    words = {"title": "Work", "contact": "new@example.org", "minutes": "7", "retention": "2030-01-02"}
    answer = save(client, survey, start(survey) | words)
    assert answer["Location"] == address(survey, "edit#start")
    draft = saved_draft(survey)
    assert (draft.title, draft.contact) == ({"en": "Work"}, "new@example.org")
    assert (draft.minutes, draft.retention, draft.least) == (7, "2030-01-02", 100)


def test_question_is_stored_as_a_design_takes_it(client: Client, survey: Survey) -> None:
    """All options of several share their question."""
    sent = {"text": "Two\r\nlines\u0007 and cafe\u0301", "label-0": "up to 40", "role": "other"}
    save(client, survey, of_question(survey, "age") | sent)
    age = stored_question_at(survey, 0)
    assert age.text == {"en": "Two\nlines and caf\u00e9"}
    assert [choice.label for choice in age.choices] == [{"en": "up to 40"}, {"en": "old"}]
    assert age.role == "other"
    save(client, survey, of_question(survey, "of=use") | {"text": "What do you use?", "label-1": "the car"})
    bus, car = saved_draft(survey).sections[0].questions[2:4]
    assert bus.text == car.text == {"en": "What do you use?"}
    assert car.choices[1].label == {"en": "the car"}


def test_question_name_may_be_any_text(client: Client, survey: Survey, subtests: pytest.Subtests) -> None:
    for name in ["start", "questionnaire", "a/b?c&d#e", "“<script>”", "群组"]:
        with subtests.test(f"{name!r:.60}"):
            put(survey, plain(question(name)))
            save(client, survey, of_question(survey, name) | {"text": "Called?"})
            assert stored_question_at(survey, 0).text == {"en": "Called?"}
            page = page_text(client, survey, "edit", open=name)
            assert page.count("data-keeps novalidate") + page.count("novalidate data-keeps") == 1
            assert "<script>”" not in page


def test_one_language_is_written_without_touching_the_other(client: Client, survey: Survey) -> None:
    age = of_question(survey, "age")
    answer = save(client, survey, age | {"in": "fr", "text": "Age?"}, SCRIPT)
    assert "not in this language any more" in refusal(answer)
    save(client, survey, age | {"in": "zh-hans", "text": "您多大？", "label-0": "", "label-1": ""})
    assert stored_question_at(survey, 0).text == {"en": "age?", "zh-hans": "您多大？"}
    assert stored_question_at(survey, 0).choices[0].label == {"en": "young"}


def test_script_gets_a_new_base_after_saving(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "age") | {"text": "A"}
    answer = save(client, survey, sent, SCRIPT)
    assert answer.json()["lacking"].endswith("missing")
    again = sent | {"text": "Ag", "base": answer.json()["base"]}
    assert save(client, survey, again, SCRIPT).status_code == 200
    assert stored_question_at(survey, 0).text == {"en": "Ag"}


def test_second_of_two_editors_is_refused_sees_both_and_can_then_save(
    client: Client, survey: Survey, editor: Person, signed_in_as: As
) -> None:
    """Two who change different questions do not meet."""
    mine, work = of_question(survey, "age"), of_question(survey, "work")
    theirs = signed_in_as(editor)
    assert save(theirs, survey, mine | {"text": "Theirs"}, SCRIPT).status_code == 200
    assert save(client, survey, work | {"text": "W"}, SCRIPT).status_code == 200
    answer = save(client, survey, mine | {"text": "Mine"}, SCRIPT)
    assert answer.status_code == 409
    for words in ("This was changed elsewhere meanwhile", "<dd>Theirs</dd>", ">\nMine</textarea>"):
        assert words in answer.text
    assert (stored_question_at(survey, 0).text, stored_question_at(survey, 0, 1).text) == (
        {"en": "Theirs"},
        {"en": "W"},
    )
    refused = save(client, survey, mine | {"text": "Mine"})
    base = refused.context["outline"].displayed_sections[0].questions[0].base
    save(client, survey, mine | {"text": "Mine", "base": base})
    assert stored_question_at(survey, 0).text == {"en": "Mine"}


def test_deleted_question_is_not_written_back(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "debt") | {"text": "Too late"}
    post_act(client, survey, "delete", key="debt")
    assert "not there any more" in refusal(save(client, survey, sent, SCRIPT))
    assert len(saved_draft(survey).sections[1].questions) == 1


def test_invalid_number_is_refused_by_name(client: Client, survey: Survey) -> None:
    sent = start(survey) | {"minutes": "soon"}
    answer = save(client, survey, sent, SCRIPT)
    assert answer.json()["said"] == "Time to complete (minutes): Enter a whole number."
    assert 'value="soon"' in refusal(save(client, survey, sent))


def test_own_chances_must_sum_to_one_and_an_unticked_rule_is_removed(client: Client, survey: Survey) -> None:
    sent = of_question(survey, "debt")
    answer = save(client, survey, sent | {"chance-0": "30", "chance-1": "60"}, SCRIPT)
    assert "must be 100 %, not 90" in answer.json()["said"]
    save(client, survey, sent | {"chance-0": "30", "chance-1": "70"})
    assert stored_question_at(survey, 1, 1).noise == ("0.3000", "0.7000")
    save(client, survey, of_question(survey, "debt") | {"chance-0": "", "chance-1": ""})
    assert not stored_question_at(survey, 1, 1).noise
    sent = of_question(survey, "theft")
    assert sent["rule-0"] == ["employed"]
    for ticked in (["employed", "none"], []):
        save(client, survey, of_question(survey, "theft") | {"rule-0": ticked})
        assert stored_question_at(survey, 1).show_if == ({"work": tuple(ticked)} if ticked else {})


def test_history_names_an_editor_once_an_hour(client: Client, survey: Survey, owner: Person) -> None:
    for words in ("A", "B"):
        save(client, survey, of_question(survey, "age") | {"text": words})
    edits = History.objects.about(survey).filter(what="surveys.edited")
    assert [edit.who for edit in edits] == [owner]
    assert edits[0].when > timezone.now() - timedelta(minutes=1)
    # “Done” closes the form of one and leaves the others open.
    page = save(client, survey, of_question(survey, "age") | {"open": ["age", "work"]}, HTMX).text
    assert 'value="work" data-open' in page
    assert 'value="age" data-open' not in page
