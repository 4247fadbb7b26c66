"""The device's half of every kind of section."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from privacy.grammar.question import Answers
from privacy.kinds.crosswise import device as crosswise
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.grouped import device as grouped
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.kinds.number import classes_device, window_device
from privacy.kinds.number.section import ClassesSection, WindowSection
from privacy.kinds.place import device as place
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.plain import device as plain
from privacy.kinds.plain.section import PlainSection
from privacy.kinds.subset import device as subset
from privacy.kinds.subset.section import SubsetSection


class Device(Protocol):
    """The module `device` of a kind; each takes sections of its own kind only."""

    def sides(self, section: Any, modulus: int) -> list[int]:
        """The number of sides of each coin that a section needs, in order."""
        ...

    def disguise(
        self,
        section: Any,
        coins: Sequence[int],
        modulus: int,
        is_open: bool,
        answers: Answers,
        codes: list[int],
    ) -> None:
        """Append the codes of a section to those of the sections before it; `answers` are of the whole design."""
        ...


DEVICES: Mapping[type, Device] = MappingProxyType(
    {
        PlainSection: plain,
        UnrelatedQuestionSection: grouped,
        WindowSection: window_device,
        ClassesSection: classes_device,
        PlaceSection: place,
        CrosswiseSection: crosswise,
        SubsetSection: subset,
    }
)
