"""One more record for every hundred."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.error.forged_record_bounds import bound_forged_supports
from mining.queries_and_counters import Item
from mining.reconstruction import reconstruct_supports
from privacy.kinds.score_table_by_law import find_score_table
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, WORK, classes, design, plain, question, sensitive

pytestmark = pytest.mark.proof
ROTATED = design(
    plain(WORK),
    sensitive("0.5", question("a", *HALF), question("b", *HALF), question("c", *HALF), asked=2),
    sensitive("0.3", question("d", "0.3", "0.7")),
)
NOT_ASKED = 2


def honest_records(n: int = 2_000) -> Listed:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (5, n))
    codes[1 + rng.integers(0, 3, n), np.arange(n)] = NOT_ASKED
    return Listed(ROTATED, rng.integers(0, 2, n), codes)


def with_made_up(listed: Listed, record: tuple[int, ...], group: int, count: int) -> Listed:
    codes = np.concatenate([listed.codes, np.tile(np.array(record)[:, None], count)], axis=1)
    return Listed(ROTATED, np.concatenate([listed.group, np.full(count, group)]), codes)


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    "itemset", [((0, 1),), ((1, 1),), ((4, 1),), ((1, 1), (2, 0)), ((1, 1), (4, 1)), ((0, 1), (4, 0))]
)
def test_no_possible_record_moves_a_support_beyond_the_bound(itemset: tuple[Item, ...]) -> None:
    listed = honest_records()
    found = bound_forged_supports(listed, [itemset])
    forged = (
        with_made_up(listed, (work, a, b, NOT_ASKED, d), group, 20)
        for group, work, a, b, d in product((0, 1), repeat=5)
    )
    reached = [reconstruct_supports(of, [itemset]).support[0] for of in forged]
    assert (min(reached), max(reached)) == pytest.approx((found.low[0], found.high[0]), abs=1e-12)
    # None forged moves nothing.
    none = bound_forged_supports(listed, [itemset], share=0)
    assert none.low[0] == none.high[0] == reconstruct_supports(listed, [itemset]).support[0]


def test_forged_record_bound_by_hand() -> None:
    # 400 of 1,000 sent yes: (.4 - .25) / .5 = .3. Ten more: each scores 1.5 or -.5.
    one = design(sensitive("0.5", question("theft", *HALF)))
    listed = Listed(one, np.ones(1_000, np.int64), np.arange(1_000)[None] < 400)
    found = bound_forged_supports(listed, [((0, 1),)])
    assert found.high[0] == pytest.approx((300 + 15) / 1_010)
    assert found.low[0] == pytest.approx((300 - 5) / 1_010)


DEBTS = design(classes("debt", "0.5", 0, 5, 10, 20, cuts=2, rest=3)).mined


@pytest.mark.at_push(3)
@pytest.mark.parametrize("item", range(DEBTS.questions[0].item_count))
def test_no_code_of_a_scored_item_moves_it_beyond_the_bound(item: int) -> None:
    """An item of scores has keep 1 and noise 0, as if a record could only bring 0 or 1 of it."""
    codes = len(find_score_table(DEBTS.questions[0]).scores)
    sent = np.random.default_rng(2).integers(0, codes, 1_000)

    def support(of: NDArray[np.int64]) -> float:
        listed = Listed(DEBTS, np.ones(len(of), np.int64), of[None])
        return float(reconstruct_supports(listed, [((0, item),)]).support[0])

    found = bound_forged_supports(Listed(DEBTS, np.ones(1_000, np.int64), sent[None]), [((0, item),)])
    reached = [support(np.append(sent, np.full(10, code))) for code in range(codes)]
    assert (min(reached), max(reached)) == pytest.approx((found.low[0], found.high[0]), abs=1e-12)
    scores = [1_010 * end - 1_000 * support(sent) for end in (found.low[0], found.high[0])]
    ranges = find_score_table(DEBTS.questions[0]).least_and_greatest_scores[:, item]
    assert ranges == pytest.approx([score / 10 for score in scores])
