"""Items of scores in itemsets and rules: sums against a loop over records, and one rule worked by a second hand."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from mining.counting import BitmapCounter
from mining.inference.score_test import SplitTests
from mining.queries_and_counters import SQUARE, TOUCH, Counts, Item, Numbering, Queries, Query
from mining.reconstruction import CachedCounter, reconstruct_supports
from mining.rules.rule_intervals import base_rate_intervals, confidence_intervals, lift_intervals
from mining.rules.rules_from_frequent_itemsets import confident_splits, reconstruct_rules
from privacy.designs import Design
from privacy.kinds.scored_items import ScoredItems
from privacy.records.batch_bit_columns import Columns
from tests.mining.inference.exact_table import true_cells
from tests.mining.listed import Listed, pack, scores, vector_file
from tests.privacy.questionnaires import HALF, WORK, classes, design, plain, question, sensitive

FORM = design(
    plain(WORK),
    classes("debt", "0.5", 0, 5, 10, 20, cuts=2, rest=3),
    sensitive("0.6", question("theft", "0.4", "0.6"), question("loan", *HALF)),
    classes("pay", "0.3", 0, 1, 2),
    open_answers=True,
)
DEBT, PAY = 1, 4


def pack_random_records(form: Design, n: int, seed: int) -> tuple[Columns, Listed]:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n).astype(np.uint8)
    codes = np.array([rng.integers(0, of.codes, n) for of in form.questions], np.uint8)
    return pack(form, group, codes), Listed(form.mined, group, codes)


def sums(form: Design, query: Query, counts: Counts) -> list[float]:
    numbering = Numbering(form.mined)
    items = np.array([sorted(map(numbering.number, query.items))], np.int32)
    return [float(value) for value in numbering.scale_sums(items, counts)[0]]


def expected_sums(parts: Sequence[Listed], query: Query) -> list[float]:
    found = np.zeros(2)
    for listed in parts:
        weight = np.ones(len(listed.group))
        for place, code in query.items:
            of = FORM.mined.questions[place]
            codes = listed.codes[place]
            weight *= scores(of, listed.group, codes, code) if isinstance(of, ScoredItems) else codes == code
        found += [weight[listed.group == g].sum() for g in (0, 1)]
    return [float(value) for value in found]


def test_sums_and_products_over_bitmaps_match_the_records() -> None:
    """For every item of a number, alone and with one or two other items, in blocks that end inside a word."""
    parts = [pack_random_records(FORM, n, n) for n in (700, 65, 1)]
    counter = BitmapCounter(FORM.mined, [columns for columns, _listed in parts])
    others = [(), ((0, 1),), ((2, 1),), ((0, 0), (2, 1)), ((2, 1), (3, 0))]
    queries = [
        Query(tuple(sorted([(DEBT, 8 * variant + item), *more])))
        for variant, item, more in product((0, SQUARE, TOUCH), range(8), others)
    ]
    both = product((0, 3, 7), (0, 1), ((), ((2, 1),)))
    queries += [Query(tuple(sorted([(DEBT, debt), (PAY, pay), *more]))) for debt, pay, more in both]
    for query in queries:
        expected = pytest.approx(expected_sums([listed for _columns, listed in parts], query), abs=1e-6)
        assert sums(FORM, query, counter.count([query])) == expected, query
    queries = [Query(((DEBT, item), (2, 1))) for item in range(24)]
    queries += [Query(((DEBT, item), (PAY, 1))) for item in range(24)]
    by_part = [BitmapCounter(FORM.mined, [part]).count(queries) for part, _listed in parts]
    assert (np.stack(by_part).sum(axis=0) == counter.count(queries)).all()


def test_remaining_records_count_as_not_asked_and_only_scores_are_real() -> None:
    """Ten intervals, then the two bits."""
    codes = np.array([[0, 0, 0], [9, 10, 11], [0, 0, 0], [0, 0, 0], [0, 0, 0]], np.uint8)
    counter = BitmapCounter(FORM.mined, [pack(FORM, np.ones(3, np.uint8), codes)])
    assert counter.count([Query(asked=(DEBT,)), Query(asked=(PAY,))]).tolist() == [[0, 1], [0, 3]]
    known = CachedCounter(BitmapCounter(FORM.mined, [pack_random_records(FORM, 300, 1)[0]]))
    numbering, none = known.numbering, np.empty((1, 0), np.int32)
    plain, scored = (
        known.count([Queries(np.array([[numbering.number(item)]], np.int32), none, none)])[0]
        for item in ((0, 1), (DEBT, 0))
    )
    assert plain.dtype == np.int64
    assert scored.dtype == np.float64


VECTORS = vector_file("ordered")
RULE = VECTORS["rule"]
WORKED = design(
    classes("debt", "0.5555", 0, 500, 1000, 2000, 5000, cuts=3, rest=2, keep_rest="0.7142", high=10_000),
    sensitive("0.5", question("theft", "0.6", "0.4")),
    open_answers=True,
)
SINGLE = (0, 5, 9, 12, 14)


@pytest.fixture(scope="module")
def counter_of_vectors() -> CachedCounter:
    """The class records of the survey of the vectors, and the answers to a question of another section."""
    rows: list[tuple[int, int, int]] = []
    disguised = VECTORS["survey"]["disguised_counts_by_code"]
    for code, n in disguised.items():
        yes = RULE["disguised_yes_by_code"][code]
        rows += [(1, int(code), int(place < yes)) for place in range(n)]
    opened = zip(SINGLE, VECTORS["survey"]["open_counts_by_class"], RULE["open_yes_by_class"], strict=True)
    for code, n, yes in opened:
        rows += [(0, code, int(place < yes)) for place in range(n)]
    # Records of the rest, which tell of theft alone.
    rows += [(1, 15, 1)] * 60
    group, *codes = np.array(rows, np.uint8).T
    return CachedCounter(BitmapCounter(WORKED.mined, [pack(WORKED, group, np.array(codes))]))


SIDES = [((0, 1), (1, 1))]


def test_shares_variances_and_true_cells_of_a_rule_by_hand(counter_of_vectors: CachedCounter) -> None:
    found = reconstruct_rules(counter_of_vectors, SIDES, 0.0, max_size=2).splits
    assert found.eligible.tolist() == [1000]
    shares = [RULE["P"][key] for key in "ACS"]
    assert [*found.supports[:, 0], found.share[0]] == pytest.approx(shares, abs=1e-9)
    (piece,) = pieces_of(counter_of_vectors, SIDES[0], 0.0).pieces
    tests = SplitTests(piece.sides.table)
    covariances = [tests.covariance(*pair)[0] for pair in ((0, 0), (1, 1), (0, 1))]
    assert covariances == pytest.approx([RULE["V_A"], RULE["V_C"], RULE["C_AC"]], abs=1e-9)
    true = true_cells(tests.table)
    assert true[:, 1, 0] == pytest.approx(RULE["x_disguised"], abs=1e-9)
    assert true[:, 0, 0] == pytest.approx(RULE["x_open"], abs=1e-9)
    assert tests.table.scores is not None
    for of, name in zip(tests.table.scores.moments[0, :, :, 0], ("not_there", "there"), strict=True):
        moments = [RULE["moments_of_A"][f"{mu}_{name}"] for mu in ("mu2", "mu3")]
        assert of[2:] == pytest.approx(moments, abs=1e-9)


def pieces_of(known: CachedCounter, items: tuple[Item, ...], confidence: float) -> Any:
    numbers = np.array([sorted(map(known.numbering.number, items))], np.int32)
    return confident_splits(known, numbers, confidence, "stratified")[0]


def test_tests_and_intervals_of_a_rule_by_hand(counter_of_vectors: CachedCounter) -> None:
    pieces = pieces_of(counter_of_vectors, SIDES[0], 0.0)
    level = np.array([[1.96]])
    first = np.arange(1)
    onward, back = (confidence_intervals(pieces, side, level, first)[0, 0] for side in (0, 1))
    tests = pieces.pieces[0].sides
    assert isinstance(tests, SplitTests)
    worked = {row["of"]: row for row in RULE["tests"]}
    named = {
        "confidence (A to C)": (tests.confidence(0), onward),
        "confidence (C to A)": (tests.confidence(1), back),
        "lift": (tests.lift(), lift_intervals(pieces, level, first)[0, 0]),
    }
    for name, (test, interval) in named.items():
        row = worked[name]
        assert test.z(np.array([row["t"]]))[0] == pytest.approx(row["z"], abs=1e-7)
        assert interval == pytest.approx(row["ends"], abs=1e-6)
    shares = VECTORS["survey"]["both_groups"]["shares"][1]
    bases = base_rate_intervals(pieces, np.ones((2, 1), np.bool_))
    assert bases[0, 0] == pytest.approx([shares["low"], shares["high"]], abs=1e-7)
    support = reconstruct_supports(counter_of_vectors, SIDES)
    assert [support.low[0], support.high[0]] == pytest.approx(worked["support"]["ends"], abs=1e-6)


def test_lift_counts_people_received_without_the_item() -> None:
    """Of x >= t_i those whose interval ends at t_i or below."""
    columns, listed = pack_random_records(FORM, 2_000, 8)
    known = CachedCounter(BitmapCounter(FORM.mined, [columns]))
    (piece,) = pieces_of(known, ((DEBT, 1), (2, 1)), -9.0).pieces
    of = FORM.mined.questions[DEBT]
    assert isinstance(of, ScoredItems)
    classes_sent = listed.codes[DEBT] < 10
    touched = scores(of, listed.group, listed.codes[DEBT], 8 * TOUCH + 1) > 0
    without = [int((classes_sent & ~touched).sum()), int((classes_sent & (listed.codes[2] != 1)).sum())]
    assert isinstance(piece.sides, SplitTests)
    assert piece.sides.fewest_records_lacking_side().tolist() == [min(without)]
