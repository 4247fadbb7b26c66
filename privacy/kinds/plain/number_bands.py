"""A plain number that is recorded only as a band: the range of the number, and the limits of the bands.

The bands are the choices of its question, so a record, a file and an estimate know the band alone: the device
maps the number that a person types, and never sends it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import Node
from privacy.grammar.number_range import FURTHEST, NumberRange
from privacy.grammar.translated_texts import Texts, read_texts

NUMBER = "number"
MOST_BANDS = 20
REQUIRED, OPTIONAL = frozenset({"low", "high", "limits"}), frozenset({"step", "unit"})


@dataclass(frozen=True, slots=True)
class NumberBands:
    """The bands of a plain number: `range`, the numbers; `limits`, where each but the first begins."""

    range: NumberRange
    limits: tuple[int, ...]
    unit: Texts = field(default_factory=Texts)

    def as_json(self) -> dict[str, Any]:
        numbers = self.range
        members = {
            "low": numbers.low,
            "high": numbers.high,
            "step": numbers.step,
            "limits": list(self.limits),
        }
        return members | ({"unit": self.unit.as_json()} if self.unit else {})


def check_limits(numbers: NumberRange, limits: Sequence[int]) -> None:
    """Refuses limits that do not divide these numbers into bands; the error names the limit by index."""
    if not limits:
        raise InputError("limits", _("one limit at least: without one, all numbers are one band"))
    if len(limits) >= MOST_BANDS:
        raise InputError("limits", _("at most %(most)s bands"), most=MOST_BANDS)
    for row, (below, limit) in enumerate(pairwise((numbers.low, *limits))):
        if limit <= below:
            raise InputError(f"limits[{row}]", _("must lie above %(below)s"), below=below)
        if limit > numbers.high:
            raise InputError(
                f"limits[{row}]", _("must be at most the highest number, %(high)s"), high=numbers.high
            )
        if (limit - numbers.low) % numbers.step:
            raise InputError(f"limits[{row}]", _("lies between two steps of %(step)s"), step=numbers.step)


def band_names(numbers: NumberRange, limits: Sequence[int]) -> tuple[str, ...]:
    """Returns the names of the bands in files, such as <18, 18..34 and 35+."""
    inner = (f"{low}..{above - numbers.step}" for low, above in pairwise(limits))
    return (f"<{limits[0]}", *inner, f"{limits[-1]}+")


def read_bands(node: Node, languages: tuple[str, ...], choices: int) -> NumberBands:
    """Reads the member `number` of a question with this many choices: range and limits of its bands."""
    members = node.members(REQUIRED, OPTIONAL)
    low, high = (members[end].integer(-FURTHEST, FURTHEST) for end in ("low", "high"))
    step = members["step"].integer(1, FURTHEST) if "step" in members else 1
    limits: list[int] = []
    for item in members["limits"].items():
        if len(limits) == MOST_BANDS:
            break
        limits.append(item.integer(-FURTHEST, FURTHEST))
    try:
        numbers = NumberRange(low, high, step)
        check_limits(numbers, limits)
    except InputError as refusal:
        raise InputError(f"{node.path}.{refusal.path}", refusal.template, **refusal.values) from None
    if choices != len(limits) + 1:
        raise members["limits"].refuse(
            _("%(limits)s limits make %(bands)s bands, and the question has %(choices)s choices"),
            limits=len(limits),
            bands=len(limits) + 1,
            choices=choices,
        )
    return NumberBands(numbers, tuple(limits), read_texts(members.get("unit"), languages))
