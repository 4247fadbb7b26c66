"""Registry of all kinds of questions, for the pages of researchers and respondents."""

from collections.abc import Iterator, Mapping
from typing import Any

from privacy.designs import Design, Section
from surveys.kinds.crosswise.kind import CrosswiseKind
from surveys.kinds.grouped.kind import GroupedKind
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.number.kind import NumberKind
from surveys.kinds.place.kind import PlaceKind
from surveys.kinds.plain.kind import PlainKind
from surveys.kinds.record_file_columns import FileColumns
from surveys.kinds.subset.kind import SubsetKind
from surveys.questionnaire.draft_section import DraftSection

KINDS: Mapping[str, QuestionKind[Any]] = {
    kind.kind: kind
    for kind in (PlainKind(), GroupedKind(), NumberKind(), PlaceKind(), CrosswiseKind(), SubsetKind())
}


def get_kind(section: Section | DraftSection) -> QuestionKind[Any]:
    """Returns the kind of a design's or draft's section; raises KeyError if this version does not know it."""
    return KINDS[section.kind]


def get_kind_if_known(section: DraftSection) -> QuestionKind[Any] | None:
    """Returns the kind of a draft's section; None if this version does not know it."""
    return get_kind(section) if section.is_known else None


def file_columns_by_question(design: Design) -> Iterator[FileColumns]:
    """Yields the columns in record files of each question of a design, in order."""
    for section in design.sections:
        for _question in section.questions:
            yield get_kind(section).file_columns(section)
