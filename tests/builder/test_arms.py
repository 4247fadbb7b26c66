"""A share asked directly: the planner, the page, what opening needs, and what is warned of."""

from dataclasses import replace
from math import sqrt
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.planning.direct_arm import (
    DirectPart,
    answers_compared_between_arms,
    arm_plans,
    best_direct_share,
    respondents_needed,
)
from builder.protection.settings import SettingsPart
from builder.protection.summary import settings_warnings
from importing import candor_format
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.protection import find_weak_settings
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.written import crosswise, draft as written, plain, question, sensitive
from tests.cast import As

pytestmark = pytest.mark.page


def asking(*names: str, keep: str = "0.9000", **more: Any) -> Questionnaire:
    """Gamma 19 where one is asked: 1 + .9/(.1·.5)."""
    questions = [question(name, "no", "yes") for name in names]
    return written(
        plain(question("age")), sensitive(*questions, keep=keep), **{"open_answers": False, **more}
    )


def test_the_best_share_of_one_question_is_the_formulas() -> None:
    """a = sqrt V_1 / (sqrt V_0 + sqrt V_1) with P = .1, p = .9, theta = .5: .56, so 44 % are asked directly."""
    errors = sqrt(0.1 * 0.9), sqrt(0.14 * 0.86) / 0.9
    assert round(errors[0] / sum(errors), 2) == 0.44
    plan = next(plan for plan in arm_plans(asking("theft")) if plan.is_best)
    assert plan.share == "0.4400"
    assert plan.asked_directly == 440
    observed = 0.9 * 0.1 + 0.1 * 0.5
    by_hand = 2.80 * sqrt(observed * (1 - observed) / 0.81 / 560 + 0.09 / 440)
    # The variances at the truth are larger than with no difference if more say yes, and smaller if fewer do.
    assert plan.more
    assert plan.fewer
    assert plan.fewer < by_hand < plan.more < 1.1 * by_hand


def test_rotation_asks_fewer_people() -> None:
    [item] = answers_compared_between_arms(
        written(plain(question("age")), sensitive(*[question(name, "no", "yes") for name in "abcd"], asked=1))
    )
    assert item.asked == 0.25


def test_the_hardest_question_decides() -> None:
    """u = .25 keeps one half, so the crosswise question is compared worse than one with p = .9."""
    both = written(
        plain(question("age")), sensitive(question("theft", "no", "yes"), keep="0.9000"), crosswise("tax")
    )
    alone = written(plain(question("age")), crosswise("tax"))
    assert [plan.more for plan in arm_plans(both)] == [plan.more for plan in arm_plans(alone)]


def test_a_share_that_finds_too_little_is_not_best_and_the_answers_needed_are_named() -> None:
    """Of 1,000 people the best share finds 6 points; with 30 it finds too little."""
    assert respondents_needed(asking("theft")) is None
    few = replace(asking("theft"), expected=30)
    assert not any(plan.is_best for plan in arm_plans(few))
    needed = respondents_needed(few)
    assert needed
    assert any(plan.is_best for plan in arm_plans(replace(few, expected=needed)))
    assert not any(plan.is_best for plan in arm_plans(replace(few, expected=round(0.85 * needed))))


def test_a_difference_of_more_than_everybody_cannot_be_found() -> None:
    hardly_kept = replace(asking("theft", keep="0.0500"), expected=100)
    assert {plan.smallest_difference_words for plan in arm_plans(hardly_kept)} == {"cannot be found"}


def test_without_sensitive_questions_no_share_is_best() -> None:
    plans = arm_plans(written(plain(question("age"))))
    assert best_direct_share([]) == 0
    assert [(plan.more, plan.fewer) for plan in plans] == [(None, None)] * 9
    assert not any(plan.is_best for plan in plans)


def test_the_normal_form_keeps_a_share_that_a_design_takes(subtests: pytest.Subtests) -> None:
    for given, kept in [("0.5", "0.5000"), ("0.0999", None), ("0.9001", None), ("1.0000", None), (0.5, None)]:
        with subtests.test(f"{given!r:.60} {kept!r:.60}"):
            made = asking("theft", direct=given).as_json()
            assert made.get("direct") == kept
            assert read_questionnaire(made).as_json() == made
            assert candor_format.read(candor_format.write(made)).get("direct") == kept


def test_a_direct_arm_needs_a_reviewer() -> None:
    [problem] = find_weak_settings(freeze_design(asking("theft", direct="0.4400").as_json()))
    assert problem.path == "direct"
    assert "44 % of the devices ask directly" in problem.reason.replace("\u00a0", " ")
    assert find_weak_settings(freeze_design(asking("theft").as_json())) == []


def test_arms_with_fewer_than_500_are_warned_of(subtests: pytest.Subtests) -> None:
    """44 % of 1,137 are 500; of 1,135 they are 499."""
    for expected, warned in [(1135, True), (1137, False)]:
        with subtests.test(f"{expected!r:.60} {warned!r:.60}"):
            kinds = [
                each.kind for each in settings_warnings(asking("theft", direct="0.4400", expected=expected))
            ]
            assert ("arms" in kinds) == warned


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = asking("theft", open_answers=True, expected=2000).as_json()
    draft.save()
    return draft


def page_of(client: Client, survey: Survey) -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit/study").content.decode()


def save(client: Client, survey: Survey, direct: str, **sent: str) -> Any:
    survey.refresh_from_db()
    base = part_digest(DirectPart(), load_questionnaire(survey))
    return client.post(
        f"/app/surveys/{survey.pk}/edit/study/save",
        {"part": "direct", "base": base, "direct": direct, **sent},
    )


def test_the_page_marks_the_best_share_beside_its_smallest_difference(client: Client, survey: Survey) -> None:
    page = page_of(client, survey)
    best = page.split('<tr class="best">')[1].split("</tr>")[0]
    assert 'value="0.4400"' in best
    assert "880" in best
    assert "+4.6 / −4.1" in best
    assert page.count('type="radio"') == 11


def test_a_share_is_saved_and_excludes_open_answers(client: Client, survey: Survey) -> None:
    assert save(client, survey, "0.4400").status_code == 302
    survey.refresh_from_db()
    design = freeze_design(survey.draft)
    assert (design.direct_parts, design.open_answers) == (4400, False)
    save(client, survey, "")
    survey.refresh_from_db()
    assert not freeze_design(survey.draft).has_arms


def test_a_small_share_needs_a_larger_batch(client: Client, survey: Survey) -> None:
    """20 / .1 = 200."""
    response = save(client, survey, "0.1000")
    assert response.status_code == 422
    assert "at least 200" in response.content.decode()
    survey.draft = {**survey.draft, "least": 200}
    survey.save()
    assert save(client, survey, "0.1000").status_code == 302


def test_other_shares_are_refused(client: Client, survey: Survey, subtests: pytest.Subtests) -> None:
    for direct in ["0.0500", "0.4401", "half"]:
        with subtests.test(f"{direct!r:.60}"):
            assert save(client, survey, direct).status_code == 422


def test_another_persons_change_is_a_conflict(client: Client, survey: Survey) -> None:
    assert save(client, survey, "0.4400", base="old").status_code == 409
    survey.refresh_from_db()
    assert "direct" not in survey.draft


def test_an_unknown_part_is_refused(client: Client, survey: Survey) -> None:
    sent = {"part": "other", "base": ""}
    assert client.post(f"/app/surveys/{survey.pk}/edit/study/save", sent).status_code in (302, 409)


def test_open_answers_are_refused_beside_it(client: Client, survey: Survey) -> None:
    save(client, survey, "0.4400")
    survey.refresh_from_db()
    given = load_questionnaire(survey)
    blank = SettingsPart().build_form(given)
    sent = {field.name: field.value() for field in blank} | {"open_answers": "on"}
    form = SettingsPart().build_form(given, sent)
    assert not form.is_valid()
    assert "open_answers" in form.errors


def test_the_protection_page_says_whom_it_holds_for(client: Client, survey: Survey) -> None:
    words = "People who are asked directly have no protection but the batch"
    assert words not in client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()
    save(client, survey, "0.4400")
    assert words in client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()


def test_strangers_see_no_page(survey: Survey, signed_in_as: As, stranger: Person) -> None:
    client = signed_in_as(stranger)
    assert client.get(f"/app/surveys/{survey.pk}/edit/study").status_code == 404
    assert client.post(f"/app/surveys/{survey.pk}/edit/study/save").status_code == 404


def test_it_is_saved_by_posting_only(client: Client, survey: Survey) -> None:
    assert client.get(f"/app/surveys/{survey.pk}/edit/study/save").status_code == 405
    assert client.post(f"/app/surveys/{survey.pk}/edit/study").status_code == 405
