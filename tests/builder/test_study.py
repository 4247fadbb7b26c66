"""The page Study: a share asked directly with its planner, and the check of understanding."""

from dataclasses import replace
from math import sqrt
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from accounts.models import Person
from builder.pages.page_host import PageHostPart
from builder.pages.study_settings import UnderstandingCheckPart
from builder.planning.direct_arm import (
    DirectSharePart,
    answers_compared_between_arms,
    best_direct_share,
    respondents_for_arm_comparison,
    selectable_arm_plans,
)
from builder.protection.settings_and_quick_fixes import SettingsPart
from builder.protection.summary import settings_warnings
from importing import candor_format
from privacy.designs import InputError
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import survey_creation
from surveys.lifecycle.asked_at import record_address
from surveys.lifecycle.design_from_draft import freeze_design, needed_phrases
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Design as DesignRow, Survey
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases.answering import UNDERSTANDING
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.protection import find_weak_settings
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import refusal, save_study, saved_draft
from tests.cast import As
from tests.surveys.conftest import NOW, page_text, post, reload, update_row
from tests.surveys.drafts import crosswise, draft as written, plain, put, question, sensitive

pytestmark = pytest.mark.page
THEFT = question("theft", "no", "yes")


def study_draft(*names: str, keep: str = "0.9000", **more: Any) -> Questionnaire:
    """Gamma 19 where one is asked: 1 + .9/(.1·.5)."""
    asked = [question(name, "no", "yes") for name in names or ("theft",)]
    return written(plain(question("age")), sensitive(*asked, keep=keep), **{"open_answers": False, **more})


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return update_row(draft, draft=study_draft(open_answers=True, expected=2000).as_json())


# A share asked directly: the planner.


def test_best_direct_share_of_one_question_matches_the_formula() -> None:
    """a = sqrt V_1 / (sqrt V_0 + sqrt V_1) with P = .1, p = .9, theta = .5: .56, so 44 % are asked directly."""
    errors = sqrt(0.1 * 0.9), sqrt(0.14 * 0.86) / 0.9
    assert round(errors[0] / sum(errors), 2) == 0.44
    plan = next(plan for plan in selectable_arm_plans(study_draft()) if plan.is_best)
    assert (plan.share, plan.asked_directly) == ("0.4400", 440)
    observed = 0.9 * 0.1 + 0.1 * 0.5
    by_hand = 2.80 * sqrt(observed * (1 - observed) / 0.81 / 560 + 0.09 / 440)
    # The variances at the truth are larger than with no difference if more say yes, and smaller if fewer do.
    assert plan.more
    assert plan.fewer
    assert plan.fewer < by_hand < plan.more < 1.1 * by_hand


def test_hardest_question_decides_the_direct_share_under_rotation() -> None:
    """u = .25 keeps one half, so the crosswise question is compared worse than one with p = .9."""
    [item] = answers_compared_between_arms(
        written(plain(question("age")), sensitive(*[question(name, "no", "yes") for name in "abcd"], asked=1))
    )
    assert item.asked == 0.25
    age, tax = plain(question("age")), crosswise("tax")
    both, alone = written(age, sensitive(THEFT, keep="0.9000"), tax), written(age, tax)
    found = [[plan.more for plan in selectable_arm_plans(each)] for each in (both, alone)]
    assert found[0] == found[1]


def test_direct_share_that_finds_too_little_is_not_best() -> None:
    """Of 1,000 people the best share finds 6 points; with 30 it finds too little."""
    assert respondents_for_arm_comparison(study_draft()) is None
    few = replace(study_draft(), expected=30)
    assert not any(plan.is_best for plan in selectable_arm_plans(few))
    needed = respondents_for_arm_comparison(few)
    assert needed
    assert any(plan.is_best for plan in selectable_arm_plans(replace(few, expected=needed)))
    assert not any(plan.is_best for plan in selectable_arm_plans(replace(few, expected=round(0.85 * needed))))
    faint = replace(study_draft(keep="0.0500"), expected=100)
    assert {plan.smallest_difference_words for plan in selectable_arm_plans(faint)} == {"cannot be found"}
    plans = selectable_arm_plans(written(plain(question("age"))))
    assert best_direct_share([]) == 0
    assert [(plan.more, plan.fewer) for plan in plans] == [(None, None)] * 9
    assert not any(plan.is_best for plan in plans)


def test_direct_share_is_kept_in_the_draft_and_needs_a_reviewer() -> None:
    """44 % of 1,137 are 500; of 1,135 they are 499, of which is warned."""
    shares: list[tuple[object, str | None]] = [("0.5", "0.5000"), ("0.0999", None), ("0.9001", None)]
    for given, kept in [*shares, ("1.0000", None), (0.5, None)]:
        made = study_draft(direct=given).as_json()
        assert made.get("direct") == kept
        assert read_questionnaire(made).as_json() == made
        assert candor_format.read(candor_format.write(made)).get("direct") == kept
    [problem] = find_weak_settings(freeze_design(study_draft(direct="0.4400").as_json()))
    assert problem.path == "direct"
    assert "44 % of the devices ask directly" in problem.reason.replace("\u00a0", " ")
    assert find_weak_settings(freeze_design(study_draft().as_json())) == []
    for expected, warned in {1135: True, 1137: False}.items():
        kinds = [each.kind for each in settings_warnings(study_draft(direct="0.4400", expected=expected))]
        assert ("arms" in kinds) == warned


def save_direct(client: Client, survey: Survey, direct: str, **sent: str) -> Any:
    return save_study(client, survey, DirectSharePart(), "direct", direct=direct, **sent)


def test_direct_share_is_saved_and_only_the_others_are_protected(client: Client, survey: Survey) -> None:
    words = "People who are asked directly have no protection but the batch"
    assert words not in page_text(client, survey, "edit/protection")
    assert post(client, survey, "edit/study/save", part="other", base="").status_code in (302, 409)
    assert save_direct(client, survey, "0.4400", base="old").status_code == 409
    assert "direct" not in survey.draft
    assert save_direct(client, survey, "0.4400").status_code == 302
    design = freeze_design(survey.draft)
    assert (design.direct_parts, design.open_answers) == (4400, False)
    assert words in page_text(client, survey, "edit/protection")
    blank = SettingsPart().build_form(saved_draft(survey))
    sent = {field.name: field.value() for field in blank} | {"open_answers": "on"}
    form = SettingsPart().build_form(saved_draft(survey), sent)
    assert not form.is_valid()
    assert "open_answers" in form.errors
    save_direct(client, survey, "")
    assert not freeze_design(survey.draft).has_arms
    # The page marks the best share beside its smallest difference.
    page = page_text(client, survey, "edit/study")
    best = page.split('<tr class="best">')[1].split("</tr>")[0]
    for words in ('value="0.4400"', "880", "+4.6 / −4.1"):
        assert words in best
    assert page.partition('id="understanding"')[0].count('type="radio"') == 11


def test_small_direct_share_needs_a_larger_batch(client: Client, survey: Survey) -> None:
    """20 / .1 = 200."""
    assert "at least 200" in refusal(save_direct(client, survey, "0.1000"))
    update_row(survey, draft={**survey.draft, "least": 200})
    assert save_direct(client, survey, "0.1000").status_code == 302
    for direct in ("0.0500", "0.4401", "half"):
        assert save_direct(client, survey, direct).status_code == 422


# Who serves the page.


def save_host(client: Client, survey: Survey, host: str, where: str = "host") -> Any:
    part = PageHostPart(record_address(survey))
    return save_study(client, survey, part, "page-host", where=where, host=host)


def test_a_host_is_chosen_with_the_address_of_these_records_and_taken_back(
    client: Client, survey: Survey, settings: Settings
) -> None:
    settings.SITE_URL = "https://research.example.org"
    page = page_text(client, survey, "edit/study")
    assert "The host serves the page to the visitor’s device" in page
    assert "Page for the host" not in page
    assert save_host(client, survey, "https://ethics.example.edu/").status_code == 302
    assert reload(survey).draft["asked_at"] == {
        "host": "https://ethics.example.edu",
        "record": record_address(survey),
    }
    assert "Page for the host" in page_text(client, survey, "edit/study")
    assert save_host(client, survey, "", where="here").status_code == 302
    assert "asked_at" not in reload(survey).draft


def test_tools_are_chosen_and_shown_again(client: Client, survey: Survey) -> None:
    part, sent = PageHostPart(record_address(survey)), {"where": "inside"}
    tools = "https://a.example.com/\nhttps://b.example.com"
    assert save_study(client, survey, part, "page-host", **sent, tools=tools).status_code == 302
    inside = ["https://a.example.com", "https://b.example.com"]
    assert reload(survey).draft["asked_at"] == {"inside": inside}
    assert "\n".join(inside) in page_text(client, survey, "edit/study")
    for wrong in ("https://*.example.com", "http://a.example.com", ""):
        response = save_study(client, survey, part, "page-host", **sent, tools=wrong)
        assert response.status_code == 422, wrong
    assert reload(survey).draft["asked_at"] == {"inside": inside}


def test_what_is_no_host_is_refused_beside_its_field(client: Client, survey: Survey) -> None:
    for host, reason in (
        ("https://ethics.example.edu/survey", "without a path"),
        ("https://*.example.edu", "one site without *"),
        ("http://ethics.example.edu", "must begin with https://"),
        ("https://192.0.2.7", "must have the name of a host"),
        ("", "must be a site alone"),
    ):
        response = save_host(client, survey, host)
        assert response.status_code == 422, host
        assert reason in refusal(response), host
    assert "asked_at" not in reload(survey).draft


# The check of understanding: its switch, and the design that it makes.


def switch_check(client: Client, survey: Survey, *, on: bool, **sent: str) -> Any:
    ticked = {"understanding": "on"} if on else {}
    return save_study(client, survey, UnderstandingCheckPart(), "understanding", **ticked, **sent)


def is_on(survey: Survey) -> bool:
    return read_questionnaire(reload(survey).draft).understanding


def test_understanding_check_is_switched_on_and_off_without_trace(client: Client, survey: Survey) -> None:
    before, page = freeze_design(survey.draft), page_text(client, survey, "edit/study")
    assert "Check whether respondents understand" in page
    assert "anyone who watches the network could count the tries" in page
    assert switch_check(client, survey, on=True, base="old").status_code == 409
    assert not is_on(survey)
    assert switch_check(client, survey, on=True).status_code == 302
    assert is_on(survey)
    assert freeze_design(survey.draft).fingerprint != before.fingerprint
    assert switch_check(client, survey, on=False).status_code == 302
    assert not is_on(survey)
    assert freeze_design(survey.draft).canonical == before.canonical
    assert "understanding" not in survey.draft


def test_understanding_check_is_the_last_plain_question_with_three_choices() -> None:
    made = study_draft(understanding=True).as_json()
    design, off = freeze_design(made), freeze_design(study_draft().as_json())
    check = design.questions[-1]
    assert (design.understanding_index, check.name) == (2, "understood")
    assert check.code_names == ("at-once", "explained", "not")
    assert not design.sections[-1].sensitive
    assert design.sections[:-1] == off.sections
    assert off.understanding_index is None
    assert "understanding" not in off.as_json()
    read = candor_format.read(candor_format.write(made))
    assert read["understanding"] is True
    assert read["sections"] == made["sections"]


def test_understanding_check_is_switched_by_editors_only(
    survey: Survey, stranger: Person, viewer: Person, signed_in_as: As
) -> None:
    for who, status in ((None, 302), (stranger, 404), (viewer, 403)):
        response = switch_check(signed_in_as(who), survey, on=True)
        assert response.status_code == status
        assert who or response["Location"].startswith("/app/account/sign-in")
        assert not is_on(survey)


def test_understanding_check_needs_a_disguise_and_a_free_name(client: Client, survey: Survey) -> None:
    own = plain(question("understood")), sensitive(THEFT)
    for sections, words in (
        ([plain(question("age"))], "Nothing is disguised yet, so there is nothing to understand."),
        (own, "A question is called “understood”"),
    ):
        assert words in refusal(switch_check(client, put(survey, *sections), on=True))
    # The sensitive question was deleted afterwards.
    left = written(plain(question("age")), understanding=True).as_json()
    with pytest.raises(InputError, match="nothing is disguised"):
        freeze_design(left)
    assert "understanding" in [problem.path for problem in draft_problems(left, NOW.date(), 20)]
    with pytest.raises(InputError, match="give it another name"):
        freeze_design(written(*own, understanding=True).as_json())
    assert freeze_design(written(*own).as_json()).understanding_index is None, "a name like any other"


def test_understanding_check_texts_are_in_every_language() -> None:
    spoken = list(SHIPPED)
    texts = dict.fromkeys(spoken, "?")
    theft = sensitive({"name": "theft", "form": "yes-no", "text": texts, "choices": ["no", "yes"]})
    check = freeze_design(written(theft, languages=spoken, understanding=True).as_json()).questions[-1]
    for said in (check.text, *(choice.label for choice in check.choices)):
        words = [said.in_language_or_first(code) for code in spoken]
        assert all(words)
        assert len(set(words)) > 4
    own = {"understood_stored": "Czy pytania zostały zrozumiane?", "understood_not": "Nie"}
    phrases = {key: {"pl": text} for key, text in own.items()}
    polish = study_draft(languages=["en", "pl"], understanding=True, phrases=phrases).as_json()
    check = freeze_design(polish).questions[-1]
    assert check.text.in_language_or_first("pl") == own["understood_stored"]
    assert check.choices[2].label.in_language_or_first("pl") == own["understood_not"]


def test_understanding_check_brings_its_sentences_and_removes_the_form() -> None:
    pair = plain(question("age")), crosswise("tax")
    for on in (False, True):
        draft = written(*pair, open_answers=False, understanding=on).as_json()
        design, needed = freeze_design(draft), needed_phrases(draft).keys()
        assert needed & UNDERSTANDING.keys() == (UNDERSTANDING.keys() if on else set())
        assert can_be_answered_without_script(design) is not on
        assert ("form_link" in dict(design.phrases)) is not on


def test_copy_of_an_opened_survey_has_one_understanding_check(owner: Person) -> None:
    design = freeze_design(study_draft(understanding=True).as_json())
    row = DesignRow.objects.create(fingerprint=design.fingerprint, json=design.canonical)
    opened = Survey.objects.create(owner=owner, design=row, draft={}, state="closed", closed_at=NOW)
    copy = survey_creation.duplicate_survey(opened, owner, NOW)
    again = read_questionnaire(copy.draft)
    assert again.understanding
    assert [section.kind for section in again.sections] == ["plain", "unrelated-question"]
    assert freeze_design(copy.draft).sections == freeze_design(again.as_json()).sections == design.sections
