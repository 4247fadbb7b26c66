"""How far forged records may have moved a share, by hand and against the estimate itself."""

from itertools import product

import numpy as np
import pytest

from mining.error.share_shift import bounds_without_forged, score_range
from mining.reconstruction import reconstruct
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, THIRDS, WORK, design, place_in_row, plain, question, sensitive

pytestmark = pytest.mark.proof
SURVEY = design(
    plain(WORK), sensitive("0.5", question("theft", *HALF)), sensitive("0.3", question("drink", *THIRDS))
)


def test_the_scores_by_hand() -> None:
    assert score_range(SURVEY, (0, 1)) == (0.0, 1.0)
    # (1 - .25)/.5 and -.25/.5
    assert score_range(SURVEY, (1, 1)) == pytest.approx((-0.5, 1.5))
    # noise .5 of the second choice: (1 - .35)/.3 and -.35/.3
    assert score_range(SURVEY, (2, 1)) == pytest.approx((-0.35 / 0.3, 0.65 / 0.3))


def test_without_by_hand() -> None:
    # 30 % of 1,000; 10 forged that count 1.5 or -.5 each.
    assert bounds_without_forged(1_000, 0.3, 10, -0.5, 1.5) == pytest.approx(
        ((300 - 15) / 990, (300 + 5) / 990)
    )
    assert bounds_without_forged(1_000, 0.3, 0, -0.5, 1.5) == (0.3, 0.3)
    assert bounds_without_forged(10, 0.3, 10, -0.5, 1.5) is None


@pytest.mark.parametrize("item", [(1, 1), (2, 0), (2, 2)])
def test_leaving_out_any_ten_records_moves_the_estimate_no_further(item: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, of, 400) for of in (2, 2, 3)])
    group = rng.integers(0, 2, 400)
    for record in product(range(2), range(2), range(3)):
        forged = np.tile(np.array(record)[:, None], 10)
        mixed = Listed(
            SURVEY, np.concatenate([group, np.ones(10, np.int64)]), np.concatenate([codes, forged], axis=1)
        )
        found = reconstruct(mixed, [(item,)])
        ends = bounds_without_forged(
            int(found.base[0]), float(found.support[0]), 10, *score_range(SURVEY, item)
        )
        honest = reconstruct(Listed(SURVEY, group, codes), [(item,)]).support[0]
        assert ends is not None
        assert ends[0] - 1e-12 <= honest <= ends[1] + 1e-12


def test_the_scores_of_regions_and_of_elsewhere_by_hand() -> None:
    homes = design(place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6")).mined
    # b = 2/3; noise 3/5 and none: -(1/3 * 3/5) / (2/3) and (1 - 1/5) / (2/3).
    assert score_range(homes, (0, 0)) == pytest.approx((-0.3, 1.2))
    assert score_range(homes, (0, 2)) == pytest.approx((0, 1.5))
