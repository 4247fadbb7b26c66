"""Batteries, texts before sections, random order and the answer that excludes the others, as the builder makes them."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from accounts.models import Person
from builder.editing import commands, questions_and_sections
from builder.editing.commands import section_digest
from builder.editing.separately_saved_parts import SectionPart, part_from_key
from builder.pages.questionnaire_page import QuestionnairePage
from privacy.designs import Design
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.draft_problems import draft_problems
from surveys.lifecycle.freeze_draft import freeze_design as frozen_json
from surveys.models import Survey
from surveys.questionnaire import answer_choices, translatable_texts
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_blocks import (
    BlockPosition,
    find_block,
    replace_block,
    unused_question_name,
)
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire
from tests.cast import As
from tests.surveys.conftest import NOW
from tests.surveys.drafts import bilingual, complete

STATEMENTS = "I am paid fairly.\n\n  I have enough rest. \nI am listened to."


def with_battery(section: int = 0) -> Questionnaire:
    draft = read_questionnaire(complete())
    return act(draft, section, statements=STATEMENTS, scale="agreement-5").draft


def frozen(draft: Questionnaire) -> Design:
    return frozen_json(draft.as_json())


def act(draft: Questionnaire, section: int, **sent: str) -> CommandResult:
    seen = section_digest(draft.sections[section])
    return commands.add_battery_command(draft, {"section": str(section), "seen": seen, "in": "en", **sent})


def lines(draft: Questionnaire, section: int = 0) -> list[DraftQuestion]:
    return [each for each in draft.sections[section].questions if each.of]


def test_each_line_of_the_field_becomes_a_statement_with_the_same_scale() -> None:
    found = lines(with_battery())
    assert [each.text["en"] for each in found] == [
        "I am paid fairly.",
        "I have enough rest.",
        "I am listened to.",
    ]
    assert len({each.of for each in found}) == 1
    assert [each.form for each in found] == ["scale"] * 3
    assert next(choice.label["en"] for choice in found[2].choices) == "Strongly disagree"


def test_a_new_question_never_gets_the_name_of_a_battery() -> None:
    draft = with_battery()
    assert unused_question_name(draft) == "q4"
    first, *rest = draft.sections[0].questions
    renamed = [first, *(replace(line, of="q4") for line in rest)]
    changed = replace(draft.sections[0], questions=tuple(renamed))
    assert unused_question_name(draft.replace_section(0, changed)) == "q5"


@pytest.mark.parametrize("section", [0, 1])
def test_a_battery_is_a_table_of_the_design(section: int) -> None:
    design = frozen(with_battery(section))
    assert [question.of for question in design.sections[section].questions[1:]] == ["q1", "q1", "q1"]


def test_a_sensitive_battery_lets_people_prefer_not_to_say() -> None:
    assert lines(with_battery(1), 1)[0].choices[-1].name == "prefer-not-to-say"


def test_what_makes_no_battery_is_refused(subtests: pytest.Subtests) -> None:
    for sent, why in [
        ({"statements": "Only one."}, "at least two statements"),
        ({"statements": "x\n" * 41}, "at most 40 statements"),
        ({"statements": f"{'x' * 501}\ny"}, "at most 500 characters"),
        ({"scale": "no-such"}, "Choose one of the scales"),
        ({"in": "fr"}, "not in this language"),
    ]:
        with subtests.test(f"{sent!r:.60} {why!r:.60}"), pytest.raises(NotAllowed, match=why):
            act(
                read_questionnaire(complete()),
                0,
                **{"statements": STATEMENTS, "scale": "agreement-5", **sent},
            )


def test_a_scale_changed_in_one_line_is_changed_in_all() -> None:
    draft = with_battery()
    after, row = answer_choices.add_choice(draft, lines(draft)[1].name)
    assert row == 5
    after = translatable_texts.set_texts(
        after, lines(after)[1].name, "en", {"label-5": "No idea", "help": "How far?"}
    )
    assert {str(each.choices) for each in lines(after)} == {str(lines(after)[0].choices)}
    assert [each.choices[5].label for each in lines(after)] == [{"en": "No idea"}] * 3
    assert [each.help for each in lines(after)] == [{"en": "How far?"}] * 3
    frozen(after)


def test_the_noise_of_a_line_stays_with_its_choices() -> None:
    draft = with_battery(1)
    noise = ("0.1000", "0.1000", "0.1000", "0.1000", "0.1000", "0.5000")
    name, other = (each.name for each in lines(draft, 1)[:2])
    draft = replace_block(draft, name, [replace(lines(draft, 1)[0], noise=noise)])
    assert not lines(draft, 1)[1].noise
    moved = answer_choices.move_choice(draft, other, 0, 1)
    assert lines(moved, 1)[0].noise == noise
    removed, _undo = answer_choices.remove_choice(draft, other, 0)
    assert not lines(removed, 1)[0].noise


def test_a_renamed_choice_is_followed_by_rules_on_every_line() -> None:
    draft = with_battery()
    ruled, first = lines(draft)[2].name, lines(draft)[0].name
    theft = replace(draft.sections[1].questions[0], show_if={ruled: ("5",)})
    draft = replace_block(draft, "theft", [theft])
    after = answer_choices.rename_choice(draft, first, 4, "all")
    assert after.sections[1].questions[0].show_if == {ruled: ("all",)}


def test_a_question_that_comes_between_splits_the_battery() -> None:
    draft = with_battery()
    after = questions_and_sections.move_block(draft, "age", BlockPosition(0, 1))
    assert [each.of or None for each in after.sections[0].questions] == ["q1", None, "q2", "q2"]
    frozen(after)


def test_a_line_in_another_section_is_a_battery_of_its_own() -> None:
    draft = with_battery()
    after = questions_and_sections.move_block(draft, lines(draft)[0].name, BlockPosition(1, 0))
    assert [each.of or None for each in after.sections[1].questions] == ["q2", None]
    frozen(after)


def test_a_copied_line_stays_in_the_battery_and_a_copied_section_has_its_own() -> None:
    draft = with_battery()
    after, _key = questions_and_sections.duplicate_block(draft, lines(draft)[1].name)
    assert [each.of for each in lines(after)] == ["q1"] * 4
    copied = questions_and_sections.duplicate_section(draft, 0)
    assert {each.of for each in lines(copied, 1)} == {"q2"}
    frozen(after)
    frozen(copied)


def test_another_kind_leaves_the_battery_and_another_scale_changes_all_of_it() -> None:
    draft = with_battery()
    key = lines(draft)[2].name
    asked = commands.change_kind_command(draft, {"key": key, "kind": "yes-no"}).draft
    assert len(lines(asked)) == 2
    scaled = commands.change_kind_command(draft, {"key": key, "kind": "quality-5"}).draft
    assert [each.choices[0].label["en"] for each in lines(scaled)] == ["Very poor"] * 3
    frozen(asked)
    frozen(scaled)


def test_neighbours_with_different_choices_are_no_battery() -> None:
    draft = complete()
    age = draft["sections"][0]["questions"][0]
    other = {**age, "name": "years", "of": "t", "choices": [{"name": "a"}, {"name": "b"}]}
    draft["sections"][0]["questions"] = [{**age, "of": "t"}, other]
    assert [each.of for each in lines(read_questionnaire(draft))] == ["t", "t-2"]


# --- the text before a section, and the order


def changed(draft: Questionnaire, key: str, **data: str) -> Questionnaire:
    part = part_from_key(key, "en")
    form = part.build_form(draft, data)
    assert form.is_valid()
    return part.apply_cleaned(draft, form.cleaned_data)


def test_a_section_gets_a_text_and_a_random_order() -> None:
    after = changed(read_questionnaire(complete()), "=section-0", intro="First, you.", shuffled="on")
    section = after.as_json()["sections"][0]
    assert (section["intro"], section["order"]) == ({"en": "First, you."}, "random")
    assert frozen(after).sections[0].presentation.random_order
    assert read_questionnaire(after.as_json()) == after
    bare = changed(after, "=section-0", intro="")
    assert bare.as_json()["sections"][0].keys() == complete()["sections"][0].keys()


def test_the_base_of_a_section_tells_it_from_another_one() -> None:
    draft = read_questionnaire(complete())
    moved = questions_and_sections.move_section(draft, 0, 1)
    part = SectionPart("=section-0", "en")
    assert part.conflict_check_value(draft) != part.conflict_check_value(moved)


def test_a_section_that_is_gone_is_refused(subtests: pytest.Subtests) -> None:
    for key in ["=section-7", "=section-x", "=section-"]:
        with subtests.test(f"{key!r:.60}"), pytest.raises(NotAllowed):
            part_from_key(key, "en").conflict_check_value(read_questionnaire(complete()))


def test_the_text_of_a_section_is_translated_and_named_where_it_is_missing() -> None:
    draft = read_questionnaire(bilingual())
    draft = changed(draft, "=section-1", intro="Now the hard part.")
    assert "=section-1" in translatable_texts.keys_of_parts_with_texts(draft)
    (line,) = translatable_texts.texts_in_two_languages(draft, "=section-1", "en", "zh-hans")
    assert (line.source, line.is_missing) == ("Now the hard part.", True)
    found = [each.path for each in draft_problems(draft.as_json(), NOW.date(), 1)]
    assert "sections[1].intro.zh-hans" in found
    done = translatable_texts.set_texts(draft, "=section-1", "zh-hans", {"intro": "现在是难的部分。"})
    assert done.sections[1].intro["zh-hans"] == "现在是难的部分。"


# --- none of these


def several() -> Questionnaire:
    draft = read_questionnaire(complete())
    seen = section_digest(draft.sections[1])
    after = commands.add_question_command(draft, {"section": "1", "seen": seen, "kind": "many"})
    for row in range(3):
        after = CommandResult(
            translatable_texts.set_texts(
                after.draft, after.key, "en", {f"label-{row}": f"Drug {row}", "text": "Which?"}
            ),
            "",
            after.key,
        )
    return commands.add_none_of_these_command(after.draft, {"key": after.key}).draft


def group(draft: Questionnaire) -> list[DraftQuestion]:
    return [each for each in draft.sections[1].questions if each.form == "many"]


def test_none_of_these_is_a_text_of_the_group_and_no_question() -> None:
    draft = several()
    assert [each.none or None for each in group(draft)] == [{"en": "None of these"}, None, None]
    assert len(frozen(draft).sections[1].questions) == 4


def test_none_of_these_stays_first_whatever_happens_to_the_options() -> None:
    draft = several()
    key = f"of={group(draft)[0].of}"
    for after in (
        answer_choices.move_choice(draft, key, 0, 1),
        answer_choices.add_choice(draft, key, 0)[0],
        read_questionnaire(draft.as_json()),
    ):
        assert [bool(each.none) for each in group(after)] == [True] + [False] * (len(group(after)) - 1)


def test_a_first_option_that_goes_leaves_none_of_these() -> None:
    draft = several()
    key = f"of={group(draft)[0].of}"
    after, _undo = answer_choices.remove_choice(draft, key, 0)
    assert group(after)[0].none == {"en": "None of these"}


def test_an_empty_text_takes_none_of_these_away() -> None:
    draft = several()
    key = f"of={group(draft)[0].of}"
    assert any(
        line.field == "none" for line in translatable_texts.texts_in_two_languages(draft, key, "en", "en")
    )
    after = translatable_texts.set_texts(draft, key, "en", {"none": ""})
    assert not find_block(after, key)[1][0].none


def test_only_a_question_of_several_has_it() -> None:
    with pytest.raises(NotAllowed, match="several of many"):
        commands.add_none_of_these_command(read_questionnaire(complete()), {"key": "age"})


# --- the page


@pytest.fixture
def page() -> QuestionnairePage:
    return QuestionnairePage(with_battery(), "en", (), (), {})


def test_the_page_names_lines_of_a_battery(page: QuestionnairePage) -> None:
    assert [view.question.is_line_of_battery for view in page.displayed_sections[0].questions] == [
        False,
        True,
        True,
        True,
    ]
    assert "agreement-7" in dict(page.scales)


def test_a_battery_is_added_and_a_text_saved_by_posting_forms(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    address = reverse("builder:edit", args=[survey.pk])
    text = client.get(address).content.decode()
    seen = re.findall(r'name="seen" value="([^"]+)"', text)[0]
    data = {
        "do": "battery-add",
        "section": "0",
        "seen": seen,
        "in": "en",
        "statements": STATEMENTS,
        "scale": "agreement-5",
    }
    client.post(reverse("builder:edit-act", args=[survey.pk]), data)
    opened = client.get(f"{address}?open=%3Dsection-0").content.decode()
    assert opened.count("In a battery") == 3
    base = re.search(r'value="=section-0" data-open><input type="hidden" name="base" value="([^"]+)"', opened)
    assert base
    save = {"part": "=section-0", "in": "en", "base": base[1], "intro": "About you.", "shuffled": "on"}
    client.post(reverse("builder:edit-save", args=[survey.pk]), save)
    shown = client.get(address).content.decode()
    assert "About you." in shown
    assert "In random order" in shown
