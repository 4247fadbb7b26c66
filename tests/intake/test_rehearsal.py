"""Simulated respondents: where they are let in, by which way, who asks for them, and what stays of the truth."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from hypothesis import given, strategies as st

from accounts.models import History, Person
from intake.endpoint import accept_record
from intake.models import FreshKey, Inbox, Token
from intake.rehearsal import respondent_simulation, true_counts
from intake.rehearsal.models import Simulation
from intake.rehearsal.respondent_simulation import simulate
from intake.rehearsal.simulated_people import default_population
from jobs.models import State
from privacy.designs import Design, parse_design
from privacy.simulation.population import JointDistribution, Population
from surveys.lifecycle import record_counts
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, add_collaborator, unsaved_person
from tests.intake import asked
from tests.jobs.conftest import attempt
from tests.privacy.strategies import any_codes, small_designs
from tests.surveys import drafts
from tests.surveys.conftest import ASKS, NOW, update_row

pytestmark = [pytest.mark.page, pytest.mark.django_db]
WORK = {"name": "work", "choices": ["employed", "not"]}
THEFT = {"name": "theft", "choices": ["no", "yes"], "show_if": {"work": ["employed"]}}
DRINK = {"name": "drink", "choices": ["never", "some", "much"]}
SECTIONS = (
    {"kind": "plain", "questions": [WORK]},
    {"kind": "unrelated-question", "keep": "0.5", "asked": 1, "questions": [THEFT, DRINK]},
)
REHEARSAL = asked.make_design(*SECTIONS, least=20, rehearsal=True, open_answers=True)


@pytest.fixture
def survey() -> Survey:
    return asked.survey(REHEARSAL)


def received_and_waiting(survey: Survey) -> tuple[int, int]:
    """Received, and waiting."""
    found = record_counts.counts_of_survey(survey)
    return found.received, found.waiting


def everybody(*answers: int) -> Population:
    return Population(JointDistribution((answers,), (1.0,)))


def half_open(disguised: tuple[int, ...], openly: tuple[int, ...]) -> Population:
    """Half of the people answer openly, each of them the same."""
    of_open = JointDistribution((openly,), (1.0,))
    return Population(JointDistribution((disguised,), (1.0,)), open=of_open, open_share=0.5)


def test_simulation_refuses_real_draft_or_closed_surveys() -> None:
    real = asked.make_design(*SECTIONS, least=20)
    for survey, words in (
        (asked.survey(real), "Answers can be simulated only in a rehearsal"),
        (asked.survey(real, draft={"rehearsal": True}), "only in a rehearsal"),
        (asked.survey(REHEARSAL, state=Survey.State.CLOSED), "Open it first"),
    ):
        with pytest.raises(NotAllowed, match=words):
            simulate(survey, 10)
    assert not Inbox.objects.exists()


@pytest.mark.parametrize(
    ("meanwhile", "words"),
    [({"state": Survey.State.CLOSED}, "Open it first"), ({"paused": NOW}, "This rehearsal is paused")],
)
def test_obstacle_to_a_simulation_is_named_before_the_first_answer(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, meanwhile: dict[str, Any], words: str
) -> None:
    """As if it had been so when somebody began it."""

    def store_after_change(*_asked: Any) -> bool:
        update_row(survey, **meanwhile)
        return store(*_asked)

    store = respondent_simulation._store_respondents
    monkeypatch.setattr(respondent_simulation, "_store_respondents", store_after_change)
    with pytest.raises(NotAllowed, match=words):
        simulate(survey, 10)
    assert not Inbox.objects.exists()


def test_simulated_records_are_sealed_and_wait_like_others(survey: Survey) -> None:
    assert simulate(survey, 120, seed=1) == 120
    received, waiting = received_and_waiting(survey)
    assert received == 120
    assert 20 <= waiting < 40
    assert len(asked.fresh_hashes()) + len(asked.seen_hashes()) == 120


def test_each_simulated_person_has_an_own_invitation() -> None:
    exchanging = asked.exchange_survey(asked.exchange_design(rehearsal=True))
    assert simulate(exchanging, 30, seed=1) == 30
    # A key and a token of each record, and no invitation was made for it.
    assert (received_and_waiting(exchanging)[0], FreshKey.objects.count()) == (30, 60)
    assert not Token.objects.exists()
    invited = asked.survey(REHEARSAL, invited=True)
    simulate(invited, 30)
    assert received_and_waiting(invited)[0] == 30
    assert not Token.objects.exists()


def test_every_simulated_record_goes_through_the_intake(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies: list[bytes] = []
    real = accept_record.receive_record

    def note_body(public: Any, body: bytes, *rest: Any) -> Any:
        bodies.append(body)
        return real(public, body, *rest)

    monkeypatch.setattr(respondent_simulation, "receive_record", note_body)
    simulate(survey, 30)
    assert len(bodies) == 30
    assert len({len(body) for body in bodies}) == 1
    assert all(json.loads(body).keys() == {"key", "epoch", "record"} for body in bodies)


def test_reaching_the_cap_closes_the_rehearsal_and_ends_the_simulation() -> None:
    survey = asked.survey(REHEARSAL, cap=50)
    assert simulate(survey, 120) == 50
    survey.refresh_from_db()
    assert survey.state == Survey.State.CLOSED
    assert received_and_waiting(survey) == (50, 0)


def test_simulation_reports_progress_and_can_be_stopped(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stop(Exception):
        pass

    told: list[tuple[int, int]] = []

    def progress(stored: int, n: int) -> None:
        told.append((stored, n))
        if stored == 100:
            raise Stop

    monkeypatch.setattr(respondent_simulation, "CHUNK", 50)
    with pytest.raises(Stop):
        simulate(survey, 160, progress=progress)
    assert told == [(50, 160), (100, 160)]
    assert received_and_waiting(survey)[0] == 100


def test_simulated_people_fit_the_design_and_are_reproducible() -> None:
    people = default_population(REHEARSAL)
    assert people == default_population(REHEARSAL)
    assert people.open_share == 0.25
    assert default_population(asked.make_design(*SECTIONS)).open_share == 0.0


def test_simulated_people_answer_control_items_truthfully_but_for_a_few() -> None:
    """4 % of 2,000 people answer at random: 40 of them say *yes*, and a tenth or none of the others."""
    for known, yes in (("0.0000", 40), ("0.1000", 232)):
        moon, mars = ({"name": name, "choices": ["no", "yes"], "known": known} for name in ("moon", "mars"))
        design = asked.make_design(
            {"kind": "plain", "questions": [moon]},
            {"kind": "unrelated-question", "keep": "0.5", "questions": [mars, DRINK]},
            rehearsal=True,
        )
        truth = default_population(design).draw(design, 2000, np.random.default_rng(1)).truth
        for item in truth[:2]:
            assert abs((item == 1).sum() - yes) < 4.5 * yes**0.5


# --- the truth


def read(survey: Survey) -> true_counts.StoredTruth:
    found = true_counts.read_true_counts(survey)
    assert found
    return found


def test_true_counts_are_kept_and_nothing_else_of_the_truth(survey: Survey) -> None:
    """Three in ten are employed and stole (and drink much), the others neither work nor are asked about theft."""
    assert true_counts.read_true_counts(survey) is None
    people = Population(JointDistribution(((0, 1, 2), (1, 0, 0)), (0.3, 0.7)))
    simulate(survey, 200, population=people, seed=3)
    known = read(survey).everybody
    work, theft, much, never = (0, 0), (1, 1), (2, 2), (2, 0)
    stole = known.counts[(theft,)]
    assert known.n == 200
    assert abs(stole - 60) < 30
    assert known.counts[(work, theft, much)] == known.counts[(work,)] == stole
    assert known.counts[(never,)] == known.counts[((0, 1), never)] == 200 - stole
    assert known.counts[(theft, never)] == 0
    # Not applicable is no answer: nobody without work said no.
    assert known.counts[((1, 0),)] == 0


def test_true_counts_add_up_and_disguised_people_are_counted_apart(survey: Survey) -> None:
    """Who chooses disguise stole, who answers openly does not work."""
    for seed in (1, 2):
        simulate(survey, 40, population=half_open((0, 1, 2), (1, 0, 0)), seed=seed)
    known, disguised = read(survey)
    assert 0 < disguised.n < known.n == 80
    assert known.counts[((1, 1),)] == disguised.counts[((1, 1), (2, 2))] == disguised.n
    assert known.counts[((0, 1),)] == known.n - disguised.n
    assert disguised.counts[((0, 1),)] == 0


@given(small_designs(), st.integers(1, 40), st.integers(0, 2**32))
def test_true_counts_equal_counting_one_by_one(design: Design, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = np.array([any_codes(design, rng) for _ in range(n)], np.uint8).T
    size = 3 if len(true_counts.mined_items(design)) < 16 else 2
    itemsets = true_counts.ordered_itemsets(design, size)
    counted = dict(zip(itemsets, true_counts.count_itemsets(design, codes, size).tolist(), strict=True))
    for itemset, count in counted.items():
        assert count == sum(all(row[place] == code for place, code in itemset) for row in codes.T.tolist())
    single = [[(place, code)] for place, q in enumerate(design.questions) for code in range(len(q.choices))]
    pairs = [tuple(a + b) for a, b in product(single, single) if a[0][0] < b[0][0]]
    assert set(pairs) <= set(counted)
    assert {len(itemset) for itemset in counted} <= set(range(1, size + 1))


def test_design_with_very_many_items_counts_smaller_itemsets() -> None:
    # 2n items: C(110, 3) + C(110, 2) + 110 = 222,025; C(120, 3) is 280,840.
    for questions, size in ((55, 3), (60, 2), (400, 1)):
        asks = [{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(questions)]
        wide = asked.make_design({"kind": "plain", "questions": asks})
        assert true_counts.largest_itemset_size(wide) == size


# --- the command


def test_simulate_command_reports_the_result(survey: Survey, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("simulate_respondents", survey.slug, "-n", "60", "--seed", "1")
    said = capsys.readouterr()
    result = json.loads(said.out)
    assert result["stored"] == 60
    assert 20 <= result["sealed"] <= 40
    assert result["waiting"]["at_least"] <= 60 - result["sealed"] <= result["waiting"]["at_most"]
    assert said.err == "60 of 60\n"


def test_simulate_command_refuses_unknown_or_real_surveys_and_bad_numbers() -> None:
    real = asked.survey(asked.make_design(*SECTIONS, least=20))
    for word, n, why in (
        ("nothing-here", "5", "there is no survey"),
        ("999999", "5", "there is no survey"),
        (str(real.pk), "5", "Answers can be simulated only in a rehearsal"),
        *(("x", n, ".") for n in ("0", "-3", "many")),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("simulate_respondents", word, "-n", n)


# --- a rehearsal's respondents from a page


@pytest.fixture
def rehearsal(owner: Person) -> Survey:
    draft = {**ASKS.as_json(), "rehearsal": True, "least": 20}
    return asked.survey(parse_design(json.dumps(draft)), owner=owner, draft=draft)


def address(survey: Survey) -> str:
    return f"/app/surveys/{survey.pk}/rehearse"


def perform_job(job: Simulation) -> Simulation:
    attempt(job)
    job.refresh_from_db()
    return job


def test_owner_starts_a_simulation_that_answers_through_the_intake(rehearsal: Survey, client: Client) -> None:
    for n in ("", "0", "100001", "many"):
        page = client.post(address(rehearsal), {"n": n})
        assert page.status_code == 200
        assert 'aria-invalid="true"' in page.text, n
    assert not Simulation.objects.exists()
    assert client.post(address(rehearsal), {"n": "60"}).status_code == 302
    job = perform_job(Simulation.objects.get())
    assert job.state == State.DONE
    assert not rehearsal.runs.exists()
    assert received_and_waiting(rehearsal)[0] == true_counts.respondent_count(rehearsal) == 60
    assert History.objects.filter(what="intake.rehearsed", note="60").exists()
    assert "60" in client.get(address(rehearsal)).text


def test_real_survey_takes_no_simulated_people(client: Client, owner: Person) -> None:
    survey = asked.survey(ASKS, owner=owner, draft=ASKS.as_json())
    client.post(address(survey), {"n": "10"})
    assert not Simulation.objects.exists()


def test_dead_simulation_attempt_is_continued(
    rehearsal: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two crowds at once are refused, and closing meanwhile ends one with a reason."""
    monkeypatch.setattr(respondent_simulation, "CHUNK", 50)
    job = respondent_simulation.start_simulation(rehearsal, owner, 120, timezone.now())
    with pytest.raises(NotAllowed, match="still answering"):
        respondent_simulation.start_simulation(rehearsal, owner, 10, timezone.now())
    respondent_simulation.simulate(rehearsal, 50)  # what the first attempt had stored when it was killed
    perform_job(job)
    assert received_and_waiting(rehearsal)[0] == true_counts.respondent_count(rehearsal) == 120
    job = respondent_simulation.start_simulation(rehearsal, owner, 10, timezone.now())
    Survey.objects.filter(pk=rehearsal.pk).update(state=Survey.State.CLOSED, closed_at=timezone.now())
    assert perform_job(job).state == State.FAILED
    assert str(job.problem) == "Answers can be simulated only in an open rehearsal. Open it first."


def test_paused_rehearsal_takes_no_answers_and_is_not_called_closed(
    rehearsal: Survey, owner: Person, client: Client
) -> None:
    paused = "This rehearsal is paused. Resume it first."
    job = respondent_simulation.start_simulation(rehearsal, owner, 20, NOW)
    update_row(rehearsal, paused=NOW)
    assert (perform_job(job).state, str(job.problem)) == (State.FAILED, paused)
    assert paused in client.post(address(rehearsal), {"n": "10"}, follow=True).text
    assert Simulation.objects.get() == job


def test_complete_simulation_is_done_although_its_last_record_closed_the_survey(
    rehearsal: Survey, owner: Person
) -> None:
    """It was killed before it was marked as done."""
    update_row(rehearsal, cap=30)
    job = respondent_simulation.start_simulation(rehearsal, owner, 30, NOW)
    simulate(rehearsal, 30)
    rehearsal.refresh_from_db()
    assert rehearsal.state == Survey.State.CLOSED
    assert perform_job(job).state == State.DONE


def test_simulation_job_page_leads_to_its_survey(rehearsal: Survey, owner: Person, client: Client) -> None:
    job = respondent_simulation.start_simulation(rehearsal, owner, 20, NOW)
    page = client.get(f"/app/jobs/intake.simulation/{job.pk}/progress").text
    assert f'<a class="button" href="/app/surveys/{rehearsal.pk}/">' in page


def test_one_button_leads_from_a_draft_to_a_run_of_its_rehearsal(client: Client, owner: Person) -> None:
    survey = Survey.objects.create(owner=owner, draft=drafts.complete(expected=200, least=20))
    assert f'action="/app/surveys/{survey.pk}/try"' in client.get(f"/app/surveys/{survey.pk}/").text
    answer = client.post(f"/app/surveys/{survey.pk}/try")
    rehearsal = Survey.objects.exclude(pk=survey.pk).get()
    assert answer["Location"] == f"/app/surveys/{rehearsal.pk}/rehearse"
    assert (rehearsal.is_rehearsal, rehearsal.state) == (True, Survey.State.OPEN)
    assert Survey.objects.get(pk=survey.pk).state == Survey.State.DRAFT
    poll = f"/app/surveys/{rehearsal.pk}/rehearse/next"
    assert client.get(poll).status_code == 204
    job = Simulation.objects.get()
    assert job.n == 200
    assert attempt(job)
    assert Simulation.objects.get().state == State.DONE
    assert rehearsal.runs.count() == 1
    assert client.get(poll).status_code == 204
    rehearsal.runs.update(state=State.FAILED, finished=timezone.now())
    assert client.get(poll)["HX-Refresh"] == "true"
    # Further respondents start no further run.
    respondent_simulation.start_simulation(rehearsal, owner, 20, timezone.now(), then_run=True)
    assert attempt(Simulation.objects.latest("pk"))
    assert rehearsal.runs.count() == 1


@pytest.mark.parametrize(("expected", "state", "runs"), [(10, "open", 0), (30, "closed", 1)])
def test_simulation_has_as_many_people_as_expected(
    client: Client, owner: Person, expected: int, state: str, runs: int
) -> None:
    """Of a batch of 20: ten are never counted, and the page says so; thirty are when the survey closes."""
    survey = Survey.objects.create(owner=owner, draft=drafts.complete(expected=expected, least=20))
    client.post(f"/app/surveys/{survey.pk}/try")
    assert attempt(Simulation.objects.get())
    rehearsal = Survey.objects.exclude(pk=survey.pk).get()
    assert (true_counts.respondent_count(rehearsal), rehearsal.state) == (expected, state)
    assert rehearsal.runs.count() == runs
    page = client.get(f"/app/surveys/{rehearsal.pk}/rehearse").text
    assert ("Nothing would have been counted" in page) is (runs == 0)


def test_incomplete_or_foreign_draft_is_not_rehearsed(
    client: Client, owner: Person, stranger: Person, signed_in_as: As
) -> None:
    survey = Survey.objects.create(owner=owner, draft=drafts.complete(title={}))
    assert "/try" not in client.get(f"/app/surveys/{survey.pk}/").text
    assert "cannot be tried out yet" in client.post(f"/app/surveys/{survey.pk}/try", follow=True).text
    assert Survey.objects.get() == survey
    complete = Survey.objects.create(owner=owner, draft=drafts.complete())
    without_role = add_collaborator(complete, unsaved_person("ada"), may_edit=True)
    for person, status in ((stranger, 404), (without_role, 403)):
        assert signed_in_as(person).post(f"/app/surveys/{complete.pk}/try").status_code == status
    assert Survey.objects.count() == 2
