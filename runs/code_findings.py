"""What a run says about sensitive numbers and places, from the counts of their codes: `run.findings["numbers"]` and
`run.findings["places"]`, where the design has some.

In the order of the design; see `mining.kinds.number.finding` and `mining.kinds.place.finding`. Estimates in the classes
of a plain question join plain and sensitive answers, so they are of the disguised records alone.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mining.counting.code_counts import CodeCounts
from mining.counts import Counts
from mining.document.codec import dump
from mining.kinds.number import finding as number_finding
from mining.kinds.number.finding import NumberClasses, NumberFinding
from mining.kinds.place import finding as place_finding
from mining.kinds.place.finding import PlaceClasses, PlaceFinding
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.place.section import PlaceSection
from runs.findings import Json

NUMBERS, PLACES = "numbers", "places"


def findings(counts: CodeCounts) -> dict[str, Json]:
    """By kind."""
    found: dict[str, list[Any]] = {}
    place = 0
    for section in counts.design.sections:
        if section.counted_by_code:
            name, finding = KINDS[type(section)]
            found.setdefault(name, []).append(finding(counts, section, place))
        place += len(section.questions)
    return dict(found)


def _number(counts: CodeCounts, section: Any, place: int) -> Json:
    question = section.question
    groups = tuple(
        NumberClasses(name, tuple(number_finding.estimates(section, row, of_class=True) for row in rows))
        for name, rows in _classes(counts, place)
    )
    everybody = number_finding.estimates(section, counts.for_estimates(place))
    return dump(NumberFinding(question.name, question.law, everybody, groups))


def _place(counts: CodeCounts, section: Any, place: int) -> Json:
    groups = tuple(
        PlaceClasses(name, place_finding.class_estimates(section, rows))
        for name, rows in _classes(counts, place)
    )
    of_disguised = counts.for_estimates(place)
    # Somebody outside the regions sends the cell as it is.
    of_disguised[0] = 0
    everybody = place_finding.estimates(section, of_disguised)
    return dump(PlaceFinding(section.question.name, everybody, groups))


def _classes(counts: CodeCounts, place: int) -> Iterator[tuple[str, list[Counts]]]:
    """By plain question, by name, the records of each class by group: the open ones count nowhere."""
    for (counted, plain), table in counts.by_class.items():
        if counted == place:
            rows = [np.stack([np.zeros_like(disguised), disguised]) for disguised in table]
            yield counts.design.questions[plain].name, rows


KINDS: Mapping[type, tuple[str, Callable[[CodeCounts, Any, int], Json]]] = MappingProxyType(
    {
        WindowSection: (NUMBERS, _number),
        ClassesSection: (NUMBERS, _number),
        PlaceSection: (PLACES, _place),
    }
)
