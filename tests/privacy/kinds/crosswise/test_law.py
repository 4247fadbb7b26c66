"""The law of a crosswise question against the respondent's own coin, its gamma, inverse and simulation."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privacy.kinds.crosswise.section import CrosswiseQuestion, crosswise_law
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.privacy.questionnaires import crosswise, design, drawn_question, plain
from tests.privacy.strategies import amplification, exact_law

F = Fraction


def rows(share: int) -> list[list[Fraction]]:
    """P(recorded|truth) by hand: the word by the secret, the record by the word."""
    u = F(share, 10_000)
    law = []
    for truth in (0, 1):
        yes = F(0)
        for secret, chance in ((0, 1 - u), (1, u)):
            is_same = truth == secret
            yes += chance * (not is_same if u < F(1, 2) else is_same)
        law.append([1 - yes, yes])
    return law


def test_law_gamma_and_inverse_are_those_of_the_secret() -> None:
    for share in (500, 2_466, 4_999, 5_001, 7_500, 9_500):
        law, own, u = crosswise_law(share), rows(share), F(share, 10_000)
        assert [[law.probability((x,), (y,)) for y in (0, 1)] for x in (0, 1)] == own, share
        assert law.gamma == amplification(exact_law(own)) == max(u, 1 - u) / min(u, 1 - u), share
        observed = F(1, 7) * own[1][1] + F(6, 7) * own[0][1]
        assert law.observed(F(1, 7), F(0), [(0, 1)]) == observed, share


def test_the_word_of_the_rarer_kind_is_recorded_as_yes() -> None:
    for share, turned, codes in ((25, 0, [0, 1]), (75, 0, [1, 0]), (25, 1, [1, 0]), (75, 1, [0, 1])):
        (question,) = design(crosswise("tax", f"0.{share}")).questions
        assert isinstance(question, CrosswiseQuestion)
        assert [question.yes_or_no_code(word, bool(turned)) for word in (0, 1)] == codes, (share, turned)


def test_mining_sees_the_keep_and_halves() -> None:
    found = design(crosswise("tax", "0.2466"))
    (section,) = found.mined.sections
    assert (section.mined_law.keep_parts, section.mined_law.noise_parts) == (5_068, ((5_000, 5_000),))
    assert found.mined is found


@pytest.mark.proof
def test_simulated_records_follow_the_law() -> None:
    """40,000 respondents: 4.5 standard errors of a share are at most .0113."""
    found = design(
        plain(drawn_question("version", "0.5", "0.5")), crosswise("tax", "0.2", turned_by="version")
    )
    rng = np.random.default_rng(16)
    group = np.repeat([OPEN, DISGUISED], 40_000).astype(np.uint8)
    truth = np.array([rng.integers(0, 2, 80_000), np.tile([0, 1], 40_000)], np.uint8)
    codes = disguise(found, group, truth, rng)
    assert (codes[:, group == OPEN] == truth[:, group == OPEN]).all()
    for version, true in product((0, 1), (0, 1)):
        of = (group == DISGUISED) & (truth[0] == version) & (truth[1] == true)
        assert codes[1, of].mean() == pytest.approx(0.8 if true else 0.2, abs=0.02)


def test_arms_and_drawn_questions_are_drawn_for_a_population() -> None:
    version, tax = plain(drawn_question("version", "0.3", "0.7")), crosswise("tax", "0.2")
    found, shares = design(version, tax, open_answers=False, direct="0.4"), ((0.5, 0.5), (0.9, 0.1))
    people = Population(Independent(shares), Independent(shares), open_share=0.9)
    group, truth = people.draw(found, 20_000, np.random.default_rng(3))
    assert (group == OPEN).mean() == pytest.approx(0.4, abs=0.02)
    assert truth[0].mean() == pytest.approx(0.7, abs=0.02)
