"""Two waves: the vector, one group and two, comparable questions, simulated coverage."""

from math import hypot, sqrt
from typing import Any

import numpy as np
import pytest

from bench.studying.waves import WaveSetting, wave_cell
from mining.inference.intervals import share_interval
from mining.inference.score import support_test
from mining.studies.answer_scores import UNDISGUISED, AnswerLaw, answer_table
from mining.studies.waves import comparable_questions, compare_waves, wave_shares
from privacy.designs import Refusal
from tests.mining.studies.vectors import vectors
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive, window

LAW = AnswerLaw(0.5, 0.25)


def test_the_vector() -> None:
    (vector,) = vectors("3.8 waves")
    waves = []
    for name in ("a", "b"):
        yes, n, keep, theta = vector["inputs"][name]
        law = AnswerLaw(keep, (1 - keep) * theta)
        waves.append(wave_shares(np.array([[0], [n]]), np.array([[0], [yes]]), law))
    found, expected = compare_waves(*waves), vector["expected"]
    assert (found.difference[0], found.low[0], found.high[0], found.z[0]) == pytest.approx(
        (expected["D"], expected["low"], expected["high"], expected["z"]), abs=2e-9
    )


def test_a_wave_of_two_groups_has_the_ends_of_its_support_interval() -> None:
    records, having = np.array([[200], [300]]), np.array([[20], [120]])
    found = wave_shares(records, having, LAW)
    low, high = share_interval(support_test(answer_table(records, having, LAW)))
    assert (found.low[0], found.high[0]) == (low[0], high[0])
    z = np.concatenate([np.repeat([1.0, 0], [20, 180]), np.repeat([1.5, -0.5], [120, 180])])
    assert (found.share[0], found.se[0]) == pytest.approx((z.mean(), z.std() / sqrt(500)))


def test_the_difference_squares_the_distances_of_the_ends() -> None:
    earlier = wave_shares(np.array([[100], [300]]), np.array([[20], [120]]), LAW)
    later = wave_shares(np.array([[0], [400]]), np.array([[0], [220]]), LAW)
    found = compare_waves(earlier, later)
    difference = float(later.share[0] - earlier.share[0])
    below = hypot(later.share[0] - later.low[0], earlier.high[0] - earlier.share[0])
    assert found.low[0] == pytest.approx(difference - below)
    assert found.z[0] == pytest.approx(difference / hypot(earlier.se[0], later.se[0]))


def test_too_few_are_not_compared() -> None:
    few = wave_shares(np.array([[0, 5], [49, 300]]), np.array([[0, 1], [20, 90]]), LAW)
    enough = wave_shares(np.array([[0, 0], [500, 500]]), np.array([[0, 0], [200, 200]]), LAW)
    found = compare_waves(few, enough)
    assert np.isnan(found.difference).all()
    assert np.isnan(found.holm).all()


def test_plain_answers_are_one_group() -> None:
    nobody = wave_shares(np.array([[100], [0]]), np.array([[0], [0]]), UNDISGUISED)
    assert nobody.low[0] == pytest.approx(0, abs=1e-12)
    assert nobody.high[0] == pytest.approx(1.96**2 / 100 / (1 + 1.96**2 / 100))
    assert compare_waves(nobody, nobody).p[0] == 1


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
        Refusal, match="waves: no question has the same name, choices and text in both designs"
    ):
        comparable_questions(one, other)


@pytest.mark.proof
@pytest.mark.parametrize("both", [0.0, 0.5, 1.0])
def test_the_difference_covers_whoever_answers_both(both: float) -> None:
    for keep in (0.6923, 0.36):
        found = wave_cell(WaveSetting(keep, 1_000, 0.3, both, 0.1), 20_000, np.random.default_rng(17))
        assert 0.94 <= found.covered <= 0.992, found


@pytest.mark.proof
def test_with_hardly_any_noise_the_same_answers_make_it_cover_nearly_always() -> None:
    found = wave_cell(WaveSetting(0.9, 1_000, 0.3, 1.0, 0.1), 20_000, np.random.default_rng(18))
    assert found.covered > 0.999
