"""The buttons of the questionnaire: what they do without a script and with one, and what they refuse."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from builder.editing import questions_and_sections, save_edit, undo
from builder.editing.commands import order_digest, section_digest
from surveys.models import Survey
from surveys.questionnaire.answer_choice_editing import add_choice
from surveys.questionnaire.question_block_editing import block_key, find_block
from tests.builder.conftest import HTMX, messages as said, post_act, refusal, save as press, saved_draft
from tests.cast import As
from tests.surveys.conftest import address, page_text, post, reload, update_row
from tests.surveys.drafts import names, place, plain, put, question, sensitive, stored_draft

pytestmark = pytest.mark.page


def section_as_shown(survey: Survey, number: int) -> dict[str, Any]:
    """A section as it stands on the page now."""
    return {"section": number, "seen": section_digest(saved_draft(survey).sections[number])}


def in_order(survey: Survey) -> list[list[str]]:
    return names(saved_draft(survey))


def stored_block(survey: Survey, key: str) -> Any:
    return find_block(saved_draft(survey), key)[1]


def choice_names(survey: Survey, key: str) -> list[str]:
    return [choice.name for choice in stored_block(survey, key)[0].choices]


def offered_undo(client: Client, survey: Survey) -> Any:
    """What the page offers to take back, once."""
    return client.get(address(survey, "edit")).context["undo"]


def test_a_question_is_added_and_opens(client: Client, survey: Survey) -> None:
    answer = post_act(client, survey, "add", kind="agreement-5", **section_as_shown(survey, 0))
    key = saved_draft(survey).sections[0].questions[-1].name
    assert f"?open={key}#block-" in answer["Location"]
    labels = [choice.label for choice in stored_block(survey, key)[0].choices]
    assert labels[0] == {"en": "Strongly disagree", "zh-hans": "非常不同意"}
    assert len(labels) == 5


def test_new_sensitive_question_offers_prefer_not_to_say(client: Client, survey: Survey) -> None:
    """Several of many are linked yes/no questions."""
    for kind, choices in {"yes-no": 3, "one": 3, "frequency-5": 6}.items():
        post_act(client, survey, "add", kind=kind, **section_as_shown(survey, 1))
        made = saved_draft(survey).sections[1].questions[-1]
        assert len(made.choices) == choices, kind
        assert made.choices[-1].name == "prefer-not-to-say"
        assert made.choices[-1].label["en"] == "Prefer not to say"
    post_act(client, survey, "add", kind="many", **section_as_shown(survey, 1))
    linked = saved_draft(survey).sections[1].questions[-3:]
    assert [each.form for each in linked] == ["many"] * 3
    assert len({each.of for each in linked}) == 1
    assert [list(each.choice_names) for each in linked] == [["no", "yes"]] * 3
    assert linked[-1].choices[1].label["en"] == "Prefer not to say"


def test_a_question_moves_up_down_and_to_where_it_is_dragged(client: Client, survey: Survey) -> None:
    post_act(client, survey, "down", key="age")
    assert in_order(survey)[0][:2] == ["work", "age"]
    answer = post_act(client, survey, "down", key="of=use")
    assert in_order(survey) == [["work", "age"], ["bus", "car", "theft", "debt"]]
    assert "question 1 of 3 in section 2, disguised" in said(answer)
    assert "role" not in saved_draft(survey).sections[1].questions[0].as_json()
    before = in_order(survey)
    assert "the first question already" in said(post_act(client, survey, "up", key="work"))
    assert in_order(survey) == before
    post_act(client, survey, "move", key="of=use", section=0, row=0)
    assert in_order(survey)[0] == ["bus", "car", "work", "age"]
    assert "could not be understood" in said(post_act(client, survey, "move", key="age", section="x", row=0))
    assert "not there any more" in said(post_act(client, survey, "move", key="age", section=9, row=0))


def test_question_beside_a_single_question_section_is_told_to_move_the_section(
    client: Client, survey: Survey
) -> None:
    put(survey, place("home"), plain(question("age")))
    assert "No section above takes this question" in said(post_act(client, survey, "up", key="age"))
    assert "the last question already" in said(post_act(client, survey, "down", key="age"))
    put(survey, plain(question("age")), place("home"))
    assert "No section below takes this question" in said(post_act(client, survey, "down", key="age"))


def test_question_moves_only_in_the_order_seen(client: Client, survey: Survey) -> None:
    seen = order_digest(saved_draft(survey))
    post_act(client, survey, "section-add", kind="plain")
    before = in_order(survey)
    for do, where in (("down", {}), ("up", {}), ("move", {"section": 1, "row": 0})):
        answer = post_act(client, survey, do, key="work", order=seen, **where)
        assert "Someone else has changed the order of the questions" in said(answer)
    assert in_order(survey) == before


def test_answer_is_not_deleted_if_its_question_changed_meanwhile(
    client: Client, survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = save_edit.run_command

    def second_person_first(*given: Any) -> Any:
        save_edit.apply_edit(survey, owner, lambda now: add_choice(now, "age", 0)[0], timezone.now())
        return run(*given)

    monkeypatch.setattr(save_edit, "run_command", second_person_first)
    answer = press(client, survey, "age", "answer-remove 1")
    assert "Someone else has changed this question" in said(answer)
    assert len(choice_names(survey, "age")) == 3


def test_script_gets_the_page_and_the_focus(client: Client, survey: Survey) -> None:
    answer = post_act(client, survey, "down", HTMX, key="age", open=["work"])
    page = answer.text
    assert page.lstrip().startswith('<div id="questionnaire"')
    assert 'value="work" data-open' in page
    done = json.loads(answer["HX-Trigger-After-Settle"])["builder:done"]
    assert done["focus"].endswith("-down")
    assert f'id="{done["focus"]}"' in page
    assert "question 2 of 3 in section 1" in done["said"]


def test_deciding_question_stays_above_and_plain(client: Client, survey: Survey) -> None:
    before = saved_draft(survey)
    shown_after = "“theft?” is shown only after certain answers to “work?”"
    assert shown_after in said(post_act(client, survey, "delete", key="work"))
    assert "it must come after it" in said(
        post_act(client, survey, "section-down", **section_as_shown(survey, 0))
    )
    answer = post_act(client, survey, "move", key="work", section=1, row=0)
    assert "reveals the true answer, despite the disguise" in said(answer)
    assert saved_draft(survey) == before
    press(client, survey, "work", "answer-add")
    assert "after this answer to “work?”" in said(press(client, survey, "work", "answer-remove 0"))
    press(client, survey, "work", "answer-remove 1")
    assert choice_names(survey, "work") == ["employed", "1"]


def test_rule_starts_with_every_choice_ticked_and_plain_answers_only(client: Client, survey: Survey) -> None:
    answer = press(client, survey, "debt", "rule-add", ruling="theft")
    assert "Choose a question above this one that is not disguised." in refusal(answer)
    assert stored_block(survey, "debt")[0].show_if == {}
    press(client, survey, "debt", "rule-add", ruling="age")
    assert stored_block(survey, "debt")[0].show_if == {"age": ("young", "old")}
    assert press(client, survey, "age", "rule-add", ruling="work").status_code == 422
    assert stored_block(survey, "age")[0].show_if == {}


def test_form_without_further_conditions_says_why(client: Client, survey: Survey) -> None:
    nothing = "that is not disguised can be a condition, and there is none"
    assert nothing in page_text(client, survey, "edit", open="age")
    press(client, survey, "work", "rule-add", ruling="age")
    page = page_text(client, survey, "edit", open="work")
    assert "No other question above it can be a condition." in page
    assert nothing not in page


def test_button_in_a_form_saves_typed_text_first(client: Client, survey: Survey) -> None:
    """Answers move and their chances with them, and a deleted one comes back with its."""
    press(client, survey, "debt", "answer-add", text="In debt?", **{"label-1": "no, never"})
    [debt] = stored_block(survey, "debt")
    assert debt.text == {"en": "In debt?"}
    assert [choice.label for choice in debt.choices] == [{"en": "a"}, {"en": "no, never"}, {}]
    press(client, survey, "debt", **{"label-2": "c", "chance-0": "20", "chance-1": "30", "chance-2": "50"})
    press(client, survey, "debt", "answer-down 0")
    [debt] = stored_block(survey, "debt")
    assert debt.choice_names[:2] == ("b", "a")
    assert debt.noise == ("0.3000", "0.2000", "0.5000")
    before = saved_draft(survey)
    press(client, survey, "debt", "answer-remove 1")
    assert not stored_block(survey, "debt")[0].noise
    post_act(client, survey, "undo", removed=offered_undo(client, survey)["removed"])
    assert saved_draft(survey) == before


def test_changing_the_kind_keeps_the_words(client: Client, survey: Survey) -> None:
    words = [{"en": "a"}, {"en": "b"}]
    press(client, survey, "debt", "kind", kind="many")
    assert offered_undo(client, survey) is None, "nothing is thrown away"
    assert [each.choices[1].label for each in stored_block(survey, "of=debt")] == words
    press(client, survey, "of=debt", "kind", kind="scale")
    [debt] = stored_block(survey, "debt")
    assert (debt.form, [choice.label for choice in debt.choices[:2]]) == ("scale", words)


def test_kind_that_drops_answers_is_undone(client: Client, survey: Survey) -> None:
    press(client, survey, "debt", "answer-add", **{"label-1": "b"})
    press(client, survey, "debt", **{"chance-0": "20", "chance-1": "30", "chance-2": "50"})
    before = stored_block(survey, "debt")
    for kind, text in {"yes-no": "Stolen?", "agreement-5": "Stolen it?"}.items():
        press(client, survey, "debt", "kind", kind=kind)
        press(client, survey, "theft", text=text)
        undone = offered_undo(client, survey)
        assert "Answers that do not match it are deleted." in undone["words"]
        post_act(client, survey, "undo", removed=undone["removed"])
        assert stored_block(survey, "debt") == before, kind
        assert stored_block(survey, "theft")[0].text == {"en": text}
    # Options come back under their names.
    whole = saved_draft(survey)
    press(client, survey, "of=use", "kind", kind="yes-no")
    post_act(client, survey, "undo", removed=offered_undo(client, survey)["removed"])
    assert saved_draft(survey) == whole
    press(client, survey, "debt", "kind", kind="yes-no")
    removed = offered_undo(client, survey)["removed"]
    press(client, survey, "debt", text="In debt?")
    whole = saved_draft(survey)
    assert "has been changed since" in said(post_act(client, survey, "undo", removed=removed))
    assert saved_draft(survey) == whole


def test_unknown_command_does_nothing(client: Client, survey: Survey, subtests: pytest.Subtests) -> None:
    before = saved_draft(survey)
    rows = ["²", "٢x", "9" * 5000, "-1", "1.5", "no"]
    commands = ["answer-add", "answer-remove", "answer-up", "answer-down"]
    for do, row in [*zip(commands[:1] * 6, rows, strict=True), *zip(commands[1:], rows[:3], strict=True)]:
        with subtests.test(f"{row!r:.60} {do!r:.60}"):
            assert "could not be understood" in said(press(client, survey, "debt", f"{do} {row}"))
            assert saved_draft(survey) == before
    assert "could not be understood" in said(post_act(client, survey, "nonsense"))
    assert "could not be understood" in said(press(client, survey, "age", "nonsense"))
    assert "no such kind" in said(
        post_act(client, survey, "add", kind="essay", **section_as_shown(survey, 0))
    )
    assert saved_draft(survey) == before


def test_deletion_is_undone_from_the_page_or_a_toast(client: Client, survey: Survey) -> None:
    before = saved_draft(survey)
    post_act(client, survey, "delete", key="of=use")
    assert in_order(survey)[0] == ["age", "work"]
    page = client.get(address(survey, "edit"))
    assert "“use?” is deleted." in page.text
    assert "deleted" not in page_text(client, survey, "edit")
    post_act(client, survey, "undo", removed=page.context["undo"]["removed"])
    assert saved_draft(survey) == before
    answer = post_act(client, survey, "section-delete", HTMX, **section_as_shown(survey, 1))
    assert 'hx-swap-oob="beforeend:[data-toasts] [role=status]"' in answer.text
    removed = answer.text.partition('name="removed" value="')[2].partition('"')[0]
    post_act(client, survey, "undo", HTMX, removed=removed)
    assert saved_draft(survey) == before
    _after, data = questions_and_sections.remove_block(saved_draft(survey), "debt")
    post_act(client, survey, "delete", key="debt")
    press(client, survey, "theft", text="Stolen?")
    post_act(client, survey, "undo", removed=undo.sign_undo_data(survey.pk, data))
    theft, debt = saved_draft(survey).sections[1].questions
    assert (theft.text, debt.name) == ({"en": "Stolen?"}, "debt")


def test_undo_redirects_to_no_other_site(client: Client, survey: Survey) -> None:
    for elsewhere in ("https://example.org/", "//example.org/", "quotas"):
        post_act(client, survey, "delete", key="debt")
        removed = offered_undo(client, survey)["removed"]
        back = post_act(client, survey, "undo", removed=removed, next=elsewhere)
        assert back["Location"].partition("?")[0].partition("#")[0] == address(survey, "edit")


def test_undo_of_another_survey_or_a_forged_one_is_refused(client: Client, survey: Survey) -> None:
    before = saved_draft(survey)
    _after, removed = questions_and_sections.remove_block(before, "debt")
    for forged in (undo.sign_undo_data(survey.pk + 1, removed), "forged", ""):
        assert "cannot be taken back here" in said(post_act(client, survey, "undo", removed=forged))
    assert saved_draft(survey) == before


def test_sections_are_added_moved_and_duplicated_by_kind(client: Client, survey: Survey) -> None:
    post_act(client, survey, "section-add", kind="sensitive")
    post_act(client, survey, "section-up", **section_as_shown(survey, 2))
    assert in_order(survey)[1:] == [[], ["theft", "debt"]]
    stale = section_as_shown(survey, 1)
    post_act(client, survey, "section-duplicate", **section_as_shown(survey, 2))
    assert in_order(survey)[3] == ["theft-2", "debt-2"]
    post_act(client, survey, "section-duplicate", **section_as_shown(survey, 0))
    before = saved_draft(survey)
    assert "has changed this section" in said(post_act(client, survey, "section-delete", **stale))
    assert saved_draft(survey) == before


def test_duplicate_gets_another_name_and_renaming_updates_rules(client: Client, survey: Survey) -> None:
    post_act(client, survey, "duplicate", key="theft")
    theft, copy, _debt = saved_draft(survey).sections[1].questions
    assert copy == replace(theft, name="theft-2")
    keys = [block_key(s.questions[:1]) for s in saved_draft(survey).sections]
    assert [find_block(saved_draft(survey), key)[0].section for key in keys] == [0, 1]
    # Renaming takes the rules along.
    answer = press(client, survey, "work", "rename", name="job", **{"name-0": "in-work"})
    assert "open=job" in answer["Location"]
    assert stored_block(survey, "theft")[0].show_if == {"job": ("in-work",)}
    assert "has this name" in said(press(client, survey, "job", "rename", name="age"))


# Copies from another survey.


def copy(client: Client, to: Survey, chosen: str, **more: str) -> Any:
    return post(client, to, "edit/copy", section=chosen, **more)


def test_copying_an_already_asked_question_warns(client: Client, opened: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft={**opened.draft, "sections": []})
    assert "Answering twice weakens the protection" in copy(client, other, f"{opened.pk}:1").text
    assert saved_draft(other).sections == ()
    copy(client, other, f"{opened.pk}:1", sure="on")
    assert in_order(other) == [in_order(opened)[1]]
    other = Survey.objects.create(owner=owner, draft={**opened.draft})
    assert copy(client, other, f"{opened.pk}:0")["Location"] == address(other, "edit#section-2")
    first, _sensitive, plain_copy = saved_draft(other).sections
    assert plain_copy.questions[0].name != first.questions[0].name
    assert plain_copy.questions[0].text == first.questions[0].text
    asked = Survey.objects.create(owner=owner, draft=stored_draft(sensitive(question("a"), question("b"))))
    update_row(asked, design=opened.design_id, state="open")
    other = put(other, plain(question("age")))
    assert "weakens the protection" in copy(client, other, f"{asked.pk}:0:1").text
    copy(client, other, f"{asked.pk}:0:1", sure="on")
    assert in_order(other) == [["age"], ["b"]]


def test_a_question_is_copied_to_a_section_of_its_kind(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=stored_draft(plain(question("age"))))
    assert f'value="{survey.pk}:1:1"' in page_text(client, other, "edit/copy")
    for none in ("0:9", "9:0", "0:0:0", "0:", "x:0"):
        assert copy(client, other, f"{survey.pk}:{none}").status_code == 200, none
    assert in_order(other) == [["age"]]
    for chosen in ("0:1", "1:1", "1:0"):
        answer = copy(client, other, f"{survey.pk}:{chosen}")
        assert answer["Location"].startswith(address(other, "edit#section-"))
    assert in_order(other) == [["age", "work"], ["debt", "theft"]]
    assert not saved_draft(other).sections[1].questions[1].show_if, "a rule on a question that is not here"
    other = Survey.objects.create(owner=owner, draft=stored_draft(sensitive(question("theft"))))
    copy(client, other, f"{survey.pk}:0:2")
    assert in_order(other) == [["theft"], ["bus", "car"]]


def test_section_of_an_unseen_survey_is_not_copied(
    survey: Survey, stranger: Person, signed_in_as: As
) -> None:
    own = Survey.objects.create(owner=stranger, draft={})
    assert copy(signed_in_as(stranger), own, f"{survey.pk}:0").status_code == 200
    assert reload(own).draft == {}
