"""Sections follow a preset until they are set by hand: the whole person's epsilon stays below 3."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from math import e, prod

import pytest

from builder.editing import commands, questions_and_sections
from builder.editing.separately_saved_parts import DraftPart, QuestionPart
from builder.protection.proposals import propose_settings
from builder.protection.settings_and_quick_fixes import SettingsPart
from builder.protection.summary import ProtectionSummary, opening_problems_sentence, weakening_warnings
from config.start import demo_content
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.best_place_settings import Wanted
from privacy.guarantee.expected_error import SupposedSupports
from privacy.guarantee.presets import BEFORE, DEFAULT, PRESETS, best_section_law
from privacy.kinds.grouped.law import SectionLaw
from surveys import draft_json
from surveys.draft_json import PRESET, Draft
from surveys.kinds.apply_protection_presets import apply_presets, divide_limit_among_sections, set_preset
from surveys.kinds.grouped.draft import grouped_laws
from surveys.kinds.number import editing as numbers
from surveys.kinds.place import editing as places
from surveys.kinds.read_draft import read_questionnaire
from surveys.kinds.registry import KINDS
from surveys.lifecycle.design_from_draft import design_json_from_draft, freeze_design
from surveys.questionnaire.choice_question_kinds import new_block
from surveys.questionnaire.protection import (
    PRIOR,
    common_preset,
    person_protection,
    remove_presets,
    section_laws,
)
from surveys.questionnaire.question_block_editing import Block
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import Node
from tests.builder.conftest import gamma
from tests.builder.test_proposals import NEVER_A_HALF
from tests.surveys.drafts import (
    WORK_HEALTH_HONESTY,
    classes,
    draft,
    plain,
    question,
    read,
    section_of,
    sensitive,
    window,
    yes_no,
)

CHOICES = (2, 3, 5)


def question_with_choices(name: str, choices: int) -> Node:
    return question(name, *(f"c{number}" for number in range(choices)))


def block(question: Node) -> Block:
    return list(read(sensitive(question)).questions)


def default_sections(*sizes: int, choices: int = 2) -> Questionnaire:
    """What the builder offers for sections of so many questions, added one by one."""
    made = draft(plain(question("age")))
    for part, size in enumerate(sizes):
        made = questions_and_sections.insert_section(made, KINDS["unrelated-question"].new_section(made))
        for row in range(size):
            added = block(question_with_choices(f"p{part}q{row}", choices))
            made = apply_presets(questions_and_sections.append_block(made, added, len(made.sections) - 1))
    return read_questionnaire(made.as_json())


def odds_of_one(law: SectionLaw) -> Fraction:
    """The largest P(y|x)/P(y|x') over all drawn subsets and answers. x' differs from y in what is asked first."""
    worst = Fraction(0)
    for drawn in combinations(range(len(law.noise)), law.asked):
        for answers in product(*(range(len(law.noise[place])) for place in drawn)):
            y = [answers[drawn.index(place)] if place in drawn else -1 for place in range(len(law.noise))]
            x = [max(code, 0) for code in y]
            other = [(x[place] + 1) % len(law.noise[place]) for place in range(len(x))]
            worst = max(worst, law.probability(x, y) / law.probability(other, y))
    return worst


@pytest.mark.at_push(3)
@pytest.mark.page
@pytest.mark.parametrize("choices", CHOICES)
@pytest.mark.parametrize("sections", [1, 2, 3, 4])
def test_the_default_keeps_epsilon_below_3_for_every_questionnaire(sections: int, choices: int) -> None:
    for size in range(1, 9):
        sizes = [(size + 3 * part) % 8 + 1 for part in range(sections)]
        made = default_sections(*sizes, choices=choices)
        found = [law for _number, law in grouped_laws(made)]
        assert [len(law.noise) for law in found] == sizes
        gamma = prod(map(odds_of_one, found), start=Fraction(1))
        assert gamma == prod((law.gamma for law in found), start=Fraction(1))
        assert float(gamma) < e**3
        assert gamma <= DEFAULT.limit.gamma == 19
        freeze_design(made.as_json())


def test_two_questions_are_asked_where_cheap_and_one_where_costly() -> None:
    """As offered before, with keep .5 and all asked, 5 % became 99.8 %.

    Yes or no: .4564 twice as often asked, against .6268; five choices: .1441 against .4018.
    """
    made = default_sections(4, 4)
    person = ProtectionSummary(made).person_protection
    assert person is not None
    assert person.epsilon < 3
    assert person.posterior <= 0.5
    [first, _second] = [law for _number, law in grouped_laws(made)]
    assert (first.asked, first.keep) == (2, Fraction(4564, 10_000))
    [first, _second] = [law for _number, law in grouped_laws(default_sections(4, 4, choices=5))]
    assert first.asked == 1


def test_yes_no_questions_of_a_new_draft_are_asked_in_the_number_best_for_pairs() -> None:
    """Of eight, at 5 % who say yes to both: the score of a record is (1 - c) / p if it says so, else -c / p. A draft of
    before asks two."""
    error = {}
    for number in range(2, 9):
        keep = 1 - 1 / (1 + Fraction(18, 2**number))
        c = (1 - keep) / 4
        given = {True: keep + c, False: c}
        moment = sum(
            share * (given[yes] * (1 - c) ** 2 + (1 - given[yes]) * c**2) / keep**2
            for yes, share in ((True, Fraction(1, 20)), (False, Fraction(19, 20)))
        )
        error[number] = (moment - Fraction(1, 400)) * Fraction(28, number * (number - 1) // 2)
    best = min(error, key=error.__getitem__)
    new = draft_json.new_draft_with_two_sections("Work", "en", date(2026, 12, 1))
    before = {**new, "sections": [{**section, draft_json.PAIRS: False} for section in new["sections"]]}
    for drafted, question_with_choices in ((new, best), (before, 2)):
        made = read_questionnaire(drafted)
        for row in range(8):
            made = questions_and_sections.append_block(made, block(yes_no(f"q{row}")), 1)
        [(_number, law)] = grouped_laws(apply_presets(made))
        assert law.asked == question_with_choices
        assert law.gamma <= 19
    assert best == 3
    # Without two yes/no questions, or where pairs would cost single answers more than a quarter, these decide.
    [(_number, law)] = grouped_laws(default_sections(8, choices=5))
    assert law.asked == 1
    # With t = 1.5 the keeps are .2 for one (1.5/6) and .111 for two (1.5/12): 45.6 for 27.6, 1.29 times the error.
    half, sixth = (Fraction(1, 2),) * 2, (Fraction(1, 6),) * 6
    law_of_five = best_section_law(
        (half, half, half, half, sixth),
        GammaLimit(Fraction(5, 2), strict=False),
        pairs=SupposedSupports((0.1, 0.05)),
    )
    assert law_of_five is not None
    assert law_of_five.asked == 1


def test_a_preset_names_a_number_by_its_words() -> None:
    section = classes("q5", 0, 10, 20)
    section["questions"][0]["text"] = {"en": "How many nights?"}
    [line] = ProtectionSummary(draft(section)).single_question_lines
    assert line.startswith("How many nights: true answer")


def test_new_draft_follows_the_default_preset_and_keeps_its_promise() -> None:
    new = draft_json.new_draft_with_two_sections("Work", "en", date(2026, 12, 1))
    empty = apply_presets(read_questionnaire(new))
    made = questions_and_sections.append_block(empty, new_block(empty, "yes-no", True), 1)
    assert common_preset(made) == DEFAULT
    person = ProtectionSummary(made).person_protection
    assert person is not None
    assert person.epsilon < 3
    # Adding by the buttons marks the new section.
    made = commands.add_section_command(draft(plain(question("age"))), {"kind": "sensitive"}).draft
    made = commands.add_section_command(made, {"kind": "number"}).draft
    sections = made.as_json()["sections"]
    assert [section.get(PRESET) for section in sections] == [None, "balanced", "balanced"]
    assert reduce(lambda found, section: found and "keep" in section, sections[1:], True)


@pytest.mark.parametrize("name", list(PRESETS))
def test_each_preset_keeps_its_promise_and_spends_nearly_all_of_it(name: str) -> None:
    made = set_preset(default_sections(3, 5), PRESETS[name])
    after = gamma(made) * BEFORE / (1 + (gamma(made) - 1) * BEFORE)
    assert PRESETS[name].after - Fraction(1, 100) < after <= PRESETS[name].after
    assert common_preset(made) == PRESETS[name]


def test_presets_set_numbers_and_places_and_leave_other_kinds() -> None:
    """A window that could show nothing within its share keeps its settings; the rest has what it leaves."""
    given = draft(sensitive(yes_no("a"), yes_no("b")), classes("debt", 0, 1, 2), window("income"))
    made = set_preset(given, PRESETS["stronger"])
    assert section_of(made, 1).keep != section_of(given, 1).keep
    assert gamma(made) <= PRESETS["stronger"].limit.gamma
    made = default_sections(3)
    made = questions_and_sections.insert_section(made, numbers.new_number_section(made))
    made = apply_presets(questions_and_sections.insert_section(made, places.new_place_section(made)))
    assert common_preset(made) == DEFAULT
    assert gamma(made) <= 19


def test_settings_by_hand_stay_and_new_sections_get_the_rest_of_the_limit() -> None:
    """By hand gamma is 1 + .5/.5·4 = 5; the new section has 19/5 = 3.8 for itself, or a little if none is left."""
    for by_hand, low, high in (
        (2, Fraction("3.7"), Fraction("3.8")),
        (10, Fraction("1.49"), Fraction("1.5")),
    ):
        given = remove_presets(draft(sensitive(*(yes_no(f"q{number}") for number in range(by_hand)))))
        made = questions_and_sections.insert_section(given, KINDS["unrelated-question"].new_section(given))
        made = apply_presets(questions_and_sections.append_block(made, block(yes_no("c")), 1))
        assert made.sections[0] == given.sections[0]
        first, second = (law.gamma for _number, law in section_laws(made))
        assert first == 1 + 2**by_hand
        assert low < second <= high
        assert common_preset(made) is None
    # A draft without marks stays as it is.
    given = draft(sensitive(*(yes_no(f"q{number}") for number in range(10))))
    assert apply_presets(given) == given


def apply_form(part: DraftPart, given: Questionnaire, **sent: str) -> Questionnaire:
    """The form as it is shown, with these values changed."""
    shown = {field.name: field.value() for field in part.build_form(given)}
    form = part.build_form(given, shown | {name.replace("_", "-"): value for name, value in sent.items()})
    assert form.is_valid(), form.errors
    return part.apply_cleaned(given, form.cleaned_data)


def test_protection_page_marks_only_changed_settings_as_by_hand() -> None:
    given, part = default_sections(3), SettingsPart()
    together = apply_form(part, given, together_1="on")
    for same in (apply_form(part, given), apply_form(part, given, share0_1="30", expected="77"), together):
        assert common_preset(same) == DEFAULT
    assert given.as_json()["sections"][1]["asked"] < 3
    assert "asked" not in together.as_json()["sections"][1]
    moved = apply_form(part, given, keep_1="12")
    assert common_preset(moved) is None
    assert PRESET not in moved.as_json()["sections"][1]
    assert moved.as_json()["sections"][1]["keep"] == "0.1200"
    # So does the form of a question with its window.
    given = draft({**window("income"), PRESET: "balanced"}, {**sensitive(yes_no("a")), PRESET: "balanced"})
    for sent, marked in (({}, [True, True]), ({"uniform": "80"}, [False, True])):
        made = apply_form(QuestionPart("income", "en"), given, **sent)
        assert [PRESET in section for section in made.as_json()["sections"]] == marked


def test_applied_proposal_follows_no_preset_and_any_limit_can_be_set() -> None:
    for proposal in propose_settings(default_sections(3, 2), NEVER_A_HALF, 1):
        assert common_preset(proposal.draft_with_proposal) is None
    given = draft(sensitive(yes_no("a")), sensitive(yes_no("b"), yes_no("c")))
    assert 18 < gamma(divide_limit_among_sections(given, NEVER_A_HALF)) < 19


def test_preset_mark_and_expected_shares_are_not_in_the_design() -> None:
    marked = set_preset(draft(sensitive({**yes_no("a"), "share": "0.3000"})), DEFAULT)
    assert marked.as_json()["sections"][0]["questions"][0]["share"] == "0.3000"
    design = design_json_from_draft(marked.as_json())
    assert PRESET not in design
    assert "share" not in design
    assert read_questionnaire(marked.as_json()) == marked


def work_health_honesty() -> Draft:
    return demo_content.demo_questionnaire_draft(date(2026, 12, 1), WORK_HEALTH_HONESTY)


def with_a_place() -> tuple[Questionnaire, str]:
    """That draft with a place of 64 cells that two regions share, set by hand."""
    draft = read_questionnaire(work_health_honesty())
    new = places.new_place_section(draft).as_json()
    section = {key: value for key, value in new.items() if key != PRESET}
    [question] = section["questions"]
    cells = [cell["name"] for cell in question["cells"]]
    regions = [{"name": f"r{n}", "label": {}, "cells": cells[8 * n : 8 * n + 8]} for n in (0, 1)]
    section["questions"] = [{**question, "regions": regions}]
    stored = draft.as_json()
    made = read_questionnaire({**stored, "sections": [*stored["sections"], section]})
    return apply_presets(made), question["name"]


@pytest.mark.parametrize("wanted", ["regions", "map"])
def test_best_place_level_takes_nothing_from_other_sections(wanted: Wanted) -> None:
    draft, key = with_a_place()
    before = person_protection(draft, PRIOR)
    found = apply_presets(places.set_best_level(draft, key, wanted))
    after = person_protection(found, PRIOR)
    assert before
    assert after
    kept, given = ([s.get("keep") for s in of.as_json()["sections"]] for of in (found, draft))
    assert kept == given
    assert after.guarantee.gamma <= DEFAULT.limit.gamma
    assert weakening_warnings(draft, found) == []


def test_broken_promise_or_useless_section_is_reported() -> None:
    draft, _key = with_a_place()
    stored = draft.as_json()
    *others, place = stored["sections"]
    weak = {**place, "questions": [{**place["questions"][0], "odds": "90.00"}]}
    after = read_questionnaire({**stored, "sections": [*others, weak]})
    (said,) = weakening_warnings(draft, after)
    assert said.startswith("All answers of a person together are now less protected: 5 % can become ")
    few = replace(draft, expected=150)
    (said,) = weakening_warnings(draft, few)
    assert said.startswith("A share now has a margin of error of ±")


def test_draft_with_uninformative_shares_is_not_reported_complete() -> None:
    draft = {**work_health_honesty(), "contact": "a@example.org", "rehearsal": False}
    assert opening_problems_sentence(read_questionnaire(draft)) == "Nothing is missing"
    plain_section, disguised = draft["sections"]
    noisy = {**draft, "sections": [plain_section, {**disguised, "keep": "0.2000"}], "expected": 1_000}
    assert opening_problems_sentence(read_questionnaire(noisy)).startswith(
        "Nothing is missing, but a margin of error is ±"
    )
