"""Simulated records and populations."""

import json
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from privacy.designs import parse_design
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.simulation import SkewedNumbers
from privacy.records import check_codes
from privacy.simulation.disguise import CHUNK, disguise
from privacy.simulation.population import Independent, JointDistribution, LatentClasses, Population
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, refusal, sensitive
from tests.privacy.strategies import designs

pytestmark = pytest.mark.proof
OPEN, DISGUISED = 0, 1
TEN = sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(10)))


def everybody(codes: list[int], n: int) -> Codes:
    return np.tile(np.array(codes, np.uint8)[:, None], n)


def group(of: int, n: int) -> NDArray[np.uint8]:
    return np.full(n, of, np.uint8)


@given(source=designs(), seed=st.integers(0, 999))
def test_simulated_records_are_possible_for_a_device(source: dict[str, Any], seed: int) -> None:
    found = parse_design(json.dumps(source))
    rng = np.random.default_rng(seed)
    # A range of numbers may have two thousand million codes, of which no list is made.
    shares = tuple(
        SkewedNumbers(q.true_codes, 0.5, 2.0) if q.true_codes > 1_000 else (1.0,) * q.true_codes
        for q in found.questions
    )
    people = Population(Independent(shares), open_share=0.4).draw(found, 40, rng)
    codes = disguise(found, people.group, people.truth, rng)
    for record in codes.T.tolist():
        check_codes(found, record)


def test_not_asked_takes_precedence_over_not_applicable() -> None:
    n, hidden = 2_000, question("a", *HALF, **IF_EMPLOYED)
    found = design(plain(WORK), sensitive("0.5", hidden, question("b", *HALF), asked=1))
    codes = disguise(found, group(DISGUISED, n), everybody([1, 3, 0], n), np.random.default_rng(1))
    assert set(codes[1].tolist()) == {2, 3}
    assert ((codes[1] == 2) == (codes[2] != 2)).all()


def test_noise_reaches_each_of_many_choices_with_wide_codes() -> None:
    for choices, keep, n, kind in ((9, "0.5", 1_000, np.uint8), (300, "0.0001", 60_000, np.uint16)):
        found = design(sensitive(keep, {"name": "cell", "choices": [f"c{n}" for n in range(choices)]}))
        codes = disguise(found, group(DISGUISED, n), np.zeros((1, n), kind), np.random.default_rng(1))
        counts = np.bincount(codes[0])
        assert codes.dtype == kind
        assert len(counts) == choices
        assert counts.min() > 0
    # 200 each; six standard errors are 85.
    assert np.abs(counts[1:] - 200).max() < 85


def test_seeded_simulation_repeats_and_its_chunks_differ() -> None:
    truth = everybody([0] * 10, 3 * CHUNK + 5)
    people = group(DISGUISED, truth.shape[1])
    one, again = (disguise(design(TEN), people, truth, np.random.default_rng(4)) for _ in range(2))
    assert (one == again).all()
    assert (one[:, :CHUNK] != one[:, CHUNK : 2 * CHUNK]).any()


def test_simulation_needs_the_memory_of_its_result_and_a_chunk() -> None:
    truth, people = everybody([0] * 10, 400_000), group(DISGUISED, 400_000)
    rng = np.random.default_rng(1)
    tracemalloc.start()
    disguise(design(TEN), people, truth, rng)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < truth.nbytes + 500_000


# --- populations

N, HALVES = 200_000, (0.5, 0.5)
# Five standard errors of a share of a half.
NEAR = 5 * (0.25 / N) ** 0.5
TWO = design(sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)))
HIDING = design(
    plain(WORK, {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}),
    sensitive("0.5", question("theft", *HALF, show_if={"shift": ["night"]})),
)


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def test_independent_questions_have_own_shares() -> None:
    codes = Independent(((0.7, 0.3), (0.2, 0.3, 0.5))).draw(N, rng())
    assert codes.dtype == np.uint8
    assert (codes[0] == 1).mean() == pytest.approx(0.3, abs=NEAR)
    assert [(codes[1] == code).mean() for code in range(3)] == pytest.approx([0.2, 0.3, 0.5], abs=NEAR)
    assert ((codes[0] == 1) & (codes[1] == 2)).mean() == pytest.approx(0.15, abs=NEAR)
    assert Independent(((2.0, 6.0),)).draw(N, rng()).mean() == pytest.approx(0.75, abs=NEAR)


def test_skewed_numbers_have_the_stated_median_and_maximum() -> None:
    codes, other = Independent((SkewedNumbers(1_000, 0.2, 0.6), (0.5, 0.5))).draw(N, rng())
    # The quartiles of a log-normal number of median 200 and spread .6: 200 exp(-.4047) and 200 exp(.4047).
    assert np.quantile(codes, [0.25, 0.5, 0.75]) == pytest.approx([133, 200, 300], abs=3)
    assert codes.max() == 999
    # log(5) / .6 = 2.682 standard deviations: 365 in 100,000 are at the end.
    assert (codes == 999).mean() == pytest.approx(0.00365, abs=0.0008)
    assert set(other) == {0, 1}
    # A number may have thousands of millions of values.
    codes = SkewedNumbers(2 * 10**9, 0.3, 0.6).draw(1_000, rng())
    assert codes.dtype == np.uint32
    assert codes.max() > 10**9


def test_latent_classes_correlate_the_questions() -> None:
    never, often = Independent(((1.0, 0.0), (1.0, 0.0))), Independent(((0.0, 1.0), (0.5, 0.5)))
    codes = LatentClasses((0.8, 0.2), (never, often)).draw(N, rng())
    # Whoever does the second does the first: .2 and .1, together .1.
    assert (codes[0] == 1).mean() == pytest.approx(0.2, abs=NEAR)
    assert (codes[1] == 1).mean() == pytest.approx(0.1, abs=NEAR)
    assert ((codes[1] == 1) & (codes[0] == 0)).sum() == 0


def test_joint_table_gives_complete_answers_by_share() -> None:
    codes = JointDistribution(((0, 0), (1, 1), (0, 1)), (0.5, 0.3, 0.2)).draw(N, rng())
    found = {(a, b): ((codes[0] == a) & (codes[1] == b)).mean() for a in (0, 1) for b in (0, 1)}
    assert found == pytest.approx({(0, 0): 0.5, (1, 1): 0.3, (0, 1): 0.2, (1, 0): 0.0}, abs=NEAR)


def test_open_people_may_differ_and_by_default_nobody_is_open() -> None:
    of_disguised, of_open = (Independent((of, (1.0, 0.0))) for of in ((0.6, 0.4), (0.9, 0.1)))
    people = Population(of_disguised, of_open, open_share=0.5).draw(TWO, N, rng())
    openly = people.group == OPEN
    assert openly.mean() == pytest.approx(0.5, abs=NEAR)
    # About half of N each, so a margin of twice as many standard errors is wide enough.
    assert people.truth[0][openly].mean() == pytest.approx(0.1, abs=2 * NEAR)
    assert people.truth[0][~openly].mean() == pytest.approx(0.4, abs=2 * NEAR)
    people = Population(Independent((HALVES, HALVES))).draw(TWO, 1_000, rng())
    assert (people.group != OPEN).all()


def test_question_hidden_by_rules_does_not_apply_also_in_chains() -> None:
    work, shift, theft = Population(Independent((HALVES,) * 3)).draw(HIDING, 5_000, rng()).truth
    assert ((shift == 3) == (work == 1)).all()
    # Only who works at night is asked about theft.
    assert ((theft != 3) == (shift == 1)).all()
    assert set(theft.tolist()) == {0, 1, 3}


def test_percents_and_shares_that_fit_no_class_or_answer_are_refused() -> None:
    one = Independent(((0.5, 0.5),))
    assert "probability such as .2" in refusal(Population, one, open_share=20)
    assert "as many as the classes" in refusal(LatentClasses, (0.5, 0.3, 0.2), (one, one))
    assert "as many as the answers" in refusal(JointDistribution, ((0,), (1,)), (1.0,))
    rng = np.random.default_rng(1)
    for shares in ((0.5, -0.5), (0.0, 0.0), (np.nan, 1.0)):
        assert "not be negative" in refusal(Independent((shares,)).draw, 9, rng), shares


def test_truths_and_groups_of_a_wrong_shape_are_refused() -> None:
    form, rng = design(sensitive("0.5", question("a", *HALF), question("b", *HALF))), np.random.default_rng(1)
    truth = everybody([0, 1], 5)
    assert "column for each respondent" in refusal(disguise, form, group(DISGUISED, 5), truth.T, rng)
    assert "column for each respondent" in refusal(disguise, form, group(DISGUISED, 4), truth, rng)
    assert "OPEN or DISGUISED" in refusal(disguise, form, np.full(5, "open"), truth, rng)
