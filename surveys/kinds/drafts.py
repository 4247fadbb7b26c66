"""The registry of what drafts hold: a light half of surveys.kinds.registry, for the process that reads uploads."""

from collections.abc import Mapping

from surveys.kinds.crosswise.draft import CrosswiseDraft
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.number.draft import NumberDraft
from surveys.kinds.place.draft import PlaceDraft
from surveys.kinds.plain.draft import PlainDraft
from surveys.kinds.subset.draft import SubsetDraft
from surveys.questionnaire.section_kind import SectionKind

DRAFTS: Mapping[str, SectionKind] = {
    each.kind: each
    for each in (PlainDraft(), GroupedDraft(), NumberDraft(), PlaceDraft(), CrosswiseDraft(), SubsetDraft())
}
