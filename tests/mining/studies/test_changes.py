"""Changes since the survey that a design follows: variance by hand, level of the front, coverage, plans, and m."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import prod, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.inference.selection_correction import (
    CHANGES,
    FamilyCriticalZ,
    critical_z,
    front_page_p_limit,
    plan_critical_z,
)
from mining.inference.share_differences import Differences
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.nodes.study_nodes import HypothesisResult, PlanResult, WaveDifference
from mining.studies.front_page_statements import count_changes
from mining.studies.group_comparisons import add_change_results
from mining.studies.single_answer_score_moments import AnswerLaw, answer_side
from mining.studies.waves import compare_sides
from privacy.designs.hypothesis_plan import ChangeHypothesis, Plan
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

# --- the variance

LASTING, INSTANT = 0.9, 0.8
"""The permanent draw keeps an answer with .9, the draw of each round keeps that with .8; noise is one half."""
KEEP = LASTING * INSTANT
LAW = AnswerLaw.from_probabilities(KEEP, 0.5)
SHARES = 0.25, 0.5
N = 800


def chance(bit: int, kept: float, of: int) -> float:
    """How likely this bit is sent for the answer `of`."""
    return (1 + kept) / 2 if bit == of else (1 - kept) / 2


def sent_in_both(answers: dict[tuple[int, int], float], *, lasts: bool) -> dict[tuple[int, int], float]:
    """How likely one person sends each pair of bits, whose true answers in both rounds are so likely: over all draws.

    Where the disguise lasts there is one permanent draw for each true answer, else a draw for each round.
    """
    said = {(before, after): 0.0 for before in (0, 1) for after in (0, 1)}
    for true, likely in answers.items():
        for permanent in product((0, 1), repeat=2):
            drawn = [permanent[answer] for answer in true] if lasts else permanent
            of_draws = (
                prod(chance(bit, LASTING, answer) for answer, bit in enumerate(permanent))
                if lasts
                else prod(chance(bit, LASTING, answer) for answer, bit in zip(true, permanent, strict=True))
            )
            for bits in said:
                instant = prod(chance(bit, INSTANT, of) for bit, of in zip(bits, drawn, strict=True))
                said[bits] += likely * of_draws * instant
    return said


def exact_error(answers: dict[tuple[int, int], float], *, lasts: bool) -> float:
    """The standard error of the estimated change among N such people who are in both rounds."""
    sent = sent_in_both(answers, lasts=lasts)
    mean = sum(likely * (after - before) for (before, after), likely in sent.items())
    square = sum(likely * (after - before) ** 2 for (before, after), likely in sent.items())
    return sqrt((square - mean**2) / N) / KEEP


ALTERNATING = {(1, 0): 0.25, (0, 1): 0.5, (0, 0): 0.25, (1, 1): 0.0}
"""Nobody with the answer before has it now: the least covariance that shares of .25 and .5 allow."""
STEADY = {(1, 0): 0.0, (0, 1): 0.25, (0, 0): 0.5, (1, 1): 0.25}


def test_variance_of_a_change_is_that_of_the_worst_people() -> None:
    """With a lasting disguise, or with people who keep their answers, it is larger than the true one."""
    received = [N * (KEEP * share + float(LAW.chance)) for share in SHARES]
    before, after = (answer_side(np.array([[0], [N]]), np.array([[0], [x]]), LAW) for x in received)
    stated = float(SumOfShares.from_difference(before, after, shared=True).standard_error()[0])
    assert stated == pytest.approx(exact_error(ALTERNATING, lasts=False), rel=1e-9)
    for people in (ALTERNATING, STEADY):
        assert exact_error(people, lasts=True) < stated
    assert exact_error(STEADY, lasts=False) < stated


# --- the level of the front, and coverage

SURVEYS, ANSWERS, PEOPLE = 1_500, 6, 1_000
OTHER_FAMILY = 40
"""Number of pairs of the same report, the second family of its front."""
Waves = tuple[ReceivedSide, ReceivedSide]
Draw = Callable[[np.random.Generator, float, float], Waves]


def received_side(received: NDArray[Any]) -> ReceivedSide:
    nobody = np.zeros(received.size)
    return answer_side(np.stack([nobody, nobody + PEOPLE]), np.stack([nobody, received.ravel()]), LAW)


def count_yes_sent(rng: np.random.Generator, having: Any, kept: float) -> NDArray[Any]:
    """How many of PEOPLE send the answer, of whom so many have it."""
    return np.asarray(rng.binomial(having, (1 + kept) / 2) + rng.binomial(PEOPLE - having, (1 - kept) / 2))


def other_people(rng: np.random.Generator, share: float, now: float) -> Waves:
    having = [rng.binomial(PEOPLE, of, (SURVEYS, ANSWERS)) for of in (share, now)]
    before, after = (received_side(count_yes_sent(rng, of, KEEP)) for of in having)
    return before, after


def same_people_with_a_lasting_disguise(rng: np.random.Generator, share: float, now: float) -> Waves:
    """Each has one answer in both rounds, but for those who first give it now; both have draws of their own."""
    assert now >= share
    had = rng.binomial(PEOPLE, share, (SURVEYS, ANSWERS))
    new = rng.binomial(PEOPLE - had, (now - share) / (1 - share))
    never = PEOPLE - had - new
    yes, no = (1 + LASTING) / 2, (1 - LASTING) / 2
    steady = rng.binomial(had, yes) + rng.binomial(never, no)
    sent = [count_yes_sent(rng, steady + rng.binomial(new, of), INSTANT) for of in (no, yes)]
    return received_side(sent[0]), received_side(sent[1])


def people_who_all_change(rng: np.random.Generator, share: float, now: float) -> Waves:
    """Half give the answer in each round, and never the same half."""
    assert share == now == 0.5
    having = rng.binomial(PEOPLE, 0.5, (SURVEYS, ANSWERS))
    before, after = (received_side(count_yes_sent(rng, of, KEEP)) for of in (having, PEOPLE - having))
    return before, after


def compare_waves(waves: Waves, *, planned: int = 0) -> Differences:
    """Each answer of each survey, with the interval of the front or of a plan of so many hypotheses."""
    limit = front_page_p_limit({"pairs": OTHER_FAMILY, CHANGES: ANSWERS}, CHANGES)
    is_planned = np.full(SURVEYS * ANSWERS, planned > 0)
    critical_zs = FamilyCriticalZ(is_planned, plan_critical_z(planned), critical_z(limit))
    return compare_sides(*waves, shared=True, critical_zs=critical_zs)


def fronts_with_a_change(found: Differences) -> float:
    # .05 over two families and six answers.
    shown = (found.p <= 0.05 / 2 / 6) & ((found.low > 0) | (found.high < 0))
    return float(np.mean(shown.reshape(SURVEYS, ANSWERS).any(axis=1)))


def largest_chance_share(level: float, draws: int) -> float:
    """The largest share that chance explains in 999 of 1,000 simulations."""
    return level + 3.1 * sqrt(level * (1 - level) / draws)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("draw", "share"),
    [(other_people, 0.1), (same_people_with_a_lasting_disguise, 0.1), (people_who_all_change, 0.5)],
)
def test_fronts_without_change_show_one_at_most_at_their_level(draw: Draw, share: float) -> None:
    found = fronts_with_a_change(compare_waves(draw(np.random.default_rng(7), share, share)))
    assert found <= largest_chance_share(0.05 / 2, SURVEYS)
    if draw is people_who_all_change:
        # Of the worst people the level is used, so the bound is no wider than it must be.
        assert found > 0.25 * 0.05 / 2


@pytest.mark.at_push(2)
@pytest.mark.proof
@pytest.mark.parametrize("draw", [other_people, same_people_with_a_lasting_disguise])
@pytest.mark.parametrize("now", [0.1, 0.2])
def test_change_interval_covers_and_a_planned_one_at_its_level(draw: Draw, now: float) -> None:
    waves = draw(np.random.default_rng(8), 0.1, now)
    for planned, level in ((1, 0.05), (5, 0.01)):
        found = compare_waves(waves, planned=planned)
        missed = np.mean((found.low > now - 0.1) | (found.high < now - 0.1))
        assert missed <= largest_chance_share(level, SURVEYS * ANSWERS)


@pytest.mark.proof
def test_change_of_ten_points_is_detected() -> None:
    rng = np.random.default_rng(9)
    assert fronts_with_a_change(compare_waves(same_people_with_a_lasting_disguise(rng, 0.1, 0.2))) > 0.9


# --- plans


def row(item: str, *numbers: float) -> WaveDifference:
    """Difference, low, high and p."""
    difference, low, high, p = numbers
    return WaveDifference(item, 0.2, 0.2 + difference, difference, low, high, p, None, 400, 380)


def change_result(name: str, item: str, direction: str) -> HypothesisResult:
    frozen = HypothesisResult(name, "change", item=item, direction=direction)
    return frozen.without_result


RISEN, FALLEN, SAME = (
    row("a=yes", 0.06, 0.02, 0.1, 0.001),
    row("b=yes", -0.05, -0.09, -0.01, 0.004),
    row("c=yes", 0.01, -0.03, 0.05, 0.6),
)


def test_planned_change_is_met_if_its_whole_interval_agrees() -> None:
    plan = PlanResult(
        "0" * 64,
        hypotheses=(
            change_result("up", "a=yes", "more"),
            change_result("not down", "a=yes", "less"),
            change_result("down", "b=yes", "less"),
            change_result("not up", "b=yes", "more"),
            change_result("same", "c=yes", "more"),
            change_result("untold", "d=yes", "more"),
            HypothesisResult("share", "share", item="a=yes", than="0.1000", p=0.002, estimate=0.26),
        ),
    )
    found = add_change_results(plan, (RISEN, FALLEN, SAME))
    assert [one.name for one in found.hypotheses if one.met] == ["up", "down", "share"]
    up, untold = found.hypotheses[0], found.hypotheses[5]
    assert (up.estimate, up.low, up.high, up.p, up.n_earlier, up.n_later) == (
        0.06,
        0.02,
        0.1,
        0.001,
        400,
        380,
    )
    assert not up.withheld
    assert untold.withheld
    # Holm over all seven: .001 x 7, .001 x 6 not below it, .002 x 5, .004 x 4, .004 x 3 not below it, then 1.
    holm = [0.007, 0.007, 0.016, 0.016, 1, 1, 0.01]
    assert [one.holm for one in found.hypotheses] == pytest.approx(holm)


def test_other_statements_count_the_changes_as_one() -> None:
    plan = PlanResult("0" * 64, hypotheses=(change_result("up", "a=yes", "more"), replace(FOUND, p=0.02)))
    assert [one.holm for one in add_change_results(plan, ()).hypotheses] == [1, 0.04]


FOUND = HypothesisResult("share", "share", item="a=yes", than="0.1000", p=0.02, estimate=0.26)


# --- m


def test_m_counts_common_answers_outside_the_plan() -> None:
    age = {"name": "age", "choices": ["young", "old"]}
    theft, drugs = question("theft", *HALF), question("drugs", *HALF)
    earlier = design(plain(age), sensitive("0.5", theft))
    later = design(plain(age), sensitive("0.5", theft, drugs), follows=earlier.fingerprint)
    both = later.mined, earlier.mined
    # Young, old and theft; drugs were not asked before.
    assert count_changes(*both, None) == 3
    assert count_changes(*both, Plan("0" * 32, (ChangeHypothesis("H1", "theft=yes", "more"),))) == 2
    assert count_changes(later.mined, None, None) == 0
