"""The kinds of sections that the builder edits, and what all of its pages have to know of each.

What concerns one page only is a table by kind there: forms, guarantees, settings, the line of a closed question.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.kinds.plain.section import PlainSection
from surveys.kinds.crosswise import draft as crosswise_draft
from surveys.kinds.crosswise.draft import CROSSWISE
from surveys.kinds.number import draft as number_draft
from surveys.kinds.number.draft import NUMBER
from surveys.kinds.place import draft as place_draft
from surveys.kinds.place.draft import PLACE
from surveys.kinds.subset import draft as subset_draft
from surveys.kinds.subset.draft import SUBSET
from surveys.questionnaire import choice_draft
from surveys.questionnaire.normal_values import Node

PLAIN, GROUPED = PlainSection.kind, UnrelatedQuestionSection.kind


@dataclass(frozen=True)
class SectionKind:
    """`texts` are the texts of a question, besides those of its choices.

    `question` and `settings` make the normal form, of what a question has beside its name, texts and rules, and of
    what a section has beside its questions. `fitted` is a question of another kind that has moved into such a section.
    One that `holds_one` takes none: it is moved, copied and deleted with its question, which has answers to choose from
    only where it `lists_answers`. `has_settings`: its
    protection can be set, so that it can follow a preset.
    """

    sensitive: bool
    question: Callable[[Mapping[str, Any], Node, Sequence[str]], Node]
    settings: Callable[[Mapping[str, Any], Sequence[Node]], Node]
    fitted: Callable[[Node], Node]
    texts: tuple[str, ...] = ("text", "label", "help")
    holds_one: bool = False
    lists_answers: bool = False
    has_settings: bool = True


KINDS = {
    PLAIN: SectionKind(
        sensitive=False,
        has_settings=False,
        question=choice_draft.plain_question,
        settings=choice_draft.no_settings,
        fitted=choice_draft.as_plain,
    ),
    GROUPED: SectionKind(
        sensitive=True,
        question=choice_draft.sensitive_question,
        settings=choice_draft.grouped_settings,
        fitted=choice_draft.as_sensitive,
    ),
    NUMBER: SectionKind(
        sensitive=True,
        question=number_draft.number_question,
        settings=number_draft.number_settings,
        fitted=dict,
        texts=("text", "label", "help", "unit"),
        holds_one=True,
    ),
    PLACE: SectionKind(
        sensitive=True,
        question=place_draft.place_question,
        settings=place_draft.place_settings,
        fitted=dict,
        holds_one=True,
    ),
    SUBSET: SectionKind(
        sensitive=True,
        question=subset_draft.subset_question,
        settings=subset_draft.subset_settings,
        fitted=dict,
        holds_one=True,
        lists_answers=True,
    ),
    CROSSWISE: SectionKind(
        sensitive=True,
        question=crosswise_draft.crosswise_question,
        settings=choice_draft.no_settings,
        fitted=dict,
        texts=("text", "label", "help", "secret", "turned"),
        holds_one=True,
        has_settings=False,
    ),
}


def is_editable(section: Mapping[str, Any]) -> bool:
    """Whether the builder edits its questions; sections of other kinds are only moved and deleted."""
    return section.get("kind") in KINDS


def takes_questions(section: Mapping[str, Any]) -> bool:
    """Whether other questions can stand in it, too."""
    return is_editable(section) and not section_kind(section).holds_one


def section_kind(section: Mapping[str, Any]) -> SectionKind:
    """Of a section that is edited here."""
    return KINDS[section["kind"]]


def has_settings(section: Mapping[str, Any]) -> bool:
    """Whether its protection can be set; that of a crosswise question follows from the secret."""
    return is_editable(section) and section_kind(section).has_settings
