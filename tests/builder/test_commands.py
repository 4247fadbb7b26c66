"""The buttons of the questionnaire: what they do without a script and with one, and what they refuse."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from builder.editing import questions_and_sections, save_edit, undo
from builder.editing.commands import order_digest, section_digest
from builder.editing.save_edit import load_questionnaire
from surveys.models import Survey
from surveys.questionnaire.answer_choices import add_choice
from surveys.questionnaire.question_blocks import block_key, find_block
from tests.builder.conftest import HTMX, of_question
from tests.builder.written import names, plain, question, sensitive, stored
from tests.cast import As

pytestmark = pytest.mark.page


def act(client: Client, survey: Survey, headers: dict[str, str] | None = None, **sent: Any) -> Any:
    """A button as it stands on the page now."""
    sent = {"order": order_digest(load_questionnaire(survey)), **sent}
    answer = client.post(f"/app/surveys/{survey.pk}/edit/act", sent, headers=headers)
    survey.refresh_from_db()
    return answer


def press(client: Client, survey: Survey, key: str, do: str, **sent: Any) -> Any:
    """A button inside a question's form."""
    data = of_question(survey, key) | {"do": do, **sent}
    answer = client.post(f"/app/surveys/{survey.pk}/edit/save", data)
    survey.refresh_from_db()
    return answer


def said(answer: Any) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def section(survey: Survey, number: int) -> dict[str, Any]:
    return {"section": number, "seen": section_digest(load_questionnaire(survey).sections[number])}


def in_order(survey: Survey) -> list[list[str]]:
    return names(load_questionnaire(survey))


def test_a_question_is_added_and_opens(client: Client, survey: Survey) -> None:
    answer = act(client, survey, do="add", kind="agreement-5", **section(survey, 0))
    key = load_questionnaire(survey).sections[0].questions[-1].name
    assert f"?open={key}#block-" in answer["Location"]
    labels = [choice.label for choice in find_block(load_questionnaire(survey), key)[1][0].choices]
    assert labels[0] == {"en": "Strongly disagree", "zh-hans": "非常不同意"}
    assert len(labels) == 5


def test_a_new_sensitive_question_lets_people_prefer_not_to_say(
    client: Client, survey: Survey, subtests: pytest.Subtests
) -> None:
    for kind, choices in [("yes-no", 3), ("one", 3), ("frequency-5", 6)]:
        with subtests.test(f"{kind!r:.60} {choices!r:.60}"):
            act(client, survey, do="add", kind=kind, **section(survey, 1))
            made = load_questionnaire(survey).sections[1].questions[-1]
            assert len(made.choices) == choices
            assert made.choices[-1].name == "prefer-not-to-say"
            assert made.choices[-1].label["en"] == "Prefer not to say"


def test_several_of_many_are_linked_yes_no_questions(client: Client, survey: Survey) -> None:
    act(client, survey, do="add", kind="many", **section(survey, 1))
    made = load_questionnaire(survey).sections[1].questions[2:]
    assert [each.form for each in made] == ["many"] * 3
    assert len({each.of for each in made}) == 1
    assert [[choice.name for choice in each.choices] for each in made] == [["no", "yes"]] * 3
    assert made[-1].choices[1].label["en"] == "Prefer not to say"


def test_a_question_moves_up_and_down_into_the_next_section_and_to_where_it_is_dragged(
    client: Client, survey: Survey
) -> None:
    act(client, survey, do="down", key="age")
    assert in_order(survey)[0][:2] == ["work", "age"]
    answer = act(client, survey, do="down", key="of=use")
    assert in_order(survey) == [["work", "age"], ["bus", "car", "theft", "debt"]]
    assert "question 1 of 3 in section 2, disguised" in said(answer)
    assert "role" not in load_questionnaire(survey).sections[1].questions[0].as_json()

    before = in_order(survey)
    assert "the first question already" in said(act(client, survey, do="up", key="work"))
    assert in_order(survey) == before

    act(client, survey, do="move", key="of=use", section=0, row=0)
    assert in_order(survey)[0] == ["bus", "car", "work", "age"]
    assert "could not be understood" in said(act(client, survey, do="move", key="age", section="x", row=0))
    assert "not there any more" in said(act(client, survey, do="move", key="age", section=9, row=0))


def test_a_question_moves_only_in_the_order_that_was_seen(client: Client, survey: Survey) -> None:
    seen = order_digest(load_questionnaire(survey))
    act(client, survey, do="section-add", kind="plain")
    before = in_order(survey)
    for sent in ({"do": "down"}, {"do": "up"}, {"do": "move", "section": 1, "row": 0}):
        answer = act(client, survey, key="work", order=seen, **sent)
        assert "Someone else has changed the order of the questions" in said(answer)
    assert in_order(survey) == before


def test_an_answer_is_not_deleted_where_somebody_changed_the_question_since_it_was_saved(
    client: Client, survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = save_edit.run_command

    def second_person_first(*given: Any) -> Any:
        save_edit.apply_edit(survey, owner, lambda now: add_choice(now, "age", 0)[0], timezone.now())
        return run(*given)

    monkeypatch.setattr(save_edit, "run_command", second_person_first)
    answer = press(client, survey, "age", "answer-remove 1")
    assert "Someone else has changed this question" in said(answer)
    assert len(find_block(load_questionnaire(survey), "age")[1][0].choices) == 3


def test_with_a_script_the_questionnaire_comes_back_and_the_focus_is_named(
    client: Client, survey: Survey
) -> None:
    answer = act(client, survey, HTMX, do="down", key="age", open=["work"])
    page = answer.content.decode()
    assert page.lstrip().startswith('<div id="questionnaire"')
    assert 'value="work" data-open' in page
    done = json.loads(answer["HX-Trigger-After-Settle"])["builder:done"]
    assert done["focus"].endswith("-down")
    assert f'id="{done["focus"]}"' in page
    assert "question 2 of 3 in section 1" in done["said"]


def test_what_decides_about_another_is_not_deleted_nor_moved_below_it(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    assert "“theft?” is shown only after certain answers to “work?”" in said(
        act(client, survey, do="delete", key="work")
    )
    answer = act(client, survey, do="section-down", **section(survey, 0))
    assert "it must come after it" in said(answer)
    assert load_questionnaire(survey) == before


def test_what_decides_about_another_does_not_become_sensitive(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    answer = act(client, survey, do="move", key="work", section=1, row=0)
    assert "reveals the true answer, despite the disguise" in said(answer)
    assert load_questionnaire(survey) == before


def test_a_rule_on_a_plain_answer_begins_with_every_tick_and_one_on_a_sensitive_answer_is_refused(
    client: Client, survey: Survey
) -> None:
    answer = press(client, survey, "debt", "rule-add", ruling="theft")
    assert answer.status_code == 422
    assert "Choose a question above this one that is not disguised." in answer.content.decode()
    assert load_questionnaire(survey).sections[1].questions[1].show_if == {}

    press(client, survey, "debt", "rule-add", ruling="age")
    assert load_questionnaire(survey).sections[1].questions[1].show_if == {"age": ("young", "old")}
    assert press(client, survey, "age", "rule-add", ruling="work").status_code == 422
    assert load_questionnaire(survey).sections[0].questions[0].show_if == {}


def test_an_answer_that_a_rule_names_is_not_deleted(client: Client, survey: Survey) -> None:
    press(client, survey, "work", "answer-add")
    assert "after this answer to “work?”" in said(press(client, survey, "work", "answer-remove 0"))
    press(client, survey, "work", "answer-remove 1")
    assert [choice.name for choice in find_block(load_questionnaire(survey), "work")[1][0].choices] == [
        "employed",
        "1",
    ]


def test_a_button_in_a_form_saves_what_was_typed_first(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "answer-add", text="In debt?", **{"label-1": "no, never"})
    _place, block = find_block(load_questionnaire(survey), "debt")
    assert block[0].text == {"en": "In debt?"}
    assert [choice.label for choice in block[0].choices] == [{"en": "a"}, {"en": "no, never"}, {}]


def test_answers_move_and_their_chances_with_them(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "", **{"chance-0": "20", "chance-1": "80"})
    press(client, survey, "debt", "answer-down 0")
    block = find_block(load_questionnaire(survey), "debt")[1]
    assert [choice.name for choice in block[0].choices] == ["b", "a"]
    assert block[0].noise == ("0.8000", "0.2000")


def test_another_kind_keeps_the_words(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "kind", kind="many")
    assert [each.choices[1].label for each in find_block(load_questionnaire(survey), "of=debt")[1]] == [
        {"en": "a"},
        {"en": "b"},
    ]
    press(client, survey, "of=debt", "kind", kind="scale")
    block = find_block(load_questionnaire(survey), "debt")[1]
    assert (block[0].form, [choice.label for choice in block[0].choices[:2]]) == (
        "scale",
        [{"en": "a"}, {"en": "b"}],
    )


def test_a_kind_that_throws_answers_away_is_taken_back(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "answer-add", **{"label-1": "b"})
    press(client, survey, "debt", "", **{"chance-0": "20", "chance-1": "30", "chance-2": "50"})
    before = load_questionnaire(survey)
    for kind, text in {"yes-no": "Stolen?", "agreement-5": "Stolen it?"}.items():
        press(client, survey, "debt", "kind", kind=kind)
        press(client, survey, "theft", "", text=text)
        undone = client.get(f"/app/surveys/{survey.pk}/edit").context["undo"]
        assert "Answers that do not match it are deleted." in undone["words"]
        act(client, survey, do="undo", removed=undone["removed"])
        assert find_block(load_questionnaire(survey), "debt") == find_block(before, "debt"), kind
        assert find_block(load_questionnaire(survey), "theft")[1][0].text == {"en": text}


def test_options_that_a_kind_throws_away_come_back_under_their_names(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    press(client, survey, "of=use", "kind", kind="yes-no")
    removed = client.get(f"/app/surveys/{survey.pk}/edit").context["undo"]["removed"]
    act(client, survey, do="undo", removed=removed)
    assert load_questionnaire(survey) == before


def test_a_kind_is_not_taken_back_over_what_was_written_since(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "kind", kind="yes-no")
    removed = client.get(f"/app/surveys/{survey.pk}/edit").context["undo"]["removed"]
    press(client, survey, "debt", "", text="In debt?")
    before = load_questionnaire(survey)
    assert "has been changed since" in said(act(client, survey, do="undo", removed=removed))
    assert load_questionnaire(survey) == before


def test_a_kind_that_keeps_all_answers_has_nothing_to_take_back(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "kind", kind="many")
    assert client.get(f"/app/surveys/{survey.pk}/edit").context["undo"] is None


def test_a_row_that_is_no_number_is_refused_in_words(
    client: Client, survey: Survey, subtests: pytest.Subtests
) -> None:
    before = load_questionnaire(survey)
    rows = ["²", "٢x", "9" * 5000, "-1", "1.5", "no"]
    commands = ["answer-add", "answer-remove", "answer-up", "answer-down"]
    for do, row in [*zip(commands[:1] * 6, rows, strict=True), *zip(commands[1:], rows[:3], strict=True)]:
        with subtests.test(f"{row!r:.60} {do!r:.60}"):
            assert "could not be understood" in said(press(client, survey, "debt", f"{do} {row}"))
            assert load_questionnaire(survey) == before


def test_renaming_takes_the_rules_along(client: Client, survey: Survey) -> None:
    answer = press(client, survey, "work", "rename", name="job", **{"name-0": "in-work"})
    assert "open=job" in answer["Location"]
    assert load_questionnaire(survey).sections[1].questions[0].show_if == {"job": ("in-work",)}
    assert "has this name" in said(press(client, survey, "job", "rename", name="age"))


def test_a_deletion_without_a_script_is_taken_back_from_the_page(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    act(client, survey, do="delete", key="of=use")
    assert in_order(survey)[0] == ["age", "work"]
    page = client.get(f"/app/surveys/{survey.pk}/edit")
    assert "“use?” is deleted." in page.content.decode()
    removed = page.context["undo"]["removed"]
    assert "deleted" not in client.get(f"/app/surveys/{survey.pk}/edit").content.decode()
    act(client, survey, do="undo", removed=removed)
    assert load_questionnaire(survey) == before


def test_a_deletion_with_a_script_brings_a_toast_that_takes_it_back(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    answer = act(client, survey, HTMX, do="section-delete", **section(survey, 1))
    assert 'hx-swap-oob="beforeend:[data-toasts] [role=status]"' in answer.content.decode()
    removed = answer.content.decode().partition('name="removed" value="')[2].partition('"')[0]
    act(client, survey, HTMX, do="undo", removed=removed)
    assert load_questionnaire(survey) == before


def test_taking_back_keeps_what_was_written_since(client: Client, survey: Survey) -> None:
    _after, removed = questions_and_sections.remove_block(load_questionnaire(survey), "debt")
    act(client, survey, do="delete", key="debt")
    press(client, survey, "theft", "", text="Stolen?")
    act(client, survey, do="undo", removed=undo.sign_undo_data(survey.pk, removed))
    theft, debt = load_questionnaire(survey).sections[1].questions
    assert (theft.text, debt.name) == ({"en": "Stolen?"}, "debt")


def test_a_deleted_answer_comes_back_with_its_chances(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "answer-add", **{"label-1": "b"})
    press(client, survey, "debt", "", **{"chance-0": "20", "chance-1": "30", "chance-2": "50"})
    before = load_questionnaire(survey)
    press(client, survey, "debt", "answer-remove 1")
    assert not find_block(load_questionnaire(survey), "debt")[1][0].noise
    removed = client.get(f"/app/surveys/{survey.pk}/edit").context["undo"]["removed"]
    act(client, survey, do="undo", removed=removed)
    assert load_questionnaire(survey) == before


def test_a_deletion_of_another_survey_or_a_forged_one_is_not_taken_back(
    client: Client, survey: Survey
) -> None:
    before = load_questionnaire(survey)
    _after, removed = questions_and_sections.remove_block(before, "debt")
    for forged in (undo.sign_undo_data(survey.pk + 1, removed), "forged", ""):
        assert "cannot be taken back here" in said(act(client, survey, do="undo", removed=forged))
    assert load_questionnaire(survey) == before


def test_a_section_that_has_another_number_by_now_is_not_touched(client: Client, survey: Survey) -> None:
    stale = section(survey, 1)
    act(client, survey, do="section-duplicate", **section(survey, 0))
    before = load_questionnaire(survey)
    assert "has changed this section" in said(act(client, survey, do="section-delete", **stale))
    assert load_questionnaire(survey) == before


def test_sections_are_added_moved_and_duplicated(client: Client, survey: Survey) -> None:
    act(client, survey, do="section-add", kind="sensitive")
    act(client, survey, do="section-up", **section(survey, 2))
    assert in_order(survey)[1:] == [[], ["theft", "debt"]]
    act(client, survey, do="section-duplicate", **section(survey, 2))
    assert in_order(survey)[3] == ["theft-2", "debt-2"]


def test_a_duplicate_stands_below_under_another_name(client: Client, survey: Survey) -> None:
    act(client, survey, do="duplicate", key="theft")
    theft, copy, _debt = load_questionnaire(survey).sections[1].questions
    assert copy == replace(theft, name="theft-2")


def test_a_button_nobody_made_does_nothing(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    assert "could not be understood" in said(act(client, survey, do="nonsense"))
    assert "could not be understood" in said(press(client, survey, "age", "nonsense"))
    assert "no such kind" in said(act(client, survey, do="add", kind="essay", **section(survey, 0)))
    assert load_questionnaire(survey) == before


def test_a_copy_from_an_opened_survey_warns_before_it_asks_again(
    client: Client, opened: Survey, owner: Person
) -> None:
    other = Survey.objects.create(owner=owner, draft={**opened.draft, "sections": []})
    sent = {"section": f"{opened.pk}:1"}
    warned = client.post(f"/app/surveys/{other.pk}/edit/copy", sent)
    assert "Answering twice weakens the protection" in warned.content.decode()
    other.refresh_from_db()
    assert load_questionnaire(other).sections == ()
    client.post(f"/app/surveys/{other.pk}/edit/copy", sent | {"sure": "on"})
    other.refresh_from_db()
    assert names(load_questionnaire(other)) == [names(load_questionnaire(opened))[1]]


def test_a_plain_section_is_copied_without_warning(client: Client, opened: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft={**opened.draft})
    answer = client.post(f"/app/surveys/{other.pk}/edit/copy", {"section": f"{opened.pk}:0"})
    assert answer["Location"] == f"/app/surveys/{other.pk}/edit#section-2"
    other.refresh_from_db()
    first, _sensitive, copy = load_questionnaire(other).sections
    assert copy.questions[0].name != first.questions[0].name
    assert copy.questions[0].text == first.questions[0].text


def test_a_section_of_a_survey_that_one_may_not_see_is_not_offered(
    survey: Survey, stranger: Person, signed_in_as: As
) -> None:
    own = Survey.objects.create(owner=stranger, draft={})
    answer = signed_in_as(stranger).post(f"/app/surveys/{own.pk}/edit/copy", {"section": f"{survey.pk}:0"})
    assert answer.status_code == 200
    own.refresh_from_db()
    assert own.draft == {}


def test_every_key_finds_its_question_again(survey: Survey) -> None:
    keys = [block_key(block) for s in load_questionnaire(survey).sections for block in [s.questions[:1]]]
    assert [find_block(load_questionnaire(survey), key)[0].section for key in keys] == [0, 1]


def test_a_question_or_a_group_of_options_is_copied_to_a_section_of_its_kind(
    client: Client, survey: Survey, owner: Person
) -> None:
    other = Survey.objects.create(owner=owner, draft=stored(plain(question("age"))))
    page = client.get(f"/app/surveys/{other.pk}/edit/copy").content.decode()
    assert f'value="{survey.pk}:1:1"' in page
    for chosen in ("0:1", "1:1", "1:0"):
        answer = client.post(f"/app/surveys/{other.pk}/edit/copy", {"section": f"{survey.pk}:{chosen}"})
        assert answer["Location"].startswith(f"/app/surveys/{other.pk}/edit#section-")
    other.refresh_from_db()
    assert names(load_questionnaire(other)) == [["age", "work"], ["debt", "theft"]]
    assert not load_questionnaire(other).sections[1].questions[1].show_if, (
        "a rule on a question that is not here"
    )

    other = Survey.objects.create(owner=owner, draft=stored(sensitive(question("theft"))))
    client.post(f"/app/surveys/{other.pk}/edit/copy", {"section": f"{survey.pk}:0:2"})
    other.refresh_from_db()
    assert names(load_questionnaire(other)) == [["theft"], ["bus", "car"]]


def test_a_question_that_was_asked_already_is_copied_for_other_people_only(
    client: Client, opened: Survey, owner: Person
) -> None:
    draft = stored(sensitive(question("a"), question("b")))
    asked = Survey.objects.create(owner=owner, draft=draft)
    other = Survey.objects.create(owner=owner, draft=stored(plain(question("age"))))
    Survey.objects.filter(pk=asked.pk).update(design=opened.design_id, state="open")
    sent = {"section": f"{asked.pk}:0:1"}
    assert (
        "weakens the protection" in client.post(f"/app/surveys/{other.pk}/edit/copy", sent).content.decode()
    )
    client.post(f"/app/surveys/{other.pk}/edit/copy", sent | {"sure": "on"})
    other.refresh_from_db()
    assert names(load_questionnaire(other)) == [["age"], ["b"]]


def test_a_question_that_is_not_offered_is_not_copied(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=stored(plain(question("age"))))
    for chosen in ("0:9", "9:0", "0:0:0", "0:", "x:0"):
        sent = {"section": f"{survey.pk}:{chosen}"}
        assert client.post(f"/app/surveys/{other.pk}/edit/copy", sent).status_code == 200, chosen
    other.refresh_from_db()
    assert names(load_questionnaire(other)) == [["age"]]
