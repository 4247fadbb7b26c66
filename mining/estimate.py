"""Estimates of one sensitive number or place from a file of records, and their JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from mining.counting import read_file
from mining.counting.code_counts import CodeCounts
from mining.counts import Counts
from mining.finite_numbers import finite
from mining.numbers.classes import QuantileStatement
from mining.numbers.finding import PLACES, QUANTILES, estimates
from mining.numbers.window import WindowEstimate, estimate_window
from mining.places import finding as places
from privacy.anonymity.disguised_columns import corrected_shares, read_disguised
from privacy.anonymity.methods import METHODS
from privacy.anonymity.specification import FORMAT, Specification
from privacy.anonymity.specification_reading import read_specification
from privacy.designs import Design, Refusal, Section, parse_file
from privacy.grammar.node import MAX_BYTES
from privacy.grammar.refusal import marked as _, quoted
from privacy.kinds.number.form import ClassesSection, WindowQuestion, WindowSection
from privacy.kinds.place.form import PlaceSection
from privacy.records import open_file

CURVES = ("received", "blurred", "low", "high", "illustration")


def estimate_file(
    design_file: Path, records_file: Path, name: str, quantiles: Sequence[float] = QUANTILES
) -> dict[str, Any]:
    """The estimates of the number or place with this name; an error in a file or a wrong name is a `Refusal`."""
    design = parse_file(design_file)
    place, section = section_named(design, name)
    check_quantiles(quantiles)
    with open_file(records_file) as file:
        records = read_file(design, file, str(records_file))
    parts = (*records.complete, *records.without_plain)
    counts = CodeCounts.of(design, parts, classes=False).for_estimates(place)
    return as_json(section, counts, quantiles)


def estimate_release(specification: Specification, table: Path, name: str) -> dict[str, Any]:
    """The shares of a disguised column before the disguise, from a published table."""
    column = next((column for column in specification.disguised if column.name == name), None)
    if column is None:
        raise Refusal("question", _("%(name)s is not a disguised column"), name=quoted(name))
    with open_file(table) as file:
        shares = corrected_shares(read_disguised(file, str(table), column), column.gamma)
    return {
        "base": shares[0].records,
        "gamma": float(column.gamma),
        "shares": [asdict(share) for share in shares],
    }


def specification_in(file: Path) -> Specification | None:
    """The specification of an anonymised table; None where the file says that it is something else."""
    with open_file(file) as opened:
        source = opened.read(MAX_BYTES + 1)
    if f'"{FORMAT}"'.encode() not in source:
        return None
    return read_specification(source, str(file), frozenset(METHODS))


def section_named(design: Design, name: str) -> tuple[int, Section]:
    """The place in the design and the section of a number or place."""
    place = 0
    for section in design.sections:
        if any(question.name == name for question in section.questions):
            if type(section) in KINDS:
                return place, section
            raise Refusal("question", _("%(name)s is not a sensitive number or place"), name=quoted(name))
        place += len(section.questions)
    raise Refusal("question", _("the design has no question %(name)s"), name=quoted(name))


def check_quantiles(quantiles: Sequence[float]) -> None:
    for q in quantiles:
        if not 0 < q < 1:
            raise Refusal("quantiles", _("%(q)s does not lie between 0 and 1"), q=f"{q:g}")


def as_json(section: Section, counts: Counts, quantiles: Sequence[float] = QUANTILES) -> dict[str, Any]:
    """From the records by group (open, disguised) and code, to which the number or place applies.

    What the law does not promise is null, and so is what too few records would tell.
    """
    return KINDS[type(section)](section, counts, quantiles)


def _of_classes(section: ClassesSection, counts: Counts, quantiles: Sequence[float]) -> dict[str, Any]:
    found = estimates(section, counts, quantiles)
    stated = found.quantiles or [QuantileStatement(q, None, None) for q in quantiles]
    both = (*found.shares, *found.classes[1:-1])
    named = [(of.item, of.share, of.low, of.high) for of in both]
    return {
        "base": found.base,
        "shares": _shares(section.question.name, named),
        "mean": asdict(found.mean) if found.mean else None,
        "quantiles": [asdict(of) for of in stated],
        "distribution": None,
        "modes": None,
    }


def _shares(
    question: str, named: Sequence[tuple[str, float | None, float | None, float | None]]
) -> list[dict[str, Any]]:
    return [
        {"item": f"{question}={item}", "support": share, "low": low, "high": high}
        for item, share, low, high in named
    ]


def _of_place(section: PlaceSection, counts: Counts, _quantiles: Sequence[float]) -> dict[str, Any]:
    """The shares of the regions and of each cell outside; cell by cell what was received, and the illustration."""
    found = places.estimates(section, counts)
    regions = found.shares[: len(section.question.regions)]
    named = [(of.item, of.share, of.low, of.high) for of in (*regions, *found.outside)]
    cells = section.question.code_names
    return {
        "base": found.base,
        "shares": _shares(section.question.name, named),
        "mean": None,
        "quantiles": None,
        "distribution": None
        if found.received is None or found.illustration is None
        else [
            {
                "value": cell,
                "received": received,
                "blurred": None,
                "low": None,
                "high": None,
                "illustration": illustration,
            }
            for cell, received, illustration in zip(cells, found.received, found.illustration, strict=True)
        ],
        "modes": None,
    }


def _of_window(section: WindowSection, counts: Counts, _quantiles: Sequence[float]) -> dict[str, Any]:
    """Value by value."""
    found = estimate_window(section.law, counts)
    return {
        "base": int(counts.sum()),
        "shares": None,
        "mean": None,
        "quantiles": None,
        "distribution": None
        if found is None
        else [
            {"value": value, **dict(zip(CURVES, row, strict=True))}
            for value, row in zip(_values(section.question), _rows(found), strict=True)
        ],
        "modes": None if found is None else found.modes,
    }


def _rows(found: WindowEstimate) -> list[list[float | None]]:
    """By value the curves; there are no bands of few records."""
    curves = np.stack([getattr(found, name) for name in CURVES], axis=1).round(PLACES)
    return [[finite(number) for number in row] for row in curves.tolist()]


def _values(question: WindowQuestion) -> list[int]:
    return [question.number(code) for code in range(question.values)]


KINDS: Mapping[type, Callable[[Any, Counts, Sequence[float]], dict[str, Any]]] = MappingProxyType(
    {WindowSection: _of_window, ClassesSection: _of_classes, PlaceSection: _of_place}
)
