"""The protection page: live values store nothing, cures and proposals do, and saving meets others like everywhere."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.protection.settings_and_quick_fixes import SettingsPart
from surveys.kinds.grouped.kind import common_yes_noise_percent, question_with_yes_noise
from surveys.models import Survey
from surveys.questionnaire.draft_question import DraftQuestion
from tests.builder.conftest import HTMX, SCRIPT, refusal, saved_draft, section as section_at
from tests.cast import As
from tests.surveys.conftest import address, page_text, post
from tests.surveys.drafts import options, plain, put, question, read, sensitive, ten_questions, yes_no

pytestmark = pytest.mark.page
THREE = question("c", "no", "yes", "prefer-not-to-say")
PAGE = "edit/protection"


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return put(draft, plain(question("age")), ten_questions(), open_answers=False, expected=1000)


def settings_form_data(survey: Survey, **more: Any) -> dict[str, Any]:
    draft = load_questionnaire(survey)
    form = SettingsPart().build_form(draft)
    values = {field.name: field.value() for field in form}
    given = {name: value for name, value in values.items() if value not in (None, False)}
    return {"base": part_digest(SettingsPart(), draft), **given, **more}


def send(client: Client, survey: Survey, headers: Any = SCRIPT, where: str = "save", **more: Any) -> Any:
    return post(client, survey, f"{PAGE}/{where}", headers, **settings_form_data(survey, **more))


def section(survey: Survey) -> Any:
    return section_at(survey, 1)


def test_protection_panel_shows_odds_gamma_epsilon_errors_and_shares(client: Client, survey: Survey) -> None:
    page = page_text(client, survey, PAGE)
    for words in (
        "About 1 in 2 times",
        "1,025 times",
        "<dd>6.94</dd>",
        "98.2\u00a0%",
        "Expected precision with 1,000 answers",
        # As the page of the method says of the same section.
        "What a record tells of section 2, in bits</dt><dd>4.01 on average, ",
    ):
        assert words in page
    assert page.count('<svg class="picture frontier"') == 1
    assert "style=" not in page
    headings = re.findall(r'<tr><th scope="row">([^<]*)</th>', page)
    texts = [question.text.get("en", question.name) for question in saved_draft(survey).sections[1].questions]
    assert texts
    assert [heading for heading in headings if heading in texts] == texts


def test_slider_values_are_answered_and_not_stored(client: Client, survey: Survey) -> None:
    """Two combinations: with 1,000 people nobody is alone, which is said without a warning."""
    before = Survey.objects.values().get()
    moved = {"keep-1": "36", "asked-1": "2", "expected": "5000"}
    page = send(client, survey, HTMX, "live", **moved).text
    for words in (
        'id="results-1"',
        'hx-swap-oob="true"',
        "3.25 times",  # 1 + .36/.64·4
        "Expected precision with 5,000 answers",
    ):
        assert words in page
    page = send(client, survey, HTMX, "live", open_answers="on").text
    assert "about 0 of 1,000 people would be the only ones with theirs" in page
    assert 'data-caution="unique"' not in page
    for half_typed in ("", "100"):
        assert send(client, survey, HTMX, "live", **{"keep-1": half_typed}).status_code == 204
    assert Survey.objects.values().get() == before


def test_protection_values_are_saved_as_the_design_takes_them(client: Client, survey: Survey) -> None:
    data = {"keep-1": "35.99", "yes-1": "60", "asked-1": "3", "expected": "2500", "open_answers": "on"}
    assert send(client, survey, **data).status_code == 200
    assert (section(survey)["keep"], section(survey)["asked"]) == ("0.3599", 3)
    assert {tuple(each["noise"]) for each in section(survey)["questions"]} == {("0.4000", "0.6000")}
    assert (saved_draft(survey).expected, saved_draft(survey).open_answers) == (2500, True)


def test_page_without_a_script_returns_to_the_same_section(client: Client, survey: Survey) -> None:
    answer = send(client, survey, None, prior="10", rho1="1", rho2="20", length="2")
    assert answer["Location"].endswith("/edit/protection?prior=10&rho1=1&rho2=20&length=2")
    page = client.get(answer["Location"]).text
    assert "<strong>10\u00a0%</strong> sure of something" in page
    assert '<option value="2" selected>' in page
    # What makes no sense in the address is named or ignored.
    page = page_text(client, survey, PAGE, rho1="60", rho2="50")
    assert "The first number must be smaller than the second." in page
    assert "<strong>5\u00a0%</strong> sure of something" in page_text(
        client, survey, PAGE, prior="x", length="9"
    )


def test_cure_is_applied_with_typed_values_or_refused(client: Client, survey: Survey) -> None:
    answer = send(client, survey, HTMX, expected="700", do="asked 1 7")
    assert (section(survey)["asked"], saved_draft(survey).expected) == (7, 700)
    assert "129 times" in answer.text
    before = saved_draft(survey)
    for do in ("nonsense", "propose ²", "propose -1", "propose x", "propose " + "9" * 5000):
        assert "could not be understood" in send(client, survey, HTMX, do=do).text, do[:20]
        assert saved_draft(survey) == before


def test_proposal_is_undone_but_not_over_a_later_change(client: Client, survey: Survey) -> None:
    before = saved_draft(survey)
    send(client, survey, None, do="propose 1 regroup")
    assert saved_draft(survey) != before
    undo = client.get(address(survey, PAGE)).context["undo"]
    assert post(client, survey, "edit/act", do="undo", **undo)["Location"] == address(survey, PAGE)
    assert saved_draft(survey) == before
    send(client, survey, None, do="propose 1 regroup", prior="20")
    undo = client.get(address(survey, PAGE)).context["undo"]
    assert "prior=20" in post(client, survey, "edit/act", do="undo", **undo)["Location"]
    send(client, survey, None, do="propose 1 regroup")
    removed = client.get(address(survey, PAGE)).context["undo"]["removed"]
    send(client, survey, None, expected="77")
    changed = saved_draft(survey)
    answer = client.post(address(survey, "edit/act"), {"do": "undo", "removed": removed}, follow=True)
    assert "changed since" in answer.text
    assert saved_draft(survey) == changed


def test_second_editor_sees_both_versions(
    client: Client, survey: Survey, editor: Person, signed_in_as: As
) -> None:
    mine = settings_form_data(survey, **{"keep-1": "10"})
    send(signed_in_as(editor), survey, **{"keep-1": "20"})
    assert "<dd>20</dd>" in refusal(post(client, survey, f"{PAGE}/save", SCRIPT, **mine), 409)
    assert section(survey)["keep"] == "0.2000"


def test_invalid_protection_value_is_refused_by_name(client: Client, survey: Survey) -> None:
    answer = send(client, survey, **{"keep-1": "100"})
    assert answer.status_code == 422
    assert answer.json()["said"].startswith("True answers sent (%): ")
    assert 'value="11"' in refusal(send(client, survey, None, **{"asked-1": "11"}))
    put(survey, sensitive(THREE))
    assert "leaves nothing for the other answers" in send(client, survey, **{"yes-0": "99.99"}).json()["said"]
    # .0002 is enough for the two others.
    assert send(client, survey, **{"yes-0": "99.98"}).status_code == 200
    assert saved_draft(survey).sections[0].questions[0].noise == ("0.0001", "0.9998", "0.0001")
    assert "Nothing is disguised yet" in page_text(client, put(survey, plain(question("age"))), PAGE)


def test_chance_of_a_yes_is_stated_only_if_common_to_all_questions() -> None:
    for questions, percent in (
        ((yes_no("a"), question("b")), "50"),
        ((yes_no("a"), yes_no("b", "0.3000", "0.7000")), ""),
        ((THREE,), "33.33"),
        (({**THREE, "noise": ["0.1000", "0.3000", "0.6000"]},), ""),
    ):
        assert common_yes_noise_percent(read(sensitive(*questions))) == percent


def test_remaining_noise_is_shared_evenly_to_four_places() -> None:
    for asked, yes, noise in (
        (THREE, "33.33", ["0.3334", "0.3333", "0.3333"]),
        (options("of", "x")[0], "0.01", ["0.9999", "0.0001"]),
    ):
        [only] = read(sensitive(asked)).questions
        assert isinstance(only, DraftQuestion)
        assert list(question_with_yes_noise(only, Decimal(yes)).noise) == noise
