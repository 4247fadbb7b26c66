"""What simulated surveys hold a report against: true shares of every kind of question, as a rehearsal knows them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from intake.rehearsal import true_counts
from intake.rehearsal.simulated_people import default_population
from mining.findings.rehearsal_truth import KnownShares
from mining.nodes.number_nodes import MeanEstimate, NumberEstimates, NumberNode, QuantileStatement
from mining.nodes.report_nodes import Report
from mining.nodes.study_nodes import HypothesisResult, PlanResult, Study
from mining.parameters import Parameters
from mining.studies.comparison_with_truth import PopulationTruth, RehearsalTruth
from privacy.records import DISGUISED
from privacy.simulation.population import Independent, JointDistribution, Population
from reports.sentences.first_finding_sentences import headline_findings
from reports.simulated_reports import simulated_surveys
from reports.simulated_reports.simulated_surveys import SimulatedSurveys
from surveys.kinds.registry import KINDS
from tests.privacy import questionnaires as q
from tests.reports import made_nodes

pytestmark = pytest.mark.page
MEMBER = {"form": "many", "of": "used"}
ROW = {"form": "scale", "of": "views"}
EVERY_KIND = q.design(
    q.plain(
        q.WORK,
        {"name": "town", "choices": ["no", "yes"], **q.IF_EMPLOYED},
        q.drawn_question("version", *q.HALF),
        {"name": "age", "choices": ["<18", "18+"], "number": {"low": 0, "high": 99, "limits": [18]}},
    ),
    q.sensitive("0.6", q.question("theft", *q.HALF), q.question("mars", *q.HALF, known="0.1000")),
    q.sensitive("0.6", q.question("pills", *q.HALF, **MEMBER), q.question("smoke", *q.HALF, **MEMBER)),
    q.sensitive("0.6", q.question("fair", *q.THIRDS, **ROW), q.question("safe", *q.THIRDS, **ROW)),
    q.sensitive("0.6", q.question("late", *q.THIRDS, **q.IF_EMPLOYED), q.question("lie", *q.HALF), asked=1),
    q.subset(6, 2, "0.8"),
    q.subset(5, 2, "0.8", name="often", **q.IF_EMPLOYED),
    q.classes("debt", "0.8", 0, 5, 10, 20, rest=2),
    q.classes("loans", "0.8", 0, 1, 2, 3),
    q.classes("hours", "0.8", 0, 5, 10, 20, cuts=2, **q.IF_EMPLOYED),
    q.window("pay", 31, 2),
    q.place("home", q.grid(4, 2), [0, 1], [2, 3]),
    q.place("work_at", q.grid(4, 1), [0, 1], [2, 3], **q.IF_EMPLOYED),
    q.crosswise("drugs", "0.2500"),
    q.crosswise("bribe", "0.2500", **q.IF_EMPLOYED),
    least=20,
    rehearsal=True,
)

PEOPLE = 10_000
NO_PAIRS = made_nodes.about_run(fingerprint=EVERY_KIND.fingerprint, rehearsal=True, family=0, statements={})


@pytest.fixture(scope="module")
def simulated_surveys_of_kinds() -> Iterator[SimulatedSurveys]:
    """Of fewer people than usual, since these truths are compared with those of the same people."""
    parameters = Parameters(0.05, 0.1, max_size=2)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(simulated_surveys, "TRUTH", PEOPLE)
        yield SimulatedSurveys(EVERY_KIND, parameters, 500, None, NO_PAIRS, default_population(EVERY_KIND), 7)


@pytest.fixture(scope="module")
def known_share_table(simulated_surveys_of_kinds: SimulatedSurveys) -> KnownShares:
    """The truth that a rehearsal of the same people would store."""
    mined, (group, true) = EVERY_KIND.mined, simulated_surveys_of_kinds.true_answers
    itemsets = true_counts.ordered_itemsets(mined, 2)

    def population_truth(chosen: Any) -> PopulationTruth:
        counts = true_counts.count_itemsets(mined, true[:, chosen], 2).tolist()
        return PopulationTruth(mined, int(chosen.sum()), dict(zip(itemsets, counts, strict=True)))

    everybody = population_truth(np.ones_like(group, np.bool_))
    return KnownShares(
        simulated_surveys_of_kinds.labels, RehearsalTruth(everybody, population_truth(group == DISGUISED))
    )


def test_the_design_has_every_kind_of_question() -> None:
    assert {section.kind for section in EVERY_KIND.sections} == set(KINDS)


@pytest.mark.parametrize(("disguised_only", "shown"), [(False, True), (True, True), (False, False)])
def test_each_share_is_that_of_the_rehearsal(
    simulated_surveys_of_kinds: SimulatedSurveys,
    known_share_table: KnownShares,
    disguised_only: bool,
    shown: bool,
) -> None:
    """Of those whom the question was shown to, or of all who were asked."""
    for name in simulated_surveys_of_kinds.labels.names:
        expected = known_share_table([name], disguised_only=disguised_only, shown=shown)
        true = simulated_surveys_of_kinds.true_share(name, disguised_only=disguised_only, shown=shown)
        assert true == pytest.approx(expected), name


def test_each_share_among_those_with_another_answer_is_that_of_the_rehearsal(
    simulated_surveys_of_kinds: SimulatedSurveys, known_share_table: KnownShares
) -> None:
    for pair in combinations(simulated_surveys_of_kinds.labels.names, 2):
        one, other = pair
        expected = known_share_table(pair, [one], disguised_only=False, shown=True)
        if expected is not None:
            assert simulated_surveys_of_kinds.true_share(other, given=[one]) == pytest.approx(expected), pair


def test_a_report_that_begins_with_a_share_is_false_where_its_interval_misses_the_share_of_the_rehearsal(
    simulated_surveys_of_kinds: SimulatedSurveys, known_share_table: KnownShares
) -> None:
    begun = set()
    for name in simulated_surveys_of_kinds.labels.names:
        true = known_share_table([name], disguised_only=False, shown=True)
        assert true is not None
        right, wrong = (
            made_nodes.share(items=(name,), support=middle, low=middle - 0.05, high=middle + 0.05)
            for middle in (true, true + 0.06)
        )
        if headline_findings(
            made_nodes.report(about=NO_PAIRS, shares=(right,)), simulated_surveys_of_kinds.labels
        ):
            begun.add(name.partition("=")[0])
            assert not simulated_surveys_of_kinds.judge_first_findings(
                made_nodes.report(about=NO_PAIRS, shares=(right,))
            ).begins_false, name
            assert simulated_surveys_of_kinds.judge_first_findings(
                made_nodes.report(about=NO_PAIRS, shares=(wrong,))
            ).begins_false, name
    sensitive = {
        one.name
        for one in simulated_surveys_of_kinds.labels.design.questions
        if simulated_surveys_of_kinds.labels.choices(one.name)
    }
    assert begun == sensitive - {"work", "town", "version", "age"}


def number_report(question: str, **estimates: Any) -> Report:
    """A report that has nothing but these estimates of a number."""
    of_all = NumberEstimates(500, 0, **estimates)
    return made_nodes.report(about=NO_PAIRS, shares=(), numbers=(NumberNode(question, "", of_all),))


@pytest.mark.parametrize("question", ["debt", "hours", "loans"])
def test_a_report_that_begins_with_an_average_or_a_median_is_false_where_it_misses_that_of_all_people(
    simulated_surveys_of_kinds: SimulatedSurveys, question: str
) -> None:
    _group, codes = default_population(EVERY_KIND).draw(
        EVERY_KIND, PEOPLE, np.random.default_rng(simulated_surveys_of_kinds.seed)
    )
    index = simulated_surveys_of_kinds.labels.question_index(question)
    shown = codes[index][codes[index] != EVERY_KIND.questions[index].true_hidden_code]
    mean, median = float(shown.mean()), int(np.sort(shown)[len(shown) // 2])
    begins_false = {
        away: (
            number_report(
                question, mean=MeanEstimate(mean + away, 0.2, mean + away - 0.5, mean + away + 0.5)
            ),
            number_report(question, quantiles=(QuantileStatement(0.5, median + away, median + away + 1),)),
        )
        for away in (0, 1)
    }
    for away, reports in begins_false.items():
        assert [simulated_surveys_of_kinds.judge_first_findings(one).begins_false for one in reports] == [
            away == 1
        ] * 2


def plan_report(n_open: int = 0, **hypothesis: Any) -> Report:
    """A report of a plan with one hypothesis, which is met and has this `estimate`."""
    result = HypothesisResult("H1", p=0.001, holm=0.001, met=True, **hypothesis)
    head = replace(NO_PAIRS, n_open=n_open)
    return made_nodes.report(about=head, shares=(), study=Study(plan=PlanResult("0" * 64, None, (result,))))


def test_a_planned_share_is_of_all_who_were_asked_also_of_those_from_whom_a_rule_hides_the_question(
    simulated_surveys_of_kinds: SimulatedSurveys, known_share_table: KnownShares
) -> None:
    item = "late=choice 1"
    of_all, of_shown = (
        known_share_table([item], disguised_only=False, shown=shown) for shown in (False, True)
    )
    assert of_all
    assert of_shown
    than = (of_all + of_shown) / 2
    for estimate, is_false in ((than - 0.1, False), (than + 0.1, True)):
        report = plan_report(kind="share", item=item, than=f"{than:.4f}", estimate=estimate)
        assert simulated_surveys_of_kinds.judge_first_findings(report).begins_false is is_false


def test_a_planned_association_with_a_plain_answer_is_of_people_who_chose_disguise() -> None:
    """Among these age and theft are independent; of all others the old steal."""
    asked = q.design(
        q.plain({"name": "age", "choices": ["young", "old"]}),
        q.sensitive("0.8", q.question("theft", *q.HALF)),
        least=20,
    )
    independent = Independent(((0.5, 0.5), (0.5, 0.5)))
    people = Population(independent, JointDistribution(((0, 0), (1, 1)), (0.5, 0.5)), 0.5)
    simulated = SimulatedSurveys(asked, Parameters(0.05, 0.1), 500, None, NO_PAIRS, people, 7)
    sides = {"kind": "association", "antecedent": ("age=old",), "consequent": ("theft=yes",)}
    report = plan_report(n_open=250, estimate=1.3, **sides)
    assert simulated.judge_first_findings(report).begins_false


@pytest.mark.at_push(2)
@pytest.mark.parametrize(
    "section",
    [
        q.classes("debt", "0.8", 0, 5, 10, 20, rest=2),
        q.place("home", q.grid(4, 2), [0, 1], [2, 3]),
        q.subset(6, 2, "0.8"),
        q.crosswise("drugs", "0.2500"),
        q.sensitive("0.6", q.question("late", *q.THIRDS)),
    ],
    ids=["number by classes", "place", "sets of choices", "crosswise", "choices"],
)
def test_most_reports_of_a_kind_begin_with_a_true_sentence(section: dict[str, Any]) -> None:
    """One question makes no pairs, so the first sentence is a share; a window alone has none."""
    design = q.design(section, least=20, rehearsal=True)
    parameters = Parameters(0.05, 0.1, max_size=2)
    simulated = SimulatedSurveys(design, parameters, 1_000, None, NO_PAIRS, default_population(design), 7)
    reports = [simulated.simulate_report(np.random.default_rng([7, number])) for number in range(6)]
    assert all(headline_findings(one, simulated.labels)[0].kind == "share" for one in reports)
    assert sum(simulated.judge_first_findings(one).begins_false for one in reports) <= 1
