"""Simulated numbers, places and persons over rounds, and what stays of their truth."""

import itertools
import json
import re
from hashlib import sha256
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from intake.models import Inbox
from intake.rehearsal import respondent_simulation, true_counts
from intake.rehearsal.models import Simulation, Truth
from intake.rehearsal.respondent_simulation import simulate
from intake.rehearsal.simulated_people import (
    BLOCK,
    CHANGED,
    StudyPersons,
    default_population,
    disguise_and_complete_answers,
    draw_persons,
)
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.kinds.simulation import TrueNumber
from privacy.mechanisms.random_draws import seeded_words
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from privacy.simulation.population import JointDistribution, Population
from reports.models import Review
from reports.pages import wave_comparison
from reports.review import report_state_changes
from reports.review.report_page_data import ReportPage, readable_page
from runs import run_start
from surveys.lifecycle import opening, state_changes as lifecycle, survey_creation
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from tests.intake import asked
from tests.intake.test_rehearsal import REHEARSAL, everybody, half_open
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    crosswise,
    design,
    drawn_question,
    grid,
    place,
    place_in_row,
    plain,
    question,
    sensitive,
    subset,
    window,
)
from tests.reports.conftest import page_text
from tests.runs import sealed
from tests.surveys import drafts as built
from tests.surveys.conftest import NOW
from tests.surveys.test_waves import first_wave, lasting_section, wave_draft

pytestmark = [pytest.mark.page, pytest.mark.django_db]
__all__ = ["first_wave"]
REHEARSED: dict[str, Any] = {"least": 20, "rehearsal": True, "open_answers": True}
ASKED = asked.make_design(
    plain(WORK),
    classes("debt", "0.5", 0, 500, 1000, step=100, **IF_EMPLOYED),
    window("change", 5, 1, "0.5", low=-4, step=2),
    classes("drinks", "0.5", 0, 10, 20, rest=2),
    sensitive("0.5", question("theft", "0.5", "0.5")),
    **REHEARSED,
)
# The items of debt (1) and drinks (3): at least the first limit, the second, between them, below the first, the second.
AT_500, AT_1000, BELOW_500, AT_10, AT_20, THEFT = (1, 0), (1, 1), (1, 3), (3, 0), (3, 1), (4, 1)
HOMES = asked.make_design(
    plain(WORK),
    place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6", **IF_EMPLOYED),
    sensitive("0.5", question("theft", "0.5", "0.5")),
    **REHEARSED,
)
# In the mined design: work 0, home 1, theft 2.
NORTH, SOUTH, ELSEWHERE, THEFT_AT_HOME = (1, 0), (1, 1), (1, 2), (2, 1)


def stored_truth(survey: Survey) -> true_counts.CountedTruth:
    found = true_counts.read_true_counts(survey)
    assert found
    return found.everybody


# --- the people


def test_simulated_people_are_unchanged_and_their_numbers_skewed_and_reproducible() -> None:
    """Hash of the population as commit 055593d made it up, before there were numbers."""
    people = repr(default_population(REHEARSAL))
    assert sha256(people.encode()).hexdigest().startswith("af169791f904")
    of = asked.make_design(classes("income", "0.5", 0, 500, 10_000), window("debt", 1001, 100, "0.5"))
    assert default_population(of) == default_population(of)
    respondents = default_population(of).draw(of, 20_000, np.random.default_rng(1))
    for row, asks in zip(respondents.truth, of.questions, strict=True):
        assert row.max() < asks.true_codes
        assert 0.05 * asks.true_codes < np.median(row) < 0.5 * asks.true_codes
        assert row.mean() > 1.1 * np.median(row)
    # Also a number of two thousand million values.
    of = asked.make_design(classes("worth", "0.5", -(10**9), 0, 10**9), plain(WORK))
    respondents = default_population(of).draw(of, 5_000, np.random.default_rng(1))
    assert respondents.truth.dtype == np.uint32
    assert len(np.unique(respondents.truth[0])) > 4_900
    assert set(respondents.truth[1]) == {0, 1}


def test_simulated_people_live_around_few_cells_and_secretive_ones_elsewhere() -> None:
    side = 20
    form = asked.make_design(place("home", grid(side, side), range(100), near=9, odds="9"))
    assert default_population(form) == default_population(form)
    homes = default_population(form).draw(form, 20_000, np.random.default_rng(1)).truth[0]
    assert homes.max() < side * side
    often = np.sort(np.bincount(homes, minlength=side * side))[::-1]
    # A tenth of the cells have far more than a tenth of the people, and some live everywhere else.
    assert often[: side * side // 10].sum() > 0.4 * 20_000
    assert (often > 0).mean() > 0.9
    few, many = default_population(HOMES).disguised.classes  # type: ignore[attr-defined]
    assert np.abs(np.array(few.shares[1]) - np.array(many.shares[1])).sum() > 0.1


# --- their records


@pytest.mark.parametrize("people", [800, pytest.param(4_000, marks=pytest.mark.night)])
def test_sealed_simulated_answers_follow_their_laws(people: int) -> None:
    """Everybody owes 700, changed by 0, drinks 14 and stole; everybody is employed, and nobody answers openly."""
    survey = asked.survey(ASKED)
    simulate(survey, people, population=everybody(0, 7, 2, 14, 1), seed=3)
    sealed = np.concatenate(asked.sealed_codes(survey), axis=1)
    near = 5 * (0.25 / sealed.shape[1]) ** 0.5
    _work, debt, change, drinks, theft = (
        [float((row == code).mean()) for code in range(question.codes)]
        for row, question in zip(sealed, ASKED.questions, strict=True)
    )
    # 700 is in the second of three classes. One of two limits is drawn, and the class is kept, or one of two.
    # [0, 1), [1, 3) by the first limit; [0, 2), [2, 3) by the second: kept with .5 + .25.
    assert debt == pytest.approx([0.125, 0.375, 0, 0, 0.375, 0.125], abs=near)
    # Half uniform over five, half moved by -1, 0 or 1.
    assert change == pytest.approx([0.1, 4 / 15, 4 / 15, 4 / 15, 0.1], abs=near)
    # The same of nine in ten; D is 9, so one in ten says that a coin below 9 is less than 4, kept with .5.
    yes = 0.5 * 4 / 9 + 0.25
    expected = [*(0.9 * share for share in (0.125, 0.375, 0, 0, 0.375, 0.125)), 0.1 * (1 - yes), 0.1 * yes]
    assert drinks == pytest.approx(expected, abs=near)
    assert theft[:2] == pytest.approx([0.25, 0.75], abs=near)


def test_simulate_command_is_reproducible_by_seed(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for _repetition in range(2):
        survey = asked.survey(ASKED)
        call_command("simulate_respondents", survey.slug, "-n", "15", "--seed", "4")
        assert json.loads(capsys.readouterr().out)["stored"] == 15
        records = sorted(bytes(row.record) for row in Inbox.objects.filter(survey=survey))
        found.append((stored_truth(survey), records))
    assert found[0] == found[1]
    assert found[0][0].numbers["drinks"].n == len(found[0][1]) == 15


# --- the truth


def test_every_number_item_is_counted_for_people_it_applies_to() -> None:
    """Three in ten are employed and owe 700; the others are not asked for their debts."""
    survey = asked.survey(ASKED)
    population = Population(JointDistribution(((0, 7, 0, 0, 1), (1, 10, 0, 20, 0)), (0.3, 0.7)))
    simulate(survey, 200, population=population, seed=3)
    found = stored_truth(survey)
    employed = found.counts[((0, 0),)]
    assert 35 < employed < 90
    assert found.counts[(AT_500,)] == found.counts[(AT_500, THEFT)] == employed
    # Not applicable is neither below nor at least.
    assert found.counts[(BELOW_500,)] == found.counts[(AT_1000,)] == 0
    assert found.counts[(AT_10,)] == found.counts[(AT_20,)] == 200 - employed
    # Items stand at the places of the mined design.
    sizes = [len(of.choices) for of in ASKED.mined.questions]
    assert sizes == [2, 5, 0, 5, 2]
    single = [itemset[0] for itemset in found.counts if len(itemset) == 1]
    assert single == [(place, code) for place, many in enumerate(sizes) for code in range(many)]


def test_true_mean_and_histogram_are_kept_for_both_groups() -> None:
    """Who chooses disguise is employed, owes 700 and changed by 2; who answers openly is not, and changed by -4."""
    apart = half_open((0, 7, 3, 5, 0), (1, 9, 0, 20, 0))
    survey, nobody = asked.survey(ASKED), asked.survey(ASKED)
    for seed in (1, 2):
        simulate(survey, 40, population=apart, seed=seed)
    stored = true_counts.read_true_counts(survey)
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
    # One that applies to nobody has no mean.
    simulate(nobody, 20, population=everybody(1, 0, 0, 0, 0), seed=1)
    debt = stored_truth(nobody).numbers["debt"]
    assert (debt, debt.mean) == (TrueNumber(0, 0), None)


def test_true_number_counts_equal_counting_one_by_one() -> None:
    truth = default_population(ASKED).draw(ASKED, 200, np.random.default_rng(2)).truth
    counts = true_counts.count_itemsets(ASKED.mined, true_counts.convert_true_codes_to_mined(ASKED, truth), 2)
    found = dict(zip(true_counts.ordered_itemsets(ASKED.mined, 2), counts.tolist(), strict=True))
    _work, debts, _change, drinks, theft = truth.tolist()
    hidden = ASKED.questions[1].true_hidden_code
    owing = [100 * code >= 500 for code in debts if code != hidden]
    assert found[(AT_500,)] == sum(owing)
    assert found[(BELOW_500,)] == len(owing) - sum(owing)
    both = [stole == 1 and drink >= 10 for stole, drink in zip(theft, drinks, strict=True)]
    assert found[(AT_10, THEFT)] == sum(both)


def test_stored_truth_from_before_numbers_is_still_read() -> None:
    survey = asked.survey(REHEARSAL)
    simulate(survey, 30, seed=1)
    row = Truth.objects.get(survey=survey)
    assert row.numbers is None
    assert stored_truth(survey).numbers == {}
    before = stored_truth(survey).counts
    simulate(survey, 5, seed=2)
    assert stored_truth(survey).n == 35
    itemsets = list(true_counts.ordered_itemsets(REHEARSAL, 3))
    assert list(stored_truth(survey).counts) == list(before) == itemsets
    # A design without numbers is counted as it is.
    codes = np.zeros((3, 4), np.uint8)
    assert true_counts.convert_true_codes_to_mined(REHEARSAL, codes) is codes
    assert true_counts.true_sums_and_counts(REHEARSAL, codes) == {}


def test_true_place_items_are_regions_and_cells_counted_where_they_apply() -> None:
    codes = np.array([[0, 0, 0, 1], [2, 4, 6, 8], [1, 0, 0, 0]], np.uint16)
    in_regions = [[0, 0, 0, 1], [0, 1, 2, 3], [1, 0, 0, 0]]
    assert true_counts.convert_true_codes_to_mined(HOMES, codes).tolist() == in_regions
    found = true_counts.true_sums_and_counts(HOMES, codes)["home"]
    assert (found.n, found.counts) == (3, (0, 0, 1, 0, 1, 0, 1))
    survey = asked.survey(HOMES)
    simulate(survey, 60, population=everybody(0, 4, 1), seed=3)
    simulate(survey, 40, population=everybody(0, 6, 0), seed=4)
    stored = stored_truth(survey).counts
    assert (stored[SOUTH,], stored[ELSEWHERE,], stored[NORTH,]) == (60, 40, 0)
    assert stored[SOUTH, THEFT_AT_HOME] == 60
    homes = true_counts.read_true_sums_and_counts(survey, disguised=False)["home"]
    assert homes.counts == (*(0, 0, 0, 0), 60, 0, 40)


# --- a rehearsal of persons over rounds

TOWN = {"name": "town", "choices": ["a", "b"]}
THREE = sensitive("0.2499", *(question(f"q{number}", *HALF) for number in range(3)), lasting="0.25", asked=2)


def study(*sections: dict[str, Any], **more: Any) -> Design:
    return design(*(sections or (plain(WORK), THREE)), open_answers=True, **more)


def next_design(before: Design, *sections: dict[str, Any]) -> Design:
    return study(*sections, follows=before.fingerprint, study=before.study or before.fingerprint)


def records(design: Design, people: StudyPersons, seed: int = 1) -> Any:
    return disguise_and_complete_answers(design, people, seeded_words(seed))


ROUNDS = [study(), next_design(study()), next_design(next_design(study()))]


def test_simulated_person_does_not_depend_on_how_many_are_drawn() -> None:
    all_of_them = draw_persons(ROUNDS[:2], 0, 2 * BLOCK + 7)
    parts = [draw_persons(ROUNDS[:2], 0, 300), draw_persons(ROUNDS[:2], 300, 2 * BLOCK + 7 - 300)]
    for index in range(2):
        together = np.concatenate([part.respondents[index] for part in parts], axis=-1)
        assert (together == all_of_them.respondents[index]).all()
    assert sum((part.codes for part in parts), ()) == all_of_them.codes
    assert len(set(all_of_them.codes)) == 2 * BLOCK + 7
    other = draw_persons(ROUNDS[:2], 0, 100, seed=2)
    assert not set(other.codes) & set(all_of_them.codes)
    # They stay the same where another question was added.
    longer = draw_persons(
        [study(), next_design(study(), plain(WORK, TOWN), THREE)], 0, 1_000
    ).respondents.truth
    assert (longer[2:] == draw_persons(ROUNDS[:2], 0, 1_000).respondents.truth[1:]).all()


def test_next_round_keeps_code_and_group_and_few_answer_again() -> None:
    began, second, third = (draw_persons(ROUNDS[:number], 0, 5_000) for number in (1, 2, 3))
    assert began.codes == second.codes
    assert (began.respondents.group == second.respondents.group).all()
    answers = [each.respondents.truth for each in (began, second, third)]
    changed, again_changed = ((one != other).any(axis=0) for one, other in itertools.pairwise(answers))
    # Some who answer again give the same answers.
    assert 0.01 < changed.mean() < CHANGED + 4 * (CHANGED / 5_000) ** 0.5
    assert 0.01 < again_changed.mean() < 0.07
    assert (changed != again_changed).any()


def test_drawn_questions_and_unchanged_answers_give_the_same_record() -> None:
    """The instant draw keeps .2499 / .25 of all; a disguise of each round alone would agree less often."""
    began, second = draw_persons(ROUNDS[:1], 0, 1_000), draw_persons(ROUNDS[:2], 0, 1_000)
    one, other = records(ROUNDS[0], began)[1:], records(ROUNDS[1], second, seed=2)[1:]
    disguised = began.respondents.group == DISGUISED
    assert ((one == 2) == (other == 2))[:, disguised].all()
    unchanged = disguised & (began.respondents.truth == second.respondents.truth).all(axis=0)
    assert (one == other).all(axis=0)[unchanged].mean() > 0.99
    # Fresh draws of two questions, each kept with .25: .0625 + .9375 / 4 and no more.
    fresh = disguise(ROUNDS[0], began.respondents.group, began.respondents.truth, np.random.default_rng(1))
    assert (one == fresh[1:]).all(axis=0)[unchanged].mean() < 0.6


@pytest.mark.parametrize("many", [3_000, pytest.param(20_000, marks=pytest.mark.night)])
def test_lasting_records_have_the_shares_of_one_rounds_law(many: int) -> None:
    keeps = sensitive("0.81", question("tax", *HALF), lasting="0.9")
    people = draw_persons([study(keeps)], 0, many)
    codes = records(study(keeps), people)[0]
    group, (tax,) = people.respondents
    for true in (0, 1):
        same = codes[(group == DISGUISED) & (tax == true)] == true
        assert abs(same.mean() - 0.905) < 4 * (0.905 * 0.095 / len(same)) ** 0.5


EVERY_KIND = (
    plain(WORK, {"name": "tools", "choices": ["a", "b"], **IF_EMPLOYED}),
    plain(drawn_question("version", "0.5000", "0.5000")),
    THREE,
    crosswise("lying", "0.25"),
    subset(5, 2, "0.5"),
    window("beers", 11, 2),
    classes("income", "0.5", 0, 5, 9),
)


def test_open_simulated_answer_is_true_for_every_kind() -> None:
    whole = study(*EVERY_KIND)
    people = draw_persons([whole], 0, 600)
    codes, (group, true) = records(whole, people), people.respondents
    fast = disguise(whole, group, true, np.random.default_rng(1))
    is_open, rotating = group == OPEN, {"q0", "q1", "q2"}
    for index, asks in enumerate(whole.questions):
        if asks.name in rotating:
            assert (codes[index] == true[index])[is_open & (codes[index] != 2)].all(), asks.name
        else:
            assert (codes[index] == fast[index])[is_open].all(), asks.name


def test_first_round_has_the_people_made_up_by_its_questions(first_wave: Survey) -> None:
    """One population, whoever is simulated: the shares of a rehearsal do not depend on its disguise."""
    design = first_wave.design.content  # type: ignore[union-attr]
    people = draw_persons([design], 0, 20_000).respondents.truth
    drawn_once = default_population(design).draw(design, 20_000, np.random.default_rng(5)).truth
    assert np.abs(people.mean(axis=1) - drawn_once.mean(axis=1)).max() < 0.02


# --- two rounds in the product


def open_draft(survey: Survey, owner: Person) -> Survey:
    opening.open_survey_now(survey, owner, timezone.now())
    survey.refresh_from_db()
    return survey


def asked_again(survey: Survey, owner: Person) -> Survey:
    return survey_creation.duplicate_survey(survey, owner, timezone.now(), as_new_wave=True)


def make_report(survey: Survey, owner: Person, reviewer: Person) -> ReportPage:
    simulate(survey, 1_200)
    lifecycle.close_survey(survey, owner, NOW)
    parameters = Parameters(min_support=0.01, min_confidence=0.5, max_size=2)
    run = sealed.work(run_start.start_mining_run(survey, owner, parameters, NOW))
    report_state_changes.create_reviews_of_finished_runs(NOW)
    report_state_changes.publish(Review.objects.get(run=run), reviewer, [], "http://localhost", NOW)
    page = readable_page(Review.objects.with_surveys().get(run=run), owner)
    assert page
    return page


def asking_once(draft: Survey, owner: Person, *sections: Any, **more: Any) -> Survey:
    draft.draft = wave_draft(*sections, retention="2030-01-01", rehearsal=True, **more).as_json()
    draft.save()
    return open_draft(draft, owner)


@pytest.fixture
def rehearsal(draft: Survey, owner: Person) -> Survey:
    return asking_once(draft, owner, lasting_section("theft"), least=20)


@pytest.mark.night
def test_second_round_report_shows_each_true_difference(
    rehearsal: Survey, owner: Person, reviewer: Person, client: Client
) -> None:
    make_report(rehearsal, owner, reviewer)
    second = asked_again(rehearsal, owner)
    assert second.is_rehearsal
    report = make_report(open_draft(second, owner), owner, reviewer)
    table = wave_comparison.compare_waves(report)
    assert table is not None
    counted = [stored_truth(survey) for survey in (rehearsal, second)]
    assert [of.n for of in counted] == [1_200] * 2
    row = next(row for row in table.rows if row.item == "theft=yes")
    # They can be equal: who changes follows from the design, and so from every phrase in it.
    before, after = (of.counts[((1, 1),)] / 1_200 for of in counted)
    assert row.truth == pytest.approx(after - before)
    assert row.low < row.truth < row.high  # type: ignore[operator]
    page = unescape(page_text(client, f"/app/reports/{report.review.pk}/study"))
    points = f"{abs(100 * (after - before)):.1f}"
    assert re.search(rf"Truth [+−]?{re.escape(points)}", page)
    assert "The diamond marks the true difference" in page
    file = client.get(f"/app/reports/{report.review.pk}/study/waves.csv").text.splitlines()
    assert file[0].endswith(",truth")


def test_next_round_is_rehearsed_by_as_many_people(rehearsal: Survey, owner: Person, client: Client) -> None:
    simulate(rehearsal, 60)
    second = respondent_simulation.start_rehearsal(asked_again(rehearsal, owner), owner, timezone.now())
    assert Simulation.objects.get(survey=second).n == 60
    by_hand = open_draft(asked_again(rehearsal, owner), owner)
    assert re.search(r'name="n" value="60"', client.get(f"/app/surveys/{by_hand.pk}/rehearse").text)
    assert re.search(r'name="n" value="5000"', client.get(f"/app/surveys/{rehearsal.pk}/rehearse").text)


def test_only_a_rehearsal_follows_a_rehearsal(rehearsal: Survey, owner: Person, client: Client) -> None:
    page = client.get(f"/app/surveys/{rehearsal.pk}/rehearse").text
    duplicate = f"/app/surveys/{rehearsal.pk}/duplicate"
    assert asked.missing_parts(page, "In each further round 5", f'href="{duplicate}"') == []
    assert 'value="wave"' in client.get(duplicate).text
    second = asked_again(rehearsal, owner)
    second.draft = {**second.draft, "rehearsal": False}
    second.save()
    with pytest.raises(InputRefused, match="is a rehearsal, which nobody real answered"):
        open_draft(second, owner)


def test_rehearsal_without_lasting_disguise_is_not_asked_again(draft: Survey, owner: Person) -> None:
    once = asking_once(draft, owner, built.sensitive(built.question("theft", "no", "yes")))
    with pytest.raises(NotAllowed, match="Only a survey that was opened can be asked again"):
        asked_again(once, owner)
