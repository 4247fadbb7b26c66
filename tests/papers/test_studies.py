"""Our estimates from published counts beside what the sources print; the page of them: test_pages.py."""

from math import sqrt

import pytest

from mining.studies.single_answer_score_moments import AnswerLaw
from papers.studies import published_counts as counts
from papers.studies.shares_from_published_counts import ReestimatedStudies, reestimate_studies


@pytest.fixture(scope="module")
def reestimated_studies() -> ReestimatedStudies:
    return reestimate_studies()


def test_the_sources_are_named() -> None:
    source = counts.FILE.with_suffix(".md").read_text()
    for study, said in counts.read_published_studies().sources.items():
        assert f"`{study}`" in source
        (package,) = {"RRTCS", "rr", "GLMMRR"} & set(said.replace(")", " ").replace(";", " ").split())
        assert package in source


def test_shares_are_those_that_the_sources_print(reestimated_studies: ReestimatedStudies) -> None:
    printed = [row for row in reestimated_studies.shares if row.printed is not None]
    assert len(printed) == 3 + 8
    for row in printed:
        assert row.printed is not None
        assert row.share == pytest.approx(row.printed, abs=0.0005)
    for row in printed[:3]:
        assert row.printed_se is not None
        assert row.se == pytest.approx(row.printed_se, rel=0.01)


def test_by_their_formula_the_students_figures_have_the_printed_digits(
    reestimated_studies: ReestimatedStudies,
) -> None:
    assert {row.study for row in reestimated_studies.shares if row.formula_se is not None} == {
        counts.STUDENTS
    }
    printed = [
        row for row in reestimated_studies.shares if row.study == counts.STUDENTS and row.printed is not None
    ]
    assert [row.question for row in printed] == ["copied", "sex"]
    for row in printed:
        assert row.formula_share is not None
        assert row.formula_se is not None
        assert (round(row.formula_share, 5), round(row.formula_se, 5)) == (row.printed, row.printed_se)
        assert row.printed_se is not None
        assert 0.003 < row.se / row.printed_se - 1 < 0.008


def test_the_students_formula_by_hand(reestimated_studies: ReestimatedStudies) -> None:
    """z is 2 (1 - .04165) with *yes*, else -2 (.04165); 328 of 710 students, who are of 10,777, said *yes*."""
    n, population, scores = 710, 10_777, [2 * (1 - 0.04165)] * 328 + [-2 * 0.04165] * 382
    mean = sum(scores) / n
    sampled = (1 - n / population) * sum((z - mean) ** 2 for z in scores) / (n - 1) / n
    coins = sum(z * (z - 1) for z in scores) / n / population
    copied = reestimated_studies.share(counts.STUDENTS, "copied", counts.UNRELATED)
    assert copied.formula_share == pytest.approx(mean)
    assert copied.formula_se == pytest.approx(sqrt(sampled + coins))


def test_a_census_has_the_error_of_the_coins_alone() -> None:
    law = AnswerLaw.from_probabilities(0.5, 0.5)
    _share, error = counts.PrintedFormula(population=100, noise_places=4).estimate(law, n=100, yes=50)
    # z is 1.5 or -.5: z (z-1) is .75 both times.
    assert error == pytest.approx(sqrt(0.75 / 100))
    _share, endless = counts.PrintedFormula(population=10**12, noise_places=4).estimate(law, n=100, yes=50)
    assert endless == pytest.approx(sqrt(1 / 99))


def test_unrelated_and_forced_answers_by_hand(reestimated_studies: ReestimatedStudies) -> None:
    copied = reestimated_studies.share(counts.STUDENTS, "copied", counts.UNRELATED)
    assert copied.share == pytest.approx((328 / 710 - 0.5 / 12) / 0.5)
    contact = reestimated_studies.share(counts.NIGERIA, "contact with armed groups", counts.FORCED)
    received = 831 / 2435
    assert contact.share == pytest.approx((received - 1 / 6) * 1.5)
    assert contact.se == pytest.approx(1.5 * sqrt(received * (1 - received) / 2435))


def test_crosswise_answers_by_hand(reestimated_studies: ReestimatedStudies) -> None:
    """P(same) = P u + (1-P)(1-u), in two variants with secrets of their own."""
    variants = (859, 1150, 0.1594625), (816, 1156, 0.1971293)
    shares = [(same / n - (1 - u)) / (2 * u - 1) for same, n, u in variants]
    dice = reestimated_studies.share(counts.VALIDATION, counts.DICE, counts.CROSSWISE)
    assert dice.n == 1150 + 1156
    assert dice.share == pytest.approx((1150 * shares[0] + 1156 * shares[1]) / 2306)


def test_differences_are_from_the_direct_questions(reestimated_studies: ReestimatedStudies) -> None:
    for row in reestimated_studies.differences:
        both = row.technique, counts.DIRECT
        shares = [reestimated_studies.share(counts.VALIDATION, row.question, of).share for of in both]
        assert row.difference == pytest.approx(shares[0] - shares[1])
        assert row.low < row.difference < row.high
        if row.printed is not None:
            assert row.difference == pytest.approx(row.printed, abs=0.001)
    assert {row.question for row in reestimated_studies.differences if row.printed is not None} == {
        counts.DICE,
        counts.TAX,
    }


def test_a_pair_of_questions_by_hand(reestimated_studies: ReestimatedStudies) -> None:
    """Both coins are independent: the mean of the product of both scores."""
    (pair,) = [row for row in reestimated_studies.pairs if (row.first, row.second) == ("bullying", "sex")]
    c, d = 0.5 / 10, 0.5 / 12
    n, one, other, both = 710, 81, 53, 17
    share = (both - d * one - c * other + n * c * d) / n / 0.25
    assert pair.share == pytest.approx(share)
    assert pair.lift == pytest.approx(share / (((one / n - c) / 0.5) * ((other / n - d) / 0.5)))
    assert pair.low > 1
    assert pair.q == pytest.approx(15 * pair.p)


def test_random_answers_would_explain_the_false_positives(reestimated_studies: ReestimatedStudies) -> None:
    direct, crosswise = (counts.PRINTED[counts.DICE, of] for of in (counts.DIRECT, counts.CROSSWISE))
    assert reestimated_studies.careless == pytest.approx((crosswise - direct) / (0.5 - direct), abs=0.001)
