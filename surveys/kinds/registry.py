"""The registry: every kind of questions, for the pages of researchers and respondents."""

from collections.abc import Iterator, Mapping
from typing import Any

from privacy.designs import Design, Section
from surveys.kinds.crosswise.kind import CrosswiseKind
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.grouped.kind import GroupedKind
from surveys.kinds.kind import SurveyKind
from surveys.kinds.number.kind import NumberKind
from surveys.kinds.place.kind import PlaceKind
from surveys.kinds.plain.kind import PlainKind
from surveys.kinds.subset.kind import SubsetKind
from surveys.questionnaire.draft_section import DraftSection

KINDS: Mapping[str, SurveyKind[Any]] = {
    kind.kind: kind
    for kind in (PlainKind(), GroupedKind(), NumberKind(), PlaceKind(), CrosswiseKind(), SubsetKind())
}


def kind_of(section: Section | DraftSection) -> SurveyKind[Any]:
    """Returns the kind of a section of a design or a draft; it must be known."""
    return KINDS[section.kind]


def known_kind(section: DraftSection) -> SurveyKind[Any] | None:
    """Returns the kind of a section; None if this version does not know it."""
    return kind_of(section) if section.is_known else None


def file_columns(design: Design) -> Iterator[FileColumns]:
    """Yields the columns of record files for each question of a design, in order."""
    for section in design.sections:
        for _question in section.questions:
            yield kind_of(section).file_columns(section)
