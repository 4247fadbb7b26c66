"""A plan before the first question: its figures are those of the protection page, and what the design then gives."""

from dataclasses import replace
from datetime import date
from math import hypot, sqrt

import pytest

from builder.planning.further_section_effect import FurtherSectionEffect, draft_with_further_sections
from builder.planning.planned_design_with_forecast import PlannedDesign
from builder.planning.precision_forecast import (
    ASSOCIATION,
    AVERAGE,
    DIFFERENCE,
    GOALS,
    SHARE,
    find_least_respondents,
    forecast_precision,
)
from builder.planning.sections_for_research_goal import PlanAnswers, draft_with_planned_sections
from builder.protection.summary import ProtectionSummary
from privacy.designs import Design
from privacy.guarantee.expected_error import NORMAL_95
from privacy.guarantee.presets import DEFAULT, PRESETS
from surveys import draft_json
from surveys.kinds.apply_protection_presets import set_preset
from surveys.kinds.crosswise.kind import crosswise_protection
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.grouped.guarantee_and_errors import grouped_protection
from surveys.kinds.number.guarantee_and_errors import ClassesProtection
from surveys.kinds.read_draft import read_questionnaire
from surveys.kinds.registry import get_kind
from surveys.lifecycle.design_from_draft import design_json_from_draft, freeze_design
from surveys.questionnaire.protection import PRIOR, common_preset
from surveys.questionnaire.questionnaire import Questionnaire
from tests.surveys.drafts import classes, crosswise, draft, plain, question, section_of, sensitive, window

NEW = read_questionnaire(draft_json.new_draft_with_two_sections("Title", "en", date(2026, 12, 1)))


def answers(goal: str, respondents: int = 1000, **more: object) -> PlanAnswers:
    given = {"preset": DEFAULT, "share": "0.1000", "low": 0, "high": 100, **more}
    return PlanAnswers(goal, respondents, **given)  # type: ignore[arg-type]


def design(goal: str, respondents: int = 1000, **more: object) -> Questionnaire:
    return draft_with_planned_sections(NEW, answers(goal, respondents, **more))


def shown_margins(given: Questionnaire, number: int = 1) -> list[float]:
    """Of the questions of a section, as the protection page shows them."""
    found = grouped_protection(section_of(given, number), given.respondents, PRIOR)
    assert found is not None
    return [margin.half_width for margin in found.margins]


def design_with_words(given: Questionnaire) -> Design:
    """The design, once everything that a new draft leaves open is written."""
    stored, words = given.as_json(), {"en": "Words?"}
    sections = [
        {**section, "questions": [{**each, "text": words} for each in section["questions"]]}
        for section in stored["sections"]
    ]
    choices = [{**each, "label": words} for each in sections[0]["questions"][0]["choices"]]
    sections[0]["questions"][0]["choices"] = choices
    texts = {key: {"en": "Text"} for key in ("asker", "why", "intro", "thanks")}
    return freeze_design({**stored, **texts, "contact": "a@example.org", "sections": sections})


def grouped_words(given: Questionnaire) -> str:
    """What the protection page says of the first question."""
    found = grouped_protection(section_of(given), given.respondents, PRIOR)
    assert found is not None
    return found.margins[0].margin_text


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("goal", GOALS)
def test_planned_design_follows_its_preset_and_can_be_opened(goal: str, preset: object) -> None:
    made = design(goal, 5000, preset=preset)
    assert common_preset(made) == preset
    assert ProtectionSummary(made).is_within_preset
    assert made.respondents == 5000
    assert (made.sections[0].sensitive, len(made.sections[0].questions)) == (False, 1)
    assert len(design_with_words(made).sections) == len(made.sections)


def test_planned_margins_equal_those_of_the_protection_page() -> None:
    """The limit 19 and noise of a third: p = 6/7 rounded down to .8571, c = .1429 · .3333; n = 1000."""
    made = design(SHARE)
    found = forecast_precision(made, SHARE)
    assert found.half_width
    assert [found.half_width] == shown_margins(made)
    assert ProtectionSummary(made).itemset_margins[0].half_width == found.half_width
    p, c = 0.8571, 0.1429 * 0.3333
    received = c + p * 0.1
    assert found.half_width == pytest.approx(NORMAL_95 * sqrt(received * (1 - received) / 1000) / p)
    assert (found.low, found.high) == pytest.approx((0.1 - found.half_width, 0.1 + found.half_width))
    made = design(SHARE, share="0.4000")
    assert section_of(made, 1).questions[0].share == "0.4000"
    assert forecast_precision(made, SHARE).expected == 0.4
    made = design(AVERAGE, low=-20, high=60)
    shown = get_kind(section_of(made, 1)).protection(section_of(made, 1), 1000, PRIOR)
    assert isinstance(shown, ClassesProtection)
    assert shown.goal == "mean"
    assert forecast_precision(made, AVERAGE).half_width == shown.mean_half_width
    assert forecast_precision(made, AVERAGE).expected == pytest.approx(20)
    assert (shown.expected.range.low, shown.expected.range.high) == (-20, 60)


def test_difference_is_planned_between_two_halves() -> None:
    made = design(DIFFERENCE, 2000)
    half = shown_margins(replace(made, expected=1000))[0]
    assert forecast_precision(made, DIFFERENCE).half_width == pytest.approx(hypot(half, half))
    assert not forecast_precision(replace(made, expected=98), DIFFERENCE).is_known
    assert forecast_precision(replace(made, expected=100), DIFFERENCE).is_known


def test_association_is_planned_for_two_questions_asked_together() -> None:
    """With stronger protection one of two questions is asked, so the design has a section for each."""
    assert [len(section.questions) for section in design(ASSOCIATION).sections] == [1, 2]
    stronger = design(ASSOCIATION, preset=PRESETS["stronger"])
    assert [len(section.questions) for section in stronger.sections] == [1, 1, 1]
    assert not forecast_precision(stronger, ASSOCIATION).is_known
    assert forecast_precision(replace(stronger, expected=20_000), ASSOCIATION).is_known


def test_further_section_equals_the_one_the_builder_adds() -> None:
    made = draft_with_further_sections(design(SHARE), 2)
    assert len({section_of(made, number).keep for number in (1, 2, 3)}) == 1
    assert common_preset(made) == DEFAULT
    assert ProtectionSummary(made).is_within_preset
    assert section_of(made, 3).questions[0].choice_names == ("no", "yes", "prefer-not-to-say")


@pytest.mark.parametrize("goal", [SHARE, AVERAGE, DIFFERENCE])
def test_stated_extra_answers_restore_the_margin(goal: str) -> None:
    made = PlannedDesign(answers(goal), design(goal))
    widths = [row.forecast.width for row in made.comparison_rows]
    assert widths == sorted(widths)
    for row in made.comparison_rows[1:]:
        assert row.needed is not None
        grown = draft_with_further_sections(made.design, row.further)
        assert forecast_precision(replace(grown, expected=row.needed), goal).width <= made.forecast.width
        assert (
            forecast_precision(replace(grown, expected=int(row.needed * 0.87)), goal).width
            > made.forecast.width
        )
        assert row.needed == pytest.approx(1000 * (row.forecast.width / made.forecast.width) ** 2, rel=0.12)


def test_association_pair_asked_of_everybody_stays_in_one_section() -> None:
    given = answers(ASSOCIATION, 20_000, is_together=True)
    made = PlannedDesign(given, draft_with_planned_sections(NEW, given))
    apart = PlannedDesign(answers(ASSOCIATION), design(ASSOCIATION, 20_000))
    assert [len(section.questions) for section in made.design.sections if section.sensitive] == [2]
    assert all(row.forecast.is_known for row in made.comparison_rows)
    widths = [row.forecast.width for row in made.comparison_rows]
    assert widths == sorted(set(widths))
    assert (made.may_split_association_pair, apart.may_split_association_pair) == (False, True)
    # What is no longer asked together has no price.
    assert [row.margin for row in apart.comparison_rows][1:] == ["some never asked together"] * 3
    assert {row.needed for row in apart.comparison_rows[1:]} == {None}
    # The builder keeps that, and no design gets it.
    kept = read_questionnaire(made.design.as_json())
    assert [section.together for section in kept.sections if isinstance(section, GroupedDraft)] == [True]
    assert "together" not in design_json_from_draft(made.design.as_json())
    further = draft_with_further_sections(kept, 2).sections
    (grown,) = (section for section in further if isinstance(section, GroupedDraft) and section.together)
    assert grown.questions_asked_per_person == 2
    # Apart they are told more precisely as long as nothing else is asked.
    assert widths[0] >= apart.forecast.width


def test_plan_names_the_needed_answers_and_its_search_ends() -> None:
    for goal, least in ((SHARE, 50), (DIFFERENCE, 100)):
        made = PlannedDesign(answers(goal, 1), design(goal, 1))
        assert not made.forecast.is_known
        assert made.least_respondents == least
    assert find_least_respondents(lambda _number: False, 10**9) is None
    assert find_least_respondents(lambda number: number >= 1_234_567, 1) == 1_300_000
    assert find_least_respondents(lambda _number: True, 1) == 1


@pytest.mark.at_push(3)
@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("respondents", [1, 50, 10**9])
@pytest.mark.parametrize("share", ["0.0001", "0.9999"])
def test_extreme_answers_have_a_plan(goal: str, respondents: int, share: str) -> None:
    ends = {"share": share, "low": -(10**9), "high": 10**9}
    made = PlannedDesign(answers(goal, respondents, **ends), design(goal, respondents, **ends))
    assert len(made.comparison_rows) == 4
    assert made.margin
    for row in made.comparison_rows:
        for picture in row.pictures:
            assert picture.low is not None
            assert picture.high is not None
            x, end = map(made.common_scale.position_percent, (picture.low, picture.high))
            assert 0 <= x <= end <= 100.2


def test_meter_equals_the_protection_page_after_adding_a_section() -> None:
    before = set_preset(draft(sensitive(question("a")), sensitive(question("b"))), DEFAULT)
    found, after = FurtherSectionEffect(before), draft_with_further_sections(before)
    was, now = (shown_margins(given, 0) + shown_margins(given, 1) for given in (before, after))
    assert found.margins == (was, now)
    said = [ProtectionSummary(before).itemset_margins[0].margin_text, grouped_words(after)]
    low, high = (words.removeprefix("±").removesuffix(" points") for words in said)
    sentence = f"Another disguised section: every other margin grows from ±{low} to ±{high} points."
    assert found.effect_sentence == sentence
    # Of margins that differ it says the widest.
    shares = set_preset(draft(sensitive(question("a", share="0.5000")), sensitive(question("b"))), DEFAULT)
    was, now = FurtherSectionEffect(shares).margins
    words = f"the widest from ±{100 * max(was):.1f} to ±{100 * max(now):.1f} points"
    assert words in FurtherSectionEffect(shares).effect_sentence


def test_meter_covers_every_estimable_kind_and_is_silent_otherwise() -> None:
    alone, age = crosswise("tax"), plain(question("age"))
    found = crosswise_protection(section_of(draft(alone)), 1000, PRIOR)
    assert found is not None
    both = set_preset(draft(alone, classes("debt", 0, 25, 50, 100)), DEFAULT)
    before, _after = FurtherSectionEffect(both).margins
    assert before[0] == found.half_width
    assert len(before) == 3
    nothing = draft(window("income")), draft(age), draft(age, sensitive())
    for given in (*nothing, draft(sensitive(question("a")), expected=49)):
        assert FurtherSectionEffect(given).effect_sentence == ""


def test_meter_says_what_is_less_protected_and_where_too_few_are_asked() -> None:
    found = FurtherSectionEffect(draft(sensitive(question("a"))))
    person = ProtectionSummary(found.after).person_protection
    assert person is not None
    assert found.margins[0] == found.margins[1]
    assert f"less protected: 5 % can become {person.posterior_words}." in found.effect_sentence
    # Of five questions each person is asked three, and with another section two: 60 and 40 of 100 people.
    five = draft(sensitive(*(question(f"q{n}") for n in range(5))), expected=100)
    many = set_preset(five, PRESETS["weaker"])
    found = FurtherSectionEffect(many)
    assert len(found.margins[1]) < len(found.margins[0])
    assert "too few people would be asked" in found.effect_sentence
