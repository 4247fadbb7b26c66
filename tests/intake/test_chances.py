"""The odds that a respondent is told, worked out by hand."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from intake.pages.true_answer_probabilities import (
    chance_cards,
    combined_chances,
    question_chances,
    section_chances,
)
from privacy.designs import Design, parse
from privacy.guarantee.design_guarantees import audit
from privacy.guarantee.presets import BEFORE
from surveys.kinds.grouped.kind import SectionChances
from surveys.kinds.number.kind import NumberChances
from surveys.kinds.place.kind import PlaceChances
from tests.privacy.questionnaires import classes, grid, place, window
from tests.privacy.strategies import designs

YES_NO = ["no", "yes"]


def design(*sections: dict[str, Any]) -> Design:
    return parse(json.dumps({"format": "candor-design/1", "sections": list(sections)}))


def plain(*names: str) -> dict[str, Any]:
    return {"kind": "plain", "questions": [{"name": name, "choices": ["a", "b"]} for name in names]}


def hidden(keep: str, *questions: dict[str, Any], **more: int) -> dict[str, Any]:
    return {"kind": "unrelated-question", "keep": keep, "questions": list(questions), **more}


def yes_no(name: str, *noise: str) -> dict[str, Any]:
    return {"name": name, "choices": YES_NO, "noise": list(noise)}


def grouped(of: Design) -> list[SectionChances]:
    return [section for section in section_chances(of) if isinstance(section, SectionChances)]


def numbers(*sections: dict[str, Any]) -> list[NumberChances]:
    return [section for section in section_chances(design(*sections)) if isinstance(section, NumberChances)]


def test_an_answer_goes_out_when_it_is_kept_and_when_chance_happens_to_draw_it() -> None:
    # keep 6/10; chance says yes 7/10: 6/10 + 4/10 * 7/10 = 88/100 from yes-sayers, 28/100 from the others.
    asked = design(hidden("0.6", yes_no("theft", "0.3", "0.7")))
    no, yes = question_chances(asked)["theft"]
    assert yes == (Fraction(88, 100), Fraction(28, 100))
    assert no == (Fraction(72, 100), Fraction(12, 100))


def test_plain_questions_have_no_odds() -> None:
    asked = design(plain("age"), hidden("0.6", yes_no("theft", "0.3", "0.7")))
    assert list(question_chances(asked)) == ["theft"]


def test_each_section_has_its_own_keep() -> None:
    asked = design(
        hidden("0.5", yes_no("a", "0.5", "0.5")), plain("age"), hidden("0.25", yes_no("b", "0.5", "0.5"))
    )
    assert [section.keep.value for section in grouped(asked)] == [0.5, 0.25]
    # 1/4 + 3/4 * 1/2
    assert question_chances(asked)["b"][1] == (Fraction(5, 8), Fraction(3, 8))


def test_parts_count_what_is_sensitive_and_equal_odds_are_said_once() -> None:
    asked = design(
        plain("age"),
        hidden("0.5", yes_no("a", "0.5", "0.5")),
        plain("sex"),
        classes("debt", "0.5", 0, 5, 10),
        hidden("0.5", yes_no("b", "0.5", "0.5")),
    )
    assert [card.numbers for card in chance_cards(section_chances(asked))] == [(1, 3), (2,)]


@given(designs())
@pytest.mark.proof
def test_the_start_page_promises_what_audit_says_of_the_whole_person(source: dict[str, Any]) -> None:
    asked = parse(json.dumps(source))
    of = audit(asked, BEFORE, BEFORE, Fraction(1, 2))
    said = combined_chances(asked)
    if of.person is None:
        assert said is None
        return
    assert said
    assert said[0].value == 0.05
    # In thousandths, rounded up: never less than the figure of `audit`, which has six places.
    assert (
        Decimal(str(said[1].value))
        == of.person.posterior_rounded_up(BEFORE, 3)
        >= of.person.posterior(BEFORE)
    )


def test_drawing_the_questions_changes_nothing_for_those_that_are_asked() -> None:
    questions = [yes_no(name, "0.3", "0.7") for name in "abc"]
    all_asked, one_asked = design(hidden("0.6", *questions)), design(hidden("0.6", *questions, asked=1))
    assert question_chances(all_asked) == question_chances(one_asked)
    (section,) = grouped(one_asked)
    assert (section.asked, section.questions, section.asks_random_subset_of_questions) == (1, 3, True)
    assert not grouped(all_asked)[0].asks_random_subset_of_questions


def test_the_chance_of_a_yes_is_said_where_it_is_the_same_for_all() -> None:
    (section,) = grouped(design(hidden("0.6", yes_no("a", "0.3", "0.7"), yes_no("b", "0.3", "0.7"))))
    assert section.yes is not None
    assert section.yes.value == 0.7


def test_no_common_chance_of_a_yes_is_said_where_there_is_none() -> None:
    (differing,) = grouped(design(hidden("0.6", yes_no("a", "0.3", "0.7"), yes_no("b", "0.4", "0.6"))))
    other = {"name": "b", "choices": ["x", "y"], "noise": ["0.3", "0.7"]}
    (mixed,) = grouped(design(hidden("0.6", yes_no("a", "0.3", "0.7"), other)))
    assert differing.yes is None
    assert mixed.yes is None


def test_the_rarest_answer_is_the_one_that_chance_favours_least_in_all_the_section() -> None:
    three = {"name": "b", "choices": ["x", "y", "z"], "noise": ["0.2", "0.7", "0.1"]}
    (section,) = grouped(design(hidden("0.6", yes_no("a", "0.3", "0.7"), three)))
    assert section.rarest.value == 0.04
    assert section.rarest.places == 0


def test_a_percentage_gets_a_decimal_only_where_it_needs_one() -> None:
    (section,) = grouped(design(hidden("0.605", yes_no("a", "0.5", "0.5"))))
    assert section.keep.places == 1


def test_the_strip_shows_the_odds_that_the_words_say() -> None:
    (section,) = grouped(design(hidden("0.6", yes_no("a", "0.5", "0.5"))))
    assert section.marks_of_true_answers == [True] * 3 + [False] * 2


def test_odds_of_more_than_twenty_are_not_drawn() -> None:
    (section,) = grouped(design(hidden("0.99", yes_no("a", "0.5", "0.5"))))
    assert section.marks_of_true_answers == []


def test_a_number_near_the_true_one_goes_out_where_the_uniform_coin_does_not_fall() -> None:
    low = {"low": -20, "step": 5}
    found = numbers(plain("age"), window("hours", 101, 10, "0.3", **low))
    (section,) = found
    assert (section.keep.value, section.low, section.high, section.far) == (0.7, -20, 480, 50)
    assert question_chances(design(window("hours", 101, 10, "0.3"))) == {
        "hours": [(Fraction(7, 10), Fraction(3, 10))]
    }


def test_the_class_goes_out_as_often_as_it_is_kept() -> None:
    (section,) = numbers(classes("debt", "0.7142", 0, 500, 1000, 20000, rest=2))
    assert (section.keep.value, section.keep.places) == (0.7142, 1)
    assert (section.limits, section.cuts) == ((500, 1000, 20000), 1)
    assert section.rest is not None
    assert section.rest.value == 0.1
    asked = design(classes("debt", "0.7142", 0, 500, 1000))
    assert question_chances(asked)["debt"] == [(Fraction(7142, 10_000), Fraction(2858, 10_000))]


def home(cells: int, *regions: dict[str, Any], **law: Any) -> dict[str, Any]:
    return place("home", grid(cells, 1), regions=list(regions), **law)


def region(name: str, *cells: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "cells": list(cells), **more}


def places(*sections: dict[str, Any], language: str = "en") -> list[PlaceChances]:
    found = section_chances(design(*sections), language)
    return [section for section in found if isinstance(section, PlaceChances)]


def test_the_place_of_somebody_outside_goes_out_as_often_as_the_law_keeps_it() -> None:
    # m (W - V) = 2 (738 - 100) = 1276 of 1276 + 100 * 3 sides.
    asked = home(5, region("north", "c0", "c1", "c2"), near=2, odds="7.38")
    (section,) = places(asked)
    assert (section.keep.value, section.keep.places, section.has_unprotected_answers) == (
        1276 / 1576,
        1,
        True,
    )
    assert question_chances(design(asked)) == {"home": [(Fraction(1276, 1576), Fraction(300, 1576))]}


def test_the_odds_of_a_place_are_rounded_up_to_one_decimal() -> None:
    for odds, said in (("7.38", "7.4"), ("7.40", "7.4"), ("7.41", "7.5"), ("3", "3"), ("1000", "1000")):
        (section,) = places(home(3, region("north", "c0", "c1"), near=1, odds=odds))
        assert section.levels[0].odds == Fraction(said)


def test_each_level_says_its_regions_in_the_language_that_is_asked_for() -> None:
    south = region("south", "c2", near=1, odds="3", label={"en": "South", "de": "Süden"})
    asked = home(4, region("north", "c0", "c1"), south, near=2, odds="2")
    written = {"format": "candor-design/1", "languages": ["en", "de"], "sections": [asked]}
    (section,) = section_chances(parse(json.dumps(written)), "de")
    assert isinstance(section, PlaceChances)
    assert [(level.odds, level.regions) for level in section.levels] == [
        (Fraction(3), "Süden"),
        (Fraction(2), "north"),
    ]


def test_nothing_is_said_of_an_outside_where_every_cell_lies_in_a_region() -> None:
    (section,) = places(home(2, region("all", "c0", "c1"), near=1, odds="2"))
    assert not section.has_unprotected_answers
