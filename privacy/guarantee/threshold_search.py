"""Design by guarantee for a number asked by thresholds: keep, and which thresholds have the least error.

Keep is the largest that the limit admits; the error of everything falls with it (docs/mathematics.md, Numbers by
guarantee).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privacy.grammar.node import read_json
from privacy.grammar.reading import ParsedSoFar
from privacy.grammar.refusal import Refusal, marked as _
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.error import LEAST_BASE
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.quantile_search import QuantileSearch
from privacy.guarantee.threshold_error import (
    FEWEST,
    MOST,
    ExpectedMean,
    ExpectedShare,
    Thresholds,
    largest_keep,
)
from privacy.kinds.number.form import MOST_MULTIPLE, THRESHOLDS, ThresholdsSection, read


@dataclass(frozen=True, slots=True)
class SharesDesign:
    """Thresholds for the shares above given numbers; `added` was not asked for, and is there since one is too few."""

    thresholds: Thresholds
    shares: tuple[ExpectedShare, ...]
    added: int | None


@dataclass(frozen=True, slots=True)
class MeanOption:
    """One number of thresholds, as equally far apart as the steps allow."""

    thresholds: Thresholds
    mean: ExpectedMean
    shares: tuple[ExpectedShare, ...]


@dataclass(frozen=True, slots=True)
class MeanDesign:
    """`best` has the least error of the mean; of several alike, the fewest thresholds, whose shares err least."""

    best: MeanOption
    options: tuple[MeanOption, ...]


@dataclass(frozen=True, slots=True)
class QuantileOption:
    """One number of thresholds, placed best; `width` of the statement is also given as a part of the range."""

    thresholds: Thresholds
    width: float
    relative_width: float
    shares: tuple[ExpectedShare, ...]


@dataclass(frozen=True, slots=True)
class QuantileDesign:
    """`best` has the least expected width of the statement."""

    q: float
    best: QuantileOption
    options: tuple[QuantileOption, ...]


def thresholds_for_shares(
    expected: ExpectedNumbers, limit: GammaLimit, respondents: int, at: Sequence[int]
) -> SharesDesign:
    """Exactly the given thresholds; to a single one a second is added.

    N thresholds share the respondents, so two are the fewest and cost the first one half of them, wherever the second
    stands. So it stands where it says most: in the middle of the likelier side.
    """
    numbers, keep = expected.range, largest_keep(limit)
    _check_given(numbers, at)
    added = second_threshold(expected, at[0]) if len(at) == 1 else None
    wanted = sorted([*at, *([] if added is None else [added])])
    thresholds = Thresholds(keep, (numbers.low, *wanted), mean=False)
    return SharesDesign(thresholds, thresholds.expected_shares(expected, respondents), added)


def second_threshold(expected: ExpectedNumbers, first: int) -> int:
    """A threshold that halves, as nearly as the steps allow, the likelier side of the first."""
    numbers = expected.range
    share = float(expected.share_from(first)[0])
    below = np.arange(1, (first - numbers.low) // numbers.step, dtype=np.int64)
    above = np.arange((first - numbers.low) // numbers.step + 1, numbers.steps + 1, dtype=np.int64)
    sides = ((below, (1 + share) / 2), (above, share / 2))
    (steps, middle), other = sides if share < 1 / 2 else reversed(sides)
    if not len(steps):
        steps, middle = other
    places = numbers.low + numbers.step * steps
    return int(places[np.abs(expected.share_from(places) - middle).argmin()])


def thresholds_for_mean(expected: ExpectedNumbers, limit: GammaLimit, respondents: int) -> MeanDesign:
    """Equally far apart, the number of them with the least error.

    Where N divides the range, the error of the mean does not depend on N; elsewhere gaps differ by a step, and the
    noise costs N SUM g^2 instead of the squared range.
    """
    numbers, keep = expected.range, largest_keep(limit)
    check_steps(numbers)
    found = (Thresholds(keep, spaced(numbers, count), mean=True) for count in counts(numbers))
    options = tuple(
        MeanOption(
            each,
            each.expected_mean(expected, respondents),
            each.expected_shares(expected, respondents),
        )
        for each in found
        if each.sides <= MOST_MULTIPLE
    )
    if not options:
        raise Refusal(
            "thresholds",
            _(
                "equal gaps from %(low)s to %(high)s have no common multiple of at most %(most)s: choose rounder ends"
            ),
            low=numbers.low,
            high=numbers.high,
            most=MOST_MULTIPLE,
        )
    return MeanDesign(min(options, key=_unevenness), options)


def thresholds_for_quantile(
    expected: ExpectedNumbers, limit: GammaLimit, respondents: int, q: float
) -> QuantileDesign:
    """The number and the places of thresholds that narrow the quantile most, if numbers are as expected."""
    numbers, keep = expected.range, largest_keep(limit)
    check_steps(numbers)
    if respondents < FEWEST * LEAST_BASE:
        raise Refusal(
            "respondents",
            _("%(given)s answers; a quantile needs at least %(least)s"),
            given=respondents,
            least=FEWEST * LEAST_BASE,
        )
    options = []
    for found in QuantileSearch(expected, q, respondents, keep).best():
        thresholds = Thresholds(keep, (numbers.low, *found.thresholds), mean=False)
        shares = thresholds.expected_shares(expected, respondents)
        options.append(QuantileOption(thresholds, found.width, found.width / numbers.width, shares))
    return QuantileDesign(q, min(options, key=lambda each: each.width), tuple(options))


def counts(numbers: NumberRange) -> range:
    """The numbers of thresholds that a range can have."""
    return range(FEWEST, min(MOST, numbers.steps) + 1)


def spaced(numbers: NumberRange, count: int) -> tuple[int, ...]:
    return tuple(numbers.low + numbers.step * (numbers.steps * i // count) for i in range(count + 1))


def _unevenness(option: MeanOption) -> tuple[int, int]:
    thresholds = option.thresholds
    return thresholds.count * sum(gap**2 for gap in thresholds.gaps), thresholds.count


def check_steps(numbers: NumberRange) -> None:
    if numbers.steps < FEWEST:
        raise Refusal("step", _("two numbers need no thresholds: ask whether it is the higher one"))


def _check_given(numbers: NumberRange, at: Sequence[int]) -> None:
    """As designs are checked (`privacy/kinds/number/form.py`); of a single threshold with one more above it."""
    if not at:
        raise Refusal("thresholds", _("at least one threshold"))
    if max(at) > numbers.high:
        raise Refusal(
            "thresholds",
            _("%(point)s is above the highest number, %(high)s"),
            point=max(at),
            high=numbers.high,
        )
    points = [numbers.low, *at, *([at[0] + numbers.step] if len(at) == 1 else [])]
    question = {"name": "number", "law": THRESHOLDS, "step": numbers.step, "thresholds": points}
    section = {"kind": ThresholdsSection.kind, "keep": "0.5", "questions": [question]}
    read(read_json(json.dumps(section), "section"), ParsedSoFar(("en",)))
    check_steps(numbers)
