import json
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from privacy.designs import parse
from privacy.kinds.code_arrays import Codes
from privacy.kinds.simulation import SkewedNumbers
from privacy.records import check_codes
from privacy.simulation.disguise import CHUNK, disguise
from privacy.simulation.population import Independent, Population
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive
from tests.privacy.strategies import designs

pytestmark = pytest.mark.proof
OPEN, DISGUISED = 0, 1
TEN = sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(10)))


def everybody(codes: list[int], n: int) -> Codes:
    return np.tile(np.array(codes, np.uint8)[:, None], n)


def group(of: int, n: int) -> NDArray[np.uint8]:
    return np.full(n, of, np.uint8)


@given(source=designs(), seed=st.integers(0, 999))
def test_every_simulated_record_is_one_that_a_device_could_have_sent(
    source: dict[str, Any], seed: int
) -> None:
    found = parse(json.dumps(source))
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


def test_not_asked_wins_over_not_applicable() -> None:
    n = 2_000
    found = design(
        plain(WORK), sensitive("0.5", question("a", *HALF, **IF_EMPLOYED), question("b", *HALF), asked=1)
    )
    codes = disguise(found, group(DISGUISED, n), everybody([1, 3, 0], n), np.random.default_rng(1))
    assert set(codes[1].tolist()) == {2, 3}
    assert ((codes[1] == 2) == (codes[2] != 2)).all()


def test_noise_over_many_choices_reaches_each_and_uses_wide_codes_where_needed() -> None:
    n = 60_000
    found = design(sensitive("0.0001", {"name": "cell", "choices": [f"c{place}" for place in range(300)]}))
    truth = np.zeros((1, n), np.uint16)
    codes = disguise(found, group(DISGUISED, n), truth, np.random.default_rng(1))
    assert codes.dtype == np.uint16
    counts = np.bincount(codes[0], minlength=300)
    # 200 each; six standard errors are 85.
    assert len(counts) == 300
    assert np.abs(counts[1:] - 200).max() < 85


def test_nine_choices_fit_narrow_codes() -> None:
    found = design(sensitive("0.5", {"name": "scale", "choices": [f"c{place}" for place in range(9)]}))
    codes = disguise(found, group(DISGUISED, 1_000), np.zeros((1, 1_000), np.uint8), np.random.default_rng(1))
    assert codes.dtype == np.uint8
    assert set(codes[0].tolist()) == set(range(9))


def test_a_seed_gives_the_same_records_again() -> None:
    truth = everybody([0] * 10, 3 * CHUNK + 5)
    people = group(DISGUISED, truth.shape[1])
    one, again = (disguise(design(TEN), people, truth, np.random.default_rng(4)) for _ in range(2))
    assert (one == again).all()


def test_chunks_do_not_repeat_each_other() -> None:
    truth = everybody([0] * 10, 2 * CHUNK)
    codes = disguise(design(TEN), group(DISGUISED, 2 * CHUNK), truth, np.random.default_rng(4))
    assert (codes[:, :CHUNK] != codes[:, CHUNK:]).any()


def test_it_needs_the_memory_of_its_result_and_of_a_chunk() -> None:
    n = 400_000
    truth = everybody([0] * 10, n)
    people = group(DISGUISED, n)
    rng = np.random.default_rng(1)
    tracemalloc.start()
    disguise(design(TEN), people, truth, rng)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < truth.nbytes + 500_000
