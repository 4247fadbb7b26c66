"""What the pages promise and expect of a number, worked out by hand, by simulation, or as the search itself does."""

import json
from dataclasses import replace
from fractions import Fraction
from math import prod, sqrt
from typing import Any

import numpy as np
import pytest
from django.test import Client

from builder.protection.proposals import find_proposal, has_incomplete_disguised_section, propose_settings
from builder.protection.settings_and_quick_fixes import apply_quick_fix
from builder.protection.summary import settings_warnings
from privacy.designs import parse_design
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.number.classes.scores_of_record_codes import score_table
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.window.law import WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import estimate_distribution
from surveys.kinds.number import editing as numbers
from surveys.kinds.number.form import nearest_coprime_odd_width
from surveys.kinds.number.guarantee_and_errors import ClassesProtection, WindowProtection, number_protection
from surveys.kinds.number.kind import class_code_texts
from surveys.kinds.number.proposals import expected_distribution, least_uniform_share_of_window, propose_law
from surveys.kinds.registry import get_kind
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import (
    find_weak_settings,
    gamma_limit_for_section,
    person_protection,
    section_laws,
)
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import gamma, saved_draft
from tests.builder.test_protection_pages import send
from tests.privacy.questionnaires import classes as design_classes, make_design as written_design
from tests.surveys.conftest import NOW, page_text
from tests.surveys.drafts import (
    classes,
    draft as written,
    not_none,
    place,
    plain,
    put,
    question,
    section_of as section,
    sensitive,
    window,
    yes_no,
)

pytestmark = pytest.mark.page
TWENTIETH = Fraction(1, 20)
NEVER_A_HALF = GammaLimit.never_reaches(TWENTIETH, Fraction(1, 2))


def classes_protection(given: Any, respondents: int) -> ClassesProtection:
    found = number_protection(given, respondents, TWENTIETH)
    assert isinstance(found, ClassesProtection)
    return found


def window_protection(given: Any, respondents: int) -> WindowProtection:
    found = number_protection(given, respondents, TWENTIETH)
    assert isinstance(found, WindowProtection)
    return found


def test_gamma_of_a_person_multiplies_over_numbers() -> None:
    """(1 + .8)/(1 - .8) = 9; 1 + .5·1001/(.5·201) = 1202/201; 1 + .5/(.5·.5) = 3."""
    both = written(classes("debt", 0, 1, 2), window("income"), sensitive(yes_no("theft")))
    assert not_none(person_protection(both, TWENTIETH)).guarantee.gamma == 9 * Fraction(1202, 201) * 3
    design = freeze_design(both.as_json())
    assert prod((law.gamma for s in design.sections if (law := s.law)), start=Fraction(1)) == gamma(both)


def test_shares_and_mean_have_the_errors_of_their_scores() -> None:
    """Even numbers 0..4, limits 2 and 4, one drawn."""
    found = classes_protection(section(written(classes("debt", 0, 2, 4, 4, keep="0.8"))), 1000)
    assert [each.share for each in found.expected_shares] == pytest.approx([0.6, 0.2])
    table = score_table(2, 1, Fraction(4, 5))
    chances = np.array([0.4, 0.4, 0.2]) @ table.chance
    for item, each in enumerate(found.expected_shares):
        score = table.scores_by_code_and_item[:, item]
        variance = chances @ score**2 - (chances @ score) ** 2
        assert each.half_width == pytest.approx(1.96 * sqrt(variance / 1000), rel=1e-3)
    assert found.expected_mean is None
    averaged = section(written(classes("debt", 0, 2, 4, 4, rest=2)))
    mean = not_none(classes_protection(averaged, 1000).expected_mean)
    assert mean.mean == pytest.approx(2)
    assert mean.se > sqrt(2 / 1000)


def test_what_one_expects_decides_the_shares_and_where_the_limits_of_quantiles_crowd() -> None:
    given = written(classes("debt", 0, 100, 1000, expected=[50, 100, 200]))
    assert classes_protection(section(given), 1000).expected_shares[0].share == pytest.approx(0.5)
    lost = written(classes("debt", 0, 100, 1000, expected=[50, 100, 2000]))
    assert expected_distribution(section(lost).question).starts == (0,)
    wide = section(written(classes("debt", 0, 1, 10_000, expected=[100, 200, 300])))
    made = propose_law(wide, "quantiles", NEVER_A_HALF, 5000).classes_question
    assert made
    assert sum(each <= 400 for each in made.limits) > len(made.limits) / 2


def test_the_curve_of_a_window_is_that_of_a_report() -> None:
    """Its blurred shares, its band and what is received, against the estimator fed with the expected counts."""
    given = section(written(window("income", 101, 10, "0.4000", expected=[10, 30, 60])))
    found = window_protection(given, 5000)
    law = WindowLaw(101, 10, 4000)
    circular = law.law
    matrix = np.array([[float(circular.probability(x, y)) for y in range(101)] for x in range(101)])
    assert found.received_shares == pytest.approx(found.expected_shares @ matrix)
    estimate = estimate_distribution(law, 5000 * found.received_shares, np.zeros(101))
    assert found.blurred_shares == pytest.approx(estimate.share, abs=1e-9)
    assert found.blurred_half_widths == pytest.approx(1.96 * estimate.se, rel=1e-6)


WORDS = {"en": "Now money.", "zh-hans": "现在说钱。"}


def test_words_before_a_section_do_not_change_its_law() -> None:
    for given in (classes("n", 0, 10, 100), window("n"), place("n")):
        bare, said = (
            written({**given, **more}, languages=["zh-hans", "en"]) for more in ({}, {"intro": WORDS})
        )
        assert section(said).intro == WORDS
        gammas = [[law.gamma for _number, law in section_laws(draft)] for draft in (said, bare)]
        assert gammas[0] == gammas[1] != []


def test_a_number_keeps_its_preset_and_the_words_before_it_whatever_is_wanted_of_it() -> None:
    given = written(classes("n", 0, 10, 100), languages=["en", "zh-hans"])
    given = given.replace_section(0, replace(section(given), preset="balanced", intro=WORDS))
    for after in (numbers.set_number_goal(given, "n", "shape"), numbers.set_proposed_law(given, "n")):
        assert (section(after).preset, section(after).intro) == ("balanced", WORDS)
    back = numbers.set_number_goal(numbers.set_number_goal(given, "n", "shape"), "n", "shares")
    assert section(back).intro == WORDS
    assert section(back).keep == section(given).keep


def test_pictures_are_drawn_inside_their_frame_in_whole_numbers() -> None:
    shares = classes_protection(section(written(classes("d", -5, 0, 9))), 100).picture
    assert [label.words for label in shares.labels] == ["\u22125", "0", "9"]
    assert all(14 <= each.high <= each.y <= each.low <= 142 for each in shares.estimates)
    curve = window_protection(section(written(window("income"))), 5000).picture
    for path in (curve.outline, curve.received, curve.blurred, curve.band, shares.outline):
        numbers = [int(each) for each in path.replace("M", " ").replace("L", " ").replace("Z", "").split()]
        assert all(76 <= x <= 620 for x in numbers[::2])
        assert all(14 <= y <= 246 for y in numbers[1::2])
    assert window_protection(section(written(window("income"))), 999).picture.band == ""


def test_the_nearest_window_shares_no_factor() -> None:
    for width, values, nearest in ((77, 1001, 79), (11, 1001, 9), (3, 6, 1), (5, 10, 7), (999, 1002, 997)):
        assert nearest_coprime_odd_width(width, values) == nearest


@pytest.mark.parametrize(
    "limit", [NEVER_A_HALF, GammaLimit(Fraction(6), strict=False), GammaLimit(Fraction(3), strict=True)]
)
@pytest.mark.parametrize(("values", "half"), [(1001, 100), (101, 4), (7, 0), (65_000, 1)])
def test_the_least_uniform_is_admitted_and_one_less_is_not(limit: GammaLimit, values: int, half: int) -> None:
    parts = least_uniform_share_of_window(values, half, limit)
    assert limit.admits(WindowLaw(values, half, parts).gamma)
    assert parts == 1 or not limit.admits(WindowLaw(values, half, parts - 1).gamma)


def test_a_limit_lowers_what_is_kept_and_nothing_else() -> None:
    for given in (section(written(classes("d", 0, 1, 2))), section(written(window("income", uniform="0.1")))):
        found = not_none(get_kind(given).section_within_limit(given, GammaLimit(Fraction(4), strict=False)))
        assert found.disguise_law().gamma <= 4
        assert get_kind(given).section_within_limit(given, GammaLimit(Fraction(1), strict=True)) is None


def test_a_new_number_takes_what_the_others_leave_of_the_preset() -> None:
    assert gamma_limit_for_section(written(plain(question("age")))) == DEFAULT.limit
    # Gamma 1 + 0.75 * 2 / 0.25 = 7 is spent by hand, so 19/7 are left, and at least 3 is needed to show something.
    weak = written(classes("debt", 0, 1, 2, keep="0.75"))
    assert gamma_limit_for_section(weak).gamma == 3
    assert gamma_limit_for_section(weak, 0) == DEFAULT.limit
    # 1 + 0.5 * 2 / 0.5 = 3
    assert gamma_limit_for_section(written(classes("debt", 0, 1, 2, keep="0.5"))).gamma == Fraction(19, 3)


@pytest.mark.parametrize("wanted", ["shares", "mean", "quantiles", "shape"])
@pytest.mark.parametrize("points", [(0, 100, 10_000), (-50, 0, 7), (0, 1, 2)])
def test_every_proposal_is_a_design_within_its_limit(wanted: str, points: tuple[int, ...]) -> None:
    given = written(classes("debt", *points))
    made = propose_law(section(given), wanted, NEVER_A_HALF, 2000)
    after = written(made.as_json())
    assert made.question.goal == wanted
    assert NEVER_A_HALF.admits(gamma(after))
    freeze_design(after.as_json())


def test_a_proposal_gives_each_number_the_share_of_a_section() -> None:
    """Three sections below 19: each below 19^(1/3) = 2.66840; thresholds keep (G-1)/(G+1) = .454803."""
    given = written(classes("debt", 0, 1, 2), window("i"), sensitive(yes_no("a"), yes_no("b")), expected=5000)
    found = propose_settings(given, NEVER_A_HALF, 1)
    assert len(found) > 1
    for proposal in found:
        after = find_proposal(given, NEVER_A_HALF, 1, proposal.number).draft_with_proposal
        assert NEVER_A_HALF.admits(gamma(after))
        assert gamma(after) > 18
        assert section(after).keep == "0.4548"
        assert section(after, 1).question.goal == "shape"
        freeze_design(after.as_json())
    assert "true answer 45.5 %" in found[0].resulting_summary.single_question_lines[0]


def test_numbers_alone_are_proposed_for_too() -> None:
    given = written(classes("debt", 0, 1, 2), plain(question("age")))
    [found] = propose_settings(given, NEVER_A_HALF, 1)
    assert section(found.draft_with_proposal).keep == "0.8999"
    assert not has_incomplete_disguised_section(given)
    assert has_incomplete_disguised_section(written(classes("debt", 0, 5, 3)))
    faint = GammaLimit(Fraction(11, 10), strict=False)
    assert propose_settings(written(window("income", 1001, 450)), faint, 1) == []
    with pytest.raises(NotAllowed, match="a whole number of steps"):
        propose_law(section(written(classes("debt", 0, 1, 5, step=2))), "mean", NEVER_A_HALF, 2000)


def test_warnings_name_what_is_weak_or_too_faint_and_their_cures_help() -> None:
    def kinds(given: Questionnaire) -> dict[str, str]:
        return {each.kind: each.cures[-1].do for each in settings_warnings(given)}

    for given in (
        written(classes("debt", 0, 1, 2, keep="0.9999"), open_answers=False),
        written(window("income", uniform="0.0001"), open_answers=False, expected=5000),
    ):
        assert kinds(given)["long"] == "limit 0"
        assert "long" not in kinds(apply_quick_fix(given, "limit 0"))
        assert [each.path for each in find_weak_settings(freeze_design(given.as_json()))] == ["sections"]
    two = written(classes("a", 0, 1, 2, keep="0.9"), classes("b", 0, 1, 2, keep="0.9"), open_answers=False)
    assert kinds(two) == {"sum": "share"}
    assert gamma(apply_quick_fix(two, "share")) <= 148
    few = written(classes("debt", *range(21)), open_answers=False, expected=40)
    assert kinds(few)["floor"] == "expect 50"
    assert "floor" not in kinds(apply_quick_fix(few, "expect 50"))
    for faint in (
        written(classes("debt", 0, 1, 2, keep="0.1"), open_answers=False, expected=1000),
        written(classes("debt", 0, 1, 2, keep="0.1", rest=2), open_answers=False, expected=1000),
        written(window("income", uniform="0.8500"), open_answers=False, expected=1000),
    ):
        assert "noisy" in kinds(faint)
        assert "noisy" not in kinds(apply_quick_fix(faint, kinds(faint)["noisy"]))
    assert kinds(written(window("income"), open_answers=False, expected=900)) == {"floor": "expect 1000"}


def test_missing_texts_of_a_number_are_named() -> None:
    given = written(classes("debt", 0, 1, 2, text={}, unit={"en": "euros"}), languages=["en", "zh-hans"])
    paths = {problem.path for problem in draft_problems(given.as_json(), NOW.date(), 20)}
    assert {"sections[0].questions[0].text.en", "sections[0].questions[0].unit.zh-hans"} <= paths
    wrong = draft_problems(written(classes("debt", 0, 5, 3)).as_json(), NOW.date(), 20)
    assert "sections[0].questions[0].high" in {each.path for each in wrong}


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return put(draft, classes("debt", 0, 500, 1000), window("income"), open_answers=False, expected=5000)


def test_the_protection_page_shows_law_gamma_and_errors_of_numbers(client: Client, survey: Survey) -> None:
    page = page_text(client, survey, "edit/protection")
    for words in (
        "The limits divide all numbers into 2 classes. About 4 in 5 times (80.0 %)",
        "9.00 times",
        "5.99 times",
        "the device sends any of the 1,001 numbers, else one of the 201 around the true one",
        "A window gives no average, no median",
    ):
        assert words in page
    assert page.count('class="picture number"') == 2
    assert "Stronger or weaker protection: effect on precision" not in page


def test_keep_and_uniform_are_set_and_a_proposal_applied_there(client: Client, survey: Survey) -> None:
    send(client, survey, do="propose 0")
    assert NEVER_A_HALF.admits(gamma(saved_draft(survey)))
    assert survey.draft["sections"][0]["keep"] == "0.6267"
    assert send(client, survey, **{"keep-0": "60", "uniform-1": "70"}).status_code == 200
    assert survey.draft["sections"][0]["keep"] == "0.6000"
    assert survey.draft["sections"][1]["questions"][0]["uniform"] == "0.7000"
    answer = send(client, survey, **{"uniform-1": "95"})
    assert answer.status_code == 422
    assert "not even the roughest shape can be seen" in answer.text


def test_of_1_a_unit_has_its_singular_in_codebooks_and_files() -> None:
    for unit, one in {
        "hours": "1 hour",
        "hours a week": "1 hour a week",
        "drinks": "1 (drinks)",
        "": "1",
    }.items():
        of = design_classes("overtime", "0.7", 0, 1, 5, 20, unit={"en": unit} if unit else "")
        question = parse_design(json.dumps(written_design(of))).questions[0]
        assert isinstance(question, ClassesQuestion)
        words = class_code_texts(question, "en")
        assert {f"below {one}", f"{one} or more", f"below 5 {unit}".strip()} <= {*words}
