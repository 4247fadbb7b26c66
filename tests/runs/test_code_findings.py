"""Runs of surveys with numbers: what they say of the numbers, whoever counts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from accounts.models import Person
from intake.batches import batch_reader
from jobs.models import State
from mining.disclosure.remove_withheld_numbers import withhold_number
from mining.disclosure.verdict import read_verdict
from mining.kinds.number.report_node import estimate_number
from mining.report.answer_names import Names
from mining.report.json_codec import load
from mining.report.number_nodes import NumberClasses, NumberEstimates, NumberNode
from privacy.designs import Design
from runs.models import Histogram, Run
from surveys.models import Survey
from tests.privacy.questionnaires import window
from tests.runs import sealed
from tests.runs.conftest import Ran

BATCHES = [400, 200]
NIGHT = pytest.mark.night
either = pytest.mark.parametrize(
    "design",
    [
        pytest.param(sealed.small_numbers, id="small"),
        pytest.param(sealed.large_numbers, id="large", marks=NIGHT),
    ],
)


@pytest.fixture
def numbers(owner: Person) -> Survey:
    return sealed.numbers_survey(owner, sealed.small_numbers(), BATCHES)


def said(run: Run) -> list[NumberNode]:
    return [load(NumberNode, found) for found in run.findings["numbers"]]


def expected_node(of: Survey, name: str) -> NumberNode:
    """Counted record by record; the classes are those of age."""
    assert of.design
    design, (group, codes) = of.design.content, sealed.records(of)
    place = [question.name for question in design.questions].index(name)
    section: Any = next(one for one in design.sections if one.questions[0].name == name)

    def among(chosen: NDArray[np.bool_], *, of_class: bool = False) -> NumberEstimates:
        counts = np.zeros((2, section.question.codes), np.int64)
        for g, code in zip(group[chosen].tolist(), codes[place, chosen].tolist(), strict=True):
            if code < section.question.codes and not (g == 0 and of_class):
                counts[g, code] += 1
        found = estimate_number(section, counts, of_class=of_class)
        return replace(found, disguised_only=design.open_answers and not found.n_open)

    classes = tuple(among(codes[0] == code, of_class=True) for code in (0, 1))
    everybody = among(np.ones(len(group), np.bool_))
    return NumberNode(name, section.question.law, everybody, (NumberClasses("age", classes),))


@pytest.mark.page
@either
def test_a_run_says_of_its_numbers_what_their_counts_say(
    design: Callable[[], Design], owner: Person, ran: Ran
) -> None:
    survey = sealed.numbers_survey(owner, design(), BATCHES)
    run = ran(survey)
    assert run.state == State.DONE, run.problem
    names, verdict = Names(run.mined_design), read_verdict(run.verdict or {}, run.mined_design)
    expected = [expected_node(survey, name) for name in ("pay", "debt")]
    assert said(run) == [withhold_number(node, names, verdict) for node in expected]
    pay, debt = said(run)
    assert (pay.law, pay.all_records.n_asked, debt.law) == ("window", 600, "classes")
    # Two thirds are young, and only they are asked.
    assert 330 < (debt.all_records.n_asked or 0) < 470
    assert debt.groups[0].classes[1] == debt.groups[0].classes[1].without_numbers
    assert debt.all_records.mean
    assert debt.groups[0].classes[0].mean
    assert pay.groups[0].classes[0].distribution


@pytest.mark.page
def test_a_cached_run_reads_no_record(owner: Person, ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where patterns are counted: of a window, but not of items of scores."""
    of_window = sealed.written(sealed.plain("age", "young", "old"), window("pay", 31, 2, "0.3"))
    numbers = sealed.numbers_survey(owner, of_window, BATCHES)
    first = ran(numbers)
    assert Histogram.objects.get().numbers

    def unwanted(*_args: object, **_values: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr(batch_reader, "read_all_batches", unwanted)
    again = ran(numbers)
    assert again.state == State.DONE, again.problem
    assert first.digest == again.digest


@pytest.mark.page
@pytest.mark.parametrize(
    "damaged", [pytest.param(b"", marks=NIGHT), pytest.param(b"CANDORN\1 and more", marks=NIGHT), None]
)
def test_numbers_that_cannot_be_read_are_counted_anew(
    numbers: Survey, ran: Ran, damaged: bytes | None
) -> None:
    first = ran(numbers)
    Histogram.objects.update(numbers=damaged)
    assert ran(numbers).digest == first.digest


@pytest.mark.page
def test_too_few_records_of_a_class_say_nothing_of_it(owner: Person, ran: Ran) -> None:
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), [120])
    pay, debt = said(ran(survey))
    old = pay.groups[0].classes[1]
    assert old == old.without_numbers
    assert debt.groups[0].classes[1] == debt.groups[0].classes[1].without_numbers


@pytest.mark.page
def test_a_survey_without_numbers_has_no_such_finding(survey: Survey, ran: Ran) -> None:
    run = ran(survey)
    assert "numbers" not in run.findings
    assert Histogram.objects.get().numbers is None


@pytest.mark.page
def test_a_survey_of_a_window_alone(owner: Person, ran: Ran) -> None:
    survey = sealed.numbers_survey(owner, sealed.written(window("pay", 31, 2, "0.3")), [300])
    run = ran(survey)
    assert run.state == State.DONE, run.problem
    assert (run.itemset_count, len(said(run))) == (0, 1)
    assert said(run)[0].all_records.distribution
