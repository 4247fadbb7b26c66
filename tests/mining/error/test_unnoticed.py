"""How many copies go unnoticed: vectors, brute force over all records, and copies that the test finds or misses."""

import json
from pathlib import Path

import numpy as np
import pytest

from mining.error.excess_copies import max_record_chance, max_unnoticed_copies, min_found_copies
from privacy.designs import Design
from tests.mining.error.test_identical import (
    DESIGNS,
    FEW,
    HIDING,
    KEPT,
    NUMBERS,
    ROTATING,
    YES_NO_5,
    copies,
    disguised,
    everything,
    measured,
)
from tests.privacy.questionnaires import HALF, design, question, sensitive

pytestmark = pytest.mark.proof
FILE = Path(__file__).parents[2] / "vectors" / "corrections.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))["copies"]
LEVEL = 0.0005


def test_the_vectors(subtests: pytest.Subtests) -> None:
    for vector in VECTORS:
        with subtests.test(f"{vector!r:.60}"):
            assert min_found_copies(vector["n"], vector["m"], vector["a"]) == vector["least_found"]


def test_the_largest_chance_is_that_of_all_truths_and_all_records(subtests: pytest.Subtests) -> None:
    cases: list[Design] = [YES_NO_5, ROTATING, KEPT]
    for asks in cases:
        with subtests.test(f"{asks!r:.60}"):
            _parts, rows = everything(asks)
            assert max_record_chance(asks) == pytest.approx(float(max(max(row) for row in rows)))


def test_a_question_that_a_rule_hides_is_sent_for_certain() -> None:
    """Two questions of which one is asked; the second may be hidden: (.6 + .4) / 2 against (.6 + .4 / 3) / 2."""
    assert max_record_chance(HIDING) == pytest.approx(0.5)
    # The section of a hidden number draws nothing.
    assert max_record_chance(NUMBERS) == 1
    assert max_unnoticed_copies(NUMBERS, 1_000, LEVEL) is None


PUBLISHED = {
    "one yes/no, keep .9": (KEPT, None),
    "three yes/no": (design(sensitive("0.69", *(question(f"q{place}", *HALF) for place in range(3)))), 0.88),
    "ten yes/no": (design(sensitive("0.3", *(question(f"q{place}", *HALF) for place in range(10)))), 0.48),
}


def test_of_a_hundred_records_so_many_copies_may_go_unnoticed(subtests: pytest.Subtests) -> None:
    for name, (asks, part) in PUBLISHED.items():
        with subtests.test(f"{name!r:.60}"):
            found = max_unnoticed_copies(asks, 100, LEVEL)
            if part is None:
                assert found is None
            else:
                assert found is not None
                assert (found + 1) / 100 == pytest.approx(part, abs=0.011)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("name", [name for name in DESIGNS if name not in ("few", "numbers")])
@pytest.mark.parametrize("n", [100, 400])
def test_one_copy_more_is_always_found_and_far_fewer_never(name: str, n: int) -> None:
    """The hardest record to find is among those that are sent; the others are honest."""
    asks, rng = DESIGNS[name], np.random.default_rng(n)
    most = max_unnoticed_copies(asks, n, LEVEL)
    if most is None:
        return
    for _turn in range(5):
        truths = np.zeros((len(asks.questions), n), np.uint8)
        honest = disguised(asks, truths, rng)
        found = np.concatenate([copies(honest, most + 1), honest[:, most + 1 :]], axis=1)
        assert measured(asks, found, LEVEL).excess > 0


def test_with_plain_answers_the_level_is_halved_again() -> None:
    alone = design(*(section for section in [sensitive("0.5", question("theft", "0.4", "0.6"))]))
    with_plain, without = (max_unnoticed_copies(asks, 2_000, LEVEL) for asks in (FEW, alone))
    assert with_plain == max_unnoticed_copies(alone, 2_000, LEVEL / 2)
    assert without is not None
    assert with_plain is not None
    assert with_plain > without


def test_no_records_hide_no_copies() -> None:
    assert max_unnoticed_copies(YES_NO_5, 0, LEVEL) is None
