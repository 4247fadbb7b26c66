"""Reports of random surveys: no number lies beyond its range or outside its interval, and sentence, verdict, picture, p
and interval are of one statistic."""

import json
import re
from collections.abc import Iterator
from math import inf

import numpy as np
import pytest

from intake.rehearsal.simulated_people import default_population
from mining.inference.selection_correction import GROUPS, LEVEL, front_page_p_limit
from mining.nodes.number_nodes import NumberEstimates
from mining.nodes.report_nodes import GroupTable, Report, Rule
from mining.nodes.rule_lists import PAIRS
from mining.nodes.study_nodes import SHARE, ArmDifference, HypothesisResult
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.designs.hypothesis_plan import parse_plan
from reports.answer_labels import Labels
from reports.pages.first_findings import finding_row
from reports.sentences.association_pairs import order_directions, pair_finding, shown_association_sign
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.sensitive_numbers import number_findings
from reports.sentences.shares import share_finding
from reports.simulated_reports.simulated_surveys import SimulatedSurveys
from tests.mining.disclosure.documents import PARTS, random_design
from tests.reports.made_nodes import about_run
from tests.reports.sentences.test_fixed_sentences import sentence_text
from ui.interval_pictures import Scale

pytestmark = pytest.mark.proof
SLACK = 1e-9
WHOLE = Scale(end=1.0, step=0.2)
SHARE_TEXT = re.compile(r"(−?\d+) % \((−?\d+)(?:–| to )(−?\d+)\)")
POINTS_TEXT = re.compile(r"(−?[\d.]+) percentage points? \((−?[\d.]+)(?:–| to )(−?[\d.]+)\)")
TIMES_TEXT = re.compile(r"([\d.,]+) times as many \(([\d.,]+)–([\d.,]+)\)")


def random_report(seed: int) -> tuple[Report, Labels]:
    """The report of a random design, of 80 to 3,000 people, who are all alike in half of the surveys; every third has a
    plan."""
    rng = np.random.default_rng((100, seed))
    design = random_design(PARTS[seed % len(PARTS)], rng)
    n, is_alike = int(rng.integers(80, 3_000)), bool(rng.random() < 0.5)
    wanted = Parameters(float(rng.choice([0.02, 0.1])), 0.1, max_size=int(rng.choice([2, 3])))
    people = default_population(design, alike=is_alike)
    plan = parse_plan(json.dumps(random_plan(design))) if seed % 3 == 0 else None
    simulated = SimulatedSurveys(design, wanted, n, plan, about_run(), people, seed, is_alike)
    return simulated.simulate_report(rng), simulated.labels


def random_plan(design: Design) -> dict[str, object]:
    hypotheses = [
        {"name": "share", "kind": "share", "item": "s0=yes", "than": "0.25"},
        {"name": "pair", "kind": "association", "antecedent": ["s0=yes"], "consequent": ["s1=yes"]},
    ]
    if design.has_arms:
        hypotheses.append({"name": "arms", "kind": "arms", "item": "s0=yes"})
    return {"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": hypotheses}


def findings_of(report: Report, labels: Labels) -> Iterator[Finding]:
    """What stands first, then all other sentences that the report can make."""
    yield from headline_findings(report, labels)
    yield from (pair_finding(rule, labels) for rule in report.rules)
    yield from (share_finding(share, labels) for share in report.shares)
    for node in report.numbers:
        yield from number_findings(node, labels)


def numbers_in(text: str) -> Iterator[tuple[float, float, float, float, float]]:
    """Each estimate in a sentence with its interval and its range."""
    for pattern, least, most in ((SHARE_TEXT, 0, 100), (POINTS_TEXT, 0, 100), (TIMES_TEXT, 0, inf)):
        for found in pattern.findall(text):
            value, low, high = (float(one.replace("−", "-").replace(",", "")) for one in found)
            yield value, low, high, least, most


def assert_numbers_lie_where_they_can(finding: Finding) -> None:
    for sentence in (finding.sentence, finding.beneath, finding.converse):
        for value, low, high, least, most in numbers_in(sentence_text(sentence)):
            assert least <= low <= value <= high <= most, sentence_text(sentence)
    measured = finding.measured
    if measured.is_known:
        assert measured.value is not None
        assert measured.low is not None
        assert measured.high is not None
        least, most = measured.everything
        assert least - SLACK <= measured.low <= measured.high <= most + SLACK, sentence_text(finding.sentence)
        assert measured.low - SLACK <= measured.value <= measured.high + SLACK, sentence_text(
            finding.sentence
        )


def assert_picture_is_of_the_sentence(finding: Finding) -> None:
    """Drawn is the interval that the sentence states; a filled mark excludes no difference, on the verdict's side."""
    measured = finding.measured
    row = finding_row(finding, WHOLE if measured.is_share else None)
    for drawn in row.pictures:
        assert row.scale
        assert measured.low is not None
        assert measured.high is not None
        assert drawn.low == pytest.approx(max(measured.low, row.scale.start))
        assert drawn.high == pytest.approx(min(measured.high, row.scale.end))
        assert drawn.is_endless == (measured.high == inf)
        assert drawn.estimate == (None if drawn.is_endless else measured.value)
        if drawn.state != "filled" or finding.verdict is None or measured.is_share:
            # A share is filled where nothing is compared, or where it is planned.
            assert drawn.state == "hollow" or drawn.base is None, sentence_text(finding.sentence)
            continue
        no_difference = 1.0 if measured.is_ratio else 0.0
        assert finding.verdict == (measured.low > no_difference) - (measured.high < no_difference) != 0


def assert_verdicts_are_of_p(report: Report, labels: Labels) -> None:
    statements = report.about.statements
    for rule in report.rules:
        low, high = rule.lift_low_listed, rule.lift_high_listed
        if low is not None:
            excludes = (low > 1) - (high is not None and high < 1)
            assert rule.association == excludes == shown_association_sign(rule)
        assert rule.p is not None
        # Whatever the rank, what is shown is at most the front of the list, and at least its longest head.
        assert not rule.association or rule.p <= LEVEL
    for finding in headline_findings(report, labels):
        node = finding.node
        if finding.kind == "pair" and finding.verdict:
            assert isinstance(node, Rule)
            assert node.p is not None
            assert node.p <= front_page_p_limit(statements, PAIRS)
        elif finding.kind == "group":
            table = next(table for table in report.groups if any(row.front is node for row in table.rows))
            row = next(row for row in table.rows if row.front is node)
            told = sum(cell.share is not None for cell in row.cells)
            assert node.p <= front_page_p_limit(statements, GROUPS) / told
            assert_class_is_of_its_table(table, node.of_class, node.difference)
        elif isinstance(node, ArmDifference):
            assert node.low is not None
            assert node.high is not None
            assert node.low > 0 or node.high < 0
        elif isinstance(node, HypothesisResult):
            assert_hypothesis_is_of_p(node, len(report.study.plan.hypotheses) if report.study.plan else 0)


def assert_class_is_of_its_table(table: GroupTable, of_class: str, difference: float) -> None:
    assert of_class in table.classes
    assert -1 <= difference <= 1


def assert_hypothesis_is_of_p(result: HypothesisResult, hypotheses: int) -> None:
    if result.p is None:
        assert not result.met
        return
    assert result.met == (result.p <= LEVEL / hypotheses) == (result.holm <= LEVEL) or not result.met
    if result.kind != SHARE and result.low is not None:
        none = result.value_without_effect
        assert result.met == (result.low > none or (result.high is not None and result.high < none))


def assert_number_is_one_distribution(estimates: NumberEstimates) -> None:
    above = [one.share for one in estimates.shares if one.share is not None]
    assert above == sorted(above, reverse=True)
    own = [one.share for one in estimates.classes if one.share is not None]
    assert not own or sum(own) == pytest.approx(1.0, abs=1e-4)
    for one in (*estimates.shares, *estimates.classes):
        if one.share is not None and one.low is not None and one.high is not None:
            assert 0 <= one.low <= one.share <= one.high <= 1


def assert_directions_are_of_one_rule(rule: Rule, labels: Labels) -> None:
    for direction in order_directions(rule, labels):
        for measured in (direction.share, direction.base):
            if measured.is_known:
                assert is_in_range(measured)


def is_in_range(measured: MeasuredValue) -> bool:
    assert measured.value is not None
    least, most = measured.everything
    return least - SLACK <= measured.value <= most + SLACK


@pytest.mark.at_push(20)
@pytest.mark.parametrize("seed", range(300))
def test_a_random_report_says_nothing_impossible_and_each_sentence_and_its_picture_one_thing(
    seed: int,
) -> None:
    report, labels = random_report(seed)
    for finding in findings_of(report, labels):
        assert_numbers_lie_where_they_can(finding)
        assert_picture_is_of_the_sentence(finding)
    assert_verdicts_are_of_p(report, labels)
    for rule in report.rules:
        assert_directions_are_of_one_rule(rule, labels)
    for node in report.numbers:
        assert_number_is_one_distribution(node.all_records)
