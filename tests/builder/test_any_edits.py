"""Whatever is done to a draft, in whatever order: it can become a design, or what is missing is named."""

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from builder.editing import questions_and_sections, undo
from privacy.designs import InputError, parse_design
from surveys.kinds import registry
from surveys.kinds.number import editing as numbers
from surveys.kinds.number.draft import GOALS
from surveys.kinds.place import editing as places, map_cell_creation as place_cells
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.draft_problems import draft_problems
from surveys.questionnaire import (
    answer_choice_editing,
    choice_question_kinds,
    show_if_rules,
    translatable_texts,
)
from surveys.questionnaire.answer_scales import SCALES
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    BlockPosition,
    all_blocks,
    block_key,
    find_block,
    rename_question,
    replace_block,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import normal_name
from tests.surveys.drafts import classes, draft, options, place, plain, question, sensitive

pytestmark = pytest.mark.page
TODAY = date(2026, 12, 1)
Edit = Callable[[Questionnaire], Questionnaire]
START = draft(
    plain(question("age"), question("work", "yes!", "none"), *options("use", "bus", "car")),
    sensitive(question("theft", show_if={"work": ["yes!"]}), question("debt"), asked=1),
    plain(question("after", show_if={"age": ["a"]})),
    classes("debt-2", 0, 5, 20, show_if={"work": ["none"]}),
    place("home", show_if={"age": ["b"]}),
)
number = st.integers(0, 6)
whereabouts = st.tuples(number, number)


def block_key_at(given: Questionnaire, at: int) -> str:
    found = [block_key(block) for _place, block in all_blocks(given)]
    return found[at % len(found)] if found else "none"


def append_block_edit(at: int, kind: str) -> Edit:
    def add(given: Questionnaire) -> Questionnaire:
        section = at % max(1, len(given.sections))
        is_sensitive = given.sections[section].sensitive if given.sections else False
        block = choice_question_kinds.new_block(given, kind, is_sensitive)
        return questions_and_sections.append_block(given, block, section)

    return add


def rule_edit(by: tuple[int, int]) -> Edit:
    def rule(given: Questionnaire) -> Questionnaire:
        shown, ruling = block_key_at(given, by[0]), block_key_at(given, by[1])
        block = find_block(given, shown)[1]
        first = find_block(given, ruling)[1][0]
        made = show_if_rules.block_with_rules(given, shown, block, {first.name: first.choice_names[:1]})
        return replace_block(given, shown, made)

    return rule


def questionnaire_of_edit(found: Any) -> Questionnaire:
    """Of an edit that also says something else, the questionnaire."""
    edited: Questionnaire = found[0] if isinstance(found, tuple) else found
    return edited


def on_block(act: Callable[..., Any], *more: st.SearchStrategy[Any]) -> st.SearchStrategy[Edit]:
    """Of any question, with drawn values."""

    def build(drawn: tuple[Any, ...]) -> Edit:
        return lambda given: questionnaire_of_edit(act(given, block_key_at(given, drawn[0]), *drawn[1:]))

    return st.tuples(number, *more).map(build)


def on_draft(act: Callable[..., Any], *values: st.SearchStrategy[Any]) -> st.SearchStrategy[Edit]:
    def build(drawn: tuple[Any, ...]) -> Edit:
        return lambda given: questionnaire_of_edit(act(given, *drawn))

    return st.tuples(*values).map(build)


def insert_new(given: Questionnaire, kind: str, at: int | None) -> Questionnaire:
    section = registry.KINDS[kind].new_section(given)
    return questions_and_sections.insert_section(given, section, *([] if at is None else [at]))


def move(given: Questionnaire, key: str, to: tuple[int, int]) -> Questionnaire:
    return questions_and_sections.move_block(given, key, BlockPosition(to[0] % 3, to[1]))


def replace_cells(given: Questionnaire, key: str, columns: int) -> Questionnaire:
    return places.replace_cells(given, key, place_cells.grid_cells(columns, 2, None))


kinds = st.sampled_from([*choice_question_kinds.QUESTION_KINDS, *SCALES])
step, section, text = st.sampled_from([-1, 1]), st.integers(0, 3), st.text(max_size=4)
edits: st.SearchStrategy[Edit] = st.one_of(
    st.builds(append_block_edit, number, kinds),
    st.builds(rule_edit, whereabouts),
    on_block(questions_and_sections.shift_block, step),
    on_block(move, whereabouts),
    on_block(questions_and_sections.duplicate_block),
    on_block(questions_and_sections.remove_block),
    on_draft(questions_and_sections.duplicate_section, section),
    on_draft(questions_and_sections.remove_section, section),
    on_draft(questions_and_sections.move_section, section, step),
    on_draft(insert_new, st.sampled_from(["unrelated-question", "plain"]), st.none()),
    on_draft(insert_new, st.sampled_from(["number", "place"]), section),
    on_block(choice_question_kinds.change_question_kind, kinds),
    on_block(choice_question_kinds.set_prefer_not_to_say, st.booleans()),
    on_block(numbers.set_number_goal, st.sampled_from(list(GOALS))),
    on_block(numbers.add_limit, st.none() | number),
    on_block(numbers.remove_limit, number),
    on_block(places.add_region),
    on_block(places.remove_region, number),
    on_block(places.give_region_special_level, number),
    on_block(places.reset_region_protection, number),
    on_block(places.set_best_level, st.sampled_from(["regions", "map"])),
    on_block(replace_cells, st.integers(1, 5)),
    on_block(answer_choice_editing.add_choice),
    on_block(answer_choice_editing.remove_choice, number),
    on_block(answer_choice_editing.move_choice, number, step),
    on_block(answer_choice_editing.rename_choice, number, text),
    on_block(rename_question, text),
    on_draft(translatable_texts.add_language, st.sampled_from(["fr", "zh-hans", "x y"])),
    on_draft(translatable_texts.remove_language, st.sampled_from(["fr", "en"])),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(edits, max_size=12))
def test_any_sequence_of_edits_keeps_a_draft_that_can_become_a_design(sequence: list[Edit]) -> None:
    now = START
    for edit in sequence:
        before = deepcopy(now)
        after = apply_edit(edit, now)
        assert now == before, "an edit changes no draft in place"
        now = after
    assert now == read_questionnaire(now.as_json())
    if refusal := refusal_of(now):
        # Only what is not there yet may be missing: questions in a section, a section at all.
        assert refusal.reason.startswith("at least one"), str(refusal)
        assert refusal.path in {problem.path for problem in draft_problems(now.as_json(), TODAY, 20)}


def apply_edit(edit: Edit, now: Questionnaire) -> Questionnaire:
    """What the edit makes of it; a refused one leaves it as it was."""
    try:
        return edit(now)
    except NotAllowed:
        return now


def refusal_of(now: Questionnaire) -> InputError | None:
    try:
        freeze_design(now.as_json())
    except InputError as refusal:
        return refusal
    return None


@given(st.lists(edits, max_size=8), number, st.sampled_from(["question", "section", "answer"]), number)
def test_deleted_part_is_restored_exactly(sequence: list[Edit], at: int, what: str, row: int) -> None:
    now = START
    for edit in sequence:
        now = apply_edit(edit, now)
    try:
        if what == "question":
            after, removed = questions_and_sections.remove_block(now, block_key_at(now, at))
        elif what == "section":
            after, removed = questions_and_sections.remove_section(now, at)
        else:
            after, removed = answer_choice_editing.remove_choice(now, block_key_at(now, at), row)
    except NotAllowed:
        return
    assert after != now
    travelled = undo.read_signed_undo_data(7, undo.sign_undo_data(7, removed))
    assert undo.apply_undo_data(after, travelled)[0] == now


KEYS = (  # noqa: SIM905
    "kind questions name choices form of text show_if noise asked keep law limits cuts low high values window expected"
    " rest keep_rest cells regions en"
).split()
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 99)
    | st.text(max_size=5)
    | st.sampled_from(["0.5", "many", "yes-no", "window"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)
KINDS = st.sampled_from(["plain", "unrelated-question", "number", "place", "story", 3])


def sections_of(kind: Any, rest: Any) -> Any:
    return {"kind": kind, **rest} if isinstance(rest, dict) else rest


@given(
    st.lists(
        st.builds(
            sections_of, KINDS, st.dictionaries(st.just("questions"), st.lists(json_values, max_size=4))
        )
    ),
    json_values,
)
def test_any_json_becomes_an_orderly_draft_and_stays_one(sections: list[Any], title: Any) -> None:
    made = read_questionnaire({"title": title, "languages": title, "sections": sections})
    stored = made.as_json()
    assert read_questionnaire(stored) == made
    assert json.loads(json.dumps(stored)) == stored
    names = [each.name for _place, block in all_blocks(made) for each in block]
    assert len(names) == len(set(names))
    assert list(show_if_rules.find_broken_rules(made)) is not None
    assert draft_problems(stored, TODAY, 20)


def test_orderly_draft_is_unchanged_by_reading() -> None:
    assert read_questionnaire(START.as_json()) == START


def one_question_design(name: str) -> dict[str, Any]:
    question = {"name": name, "choices": ["a", "b"]}
    return {"format": "candor-design/1", "sections": [{"kind": "plain", "questions": [question]}]}


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "Cc", "Cf", "Co"])))
@example("\u2067theft\u2069")
@example("\u200bthe\u00adft\ufeff")
@example("می\u200cخواهم")
@example("group")
def test_nearest_name_to_any_text_is_a_valid_name(typed: str) -> None:
    name = normal_name(typed)
    (question,) = read_questionnaire(one_question_design(typed)).all_questions
    if name != "group":
        assert question.name == (name or "q1")
    assert parse_design(json.dumps(one_question_design(question.name))).questions[0].name == question.name
