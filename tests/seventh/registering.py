"""Enters the seventh kind into the registries: all that the product has to know of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from privacy.designs import parsing
from privacy.kinds.section import Section
from privacy.kinds.simulation import SectionSimulation
from privacy.simulation import simulation_registry as simulations
from surveys.kinds import read_draft, registry
from tests.seventh.forced.draft import FORCED, ForcedDraft
from tests.seventh.forced.kind import ForcedKind
from tests.seventh.forced.section import ForcedSection, read
from tests.seventh.forced.simulation import ForcedSimulation


@contextmanager
def registered() -> Iterator[None]:
    """Until it is left."""
    simulated: dict[type[Section], SectionSimulation[Any]] = {ForcedSection: ForcedSimulation()}
    simulated.update(simulations.SIMULATIONS)
    with (
        patch.dict(parsing.KINDS, {FORCED: read}),
        patch.object(simulations, "SIMULATIONS", simulated),
        patch.dict(read_draft.DRAFTS, {FORCED: ForcedDraft}),
        patch.dict(registry.KINDS, {FORCED: ForcedKind()}),
    ):
        yield
