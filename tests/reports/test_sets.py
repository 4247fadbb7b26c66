"""Simulated surveys: a rehearsal with a question that sends sets of choices, and how often a report would be false."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from intake.batches import automatic_sealing
from intake.rehearsal import respondent_simulation, true_counts
from intake.rehearsal.simulated_people import default_population
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from privacy.simulation.population import Independent, JointDistribution, LatentClasses, Population
from reports.exports.file_format_writers import available_file_formats
from reports.review.report_page_data import report_page
from reports.sentences.first_finding_sentences import headline_findings
from reports.simulated_reports.simulated_surveys import SimulatedSurveys
from runs.models import Run
from surveys.lifecycle import state_changes as lifecycle
from tests.cast import kept_row
from tests.intake import asked
from tests.privacy import questionnaires as q
from tests.reports import made
from tests.reports.made_nodes import about_run
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
CHOICES = ("a", "b", "c", "d", "e", "f", "g", "h", "i")

WITH_SETS = asked.make_design(
    q.plain(q.WORK),
    q.sensitive("0.6", q.question("theft", "0.4", "0.6")),
    q.subset(9, 2, "0.8", text="Which drug?", **q.IF_EMPLOYED),
    least=20,
    rehearsal=True,
    open_answers=True,
)
PLACE = 2


@pytest.fixture
def run(owner: Person) -> Run:
    def make() -> Run:
        survey = asked.survey(WITH_SETS, owner=owner)
        respondent_simulation.simulate(survey, 1_500, seed=5)
        lifecycle.close_survey(survey, owner, NOW)
        automatic_sealing.on_tick(NOW)
        parameters = Parameters(min_support=0.02, min_confidence=0.1, max_size=2)
        return sealed.mine_sealed(survey, owner, parameters)

    return kept_row(("sets of choices",), make, is_computed=True)


def test_a_question_with_sets_has_shares_and_truths(run: Run, reviewer: Person, judging: Client) -> None:
    respondents = default_population(WITH_SETS).draw(WITH_SETS, 5_000, np.random.default_rng(1))
    chosen = respondents.truth[PLACE]
    assert set(chosen[chosen != WITH_SETS.questions[PLACE].true_hidden_code]) == set(range(9))
    known = true_counts.read_true_counts(run.survey)
    assert known
    counts = known.everybody.counts
    shown = sum(counts[((PLACE, code),)] for code in range(9))
    report = made.waiting_review(run)
    shares = report_page(reviewer, report.pk, whole=True).content.shares
    found = {row.items[0]: row for row in shares}
    for code, name in enumerate(CHOICES):
        row, true = found[f"drug={name}"], counts[((PLACE, code),)] / shown
        assert row.truth == pytest.approx(true)
        assert row.support is not None
        assert row.se is not None
        assert abs(row.support - true) < 4.5 * row.se
    # It lists choices as of any question, and its files leave.
    made.publish(report, reviewer)
    page = judging.get(f"/app/reports/{report.pk}/").text
    assert "Which drug?" in page
    assert "a+b" not in page
    for kind in available_file_formats(report_page(reviewer, report.pk, whole=False)):
        answer = judging.get(f"/app/reports/{report.pk}/files/{kind}")
        assert answer.status_code == 200, kind


ASKED: dict[str, Any] = {
    "format": "candor-design/1",
    "title": {"en": "Survey"},
    "least": 20,
    "open_answers": False,
    "sections": [
        q.plain({"name": "age", "choices": ["young", "old"]}, {"name": "town", "choices": ["yes", "no"]}),
        q.sensitive("0.8", q.question("theft", *q.HALF), q.question("lies", *q.HALF)),
    ],
}
DESIGN = parse_design(json.dumps(ASKED))

ABOUT = about_run(
    fingerprint=DESIGN.fingerprint, rehearsal=True, records=0, disguised=0, estimator="stratified",
    min_support=0.05, min_confidence=0.1, family=0, statements={},
)  # fmt: skip
OLD_THIEVES = JointDistribution(((0, 0, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 1, 1)), (0.25,) * 4)
"""The old steal and nobody else does, and who lives outside of a town lies."""
YOUNG_THIEVES = JointDistribution(((0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 1, 0), (1, 1, 0, 0)), (0.25,) * 4)
"""The other way round: the young steal, and who lives in a town lies."""
SECTIONS = [*ASKED["sections"][1:], q.UNDERSTOOD]
CHECKED = parse_design(json.dumps({**ASKED, "understanding": True, "sections": SECTIONS}))
NOT_UNDERSTOOD = LatentClasses(
    (0.5, 0.5),
    (
        Independent(((0.8, 0.2), (0.7, 0.3), (0.6, 0.4, 0.0))),
        Independent(((0.3, 0.7), (0.7, 0.3), (0.0, 0.0, 1.0))),
    ),
)
"""Theft is more frequent among those who did not understand, by 50 points."""


def surveys(
    population: Population, n: int, *, alike: bool = False, design: Design = DESIGN
) -> SimulatedSurveys:
    wanted = Parameters(0.05, 0.1, max_size=2)
    return SimulatedSurveys(design, wanted, n, None, ABOUT, population, 7, alike)


@pytest.mark.parametrize(("number", "most"), [(4, 1), pytest.param(20, 3, marks=pytest.mark.night)])
def test_where_nobody_differs_few_reports_begin_with_a_false_sentence(number: int, most: int) -> None:
    simulated = surveys(default_population(DESIGN, alike=True), 1_000, alike=True)
    fronts = [simulated.simulate_headlines(number) for number in range(number)]
    assert sum(front.begins_false for front in fronts) <= most
    assert not any(front.finds_true for front in fronts)


def test_existing_associations_are_found_and_wrong_claims_detected() -> None:
    """The same reports, held against those who were asked, against people who do not differ and against the reverse."""
    simulated = surveys(Population(OLD_THIEVES), 2_000)
    reports = [simulated.simulate_report(np.random.default_rng([7, number])) for number in range(3)]
    fronts = [simulated.judge_first_findings(report) for report in reports]
    assert all(front.finds_true for front in fronts)
    assert not any(front.begins_false for front in fronts)
    others = replace(simulated, population=default_population(DESIGN, alike=True))
    # A cached property of a frozen instance lies in its own dictionary.
    simulated.__dict__["true_answers"] = others.true_answers
    assert all(simulated.judge_first_findings(report).begins_false for report in reports)
    simulated.__dict__["true_answers"] = surveys(Population(YOUNG_THIEVES), 2_000).true_answers
    fronts = [simulated.judge_first_findings(report) for report in reports]
    assert all(front.begins_false for front in fronts)
    assert not any(front.finds_true for front in fronts)


def test_a_difference_by_understanding_is_true_where_people_differ_by_it() -> None:
    simulated = surveys(Population(NOT_UNDERSTOOD), 2_000, design=CHECKED)
    report = simulated.simulate_report(np.random.default_rng([7, 0]))
    assert headline_findings(report, simulated.labels)[0].kind == "understanding-difference"
    assert not simulated.judge_first_findings(report).begins_false
    others = surveys(default_population(CHECKED, alike=True), 2_000, design=CHECKED)
    simulated.__dict__["true_answers"] = others.true_answers
    assert simulated.judge_first_findings(report).begins_false


def test_a_survey_with_a_number_is_always_the_same_one_and_alike_people_have_the_same_shares() -> None:
    simulated = surveys(Population(OLD_THIEVES), 300)
    first, again = (simulated.simulate_report(np.random.default_rng([7, 1])) for _time in range(2))
    assert first == again
    assert first != simulated.simulate_report(np.random.default_rng([7, 2]))
    people = default_population(parse_design(json.dumps({**ASKED, "open_answers": True})), alike=True)
    assert people.open is None
    assert people.open_share == 0.25
    assert isinstance(people.disguised, Independent)
