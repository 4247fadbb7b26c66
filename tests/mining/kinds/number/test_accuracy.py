"""What is promised of estimated numbers, in simulated surveys whose open answerers are other people."""

import json
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from mining.inference.contingency_table import Floats
from mining.kinds.minimum_record_counts import Counts
from mining.kinds.number import report_node
from mining.kinds.number.estimates_by_classes import ItemShares, item_shares, mean_test, quantile_statement
from mining.kinds.number.window_distribution import estimate_window
from mining.report.number_nodes import QuantileStatement
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.law import BANDED, WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import blur_distribution, count_modes
from privacy.kinds.score_table_by_law import find_score_table
from tests.mining.kinds.number.drawn import ByClasses, ByWindow, People, covered, shapes
from tests.privacy.questionnaires import classes, design

pytestmark = pytest.mark.proof
PAPER, NARROW = WindowLaw(1001, 100, 5000), WindowLaw(101, 7, 4000)
OPEN = 0.2


@pytest.mark.at_push(1)
@pytest.mark.parametrize(("shape", "n"), [("smooth", 10_000), ("spike", 10_000), ("block", 1_000)])
def test_bands_hold_the_blurred_truth_in_95_of_100_surveys_at_every_value(shape: str, n: int) -> None:
    """In 800 surveys a cell's share has a standard error of .8 %: the bounds are four of them."""
    survey = ByWindow(People.differing(shapes(PAPER.values)[shape], OPEN), PAPER)
    counts = survey.draw(n, 800, np.random.default_rng(n)).astype(np.float64)
    found = blur_distribution(survey.law, counts[:, 1], counts[:, 0])
    held = covered(found.low, found.high, survey.blurred(count_modes(survey.law)))
    assert held.min() >= 0.92
    assert held.max() <= 0.98


def test_the_simulated_bands_are_those_of_an_estimate() -> None:
    survey = ByWindow(People.differing(shapes(101)["smooth"], OPEN), NARROW)
    counts = survey.draw(BANDED, 3, np.random.default_rng(1))
    together = blur_distribution(survey.law, counts[:, 1].astype(float), counts[:, 0].astype(float))
    for place, one in enumerate(counts):
        found = estimate_window(survey.law, one)
        assert found is not None
        assert found.low == pytest.approx(together.low[place], abs=1e-12)
        assert found.high == pytest.approx(together.high[place], abs=1e-12)


LIMITS = (40, 80, 120, 160, 200)
KEEPS = {3: ("0.4", "0.5"), 19: ("0.8181", "0.9")}
"""By gamma the keep with two of the limits drawn, and that of the rest."""


def by_classes(gamma: int, shape: str, cuts: int = 2) -> tuple[ByClasses, ClassesSection]:
    keep, keep_rest = KEEPS[gamma]
    people = People.differing(shapes(201)[shape], OPEN)
    source = classes("n", keep, 0, *LIMITS, cuts=cuts, rest=2, keep_rest=keep_rest)
    (section,) = design(source).sections
    assert isinstance(section, ClassesSection)
    written = json.loads(design(source).canonical)["sections"][0]
    return ByClasses(people, written), section


SURVEYS = 400
CELLS = [(3, "smooth", 2_000), (3, "spike", 1_000), (19, "block", 2_000), (19, "smooth", 500)]


class Found(NamedTuple):
    """Of all surveys of a cell at once; `mean` is value, low and high."""

    section: ClassesSection
    counts: Counts
    shares: ItemShares
    mean: Floats


@cache
def found_in(gamma: int, shape: str, n: int) -> Found:
    survey, section = by_classes(gamma, shape)
    counts = survey.draw(n, SURVEYS, np.random.default_rng(n))
    question, table = section.question, find_score_table(section.as_mined().questions[0])
    test = mean_test(
        table, counts, question.starts, question.high, question.widest_class_span, section.law.rest_keep
    )
    mean = (question.high - question.starts[0]) * np.array([test.point_estimate(), *test.interval()])
    return Found(section, counts, item_shares(table, counts), question.starts[0] + mean)


@pytest.mark.parametrize(("gamma", "shape", "n"), CELLS)
class TestClasses:
    """In 400 surveys a coverage has a standard error of 1.1 %; the bounds are three of them below 95 %."""

    @pytest.mark.at_push(1)
    def test_what_is_found_together_is_what_is_estimated_of_each(
        self, gamma: int, shape: str, n: int
    ) -> None:
        found = found_in(gamma, shape, n)
        for survey in range(0, SURVEYS, SURVEYS // 4):
            alone = report_node.estimate_number(found.section, found.counts[survey])
            assert alone.mean is not None
            assert (alone.mean.value, alone.mean.low, alone.mean.high) == pytest.approx(found.mean[:, survey])
            for place, row in enumerate(alone.shares):
                columns = (column[survey, place] for column in columns_of(found.shares))
                assert (row.share, row.se, row.low, row.high) == pytest.approx(tuple(columns), abs=1e-9)
            assert alone.quantiles == tuple(statements(found, survey))

    @pytest.mark.at_push(2)
    def test_shares_are_unbiased_and_their_intervals_hold_them(self, gamma: int, shape: str, n: int) -> None:
        survey, _section = by_classes(gamma, shape)
        truth = np.array([min(1.0, float(survey.people.everybody[limit:].sum())) for limit in LIMITS])
        share, se, low, high = (
            column[:, : len(LIMITS)] for column in columns_of(found_in(gamma, shape, n).shares)
        )
        spread = share.std(axis=0)
        assert (np.abs(share.mean(axis=0) - truth) <= 4.5 * spread / np.sqrt(SURVEYS)).all()
        assert se.mean(axis=0) == pytest.approx(spread, rel=0.12)
        has_ends = np.isfinite(low) & np.isfinite(high)
        held = (low <= truth) & (truth <= high) & has_ends
        assert (held.sum(axis=0) >= 0.915 * has_ends.sum(axis=0)).all()

    @pytest.mark.at_push(2)
    def test_the_mean_is_unbiased_and_its_interval_holds_it(self, gamma: int, shape: str, n: int) -> None:
        survey, _section = by_classes(gamma, shape)
        mean = found_in(gamma, shape, n).mean
        assert np.isfinite(mean).all()
        value, low, high = mean
        assert abs(value.mean() - survey.mean) <= 4.5 * value.std() / np.sqrt(SURVEYS)
        assert np.mean((low <= survey.mean) & (survey.mean <= high)) >= 0.915

    @pytest.mark.at_push(1)
    def test_statements_about_quantiles_are_true(self, gamma: int, shape: str, n: int) -> None:
        survey, _section = by_classes(gamma, shape)
        found = found_in(gamma, shape, n)
        true = [[*map(survey.is_true, statements(found, number))] for number in range(SURVEYS)]
        assert np.mean(true, axis=0).min() >= 0.93


def columns_of(shares: ItemShares) -> tuple[Floats, Floats, Floats, Floats]:
    return shares.share, shares.se, shares.low, shares.high


def statements(found: Found, survey: int) -> Iterator[QuantileStatement]:
    low, high = (ends[survey, : len(LIMITS)] for ends in (found.shares.low, found.shares.high))
    return (quantile_statement(q, LIMITS, low, high) for q in report_node.QUANTILES)
