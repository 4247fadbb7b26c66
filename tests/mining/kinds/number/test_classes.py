"""Numbers by classes against a second implementation in exact fractions (vectors/ordered.json), and what a run says."""

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95
from mining.json_codec import node_from_json, node_to_json
from mining.kinds.minimum_record_counts import Counts
from mining.kinds.number.estimates_by_classes import (
    estimate_mean,
    item_shares,
    item_tests_and_score_products,
    quantile_statement,
)
from mining.kinds.number.kind import make_node as node_of
from mining.kinds.number.report_node_from_counts import estimate_number, true_distribution
from mining.nodes.number_nodes import (
    MeanEstimate,
    NumberClasses,
    NumberDistribution,
    NumberEstimates,
    NumberNode,
    NumberTruth,
    QuantileStatement,
)
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.scores_of_record_codes import score_table
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from tests.mining.inference.exact_table import standardise
from tests.mining.listed import vector_file
from tests.privacy.questionnaires import classes, design, window

VECTORS = vector_file("ordered")
SURVEY, LAW = VECTORS["survey"], VECTORS["device"]["design"]
TABLE = score_table(4, 3, Fraction(5555, 10_000))
CODES = len(intervals(5))


def counts(*, opened: bool) -> Counts:
    found = np.zeros((2, CODES + 2), np.int64)
    for code, many in SURVEY["disguised_counts_by_code"].items():
        found[1, int(code)] = many
    found[1, CODES:] = SURVEY["rest"]["disguised_0"], SURVEY["rest"]["disguised_1"]
    if opened:
        single = [code for code, (a, z) in enumerate(intervals(5)) if z - a == 1]
        found[0, single] = SURVEY["open_counts_by_class"]
        found[0, CODES:] = SURVEY["rest"]["open_0"], SURVEY["rest"]["open_1"]
    return found


GROUPS = {"disguised_alone": counts(opened=False), "both_groups": counts(opened=True)}


def test_scores_shares_errors_intervals_tests_and_quantiles_match_the_vectors() -> None:
    for row in SURVEY["scores"]:
        assert TABLE.chance[:, row["code"]] == pytest.approx(row["probability_by_class"], abs=1e-9)
        assert TABLE.scores[row["code"]] == pytest.approx(row["scores_of_classes"], abs=1e-9)
        at_least = TABLE.scores_by_code_and_item[row["code"], :4]
        assert at_least == pytest.approx(row["scores_at_least"], abs=1e-9)
    for group, of in GROUPS.items():
        found, stated = item_shares(TABLE, of), SURVEY[group]
        test, _products = item_tests_and_score_products(TABLE, of[None, :, :CODES].astype(np.float64))
        z = test.z(np.full(len(test), 0.5))
        for place, row in enumerate(stated["shares"]):
            told = found.share[place], found.se[place]
            assert told == pytest.approx((row["P"], row["se"]), abs=1e-9), group
            # Ends are exact to 10^-7.
            assert (found.low[place], found.high[place]) == pytest.approx((row["low"], row["high"]), abs=1e-7)
            assert z[place] == pytest.approx(row["test_at_half"]["z"], abs=1e-7), group
        # The first is x < t_1, the last x >= t_4; between them stand the three inner ones.
        by_class = [found.share[7], *found.share[4:7], found.share[3]]
        assert by_class == pytest.approx(stated["classes"], abs=1e-9)
        for q, ends in stated["quantiles"].items():
            said = quantile_statement(float(q), LAW["limits"], found.low[:4], found.high[:4])
            numbers = {key: None if at is None else LAW["limits"][at - 1] for key, at in ends.items()}
            stated_ends = numbers["at_least_limit"], numbers["below_limit"]
            assert (said.at_least, said.below) == stated_ends, (group, q)


@pytest.mark.proof
def test_mean_matches_the_vectors() -> None:
    for group, of in GROUPS.items():
        found, stated = mean_of(of), SURVEY[group]["mean"]
        assert found is not None
        assert found.value == pytest.approx(stated["mean"], rel=1e-9)
        low, high = (searched_end(of, stated, level) for level in (NORMAL_95, -NORMAL_95))
        # The search over both groups' shares is less exact than the ends.
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-4), group
        _z, se = searched_test(of, stated, stated["mean"])
        assert found.se == pytest.approx(se, rel=1e-4), group


def test_empty_upper_class_is_not_certain() -> None:
    """Of 15 bits none is 1, as of .46 of such surveys at gamma 19; Wald's interval of the rest has no width."""
    counts = GROUPS["disguised_alone"].copy()
    counts[:, CODES:] = [[0, 0], [15, 0]]
    found = mean_of(counts, Fraction(9, 10))
    assert found is not None
    # 1.96 standard errors of a chance of .05 among 15 bits, and those of the classes.
    of_classes = mean_of(counts, Fraction(9, 10), span=0)
    assert of_classes is not None
    least = 5_000**2 * 0.05 * 0.95 / 15 / 0.9**2
    assert found.high - found.value > 1.96 * (of_classes.se**2 + least) ** 0.5


def mean_of(
    counts: Counts, rest_keep: Fraction = Fraction(LAW["keep_rest"], 10_000), *, span: int = LAW["span"]
) -> MeanEstimate | None:
    return estimate_mean(TABLE, counts, (LAW["low"], *LAW["limits"]), LAW["high"], span, rest_keep)


def searched_end(counts: Counts, stated: dict[str, float], level: float) -> float:
    apart = 4 * (stated["mean"] - LAW["low"]) * (1 if level < 0 else -1)
    low, high = sorted((stated["mean"], float(np.clip(stated["mean"] + apart, LAW["low"], LAW["high"]))))
    for _halving in range(25):
        middle = (low + high) / 2
        above = searched_test(counts, stated, middle)[0] > level
        low, high = (middle, high) if above else (low, middle)
    return (low + high) / 2


def searched_test(counts: Counts, stated: dict[str, float], t: float) -> tuple[float, float]:
    """z of a mean of t and the standard error there, by a general search for the likeliest shares of the bits."""
    starts = np.array([LAW["low"], *LAW["limits"]], np.float64)
    scores = np.stack([np.where(TABLE.true_class >= 0, starts[TABLE.true_class], 0.0), TABLE.scores @ starts])
    classes, bits = counts[:, :CODES], counts[:, CODES:]
    n = classes.sum()
    variance = ((classes * scores**2).sum() / n - stated["classes_part"] ** 2) / n
    keep = np.array([1.0, LAW["keep_rest"] / 10_000])
    weight = bits.sum(axis=1) / bits.sum()

    def received_shares(shares: Floats) -> Floats:
        return np.clip(keep * shares + (1 - keep) / 2, 1e-12, 1 - 1e-12)

    def negative_log_likelihood(shares: Floats) -> float:
        chance = received_shares(shares)
        of_bits = (bits[:, 1] * np.log(chance) + bits[:, 0] * np.log(1 - chance)).sum()
        from_classes = t - LAW["span"] * float(weight @ shares)
        return float((stated["classes_part"] - from_classes) ** 2 / (2 * variance) - of_bits)

    asked = weight > 0
    bounds = [(0.0, 1.0 if is_asked else 0.0) for is_asked in asked]
    first = np.where(asked, 0.3, 0.0)
    least = minimize(negative_log_likelihood, first, bounds=bounds, method="Nelder-Mead", options=TIGHT)
    shares = least.x
    chance = received_shares(shares)
    by = LAW["span"] * weight / keep
    spread = chance * (1 - chance) / np.maximum(bits.sum(axis=1), 1)
    square = float(variance + (by**2 * spread).sum())
    third = float((by**3 * spread * (1 - 2 * chance) / np.maximum(bits.sum(axis=1), 1)).sum())
    return standardise(stated["mean"] - t, square, third), square**0.5


TIGHT = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2_000}


def test_many_surveys_at_once_match_single_ones() -> None:
    both = np.stack([*GROUPS.values(), np.zeros((2, CODES + 2), np.int64)])
    together = item_shares(TABLE, both)
    for place, one in enumerate(both):
        alone = item_shares(TABLE, one)
        for name in ("share", "se", "low", "high"):
            expected = pytest.approx(getattr(alone, name), nan_ok=True, abs=1e-12)
            assert getattr(together, name)[place] == expected


NUMBERS = design(classes("debt", "0.5", 0, 10, 20, rest=2), window("income", 2051, 300, "0.4")).sections
DEBT = next(of for of in NUMBERS if isinstance(of, ClassesSection))
INCOME = next(of for of in NUMBERS if isinstance(of, WindowSection))
ONE_OF_EACH = np.stack([np.zeros(2051, np.int64), np.ones(2051, np.int64)])
SENT = [80, 60, 0, 0, 100, 60, 10, 30]
"""[0,1) [0,2) [0,3) [1,2) [1,3) [2,3), then the two bits."""


def estimate_disguised(*disguised: int) -> NumberEstimates:
    """Everybody is disguised."""
    return estimate_number(DEBT, np.array([[0] * 8, disguised]))


@pytest.mark.proof
def test_number_by_classes_has_shares_classes_mean_and_quantiles() -> None:
    """N 2, m 1, keep 1/2: the scores of x >= 10 and x >= 20 by interval are worked out in the vectors."""
    found = estimate_disguised(*SENT)
    assert (found.n_asked, found.n_open, found.distribution) == (340, 0, None)
    first, second = found.shares
    at_10 = (80 * -5 / 3 + 60 * 2 / 3 + 100 * 7 / 3 + 60 * 2 / 3) / 300
    at_20 = (80 * 1 / 3 + 60 * -4 / 3 + 100 * 1 / 3 + 60 * 8 / 3) / 300
    assert [(share.item, share.n_asked) for share in (first, second)] == [(">=10", 300), (">=20", 300)]
    assert [first.share, second.share] == pytest.approx([at_10, at_20])
    assert [share.item for share in found.classes] == ["<10", ">=10 <20", ">=20"]
    shares = [1 - at_10, at_10 - at_20, at_20]
    assert [share.share for share in found.classes] == pytest.approx(shares)
    # The classes begin at 0, 10 and 20; D = 9, keep of the rest 1/2: u = (.75 - .25) / .5 = 1.
    assert found.mean is not None
    assert found.mean.value == pytest.approx(10 * at_10 + 10 * at_20 + 9 * 1)
    assert [one.q for one in found.quantiles] == [0.25, 0.5, 0.75]


@pytest.mark.proof
def test_number_states_whether_it_is_of_disguised_people() -> None:
    """By class they always are, where others could choose none."""
    of_class = np.array([[0] * 8, SENT])
    cases = [(False, 0, (False, False)), (True, 0, (True, True)), (True, 50, (False, True))]
    for open_answers, opened, expected in cases:
        counts = of_class + np.array([[opened, *[0] * 7], [0] * 8])
        node = node_of(DEBT, counts, [("age", [of_class])], open_answers)
        told = node.all_records.disguised_only, node.groups[0].classes[0].disguised_only
        assert told == expected, (open_answers, opened)


@pytest.mark.proof
def test_number_finding_needs_enough_records_and_consistent_counts() -> None:
    few = estimate_disguised(9, 10, 0, 10, 10, 10, 99, 99)
    assert (few.mean, few.quantiles, [share.share for share in few.shares]) == (None, (), [None, None])
    for classes_sent, bits, has_mean in [(199, 10, False), (200, 9, False), (200, 10, True)]:
        found = estimate_disguised(classes_sent - 150, 30, 0, 60, 30, 30, bits - 4, 4)
        assert (found.mean is not None) is has_mean, (classes_sent, bits)
        assert all(share.share is not None for share in found.shares)
    # As if all chances had fallen alike: no mean between the ends is within 1.96 standard errors.
    assert estimate_disguised(2_000, 0, 0, 0, 0, 0, 100, 0).mean is None


def distribution(counts: Counts, *, of_class: bool = False) -> NumberDistribution:
    found = estimate_number(INCOME, counts, of_class=of_class).distribution
    assert found is not None
    return found


@pytest.mark.proof
def test_distribution_is_stored_in_cells_that_sum_to_one() -> None:
    drawn = distribution(ONE_OF_EACH)
    assert (drawn.width, len(drawn.blurred)) == (3, 684)
    assert drawn.received is not None
    assert drawn.illustration is not None
    for column in (drawn.received, drawn.illustration, drawn.blurred):
        assert sum(column) == pytest.approx(1, abs=1e-6)
    of_class = distribution(ONE_OF_EACH, of_class=True)
    assert (of_class.width, len(of_class.blurred)) == (9, 228)
    assert (of_class.received, of_class.illustration) == (None, None)


@pytest.mark.proof
def test_number_finding_survives_json() -> None:
    shape = estimate_number(INCOME, np.ones((2, 2051), np.int64))
    curve = estimate_number(DEBT, np.full((2, 8), 50))
    for law, of in (("window", shape), ("classes", curve)):
        whole = NumberNode("a", law, of, (NumberClasses("age", (of, of)),))
        assert node_from_json(NumberNode, json.loads(json.dumps(node_to_json(whole)))) == whole
    assert all(isinstance(one, QuantileStatement) for one in curve.quantiles)


@pytest.mark.proof
def test_true_window_is_blurred_by_the_estimates_kernel() -> None:
    """All have the number 0: the blurred truth is the kernel itself, highest there and the same on both sides."""
    values = INCOME.question.values
    found = true_distribution(INCOME, [7] + [0] * (values - 1), 1)
    assert found.distribution is not None
    assert found.blurred is not None
    assert (found.distribution[0], sum(found.distribution)) == (1.0, 1.0)
    assert max(found.blurred) == found.blurred[0]
    assert found.blurred[1] == pytest.approx(found.blurred[-1])
    assert sum(found.blurred) == pytest.approx(1, abs=1e-5)
    assert found.blurred[0] == pytest.approx((distribution(ONE_OF_EACH).modes + 1) / values)
    # That of a window that nobody was shown is unknown.
    assert true_distribution(INCOME, [0] * values, 1) == NumberTruth()
