"""Runs of surveys with places: what they say of the places, whoever counts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from accounts.models import Person
from mining.kinds.place.report_node import place_node
from mining.report.json_codec import load
from mining.report.place_nodes import PlaceNode
from privacy.designs import Design
from privacy.kinds.place.section import PlaceSection
from runs.models import Run
from surveys.models import Survey
from tests.privacy.questionnaires import place_in_row, window
from tests.runs import sealed
from tests.runs.conftest import Ran

BATCHES = [600, 300]
HOME = place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 9, 2, "20", **sealed.IF_YOUNG)


def small() -> Design:
    """So few questions that a histogram counts them."""
    return sealed.written(sealed.plain("age", "young", "old"), sealed.section("theft"), HOME)


def large() -> Design:
    """Too many for a histogram; and a number."""
    names = [f"q{at}" for at in range(18)]
    number = window("pay", 31, 2, "0.3")
    return sealed.written(sealed.plain("age", "young", "old"), sealed.section(*names), number, HOME)


either = pytest.mark.parametrize("design", [small, pytest.param(large, marks=pytest.mark.night)])


def expected(of: Survey) -> PlaceNode:
    """Counted record by record."""
    assert of.design
    design, (group, codes) = of.design.content, sealed.records(of)
    section, at = design.sections[-1], len(design.questions) - 1
    assert isinstance(section, PlaceSection)

    disguised = np.bincount(codes[at, (codes[at] < 9) & (group == 1)], minlength=9)
    node = place_node(section, np.array([np.zeros_like(disguised), disguised]))
    return replace(node, disguised_only=design.open_answers)


def said(run: Run) -> list[PlaceNode]:
    return [load(PlaceNode, found) for found in run.findings["places"]]


@pytest.mark.page
@either
def test_a_run_says_of_its_places_what_their_counts_say(
    design: Callable[[], Design], owner: Person, ran: Ran
) -> None:
    survey = sealed.numbers_survey(owner, design(), BATCHES)
    run = ran(survey)
    assert said(run) == [expected(survey)]
    (home,) = said(run)
    # Two thirds are young, and only they are asked.
    assert 0 < (home.n_asked or 0) < 700
    assert home.outside[0]
    assert ("numbers" in run.findings) == (design is large)
