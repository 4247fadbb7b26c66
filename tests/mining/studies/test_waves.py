"""Waves of the same people or of others, hypotheses of a plan, and the price of the stratified estimator."""

from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.counting import HistogramCounter, PatternHistogram
from mining.inference.selection_correction import LEVEL, FamilyCriticalZ, critical_z
from mining.inference.share_differences import compare_side_shares
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.nodes.study_nodes import HypothesisResult
from mining.reconstruction import CachedCounter
from mining.studies.group_comparisons import decide_hypotheses
from mining.studies.single_answer_score_moments import (
    UNDISGUISED,
    AnswerLaw,
    answer_side,
    largest_estimator_errors,
)
from mining.studies.waves import compare_sides, compare_waves
from privacy.designs.repeated_questions import comparable_questions
from tests.mining.listed import at_night
from tests.privacy.questionnaires import HALF, design, plain, question, refusal, sensitive, window

LAW = AnswerLaw(0.5, 0.25)


def received_side(records: Any, having: Any, law: AnswerLaw = LAW) -> ReceivedSide:
    return answer_side(np.array(records), np.array(having), law)


def test_difference_of_two_waves_and_too_few_records() -> None:
    """The share and the difference by hand; p and interval are those of the vectors of sums of shares."""
    found = compare_sides(
        received_side([[100], [300]], [[20], [120]]), received_side([[0], [400]], [[0], [220]]), shared=False
    )
    earlier, later = 0.25 * 0.2 + 0.75 * (0.4 - 0.25) / 0.5, (0.55 - 0.25) / 0.5
    assert (found.first[0], found.second[0]) == pytest.approx((earlier, later))
    assert found.difference[0] == pytest.approx(later - earlier)
    assert found.low[0] < found.difference[0] < found.high[0]
    few = received_side([[0, 5], [49, 300]], [[0, 1], [20, 90]])
    enough = received_side([[0, 0], [500, 500]], [[0, 0], [200, 200]])
    of_few = compare_sides(few, enough, shared=False)
    assert np.isnan(of_few.difference).all()
    assert np.isnan(of_few.holm).all()
    nobody = [received_side([[n], [0]], [[0], [0]], UNDISGUISED) for n in (300, 1_000)]
    found = compare_sides(*nobody, shared=False)
    assert found.p[0] == 1
    assert (found.low[0], found.high[0]) == pytest.approx((-0.01264343, 0.003826898586), abs=1e-6)


def wave_design(*questions: dict[str, Any], **more: Any) -> Any:
    return design(plain({"name": "sex", "choices": ["f", "m"], "text": "Your sex?"}), *questions, **more)


def test_waves_compare_questions_of_equal_name_text_and_choices() -> None:
    theft = question("theft", *HALF, text="Did you steal?")
    earlier = wave_design(sensitive("0.5", theft, question("drugs", *HALF, text="Did you take drugs?")))
    drugs = question("drugs", *HALF, text="Have you taken drugs?")
    later = wave_design(sensitive("0.9", drugs, theft), window("sick", 21, 2))
    assert comparable_questions(earlier, later) == [(0, 0), (1, 2)]
    # Texts in other languages may differ.
    texts = ({"en": "Stolen?", "de": text} for text in ("Alt", "Neu"))
    sections = (sensitive("0.5", question("theft", *HALF, text=text)) for text in texts)
    one, other = (wave_design(section, languages=["en", "de"]) for section in sections)
    assert comparable_questions(one, other) == [(0, 0), (1, 1)]
    one = design(sensitive("0.5", question("theft", *HALF)))
    other = design(sensitive("0.5", question("drugs", *HALF)), window("theft", 21, 2))
    assert comparable_questions(one, other) == []
    nobody = [
        CachedCounter(HistogramCounter(PatternHistogram.count_records(of.mined, []))) for of in (one, other)
    ]
    words = "waves: no question has the same name, choices and text in both designs"
    assert words in refusal(compare_waves, *nobody)


def coverage(keep: float, both: float, rng: np.random.Generator) -> float:
    """How often the interval holds the difference of two waves of 1,000: this share answered both, and alike."""
    n, share, drift, surveys, law = 1_000, 0.3, 0.1, 5_000, AnswerLaw.from_probabilities(keep, 0.5)
    chance, same = float(law.chance), round(both * n)
    with_it = rng.binomial(same, share, surveys)

    def wave(share: float) -> Any:
        kept = rng.binomial(with_it, keep + chance) + rng.binomial(same - with_it, chance)
        return kept + rng.binomial(n - same, keep * share + chance, surveys)

    nobody = np.zeros(surveys)
    sides = (received_side([nobody, nobody + n], [nobody, wave(of)], law) for of in (share, share + drift))
    found, truth = compare_sides(*sides, shared=both > 0), (1 - both) * drift
    return float(((found.low <= truth) & (truth <= found.high)).mean())


@pytest.mark.proof
@pytest.mark.parametrize("both", [0.5, *at_night([0.0, 1.0])])
def test_wave_difference_covers_whoever_answers_both(both: float) -> None:
    for keep in (0.6923, 0.36):
        assert coverage(keep, both, np.random.default_rng(17)) >= 0.94
    # The same answers again make it cover nearly always.
    assert coverage(0.9, 1.0, np.random.default_rng(18)) > 0.999


PANELS, PEOPLE = 2_000, 400
LASTING, KEEP, YES = 0.9, 0.81, 0.5

Answers = NDArray[np.bool_]


def disguise_yes_no(answers: Answers, keep: float, rng: np.random.Generator) -> Answers:
    return np.where(rng.random(answers.shape) < keep, answers, rng.random(answers.shape) < YES)


def receive_two_rounds(first: Answers, second: Answers, rng: np.random.Generator) -> list[ReceivedSide]:
    """What two rounds received: for each true answer a permanent draw, and an instant one in each round."""
    permanent = [disguise_yes_no(np.full(first.shape, answer), LASTING, rng) for answer in (False, True)]
    sides = []
    for answers in (first, second):
        sent = disguise_yes_no(np.where(answers, permanent[1], permanent[0]), KEEP / LASTING, rng)
        zero, all_panels = np.zeros(PANELS), np.ones(PANELS)
        counts = np.stack([zero, PEOPLE * all_panels]), np.stack([zero, sent.sum(axis=1)])
        law = np.array([[1.0], [KEEP]]) * all_panels, np.array([[0.0], [(1 - KEEP) * YES]]) * all_panels
        sides.append(ReceivedSide(*counts, *law))
    return sides


@pytest.mark.at_push(2)
@pytest.mark.proof
@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("change", ["nobody", "one in ten anew", "everybody where half say yes"])
def test_rounds_and_their_difference_cover(share: float, change: str) -> None:
    rng = np.random.default_rng(42)
    first = rng.random((PANELS, PEOPLE)) < share
    second = first
    if change == "one in ten anew":
        second = np.where(rng.random(first.shape) < 0.1, rng.random(first.shape) < share, first)
    if change == "everybody where half say yes":
        second = ~first
    before, after = receive_two_rounds(first, second, rng)
    expected = [share, 1 - share if change.startswith("everybody") else share]
    for side, true in zip((before, after), expected, strict=True):
        low, high = SumOfShares.from_share(side).interval()
        assert 0.935 < np.mean((low <= true) & (true <= high)) < 0.975
    found = compare_side_shares(before, after, np.full(PANELS, True), shared=True)
    true = expected[1] - expected[0]
    covered = np.mean((found.low <= true) & (true <= found.high))
    assert covered > 0.93
    if change == "nobody":
        # The interval cannot know that the permanent noise cancels.
        assert covered > 0.98


HYPOTHESES = 20


def result(p: float | None) -> HypothesisResult:
    return HypothesisResult("more steal", "share", p=p)


def test_holm_in_a_plan_counts_an_uncomputable_hypothesis_as_one() -> None:
    found = decide_hypotheses([*map(result, (0.01, 0.04, 0.03, 0.005))])
    # .005 x 4, .01 x 3, .03 x 2, then never less.
    assert [of.holm for of in found] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [of.met for of in found] == [True, False, False, True]
    # One that cannot be computed counts as one.
    found = decide_hypotheses([*map(result, (0.02, None, float("nan")))])
    assert [of.holm for of in found] == pytest.approx([0.06, 1, 1])
    assert not any(of.met for of in found)
    assert [of.p for of in found] == [0.02, None, None]


@pytest.mark.proof
@pytest.mark.parametrize("of", [(400, 0.9), *at_night([(8_000, 0.9), (8_000, 0.6923)])])
def test_twenty_null_hypotheses_reject_one_in_six_percent(of: tuple[int, float]) -> None:
    """Each hypothesis compares two versions of a question that half of 1,000 respondents get, without a difference."""
    plans, keep = of
    n, rng, law = 1_000, np.random.default_rng(19), AnswerLaw.from_probabilities(keep, 0.5)
    size = plans * HYPOTHESES
    first = rng.binomial(n, 0.5, size)
    received = keep * np.tile(rng.uniform(0.05, 0.5, HYPOTHESES), plans) + float(law.chance)
    nobody = np.zeros(size)
    versions = [
        answer_side(np.stack([nobody, records]), np.stack([nobody, rng.binomial(records, received)]), law)
        for records in (first, n - first)
    ]
    critical_zs = FamilyCriticalZ(np.ones(size, np.bool_), critical_z(LEVEL / HYPOTHESES))
    tested = compare_sides(*versions, shared=False, critical_zs=critical_zs)
    columns = zip(tested.p.tolist(), tested.low.tolist(), tested.high.tolist(), strict=True)
    results = [HypothesisResult("", "version", p=p, low=low, high=high) for p, low, high in columns]
    every = (results[start : start + HYPOTHESES] for start in range(0, size, HYPOTHESES))
    assert np.mean([any(of.met for of in decide_hypotheses(plan)) for plan in every]) <= 0.06


AGE = {"name": "age", "choices": ["young", "old"]}
ONE = design(plain(AGE), sensitive("0.5", question("theft", *HALF)))


def test_price_of_the_stratified_estimator_matches_formulas_and_simulation() -> None:
    """Keep .5, noise .5, share .1: lambda = .25 + .05 = .3, lambda (1 - lambda) = .21; a fifth of 1,000 are open."""
    found, alone, drawn = (largest_estimator_errors(ONE, 1_000, opened) for opened in (0.2, 0.0, 0.3))
    assert found
    assert alone
    assert drawn
    assert found.stratified == pytest.approx(sqrt((0.2 * 0.09 + 0.8 * 0.21 / 0.25) / 1_000))
    assert found.pooled == pytest.approx(sqrt((0.2 * 0.09 + 0.8 * 0.21) / 0.6**2 / 1_000))
    assert alone.stratified == pytest.approx(alone.pooled)
    # 20,000 surveys of 300 open and 700 disguised, both groups alike.
    rng = np.random.default_rng(1)
    opened, sent = rng.binomial(300, 0.1, 20_000), rng.binomial(700, 0.3, 20_000)
    stratified = (opened + (sent - 700 * 0.25) / 0.5) / 1_000
    pooled = ((opened + sent) / 1_000 - 0.7 * 0.25) / (0.3 + 0.7 * 0.5)
    assert (drawn.stratified, drawn.pooled) == pytest.approx((stratified.std(), pooled.std()), rel=0.02)
    # A survey without sensitive choices has none.
    assert largest_estimator_errors(design(plain(AGE)), 1_000, 0.2) is None
