"""Simulated respondents who answer numbers, and what stays of their truth."""

import json
from hashlib import sha256

import numpy as np
import pytest
from django.core.management import call_command

from intake.batches import batches, sealing
from intake.rehearsal import true_items, truth
from intake.rehearsal.made_up import made_up
from intake.rehearsal.models import Truth
from intake.rehearsal.simulating import simulate
from intake.rehearsal.true_items import TrueNumber
from privacy.designs import Design
from privacy.kinds.number.form import ThresholdsQuestion
from privacy.kinds.number.simulation import moved as as_a_device_moves
from privacy.records import columns
from privacy.simulation.population import JointDistribution, Population
from surveys import counts
from surveys.models import Survey
from tests.intake import asked
from tests.intake.rehearsal import test_simulating
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, plain, question, sensitive, classes, window

pytestmark = pytest.mark.page
ASKED = asked.written(
    plain(WORK),
    classes("debt", "0.5", 0, 500, 1000, step=100, **IF_EMPLOYED),
    window("change", 5, 1, "0.5", low=-4, step=2),
    classes("drinks", "0.5", 0, 10, 20, rest=2),
    sensitive("0.5", question("theft", "0.5", "0.5")),
    least=20,
    rehearsal=True,
    open_answers=True,
)
# In the mined design: work 0, debt >=500 1 and >=1000 2, change 3 without choices, drinks >=10 4 and >=20 5, theft 6.
AT_500, AT_1000, AT_10, AT_20, THEFT = (1, 1), (2, 1), (4, 1), (5, 1), (6, 1)
db = pytest.mark.django_db


def everybody(*answers: int) -> Population:
    return Population(JointDistribution((answers,), (1.0,)))


def known(survey: Survey) -> truth.CountedTruth:
    found = truth.read(survey)
    assert found
    return found.everybody


# --- the people


def test_made_up_people_are_as_they_were_before_there_were_numbers() -> None:
    """Hash of the population as commit 055593d made it up."""
    people = repr(made_up(test_simulating.REHEARSAL))
    assert sha256(people.encode()).hexdigest().startswith("af169791f904")


def test_made_up_numbers_are_the_same_each_time_and_skewed() -> None:
    of = asked.written(classes("income", "0.5", 0, 500, 10_000), window("debt", 1001, 100, "0.5"))
    assert made_up(of) == made_up(of)
    respondents = made_up(of).draw(of, 20_000, np.random.default_rng(1))
    for row, asks in zip(respondents.truth, of.questions, strict=True):
        assert row.max() < asks.true_codes
        assert 0.05 * asks.true_codes < np.median(row) < 0.5 * asks.true_codes
        assert row.mean() > 1.1 * np.median(row)


def test_a_number_of_two_thousand_million_values_is_made_up() -> None:
    of = asked.written(classes("worth", "0.5", -(10**9), 0, 10**9), plain(WORK))
    respondents = made_up(of).draw(of, 5_000, np.random.default_rng(1))
    assert respondents.truth.dtype == np.uint32
    assert len(np.unique(respondents.truth[0])) > 4_900
    assert set(respondents.truth[1]) == {0, 1}


# --- their records


@db
def test_their_records_go_the_way_of_a_browsers_and_are_sealed() -> None:
    survey = asked.survey(ASKED)
    assert simulate(survey, 300, seed=1) == 300
    found = counts.of(survey)
    assert found.received == 300
    assert found.sealed >= 260


@db
def test_sealed_numbers_obey_their_laws() -> None:
    """Everybody owes 700, changed by 0, drinks 14; everybody is employed, and nobody answers openly."""
    survey = asked.survey(ASKED)
    simulate(survey, 4_000, population=everybody(0, 7, 2, 14, 1), seed=3)
    read = list(batches.read(survey, sealing.last_sealed(survey.pk)))
    codes = np.concatenate([columns.unpack(batch.columns)[1] for batch in read], axis=1)
    n = codes.shape[1]
    near = 5 * (0.25 / n) ** 0.5

    def shares(place: int) -> list[float]:
        return [float((codes[place] == code).mean()) for code in range(ASKED.questions[place].codes)]

    # One of two thresholds; at least 500 is sent with .5 + .5 * .5, at least 1000 with .5 * .5.
    assert shares(1) == pytest.approx([0.125, 0.375, 0.375, 0.125], abs=near)
    # Half uniform over five, half moved by -1, 0 or 1.
    assert shares(2) == pytest.approx([0.1, 4 / 15, 4 / 15, 4 / 15, 0.1], abs=near)
    # 14 counts as 20 with .4: at least 10 always true, at least 20 true with .4, both with keep .5.
    assert shares(3) == pytest.approx([0.125, 0.375, 0.275, 0.225], abs=near)


@db
def test_the_command_simulates_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    survey = asked.survey(ASKED)
    call_command("simulate_respondents", survey.slug, "-n", "45", "--seed", "1")
    assert json.loads(capsys.readouterr().out)["stored"] == 45


@db
def test_the_same_seed_gives_the_same_truth_of_numbers() -> None:
    found = []
    for _repetition in range(2):
        survey = asked.survey(ASKED)
        simulate(survey, 60, seed=4)
        found.append(known(survey))
    assert found[0] == found[1]
    assert found[0].numbers["drinks"].n == 60


# --- the truth


@db
def test_every_threshold_is_counted_for_everybody_to_whom_the_number_applies() -> None:
    """Three in ten are employed and owe 700; the others are not asked for their debts."""
    survey = asked.survey(ASKED)
    population = Population(JointDistribution(((0, 7, 0, 0, 1), (1, 10, 0, 20, 0)), (0.3, 0.7)))
    simulate(survey, 600, population=population, seed=3)
    found = known(survey)
    employed = found.counts[((0, 0),)]
    assert 130 < employed < 230
    assert found.counts[(AT_500,)] == found.counts[((2, 0),)] == found.counts[(AT_500, THEFT)] == employed
    # Not applicable is neither below nor at least.
    assert found.counts[((1, 0),)] == found.counts[(AT_1000,)] == 0
    assert found.counts[(AT_10,)] == found.counts[(AT_10, AT_20)] == 600 - employed


@db
def test_items_stand_at_the_places_of_the_mined_design() -> None:
    assert [len(of.choices) for of in ASKED.mined.questions] == [2, 2, 2, 0, 2, 2, 2]
    survey = asked.survey(ASKED)
    simulate(survey, 20, seed=1)
    single = [itemset[0] for itemset in known(survey).counts if len(itemset) == 1]
    assert single == [(place, code) for place in (0, 1, 2, 4, 5, 6) for code in (0, 1)]


@db
def test_with_a_mean_the_number_is_first_moved_to_a_threshold() -> None:
    """14 counts as 20 with probability .4; the mean is still that of the numbers themselves."""
    survey = asked.survey(ASKED)
    simulate(survey, 2_000, population=everybody(0, 0, 0, 14, 0), seed=3)
    found = known(survey)
    assert found.counts[(AT_10,)] == 2_000
    assert found.counts[(AT_20,)] / 2_000 == pytest.approx(0.4, abs=5 * (0.24 / 2_000) ** 0.5)
    assert found.numbers["drinks"].mean == 14


def test_what_is_counted_is_what_the_devices_disguise() -> None:
    """Moved numbers are points, and a device moves a point no further."""
    rng = np.random.default_rng(1)
    true = np.tile(np.arange(21, dtype=np.uint32), 50)[None]
    of = asked.written(classes("drinks", "0.5", 0, 10, 20, rest=2))
    asks = of.questions[0]
    assert isinstance(asks, ThresholdsQuestion)
    moved = true_items.at_points(of, true, rng)
    assert set(moved[0]) == {0, 10, 20}
    assert np.array_equal(as_a_device_moves(asks, moved[0].astype(np.int64), rng), moved[0])
    assert np.array_equal(true, np.tile(np.arange(21), 50)[None])


@db
def test_the_true_mean_and_histogram_of_numbers_are_kept_of_both_groups() -> None:
    """Who chooses disguise is employed, owes 700 and changed by 2; who answers openly is not, and changed by -4."""
    apart = Population(
        JointDistribution(((0, 7, 3, 5, 0),), (1.0,)),
        open=JointDistribution(((1, 9, 0, 20, 0),), (1.0,)),
        open_share=0.5,
    )
    survey = asked.survey(ASKED)
    for seed in (1, 2):
        simulate(survey, 40, population=apart, seed=seed)
    stored = truth.read(survey)
    assert stored
    found, chose_disguise = stored
    disguised, openly = chose_disguise.n, 80 - chose_disguise.n
    assert 0 < disguised < 80
    assert found.numbers["debt"] == chose_disguise.numbers["debt"] == TrueNumber(disguised, 700 * disguised)
    assert found.numbers["change"].counts == (openly, 0, 0, disguised, 0)
    assert chose_disguise.numbers["change"].counts == (0, 0, 0, disguised, 0)
    assert found.numbers["change"].mean == pytest.approx((2 * disguised - 4 * openly) / 80)
    assert found.numbers["drinks"].total == 5 * disguised + 20 * openly
    assert found.numbers.keys() == {"debt", "change", "drinks"}


@db
def test_the_truth_of_a_number_that_applies_to_nobody_has_no_mean() -> None:
    survey = asked.survey(ASKED)
    simulate(survey, 20, population=everybody(1, 0, 0, 0, 0), seed=1)
    assert known(survey).numbers["debt"] == TrueNumber(0, 0)
    assert known(survey).numbers["debt"].mean is None


def test_counts_of_numbers_are_those_of_counting_one_by_one() -> None:
    rng = np.random.default_rng(2)
    truth_ = made_up(ASKED).draw(ASKED, 200, rng).truth
    moved = true_items.at_points(ASKED, truth_, rng)
    found = dict(
        zip(
            truth.itemsets(ASKED.mined, 2),
            truth.count(ASKED.mined, true_items.true_items(ASKED, moved), 2).tolist(),
            strict=True,
        )
    )
    debt = ASKED.questions[1]
    owing = [100 * code >= 500 for code in moved[1].tolist() if code != debt.true_hidden]
    assert found[(AT_500,)] == sum(owing)
    assert found[((1, 0),)] == len(owing) - sum(owing)
    stole_and_drink = [a == 1 and b >= 10 for a, b in zip(moved[4].tolist(), moved[3].tolist(), strict=True)]
    assert found[(AT_10, THEFT)] == sum(stole_and_drink)


@db
def test_a_stored_truth_from_before_numbers_reads_as_before() -> None:
    survey = asked.survey(test_simulating.REHEARSAL)
    simulate(survey, 30, seed=1)
    row = Truth.objects.get(survey=survey)
    assert row.numbers is None
    assert known(survey).numbers == {}
    before = known(survey).counts
    simulate(survey, 5, seed=2)
    assert known(survey).n == 35
    assert list(known(survey).counts) == list(before) == list(truth.itemsets(test_simulating.REHEARSAL, 3))


def test_a_design_without_numbers_is_counted_as_it_is() -> None:
    of: Design = test_simulating.REHEARSAL
    codes = np.zeros((3, 4), np.uint8)
    assert true_items.true_items(of, codes) is codes
    assert true_items.true_numbers(of, codes) == {}
