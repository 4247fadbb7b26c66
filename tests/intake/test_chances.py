"""The odds that a respondent is told, worked out by hand."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from intake.pages.true_answer_probabilities import (
    group_sections_by_chances,
    prior_and_posterior_chance,
    question_chances,
    section_chances,
)
from privacy.designs import Design, parse_design
from privacy.guarantee.design_guarantees import audit
from privacy.guarantee.presets import BEFORE
from surveys.kinds.grouped.kind import GroupedChances
from surveys.kinds.number.kind import NumberChances
from surveys.kinds.place.kind import PlaceChances
from tests.intake.asked import make_design
from tests.privacy.questionnaires import HALF, classes, grid, place, question, sensitive, window
from tests.privacy.strategies import designs


def plain(name: str) -> dict[str, Any]:
    return {"kind": "plain", "questions": [{"name": name, "choices": ["a", "b"]}]}


THEFT = question("theft", "0.3", "0.7")


def chances(section: dict[str, Any]) -> Any:
    """Of one section."""
    (found,) = section_chances(make_design(section))
    return found


def grouped_sections(of: Design) -> list[GroupedChances]:
    return [section for section in section_chances(of) if isinstance(section, GroupedChances)]


def test_chance_of_an_answer_includes_kept_and_drawn() -> None:
    """Plain questions have no odds, and each section has its own keep."""
    # keep 6/10; chance says yes 7/10: 6/10 + 4/10 * 7/10 = 88/100 from yes-sayers, 28/100 from the others.
    of_theft = [(Fraction(72, 100), Fraction(12, 100)), (Fraction(88, 100), Fraction(28, 100))]
    assert question_chances(make_design(plain("age"), sensitive("0.6", THEFT))) == {"theft": of_theft}
    asked = make_design(
        sensitive("0.5", question("a", *HALF)), plain("age"), sensitive("0.25", question("b", *HALF))
    )
    assert [section.keep.value for section in grouped_sections(asked)] == [0.5, 0.25]
    # 1/4 + 3/4 * 1/2
    assert question_chances(asked)["b"][1] == (Fraction(5, 8), Fraction(3, 8))


def test_start_page_counts_sensitive_parts_and_states_equal_odds_once() -> None:
    a, b = (sensitive("0.5", question(name, *HALF)) for name in "ab")
    asked = make_design(plain("age"), a, plain("sex"), classes("debt", "0.5", 0, 5, 10), b)
    assert [card.numbers for card in group_sections_by_chances(section_chances(asked))] == [(1, 3), (2,)]


@given(designs())
@pytest.mark.proof
def test_start_page_promise_equals_the_audit_of_the_person(source: dict[str, Any]) -> None:
    asked = parse_design(json.dumps(source))
    of = audit(asked, BEFORE, BEFORE, Fraction(1, 2))
    said = prior_and_posterior_chance(asked)
    assert (said is None) == (of.person is None)
    if said is None or of.person is None:
        return
    assert said[0].value == 0.05
    # In thousandths, rounded up: never less than the figure of `audit`, which has six places.
    rounded = of.person.posterior_rounded_up(BEFORE, 3)
    assert Decimal(str(said[1].value)) == rounded >= of.person.posterior(BEFORE)


def test_drawing_questions_keeps_the_odds_of_those_asked() -> None:
    questions = [question(name, "0.3", "0.7") for name in "abc"]
    all_asked, one_asked = (make_design(sensitive("0.6", *questions, **more)) for more in ({}, {"asked": 1}))
    assert question_chances(all_asked) == question_chances(one_asked)
    (section,) = grouped_sections(one_asked)
    assert (section.asked, section.questions, section.asks_random_subset_of_questions) == (1, 3, True)
    assert not grouped_sections(all_asked)[0].asks_random_subset_of_questions


def test_common_chance_of_yes_is_stated_else_the_rarest_answer() -> None:
    common = chances(sensitive("0.6", THEFT, question("b", "0.3", "0.7"))).yes
    assert common is not None
    assert common.value == 0.7
    for other in (question("b", "0.4", "0.6"), {**THEFT, "name": "b", "choices": ["x", "y"]}):
        assert chances(sensitive("0.6", THEFT, other)).yes is None
    # The one that chance favours least.
    three = {"name": "b", "choices": ["x", "y", "z"], "noise": ["0.2", "0.7", "0.1"]}
    rarest = chances(sensitive("0.6", THEFT, three)).rarest
    assert (rarest.value, rarest.places) == (0.04, 0)


def test_percentage_has_a_decimal_only_if_needed_and_the_strip_shows_the_odds() -> None:
    """Of more than twenty it draws none."""
    even = question("a", *HALF)
    assert chances(sensitive("0.605", even)).keep.places == 1
    assert chances(sensitive("0.6", even)).marks_of_true_answers == [True] * 3 + [False] * 2
    assert chances(sensitive("0.99", even)).marks_of_true_answers == []


def test_number_is_sent_near_the_truth_or_its_class_as_often_as_kept() -> None:
    section = chances(window("hours", 101, 10, "0.3", low=-20, step=5))
    assert isinstance(section, NumberChances)
    assert (section.keep.value, section.low, section.high, section.far) == (0.7, -20, 480, 50)
    hours = make_design(window("hours", 101, 10, "0.3"))
    assert question_chances(hours) == {"hours": [(Fraction(7, 10), Fraction(3, 10))]}
    section = chances(classes("debt", "0.7142", 0, 500, 1000, 20000, rest=2))
    assert isinstance(section, NumberChances)
    assert (section.keep.value, section.keep.places) == (0.7142, 1)
    assert (section.limits, section.cuts) == ((500, 1000, 20000), 1)
    assert section.rest is not None
    assert section.rest.value == 0.1
    # Of a scale the number itself is sent, not a class, if all limits are used.
    assert section.steps == 0
    scale = chances(classes("mood", "0.7000", 0, 1, 2, 3, cuts=3))
    assert isinstance(scale, NumberChances)
    assert scale.steps == 4
    debt = make_design(classes("debt", "0.7142", 0, 500, 1000))
    assert question_chances(debt)["debt"] == [(Fraction(7142, 10_000), Fraction(2858, 10_000))]


# --- places


def home(cells: int, *regions: dict[str, Any], **law: Any) -> dict[str, Any]:
    return place("home", grid(cells, 1), regions=list(regions), **law)


def region(name: str, *cells: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "cells": list(cells), **more}


def test_place_outside_is_sent_unchanged_as_often_as_the_law_keeps_it() -> None:
    # m (W - V) = 2 (738 - 100) = 1276 of 1276 + 100 * 3 sides.
    asked = home(5, region("north", "c0", "c1", "c2"), near=2, odds="7.38")
    section = chances(asked)
    assert isinstance(section, PlaceChances)
    assert (section.keep.value, section.keep.places) == (1276 / 1576, 1)
    assert question_chances(make_design(asked)) == {"home": [(Fraction(1276, 1576), Fraction(300, 1576))]}
    # Nothing is said of an outside where every cell lies in a region.
    inside = chances(home(2, region("all", "c0", "c1"), near=1, odds="2"))
    assert (section.has_unprotected_answers, inside.has_unprotected_answers) == (True, False)


def test_each_place_level_states_rounded_odds_and_its_regions() -> None:
    for odds, said in (("7.38", "7.4"), ("7.40", "7.4"), ("7.41", "7.5"), ("3", "3"), ("1000", "1000")):
        section = chances(home(3, region("north", "c0", "c1"), near=1, odds=odds))
        assert section.levels[0].odds == Fraction(said)
    south = region("south", "c2", near=1, odds="3", label={"en": "South", "de": "Süden"})
    asked = make_design(home(4, region("north", "c0", "c1"), south, near=2, odds="2"), languages=["en", "de"])
    (section,) = section_chances(asked, "de")
    assert isinstance(section, PlaceChances)
    levels = [(level.odds, level.regions) for level in section.levels]
    assert levels == [(Fraction(3), "Süden"), (Fraction(2), "north")]
