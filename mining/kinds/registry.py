"""The one table of kinds whose questions mining counts by code. Answers of all other kinds are items."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mining.kinds.counted import CountedKind
from mining.kinds.number.kind import ClassesKind, WindowKind
from mining.kinds.place.kind import PlaceKind
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.section import Section

KINDS: Mapping[type[Section], CountedKind[Any]] = MappingProxyType(
    {WindowSection: WindowKind(), ClassesSection: ClassesKind(), PlaceSection: PlaceKind()}
)


def kind_of(section: Section) -> CountedKind[Any]:
    """Of a section that is `counted_by_code`."""
    return KINDS[type(section)]
