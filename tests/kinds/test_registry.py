"""Every kind of question is one object of the registry, and nothing else lists kinds."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privacy.designs.parsing import KINDS as PARSED
from privacy.grammar.json_node import PARTS
from surveys.draft_json import new_draft_with_two_sections
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.read_draft import DRAFTS, read_questionnaire
from surveys.kinds.registry import KINDS
from surveys.lifecycle.draft_problems import draft_problems
from surveys.questionnaire.question_block_editing import blocks_of_section
from tests.privacy import questionnaires as q
from tests.surveys.conftest import NOW

ROOT = Path(__file__).parent.parent.parent
SIX = ("plain", "grouped", "subset", "number", "place", "crosswise")
TABLE = re.compile(
    r"^ +(PLAIN|GROUPED|NUMBER|PLACE|CROSSWISE|SUBSET|[A-Za-z]+Section(\.kind)?"
    r'|"(unrelated-question|crosswise|subset)"): ',
    re.MULTILINE,
)
REGISTRIES = {
    "privacy/designs/parsing.py",
    "privacy/simulation/simulation_registry.py",
    "mining/kinds/registry.py",
}
"""Of three layers; that of `surveys` is a list of objects."""


def test_every_design_kind_has_a_survey_kind_with_two_halves_in_one_folder() -> None:
    assert set(KINDS) == set(DRAFTS) == set(PARSED)
    assert [kind.kind for kind in KINDS.values() if kind.draft is not DRAFTS[kind.kind]] == []
    halves = [ROOT / "surveys/kinds" / folder / f"{half}.py" for folder in SIX for half in ("draft", "kind")]
    assert [path for path in halves if not path.exists()] == []


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_new_section_is_in_normal_form_with_a_question_where_needed(kind: QuestionKind[Any]) -> None:
    draft = read_questionnaire(new_draft_with_two_sections("A survey", "en", NOW.date()))
    made = replace(draft, sections=(kind.new_section(draft),))
    assert read_questionnaire(made.as_json()) == made
    [section] = made.sections
    assert section.kind == kind.kind
    assert len(blocks_of_section(section)) == int(kind.draft.holds_one)
    assert draft_problems(made.as_json(), NOW.date(), 1)


def test_kind_draws_coins_where_its_sections_do() -> None:
    asked = q.design(
        q.plain(q.WORK),
        q.sensitive("0.5", q.question("theft", *q.HALF)),
        q.window("age", 7, 1),
        q.place("home", q.grid(3, 3), [0, 1, 2], [3, 4]),
        q.crosswise("tax", "0.2500"),
        q.subset(7, 2, "0.5"),
    )
    throws = {section.kind: bool(section.sides_of_coins(PARTS)) for section in asked.sections}
    assert throws == {name: kind.throws for name, kind in DRAFTS.items()}


def tables() -> Iterator[str]:
    for room in ("surveys", "importing", "intake", "privacy", "mining", "runs", "reports", "releases"):
        for path in (ROOT / room).rglob("*.py"):
            if TABLE.search(path.read_text()):
                yield str(path.relative_to(ROOT))


def test_no_other_table_is_keyed_by_kind() -> None:
    assert set(tables()) == REGISTRIES
