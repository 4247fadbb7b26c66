"""The registry: every kind of questions, for the pages of researchers and respondents."""

from collections.abc import Iterator, Mapping
from typing import Any

from privacy.designs import Design, Section
from surveys.kinds.crosswise.kind import CrosswiseKind
from surveys.kinds.grouped.kind import GroupedKind
from surveys.kinds.kind import SurveyKind
from surveys.kinds.number.kind import NumberKind
from surveys.kinds.place.kind import PlaceKind
from surveys.kinds.plain.kind import PlainKind
from surveys.kinds.subset.kind import SubsetKind
from surveys.questionnaire.file_columns import FileColumns
from surveys.questionnaire.section_kind import is_editable

KINDS: Mapping[str, SurveyKind] = {
    each.kind: each
    for each in (PlainKind(), GroupedKind(), NumberKind(), PlaceKind(), CrosswiseKind(), SubsetKind())
}


def kind_of(section: Mapping[str, Any] | Section) -> SurveyKind:
    """Of a section of a design, or of a draft that is edited here."""
    return KINDS[section["kind"] if isinstance(section, Mapping) else section.kind]


def known_kind(section: Mapping[str, Any]) -> SurveyKind | None:
    """None of a section that this version does not know."""
    return kind_of(section) if is_editable(section) else None


def file_columns(design: Design) -> Iterator[FileColumns]:
    """Of each question."""
    for section in design.sections:
        for _question in section.questions:
            yield kind_of(section).file_columns(section)
