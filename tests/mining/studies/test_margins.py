"""Known margins, weights and weighted shares: the vector, records written out, refusals, simulated coverage."""

from io import BytesIO
from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np
import pytest

from bench.coverage import models
from bench.coverage.weights import accepted, together
from mining.inference.contingency_table import Floats
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.population_margins_csv import MarginCells, PopulationMargin, margin_cells, read_margins
from mining.studies.population_weights import SAID, rake_with_largest_weight, weight_classes, weighted_share
from mining.studies.single_answer_score_moments import AnswerLaw
from privacy.designs import InputError
from tests.mining.listed import vector_file
from tests.mining.strategies import STUDY, reference_settings
from tests.privacy.questionnaires import refused_otherwise

RAKING = "age,sex,share\n18-39,,0.4\n40-59,,0.35\n60+,,0.25\n,f,0.5\n,m,0.5\n"
CROSSED = "sex,work,share\nf,employed,.2\nf,not,.3\nm,employed,.4\nm,not,.1\n"


def read(text: str) -> tuple[PopulationMargin, ...]:
    return read_margins(BytesIO(text.encode()), "margins.csv", STUDY)


def test_each_block_of_rows_is_a_margin_with_rounding_tolerance() -> None:
    ages, sexes = read(RAKING)
    assert (ages[0], sexes[0]) == ((0,), (1,))
    assert ages[1] == {(0,): 0.4, (1,): 0.35, (2,): 0.25}
    (crossed,) = read(CROSSED)
    questions, shares = crossed
    assert questions == (1, 2)
    assert shares[(1, 0)] == 0.4
    counts = PatternCounts.zeros(STUDY, (4, 1), (0, 1, 2))
    found = margin_cells(crossed, STUDY, counts.questions, counts.codes)
    assert found.cell.tolist() == [0, 1, 2, 3] * 3
    assert found.share == pytest.approx([0.2, 0.3, 0.4, 0.1])
    assert found.names[1] == "sex=f × work=not"
    (margin,) = read("sex,share\nf,.5\nm,.5000005\n")
    found = margin_cells(margin, STUDY, (1,), np.array([[0, 1]]))
    assert found.share.sum() == pytest.approx(1, abs=1e-12)


def test_wrong_margins_are_refused_in_one_line() -> None:
    columns = "margins.csv:1: the columns are one or more questions, then 'share'"
    cases: list[tuple[str, str]] = [
        ("", columns),
        ("age,part\n", columns),
        ("share\n", "margins.csv:1: the columns are"),
        ("income,share\n", "margins.csv:1: the design has no question 'income'"),
        ("theft,share\n", "margins.csv:1: 'theft' is sensitive: use a question that is not disguised"),
        ("years,share\n", "margins.csv:1: 'years' is not shown to everybody"),
        ("sex,sex,share\n", "margins.csv:1: the column 'sex' appears twice"),
        ("sex,share\n", "margins.csv: holds no margin"),
        ("sex,share\nf,.5\nx,.5\n", "margins.csv:3: 'sex' has no choice 'x'"),
        ("sex,share\nf,.5\nf,.5\n", "margins.csv:3: appears twice"),
        ("sex,share\nf,.5\n,.5\n", "margins.csv:3: names no choice"),
        ("sex,share\nf,.5\nm,half\n", "margins.csv:3: the share 'half' is no number from 0 to 1"),
        ("sex,share\nf,.5\nm,nan\n", "margins.csv:3: the share 'nan' is no number from 0 to 1"),
        ("sex,share\nf,1.5\nm,-.5\n", "margins.csv:2: the share '1.5' is no number from 0 to 1"),
        ("sex,share\nf,.5\n", "margins.csv: a row is missing: 'sex=m'"),
        ("sex,work,share\nf,not,.5\nm,not,.5\n", "margins.csv: a row is missing: 'sex=f × work=employed'"),
        ("sex,share\nf,.5\nm,.50001\n", "margins.csv: the shares of 'sex' sum to 1.000010, not to 1"),
    ]
    assert refused_otherwise(read, cases) == []


AGE, SEX = np.divmod(np.arange(6), 2)


def margin(cell: Any, *shares: float) -> MarginCells:
    names = tuple(f"cell {place}" for place in range(len(shares)))
    return MarginCells(np.asarray(cell), np.array(shares), names)


def test_vectors_and_weighted_shares_match_r_survey() -> None:
    for vector in vector_file("corrections")["weights"]:
        records, having, weight = (np.array(vector[name]) for name in ("records", "having", "weights"))
        assert weight_classes(records, weight).tolist() == vector["class"]
        found = weighted_share(records, having, weight, AnswerLaw(vector["keep"][0], vector["chance"][0]))
        assert found.share == pytest.approx(vector["estimate"], abs=1e-9), vector
        assert (found.low, found.high) == pytest.approx((vector["low"], vector["high"]), abs=1e-6), vector
        assert found.effective == pytest.approx(vector["kish"], rel=1e-8), vector
    for of in reference_settings():
        law = AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"])
        records = np.array(of["n"], np.float64)
        both = np.outer(of["age"], of["sex"]).ravel()
        for name, margins in (
            ("raked", [margin(AGE, *of["age"]), margin(SEX, *of["sex"])]),
            ("post_stratified", [margin(range(6), *both)]),
        ):
            weight, _largest = rake_with_largest_weight(records, margins)
            found = weighted_share(records, np.array(of["yes"]), weight, law)
            theirs = of["weighted"][name]
            assert found.share == pytest.approx(theirs["share"], abs=1e-8), (name, of)
            # Its error is that of residuals from the margins, ours that of the classes of weights.
            assert found.se == pytest.approx(theirs["se"], rel=0.05), (name, of)
            assert found.low < theirs["share"] < found.high, (name, of)


def test_weighted_intervals_in_extreme_cases() -> None:
    records = np.array([60.0, 30, 10])
    found = weighted_share(records, np.zeros(3), np.array([0.5, 1.5, 2.5]), AnswerLaw(1.0, 0.0))
    assert (found.share, found.low, found.se) == pytest.approx((0, 0, 0), abs=1e-8)
    assert 0 < found.high < 0.15
    # Equal weights make one group, so the interval is that of a share of all records.
    of_two = weighted_share(np.array([50.0, 70]), np.array([20.0, 31]), np.ones(2), AnswerLaw(0.9, 0.05))
    alone = weighted_share(np.array([120.0]), np.array([51.0]), np.ones(1), AnswerLaw(0.9, 0.05))
    numbers = alone.share, alone.low, alone.high, 120
    assert (of_two.share, of_two.low, of_two.high, of_two.effective) == pytest.approx(numbers)
    weight, _largest = rake_with_largest_weight(np.array([10.0, 190]), [margin([0, 1], 0.75, 0.25)])
    with pytest.raises(InputError, match="too few records carry the weight, as many as 18 of equal weight"):
        weighted_share(np.array([10.0, 190]), np.array([2.0, 30]), weight, AnswerLaw(0.5, 0.25))
    # The margins have a share of 0 for all who were shown the question.
    with pytest.raises(InputError, match="too few records carry the weight, as many as 0 of equal weight"):
        weighted_share(np.array([60.0, 0]), np.array([20.0, 0]), np.array([0.0, 1]), AnswerLaw(0.5, 0.25))


def test_raking_meets_all_margins() -> None:
    records = np.array([10.0, 200, 35, 90, 80, 5])
    margins = [margin(AGE, 0.2, 0.5, 0.3), margin(SEX, 0.6, 0.4)]
    weighted = records * rake_with_largest_weight(records, margins)[0]
    assert weighted.sum() == pytest.approx(records.sum())
    shares = weighted / weighted.sum()
    assert np.bincount(AGE, shares) == pytest.approx([0.2, 0.5, 0.3], abs=2e-8)
    assert np.bincount(SEX, shares) == pytest.approx([0.6, 0.4], abs=2e-8)
    # Raking keeps the odds ratios of the records.
    odds = weighted[0] * weighted[3] / weighted[1] / weighted[2]
    assert odds == pytest.approx(10 * 90 / 200 / 35)
    # One margin of two questions is post-stratification.
    records, of_cells = np.array([10.0, 20, 30, 40, 50, 60]), [0.1, 0.1, 0.2, 0.2, 0.3, 0.1]
    weight, largest = rake_with_largest_weight(records, [margin(range(6), *of_cells)])
    assert weight == pytest.approx(np.array(of_cells) * 210 / records)
    assert largest == pytest.approx(2.1)
    assert largest < SAID
    # Without tilt all weights are one.
    records = np.array([30.0, 30, 40, 40, 30, 30])
    weight, _ = rake_with_largest_weight(records, [margin(AGE, 0.3, 0.4, 0.3), margin(SEX, 0.5, 0.5)])
    assert weight == pytest.approx(np.ones(6))


def test_impossible_margins_are_refused_and_large_weights_reported() -> None:
    with pytest.raises(InputError, match=r"margins: cell 2 has the share 0\.1, but no disguised record"):
        rake_with_largest_weight(np.array([10.0, 10, 10, 10, 0, 0]), [margin(AGE, 0.4, 0.5, 0.1)])
    # Nobody of a share of 0 is needed, and whoever is there counts nothing.
    margins = [margin(AGE, 0.5, 0.5, 0.0), margin(SEX, 0.5, 0.5)]
    assert rake_with_largest_weight(np.array([10.0, 10, 10, 10, 5, 0]), margins)[0][4] == 0
    # Everybody of the first age is f, and the margins want more of the first age than of f.
    margins = [margin(AGE, 0.6, 0.2, 0.2), margin(SEX, 0.3, 0.7)]
    with pytest.raises(InputError, match="after 200 rounds"):
        rake_with_largest_weight(np.array([50.0, 0, 0, 50, 0, 50]), margins)
    _weight, largest = rake_with_largest_weight(np.array([20.0, 180.0]), [margin([0, 1], 0.6, 0.4)])
    assert largest == pytest.approx(6)
    assert largest > SAID
    with pytest.raises(InputError, match=r"a weight is 25\.0 times the mean, above 20"):
        rake_with_largest_weight(np.array([2.0, 98.0]), [margin([0, 1], 0.5, 0.5)])


class Setting(NamedTuple):
    """Each age takes part `tilt` times as often as the one before; `raked`: by age and sex apart, else by both."""

    keep: float
    n: int
    share: float
    tilt: float
    raked: bool

    @property
    def shares(self) -> Floats:
        """Of the attribute, by pattern."""
        slope = min(0.25, 0.8 * self.share)
        return np.asarray(self.share + slope * (models.AGE - 1) + 0.05 * (models.SEX - 0.5))

    @property
    def true_population_share(self) -> float:
        return float(models.POPULATION @ self.shares)

    @property
    def takes_part(self) -> Floats:
        weighted = models.POPULATION * self.tilt**models.AGE * np.where(models.SEX, 1.0, 1.3)
        return np.asarray(weighted / weighted.sum())

    @property
    def bias(self) -> float:
        """Of the share without weights."""
        return float(self.takes_part @ self.shares) - self.true_population_share

    def measure_coverage(self, surveys: int, rng: np.random.Generator) -> tuple[float, float]:
        """How often the truth is covered, and the bias that is left, in surveys whose weights are not refused."""
        by = [models.AGE, models.SEX] if self.raked else [np.arange(len(models.POPULATION))]
        margins = [margin(cell, *np.bincount(cell, models.POPULATION)) for cell in by]
        law = AnswerLaw.from_probabilities(self.keep, 0.5)
        found = together(accepted(self.n, self.takes_part, self.shares, margins, law, surveys, rng))
        low, high = found.interval()
        covered = (low <= self.true_population_share) & (self.true_population_share <= high)
        return float(covered.mean()), float(found.point_estimate().mean()) - self.true_population_share


@pytest.mark.night
@pytest.mark.proof
def test_weighted_shares_cover_and_lose_their_bias() -> None:
    every = product((0.9, 0.6923, 0.36), (500, 1_000, 4_000), (0.1, 0.3, 0.5), (1.0, 1.6, 3.2), (True, False))
    settings = list(starmap(Setting, every))
    for number, of in enumerate(settings[4::27]):
        assert 0.93 <= of.measure_coverage(500, np.random.default_rng((8, number)))[0] <= 0.985, of
    worst = max(settings, key=lambda of: abs(of.bias))
    assert abs(worst.bias) > 0.12
    left = worst._replace(keep=0.9, n=4_000, raked=True).measure_coverage(800, np.random.default_rng(9))[1]
    assert abs(left) < 0.005
