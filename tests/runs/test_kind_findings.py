"""Runs of surveys with numbers, places and studies: what they say, whoever counts."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from accounts.models import Person
from intake.batches import sealed_batch_reader
from jobs.models import State
from mining.disclosure.verdict import read_verdict
from mining.findings.remove_withheld_numbers import withhold_number
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_from_json
from mining.kinds.number.report_node_from_counts import estimate_number
from mining.kinds.place.report_node_from_counts import place_node
from mining.nodes.number_nodes import NumberClasses, NumberEstimates, NumberNode
from mining.nodes.place_nodes import PlaceNode
from privacy.designs import Design, parse_design
from privacy.kinds.place.section import PlaceSection
from runs.models import Histogram, Run
from surveys.models import Survey
from tests.privacy.questionnaires import place_in_row
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.runs.sealed import Folder

pytestmark = pytest.mark.page

BATCHES = [400, 200]

# --- numbers ---


@pytest.fixture
def numbers_survey_sealed(owner: Person) -> Survey:
    return sealed.numbers_survey(owner, sealed.small_numbers(), BATCHES)


def number_findings(run: Run) -> list[NumberNode]:
    assert run.state == State.DONE, run.problem
    return [node_from_json(NumberNode, found) for found in run.findings["numbers"]]


def expected_node(of: Survey, name: str) -> NumberNode:
    """Counted record by record; the classes are those of age."""
    assert of.design
    design, (group, codes) = of.design.content, sealed.records(of)
    place = [question.name for question in design.questions].index(name)
    section: Any = next(one for one in design.sections if one.questions[0].name == name)

    def estimate_among(chosen: NDArray[np.bool_], *, of_class: bool = False) -> NumberEstimates:
        counts = np.zeros((2, section.question.codes), np.int64)
        for g, code in zip(group[chosen].tolist(), codes[place, chosen].tolist(), strict=True):
            if code < section.question.codes and not (g == 0 and of_class):
                counts[g, code] += 1
        found = estimate_number(section, counts, of_class=of_class)
        return replace(found, disguised_only=design.open_answers and not found.n_open)

    classes = tuple(estimate_among(codes[0] == code, of_class=True) for code in (0, 1))
    everybody = estimate_among(np.ones(len(group), np.bool_))
    return NumberNode(name, section.question.law, everybody, (NumberClasses("age", classes),))


@pytest.mark.at_push(1)
@pytest.mark.parametrize("design", [sealed.small_numbers, sealed.large_numbers])
def test_number_findings_match_their_counts(design: Callable[[], Design], owner: Person, ran: Ran) -> None:
    survey = sealed.numbers_survey(owner, design(), BATCHES)
    run = ran(survey)
    names, verdict = AnswerNames(run.mined_design), read_verdict(run.verdict or {}, run.mined_design)
    expected = [expected_node(survey, name) for name in ("pay", "debt")]
    assert number_findings(run) == [withhold_number(node, names, verdict) for node in expected]
    pay, debt = number_findings(run)
    assert (pay.law, pay.all_records.n_asked, debt.law) == ("window", 600, "classes")
    # Two thirds are young, and only they are asked.
    assert 330 < (debt.all_records.n_asked or 0) < 470
    assert debt.groups[0].classes[1] == debt.groups[0].classes[1].without_numbers
    assert debt.all_records.mean
    assert debt.groups[0].classes[0].mean
    assert pay.groups[0].classes[0].distribution


def test_a_cached_run_reads_no_record(owner: Person, ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where patterns are counted: of a window, but not of items of scores."""
    of_window = sealed.make_design(sealed.plain("age", "young", "old"), sealed.PAY)
    numbers = sealed.numbers_survey(owner, of_window, BATCHES)
    first = ran(numbers)
    assert Histogram.objects.get().numbers

    def fail_if_called(*_args: object, **_values: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr(sealed_batch_reader, "read_batches_until_most", fail_if_called)
    again = ran(numbers)
    assert again.state == State.DONE, again.problem
    assert first.digest == again.digest


@pytest.mark.at_push(1)
@pytest.mark.parametrize("damaged", [None, b"", b"CANDORN\1 and more"])
def test_unreadable_number_counts_are_counted_again(
    numbers_survey_sealed: Survey, ran: Ran, damaged: bytes | None
) -> None:
    first = ran(numbers_survey_sealed)
    Histogram.objects.update(numbers=damaged)
    assert ran(numbers_survey_sealed).digest == first.digest


def test_too_few_of_a_class_a_window_alone_and_no_numbers(survey: Survey, owner: Person, ran: Ran) -> None:
    pay, debt = number_findings(ran(sealed.numbers_survey(owner, sealed.small_numbers(), [120])))
    for number in (pay, debt):
        old = number.groups[0].classes[1]
        assert old == old.without_numbers
    run = ran(sealed.numbers_survey(owner, sealed.make_design(sealed.PAY), [300]))
    assert (run.itemset_count, len(number_findings(run))) == (0, 1)
    assert number_findings(run)[0].all_records.distribution
    run = ran(survey)
    assert not {"numbers", "arms", "controls", "direct", "plan"} & set(run.findings)
    assert Histogram.objects.get(survey=survey).numbers is None


# --- places ---

HOME = place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 9, 2, "20", **sealed.IF_YOUNG)


def large_places() -> Design:
    """Too many for a histogram; and a number."""
    many = sealed.section(*(f"q{at}" for at in range(18)))
    return sealed.make_design(sealed.plain("age", "young", "old"), many, sealed.PAY, HOME)


@pytest.mark.parametrize("is_large", [False, pytest.param(True, marks=pytest.mark.night)])
def test_place_findings_match_their_counts(owner: Person, ran: Ran, is_large: bool) -> None:
    small = sealed.make_design(sealed.plain("age", "young", "old"), sealed.section("theft"), HOME)
    survey = sealed.numbers_survey(owner, large_places() if is_large else small, [600, 300])
    run = ran(survey)
    (home,) = [node_from_json(PlaceNode, found) for found in run.findings["places"]]
    # Counted record by record.
    assert survey.design
    design, (group, codes) = survey.design.content, sealed.records(survey)
    section, at = design.sections[-1], len(design.questions) - 1
    assert isinstance(section, PlaceSection)
    disguised = np.bincount(codes[at, (codes[at] < 9) & (group == 1)], minlength=9)
    node = place_node(section, np.array([np.zeros_like(disguised), disguised]))
    assert home == replace(node, disguised_only=design.open_answers)
    # Two thirds are young, and only they are asked.
    assert 0 < (home.n_asked or 0) < 700
    assert home.outside[0]
    assert ("numbers" in run.findings) == is_large


# --- studies ---


@pytest.fixture
def study(owner: Person) -> Survey:
    return sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [500, 300])


def assert_same_value(found: Any, said: Any) -> None:
    """Equal, numbers to 1e-12; the database stores the keys of an object in an order of its own."""
    assert type(found) is type(said)
    if isinstance(said, dict):
        assert sorted(found) == sorted(said)
        for key, value in said.items():
            assert_same_value(found[key], value)
    elif isinstance(said, list):
        assert len(found) == len(said)
        for one, other in zip(found, said, strict=True):
            assert_same_value(one, other)
    else:
        assert found == (pytest.approx(said, rel=0, abs=1e-12) if isinstance(said, float) else said)


@pytest.mark.parametrize("more", [0, pytest.param(16, marks=pytest.mark.night)])
def test_run_findings_match_the_commands(more: int, owner: Person, ran: Ran, folder: Folder) -> None:
    survey = sealed.study_survey(owner, sealed.study(plan=sealed.PLAN, more=more), [500, 300])
    run = ran(survey, max_size=2)
    assert run.state == State.DONE, run.problem
    sealed.write_files(survey, folder.folder, sealed.PLAN)
    files = ("design.json", "records.csv")
    arms = folder.run("arms", *files).output
    # The command knows no plan, whose hypothesis has the interval and Holm's p of the plan.
    planned = {one["item"]: one for one in run.findings["plan"]["hypotheses"] if one["kind"] == "arms"}
    assert planned
    for one, stored in zip(arms["items"], run.findings["arms"]["items"], strict=True):
        hypothesis = planned.get(one["item"])
        assert hypothesis or stored["holm"] <= one["holm"]
        changed = ("low", "high", "holm") if hypothesis else ("holm",)
        one.update({name: (hypothesis or stored)[name] for name in changed})
    assert_same_value(run.findings["arms"], arms)
    assert_same_value(run.findings["controls"], folder.run("controls", *files).output)
    found = dict(run.findings["plan"])
    assert found.pop("plan") == sealed.PLAN.as_json()
    assert_same_value(found, folder.run("plan", "plan.json", *files).output)


def test_stored_findings_do_not_grow_with_the_records(study: Survey, ran: Ran) -> None:
    length = len(str(ran(study).findings["arms"]))
    sealed.seal_study(study, 200)
    assert len(str(ran(study).findings["arms"])) == pytest.approx(length, rel=0.05)


def test_too_few_for_the_control_item_say_nothing(owner: Person, ran: Ran) -> None:
    few = sealed.study_survey(owner, sealed.study(), [])
    sealed.seal_study(few, 100, direct=80)
    findings = ran(few).findings
    # Nobody gave one of its answers, so that nothing may be told of it.
    assert findings["controls"] == {"item": "moon=yes", "known": 0.0, "withheld": True}
    assert findings["arms"]["direct"] == 80


def test_before_the_end_a_control_item_is_of_the_disguised_alone(owner: Person, ran: Ran) -> None:
    """All six open records say *yes*."""
    changed = sealed.study_json(direct=None, open_answers=True)
    del changed["sections"][0]["questions"][1]
    few = sealed.survey(owner, parse_design(json.dumps(changed)), [])
    sealed.seal_study(few, 300, direct=6)
    run = ran(few)
    assert run.n_open == 0
    received = sealed.records(few)[1][4][6:] == 1
    seen = (np.mean(received) - 0.15) / 0.7
    assert run.findings["controls"]["seen"] == pytest.approx(seen)
