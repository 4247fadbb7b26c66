"""Design by guarantee for a number: the thresholds or the window that err least within a limit."""

from fractions import Fraction
from functools import lru_cache

from privacy.grammar.node import decimal
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.error import LEAST_BASE
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.quantile_search import QuantileSearch
from privacy.guarantee.threshold_error import FEWEST, MOST, largest_keep
from privacy.guarantee.threshold_search import check_steps, spaced, thresholds_for_mean
from privacy.guarantee.window_search import ShapeError, window_for_shape
from privacy.kinds.number.form import THRESHOLDS, WINDOW
from surveys.builder.expected_numbers import expected_of
from surveys.builder.normal_values import Node
from surveys.builder.number_draft import MEAN, NUMBER, QUANTILES, SHAPE, range_of
from surveys.builder.protection import keep_text
from surveys.problems import Problem, reason_of
from surveys.refused import Refused

SHARES_PROPOSED = 4
QUARTILES = (0.25, 0.5, 0.75)


def proposed(section: Node, wanted: str, limit: GammaLimit, respondents: int) -> Node:
    """The section of this number with the law that shows best what is wanted; refused in words where there is none."""
    try:
        return _proposed(section["questions"][0], wanted, limit, respondents)
    except Refusal as refusal:
        raise Refused(Problem(refusal.path, reason_of(refusal)).sentence) from None


def _proposed(question: Node, wanted: str, limit: GammaLimit, respondents: int) -> Node:
    numbers, expected = range_of(question), expected_of(question)
    common = {key: question[key] for key in ("name", "text", "help", "unit", "show_if", "step")}
    common |= {key: question[key] for key in ("label", "expected") if key in question}
    if wanted == SHAPE:
        law = best_window(numbers, limit, respondents).law
        uniform = decimal(law.uniform_parts)
        own = {
            "law": WINDOW,
            "low": numbers.low,
            "values": law.values,
            "window": law.half,
            "uniform": uniform,
        }
        return {"kind": NUMBER, "questions": [{**common, **own}]}
    check_steps(numbers)
    if wanted == MEAN:
        points = thresholds_for_mean(expected, limit, respondents).best.thresholds.points
    elif wanted == QUANTILES:
        points = quantile_points(expected, largest_keep(limit), respondents)
    else:
        points = spaced(numbers, min(SHARES_PROPOSED, numbers.steps))
    own = {"law": THRESHOLDS, "thresholds": list(points), "mean": wanted == MEAN}
    own |= {"wanted": QUANTILES} if wanted == QUANTILES else {}
    return {"kind": NUMBER, "keep": keep_text(largest_keep(limit)), "questions": [{**common, **own}]}


@lru_cache(maxsize=64)
def best_window(numbers: NumberRange, limit: GammaLimit, respondents: int) -> ShapeError:
    return window_for_shape(numbers, limit, respondents)


@lru_cache(maxsize=64)
def quantile_points(expected: ExpectedNumbers, keep: Fraction, respondents: int) -> tuple[int, ...]:
    """The thresholds that narrow the median and both quartiles most, taken together; the highest number is one of them.

    Candidates are the best for the median alone and those that divide people evenly, of every number of thresholds.
    """
    numbers = expected.range
    searches = [QuantileSearch(expected, q, respondents, keep) for q in QUARTILES]
    most = max(FEWEST, min(MOST, numbers.steps, respondents // LEAST_BASE))
    candidates = [found.thresholds for found in searches[1].best()]
    candidates += [evenly_likely(expected, count) for count in range(FEWEST, most + 1)]
    ended = {(*(each for each in found if each < numbers.high), numbers.high) for found in candidates}
    fitting = sorted(found for found in ended if FEWEST <= len(found) <= most)
    best = min(fitting, key=lambda found: sum(search.width(found) for search in searches), default=None)
    return (numbers.low, *best) if best else spaced(numbers, FEWEST)


def evenly_likely(expected: ExpectedNumbers, count: int) -> tuple[int, ...]:
    """Thresholds between which equally many people are expected, as nearly as the steps allow; the last is the end."""
    numbers = expected.range
    found: list[int] = []
    for place in range(1, count):
        wanted, low, high = 1 - place / count, 1, numbers.steps
        while low < high:
            middle = (low + high) // 2
            if expected.share_from(numbers.low + numbers.step * middle)[0] > wanted:
                low = middle + 1
            else:
                high = middle
        found.append(numbers.low + numbers.step * low)
    return (*sorted({each for each in found if each < numbers.high}), numbers.high)
