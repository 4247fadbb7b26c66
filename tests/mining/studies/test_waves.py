"""Two waves: shares and differences, comparable questions, simulated coverage."""

from typing import Any

import numpy as np
import pytest

from mining.inference.sums_of_shares import Side
from mining.studies.single_answer_estimates import UNDISGUISED, AnswerLaw, answer_side
from mining.studies.waves import comparable_questions, compare_sides
from privacy.designs import InputError
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive, window

LAW = AnswerLaw(0.5, 0.25)


def side(records: Any, having: Any, law: AnswerLaw = LAW) -> Side:
    return answer_side(np.array(records), np.array(having), law)


def test_the_difference_of_two_waves() -> None:
    """The share and the difference by hand; p and interval are those of the vectors of sums of shares."""
    found = compare_sides(side([[100], [300]], [[20], [120]]), side([[0], [400]], [[0], [220]]), shared=False)
    earlier, later = 0.25 * 0.2 + 0.75 * (0.4 - 0.25) / 0.5, (0.55 - 0.25) / 0.5
    assert (found.first[0], found.second[0]) == pytest.approx((earlier, later))
    assert found.difference[0] == pytest.approx(later - earlier)
    assert found.low[0] < found.difference[0] < found.high[0]


def test_too_few_are_not_compared() -> None:
    few = side([[0, 5], [49, 300]], [[0, 1], [20, 90]])
    enough = side([[0, 0], [500, 500]], [[0, 0], [200, 200]])
    found = compare_sides(few, enough, shared=False)
    assert np.isnan(found.difference).all()
    assert np.isnan(found.holm).all()


def test_nobody_in_two_waves_of_open_answers_is_no_difference() -> None:
    nobody = [side([[n], [0]], [[0], [0]], UNDISGUISED) for n in (300, 1_000)]
    found = compare_sides(*nobody, shared=False)
    assert found.p[0] == 1
    assert (found.low[0], found.high[0]) == pytest.approx((-0.01264343, 0.003826898586), abs=1e-6)


def asked(*questions: dict[str, Any], **more: Any) -> Any:
    return design(plain({"name": "sex", "choices": ["f", "m"], "text": "Your sex?"}), *questions, **more)


def test_questions_of_one_name_one_text_and_the_same_choices_are_compared() -> None:
    theft = question("theft", *HALF, text="Did you steal?")
    earlier = asked(sensitive("0.5", theft, question("drugs", *HALF, text="Did you take drugs?")))
    later = asked(
        sensitive("0.9", question("drugs", *HALF, text="Have you taken drugs?"), theft), window("sick", 21, 2)
    )
    assert comparable_questions(earlier, later) == [(0, 0), (1, 2)]


def test_texts_in_other_languages_may_differ() -> None:
    both = {"languages": ["en", "de"]}
    one = asked(sensitive("0.5", question("theft", *HALF, text={"en": "Stolen?", "de": "Alt"})), **both)
    other = asked(sensitive("0.5", question("theft", *HALF, text={"en": "Stolen?", "de": "Neu"})), **both)
    assert comparable_questions(one, other) == [(0, 0), (1, 1)]


def test_waves_without_a_comparable_question_are_refused() -> None:
    one = design(sensitive("0.5", question("theft", *HALF)))
    other = design(sensitive("0.5", question("drugs", *HALF)), window("theft", 21, 2))
    with pytest.raises(
        InputError, match="waves: no question has the same name, choices and text in both designs"
    ):
        comparable_questions(one, other)


def coverage(keep: float, both: float, rng: np.random.Generator) -> float:
    """How often the interval holds the difference of two waves of 1,000: this share answered both, and alike."""
    n, share, drift, surveys, law = 1_000, 0.3, 0.1, 5_000, AnswerLaw.from_probabilities(keep, 0.5)
    chance, same = float(law.chance), round(both * n)
    with_it = rng.binomial(same, share, surveys)

    def wave(share: float) -> Any:
        kept = rng.binomial(with_it, keep + chance) + rng.binomial(same - with_it, chance)
        return kept + rng.binomial(n - same, keep * share + chance, surveys)

    nobody = np.zeros(surveys)
    sides = (side([nobody, nobody + n], [nobody, wave(of)], law) for of in (share, share + drift))
    found, truth = compare_sides(*sides, shared=both > 0), (1 - both) * drift
    return float(((found.low <= truth) & (truth <= found.high)).mean())


@pytest.mark.proof
@pytest.mark.parametrize("both", [0.5, *(pytest.param(both, marks=pytest.mark.night) for both in (0.0, 1.0))])
def test_the_difference_covers_whoever_answers_both(both: float) -> None:
    for keep in (0.6923, 0.36):
        assert coverage(keep, both, np.random.default_rng(17)) >= 0.94


@pytest.mark.proof
def test_the_same_answers_again_make_it_cover_nearly_always() -> None:
    assert coverage(0.9, 1.0, np.random.default_rng(18)) > 0.999
