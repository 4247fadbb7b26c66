"""Batteries, texts before sections, random order and the answer that excludes the others, as the builder makes them."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from builder.editing import commands, questions_and_sections
from builder.editing.commands import section_digest
from builder.editing.separately_saved_parts import SectionPart, part_from_key
from builder.pages.questionnaire_page import QuestionnairePage
from privacy.designs import Design
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design as frozen_json
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Survey
from surveys.questionnaire import answer_choice_editing, translatable_texts
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    BlockPosition,
    find_block,
    replace_block,
    unused_question_name,
)
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire
from tests.surveys.conftest import NOW, page_text, post
from tests.surveys.drafts import bilingual, complete

STATEMENTS = "I am paid fairly.\n\n  I have enough rest. \nI am listened to."


def complete_draft() -> Questionnaire:
    return read_questionnaire(complete())


def with_battery(section: int = 0) -> Questionnaire:
    return add_battery(complete_draft(), section).draft


def freeze_questionnaire(draft: Questionnaire) -> Design:
    return frozen_json(draft.as_json())


def add_battery(draft: Questionnaire, section: int, **sent: str) -> CommandResult:
    of = {"section": str(section), "seen": section_digest(draft.sections[section]), "in": "en"}
    words = {"statements": STATEMENTS, "scale": "agreement-5"}
    return commands.add_battery_command(draft, {**of, **words, **sent})


def lines(draft: Questionnaire, section: int = 0) -> list[DraftQuestion]:
    return [each for each in draft.sections[section].questions if each.of]


def batteries(draft: Questionnaire, section: int = 0) -> list[str | None]:
    """In which each question of a section stands; freezes the draft, which can become a design."""
    freeze_questionnaire(draft)
    return [each.of or None for each in draft.sections[section].questions]


def test_each_line_becomes_a_statement_sharing_one_scale() -> None:
    found = lines(with_battery())
    texts = ["I am paid fairly.", "I have enough rest.", "I am listened to."]
    assert [each.text["en"] for each in found] == texts
    assert len({each.of for each in found}) == 1
    assert [each.form for each in found] == ["scale"] * 3
    assert next(choice.label["en"] for choice in found[2].choices) == "Strongly disagree"
    for section in (0, 1):
        design = freeze_questionnaire(with_battery(section))
        assert [question.of for question in design.sections[section].questions[1:]] == ["q1"] * 3
    assert lines(with_battery(1), 1)[0].choices[-1].name == "prefer-not-to-say", "of a sensitive one"
    page = QuestionnairePage(with_battery(), "en", (), (), {})
    in_battery = [view.question.is_line_of_battery for view in page.displayed_sections[0].questions]
    assert in_battery == [False, True, True, True]
    assert "agreement-7" in dict(page.scales)


def test_a_new_question_never_gets_the_name_of_a_battery() -> None:
    draft = with_battery()
    assert unused_question_name(draft) == "q4"
    first, *rest = draft.sections[0].questions
    renamed = [first, *(replace(line, of="q4") for line in rest)]
    changed = replace(draft.sections[0], questions=tuple(renamed))
    assert unused_question_name(draft.replace_section(0, changed)) == "q5"


def test_invalid_battery_is_refused() -> None:
    for sent, why in (
        ({"statements": "Only one."}, "at least two statements"),
        ({"statements": "x\n" * 41}, "at most 40 statements"),
        ({"statements": f"{'x' * 501}\ny"}, "at most 500 characters"),
        ({"scale": "no-such"}, "Choose one of the scales"),
        ({"in": "fr"}, "not in this language"),
    ):
        with pytest.raises(NotAllowed, match=why):
            add_battery(complete_draft(), 0, **sent)
    # Neighbours with different choices are none.
    draft = complete()
    age = draft["sections"][0]["questions"][0]
    other = {**age, "name": "years", "of": "t", "choices": [{"name": "a"}, {"name": "b"}]}
    draft["sections"][0]["questions"] = [{**age, "of": "t"}, other]
    assert [each.of for each in lines(read_questionnaire(draft))] == ["t", "t-2"]


def test_scale_changed_in_one_line_changes_in_all() -> None:
    draft = with_battery()
    after, row = answer_choice_editing.add_choice(draft, lines(draft)[1].name)
    assert row == 5
    words = {"label-5": "No idea", "help": "How far?"}
    after = translatable_texts.set_texts(after, lines(after)[1].name, "en", words)
    assert {str(each.choices) for each in lines(after)} == {str(lines(after)[0].choices)}
    assert [each.choices[5].label for each in lines(after)] == [{"en": "No idea"}] * 3
    assert [each.help for each in lines(after)] == [{"en": "How far?"}] * 3
    freeze_questionnaire(after)
    # Another kind leaves the battery and another scale changes all of it.
    key = lines(draft)[2].name
    asked, scaled = (
        commands.change_kind_command(draft, {"key": key, "kind": kind}).draft
        for kind in ("yes-no", "quality-5")
    )
    assert len([battery for battery in batteries(asked) if battery]) == 2
    assert [each.choices[0].label["en"] for each in lines(scaled)] == ["Very poor"] * 3
    freeze_questionnaire(scaled)


def test_noise_of_a_line_stays_with_its_choices() -> None:
    draft = with_battery(1)
    noise = ("0.1000", "0.1000", "0.1000", "0.1000", "0.1000", "0.5000")
    name, other = (each.name for each in lines(draft, 1)[:2])
    draft = replace_block(draft, name, [replace(lines(draft, 1)[0], noise=noise)])
    assert not lines(draft, 1)[1].noise
    assert lines(answer_choice_editing.move_choice(draft, other, 0, 1), 1)[0].noise == noise
    removed, _undo = answer_choice_editing.remove_choice(draft, other, 0)
    assert not lines(removed, 1)[0].noise
    # A renamed choice is followed by rules on every line.
    draft = with_battery()
    ruled, first = lines(draft)[2].name, lines(draft)[0].name
    theft = replace(draft.sections[1].questions[0], show_if={ruled: ("5",)})
    after = answer_choice_editing.rename_choice(replace_block(draft, "theft", [theft]), first, 4, "all")
    assert after.sections[1].questions[0].show_if == {ruled: ("all",)}


def test_question_in_between_splits_the_battery_and_copies_stay_in_theirs() -> None:
    draft = with_battery()
    split = questions_and_sections.move_block(draft, "age", BlockPosition(0, 1))
    assert batteries(split) == ["q1", None, "q2", "q2"]
    moved = questions_and_sections.move_block(draft, lines(draft)[0].name, BlockPosition(1, 0))
    assert batteries(moved, 1) == ["q2", None]
    copied, _key = questions_and_sections.duplicate_block(draft, lines(draft)[1].name)
    assert batteries(copied)[1:] == ["q1"] * 4
    assert set(batteries(questions_and_sections.duplicate_section(draft, 0), 1)) == {None, "q2"}


# The text before a section, and the order.


def change_part(draft: Questionnaire, key: str, **data: str) -> Questionnaire:
    part = part_from_key(key, "en")
    form = part.build_form(draft, data)
    assert form.is_valid()
    return part.apply_cleaned(draft, form.cleaned_data)


def test_a_section_gets_a_text_and_a_random_order() -> None:
    after = change_part(complete_draft(), "=section-0", intro="First, you.", shuffled="on")
    section = after.as_json()["sections"][0]
    assert (section["intro"], section["order"]) == ({"en": "First, you."}, "random")
    assert freeze_questionnaire(after).sections[0].presentation.random_order
    assert read_questionnaire(after.as_json()) == after
    bare = change_part(after, "=section-0", intro="")
    assert bare.as_json()["sections"][0].keys() == complete()["sections"][0].keys()
    # Its base tells it from another one, and one that is gone is refused.
    moved, part = questions_and_sections.move_section(complete_draft(), 0, 1), SectionPart("=section-0", "en")
    assert part.conflict_check_value(complete_draft()) != part.conflict_check_value(moved)
    for key in ("=section-7", "=section-x", "=section-"):
        with pytest.raises(NotAllowed):
            part_from_key(key, "en").conflict_check_value(complete_draft())


def test_the_text_of_a_section_is_translated_and_named_where_it_is_missing() -> None:
    draft = change_part(read_questionnaire(bilingual()), "=section-1", intro="Now the hard part.")
    assert "=section-1" in translatable_texts.keys_of_parts_with_texts(draft)
    (line,) = translatable_texts.texts_in_two_languages(draft, "=section-1", "en", "zh-hans")
    assert (line.source, line.is_missing) == ("Now the hard part.", True)
    found = [each.path for each in draft_problems(draft.as_json(), NOW.date(), 1)]
    assert "sections[1].intro.zh-hans" in found
    done = translatable_texts.set_texts(draft, "=section-1", "zh-hans", {"intro": "现在是难的部分。"})
    assert done.sections[1].intro["zh-hans"] == "现在是难的部分。"


# None of these.


def battery_with_second_question() -> tuple[Questionnaire, str]:
    """A question with its key."""
    seen = section_digest(complete_draft().sections[1])
    after = commands.add_question_command(complete_draft(), {"section": "1", "seen": seen, "kind": "many"})
    draft = after.draft
    for row in range(3):
        words = {f"label-{row}": f"Drug {row}", "text": "Which?"}
        draft = translatable_texts.set_texts(draft, after.key, "en", words)
    made = commands.add_none_of_these_command(draft, {"key": after.key}).draft
    return made, f"of={group(made)[0].of}"


def group(draft: Questionnaire) -> list[DraftQuestion]:
    return [each for each in draft.sections[1].questions if each.form == "many"]


def test_none_of_these_stays_first_until_emptied() -> None:
    """Whatever happens to the options; only a question of several has it."""
    draft, key = battery_with_second_question()
    none = {"en": "None of these"}
    assert [each.none or None for each in group(draft)] == [none, None, None]
    assert len(freeze_questionnaire(draft).sections[1].questions) == 4
    for after in (
        answer_choice_editing.move_choice(draft, key, 0, 1),
        answer_choice_editing.add_choice(draft, key, 0)[0],
        read_questionnaire(draft.as_json()),
        answer_choice_editing.remove_choice(draft, key, 0)[0],
    ):
        first, *others = group(after)
        assert (first.none, [bool(each.none) for each in others]) == (none, [False] * len(others))
    pairs = translatable_texts.texts_in_two_languages(draft, key, "en", "en")
    assert any(line.field == "none" for line in pairs)
    after = translatable_texts.set_texts(draft, key, "en", {"none": ""})
    assert not find_block(after, key)[1][0].none
    with pytest.raises(NotAllowed, match="several of many"):
        commands.add_none_of_these_command(complete_draft(), {"key": "age"})


def test_battery_and_text_are_saved_by_posting_forms(client: Client, survey: Survey) -> None:
    seen = re.findall(r'name="seen" value="([^"]+)"', page_text(client, survey, "edit"))[0]
    data = {"do": "battery-add", "section": "0", "seen": seen, "in": "en"}
    post(client, survey, "edit/act", **data, statements=STATEMENTS, scale="agreement-5")
    opened = page_text(client, survey, "edit", open="=section-0")
    assert opened.count("In a battery") == 3
    base = re.search(r'value="=section-0" data-open><input type="hidden" name="base" value="([^"]+)"', opened)
    assert base
    save = {"part": "=section-0", "in": "en", "base": base[1], "intro": "About you.", "shuffled": "on"}
    post(client, survey, "edit/save", **save)
    page = page_text(client, survey, "edit")
    assert "About you." in page
    assert "In random order" in page
