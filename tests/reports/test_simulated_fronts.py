"""How often the report of a simulated survey would say something false, and find what is there."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from intake.rehearsal.simulated_people import default_population
from mining.parameters import Parameters
from mining.report.report_nodes import About
from privacy.designs import Design, parse
from privacy.simulation.population import Independent, JointDistribution, LatentClasses, Population
from reports.sentences.first_finding_sentences import headline_findings
from reports.simulated_reports.simulated_surveys import SimulatedSurveys
from tests.privacy.questionnaires import HALF, UNDERSTOOD, plain, question, sensitive

pytestmark = pytest.mark.page

ASKED: dict[str, Any] = {
    "format": "candor-design/1",
    "title": {"en": "Survey"},
    "least": 20,
    "open_answers": False,
    "sections": [
        plain({"name": "age", "choices": ["young", "old"]}, {"name": "town", "choices": ["yes", "no"]}),
        sensitive("0.8", question("theft", *HALF), question("lies", *HALF)),
    ],
}
DESIGN = parse(json.dumps(ASKED))
ABOUT = About(
    1,
    DESIGN.fingerprint,
    True,
    "2026-12-01",
    0,
    0,
    0,
    "stratified",
    "bitmap",
    False,
    0.05,
    0.1,
    2,
    False,
    "1",
)
OLD_THIEVES = JointDistribution(((0, 0, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 1, 1)), (0.25,) * 4)
"""The old steal and nobody else does, and who lives outside of a town lies."""
YOUNG_THIEVES = JointDistribution(((0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 1, 0), (1, 1, 0, 0)), (0.25,) * 4)
"""The other way round: the young steal, and who lives in a town lies."""
CHECKED = parse(
    json.dumps({**ASKED, "understanding": True, "sections": [*ASKED["sections"][1:], UNDERSTOOD]})
)
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


def test_what_is_there_is_found_and_false_of_other_people_or_in_the_wrong_direction() -> None:
    """The same reports, held against those who were asked, against people who do not differ and against the reverse."""
    simulated = surveys(Population(OLD_THIEVES), 2_000)
    reports = [simulated.simulate_report(np.random.default_rng([7, number])) for number in range(3)]
    fronts = [simulated.judge_headlines(report) for report in reports]
    assert all(front.finds_true for front in fronts)
    assert not any(front.begins_false for front in fronts)
    others = replace(simulated, population=default_population(DESIGN, alike=True))
    # A cached property of a frozen instance lies in its own dictionary.
    simulated.__dict__["_true_answers"] = others._true_answers
    assert all(simulated.judge_headlines(report).begins_false for report in reports)
    simulated.__dict__["_true_answers"] = surveys(Population(YOUNG_THIEVES), 2_000)._true_answers
    fronts = [simulated.judge_headlines(report) for report in reports]
    assert all(front.begins_false for front in fronts)
    assert not any(front.finds_true for front in fronts)


def test_a_difference_by_understanding_is_true_where_people_differ_by_it() -> None:
    simulated = surveys(Population(NOT_UNDERSTOOD), 2_000, design=CHECKED)
    report = simulated.simulate_report(np.random.default_rng([7, 0]))
    assert headline_findings(report, simulated.labels)[0].kind == "understanding-difference"
    assert not simulated.judge_headlines(report).begins_false
    simulated.__dict__["_true_answers"] = surveys(
        default_population(CHECKED, alike=True), 2_000, design=CHECKED
    )._true_answers
    assert simulated.judge_headlines(report).begins_false


def test_a_survey_with_a_number_is_always_the_same_one() -> None:
    simulated = surveys(Population(OLD_THIEVES), 300)
    first, again = (simulated.simulate_report(np.random.default_rng([7, 1])) for _time in range(2))
    assert first == again
    assert first != simulated.simulate_report(np.random.default_rng([7, 2]))


def test_alike_people_have_the_same_shares_in_both_groups() -> None:
    opened = parse(json.dumps({**ASKED, "open_answers": True}))
    people = default_population(opened, alike=True)
    assert people.open is None
    assert people.open_share == 0.25
    assert isinstance(people.disguised, Independent)
