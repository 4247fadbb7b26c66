import numpy as np
import pytest

from privacy.kinds.simulation import SkewedNumbers
from privacy.records import OPEN
from privacy.simulation.population import Independent, JointDistribution, LatentClasses, Population
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

N = 200_000
# Five standard errors of a share of a half.
NEAR = 5 * (0.25 / N) ** 0.5
TWO = design(sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)))
HIDING = design(
    plain(WORK, {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}),
    sensitive("0.5", question("theft", *HALF, show_if={"shift": ["night"]})),
)


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def test_independent_questions_have_their_own_shares() -> None:
    codes = Independent(((0.7, 0.3), (0.2, 0.3, 0.5))).draw(N, rng())
    assert codes.dtype == np.uint8
    assert (codes[0] == 1).mean() == pytest.approx(0.3, abs=NEAR)
    assert [(codes[1] == code).mean() for code in range(3)] == pytest.approx([0.2, 0.3, 0.5], abs=NEAR)
    assert ((codes[0] == 1) & (codes[1] == 2)).mean() == pytest.approx(0.15, abs=NEAR)


def test_shares_need_not_sum_to_one() -> None:
    codes = Independent(((2.0, 6.0),)).draw(N, rng())
    assert codes.mean() == pytest.approx(0.75, abs=NEAR)


def test_skewed_numbers_have_their_median_and_end_at_the_highest() -> None:
    codes, other = Independent((SkewedNumbers(1_000, 0.2, 0.6), (0.5, 0.5))).draw(N, rng())
    # The quartiles of a log-normal number of median 200 and spread .6: 200 exp(-.4047) and 200 exp(.4047).
    assert np.quantile(codes, [0.25, 0.5, 0.75]) == pytest.approx([133, 200, 300], abs=3)
    assert codes.max() == 999
    # log(5) / .6 = 2.682 standard deviations: 365 in 100,000 are at the end.
    assert (codes == 999).mean() == pytest.approx(0.00365, abs=0.0008)
    assert set(other) == {0, 1}


def test_a_number_may_have_thousands_of_millions_of_values() -> None:
    codes = SkewedNumbers(2 * 10**9, 0.3, 0.6).draw(1_000, rng())
    assert codes.dtype == np.uint32
    assert codes.max() > 10**9


def test_latent_classes_tie_the_questions_together() -> None:
    never, often = Independent(((1.0, 0.0), (1.0, 0.0))), Independent(((0.0, 1.0), (0.5, 0.5)))
    codes = LatentClasses((0.8, 0.2), (never, often)).draw(N, rng())
    # Whoever does the second does the first: .2 and .1, together .1.
    assert (codes[0] == 1).mean() == pytest.approx(0.2, abs=NEAR)
    assert (codes[1] == 1).mean() == pytest.approx(0.1, abs=NEAR)
    assert ((codes[1] == 1) & (codes[0] == 0)).sum() == 0


def test_a_table_gives_whole_answers_with_their_shares() -> None:
    codes = JointDistribution(((0, 0), (1, 1), (0, 1)), (0.5, 0.3, 0.2)).draw(N, rng())
    found = {(a, b): ((codes[0] == a) & (codes[1] == b)).mean() for a in (0, 1) for b in (0, 1)}
    assert found == pytest.approx({(0, 0): 0.5, (1, 1): 0.3, (0, 1): 0.2, (1, 0): 0.0}, abs=NEAR)


def test_those_who_answer_openly_may_differ() -> None:
    people = Population(
        disguised=Independent(((0.6, 0.4), (1.0, 0.0))),
        open=Independent(((0.9, 0.1), (1.0, 0.0))),
        open_share=0.5,
    ).draw(TWO, N, rng())
    openly = people.group == OPEN
    assert openly.mean() == pytest.approx(0.5, abs=NEAR)
    # About half of N each, so a margin of twice as many standard errors is wide enough.
    assert people.truth[0][openly].mean() == pytest.approx(0.1, abs=2 * NEAR)
    assert people.truth[0][~openly].mean() == pytest.approx(0.4, abs=2 * NEAR)


def test_nobody_is_open_unless_told_so() -> None:
    people = Population(Independent((HALVES, HALVES))).draw(TWO, 1_000, rng())
    assert (people.group != OPEN).all()


HALVES = (0.5, 0.5)


def test_what_the_rules_hide_does_not_apply_also_behind_another_hidden_question() -> None:
    work, shift, theft = Population(Independent((HALVES,) * 3)).draw(HIDING, 5_000, rng()).truth
    assert ((shift == 3) == (work == 1)).all()
    # Only who works at night is asked about theft.
    assert ((theft != 3) == (shift == 1)).all()
    assert set(theft.tolist()) == {0, 1, 3}
