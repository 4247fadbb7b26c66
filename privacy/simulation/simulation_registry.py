"""Registry of the simulations of all section kinds."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.crosswise.simulation import CrosswiseSimulation
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.kinds.grouped.simulation import GroupedSimulation
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.classes.simulation import ClassesSimulation
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.number.window.simulation import WindowSimulation
from privacy.kinds.place.law import PlaceItemsSection
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.place.simulation import PlaceItemsSimulation, PlaceSimulation
from privacy.kinds.plain.section import PlainSection
from privacy.kinds.plain.simulation import PlainSimulation
from privacy.kinds.section import Section
from privacy.kinds.simulation import SectionSimulation
from privacy.kinds.subset.section import SubsetSection
from privacy.kinds.subset.simulation import SubsetSimulation

SIMULATIONS: Mapping[type[Section], SectionSimulation[Any]] = MappingProxyType(
    {
        PlainSection: PlainSimulation(),
        UnrelatedQuestionSection: GroupedSimulation(),
        SubsetSection: SubsetSimulation(),
        WindowSection: WindowSimulation(),
        ClassesSection: ClassesSimulation(),
        PlaceSection: PlaceSimulation(),
        PlaceItemsSection: PlaceItemsSimulation(),
        CrosswiseSection: CrosswiseSimulation(),
    }
)


def find_simulation(section: Section) -> SectionSimulation[Any]:
    """Returns the simulation for the kind of this section."""
    return SIMULATIONS[type(section)]
