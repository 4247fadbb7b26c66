"""The protection page: live values store nothing, cures and proposals do, and saving meets others like everywhere."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.protection.settings import SettingsPart
from surveys.kinds.grouped.kind import common_yes_noise_percent, question_with_yes_noise
from surveys.models import Survey
from surveys.questionnaire.draft_question import DraftQuestion
from tests.builder.conftest import HTMX, SCRIPT
from tests.builder.test_protection import ten, yes_no
from tests.builder.written import options, plain, question, read, sensitive, stored
from tests.cast import As

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = stored(plain(question("age")), ten(), open_answers=False, expected=1000)
    draft.save()
    return draft


def sent(survey: Survey, **more: Any) -> dict[str, Any]:
    draft = load_questionnaire(survey)
    form = SettingsPart().build_form(draft)
    values = {field.name: field.value() for field in form}
    given = {name: value for name, value in values.items() if value not in (None, False)}
    return {"base": part_digest(SettingsPart(), draft), **given, **more}


def post(client: Client, survey: Survey, where: str, data: dict[str, Any], headers: Any = None) -> Any:
    answer = client.post(f"/app/surveys/{survey.pk}/edit/protection/{where}", data, headers=headers)
    survey.refresh_from_db()
    return answer


def section(survey: Survey) -> dict[str, Any]:
    found: dict[str, Any] = load_questionnaire(survey).as_json()["sections"][1]
    return found


def test_the_panel_shows_odds_gamma_epsilon_errors_and_each_expected_share_beside_its_question(
    client: Client, survey: Survey
) -> None:
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()
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
    texts = [
        question.text.get("en", question.name)
        for question in load_questionnaire(survey).sections[1].questions
    ]
    assert texts
    assert [heading for heading in headings if heading in texts] == texts


def test_few_who_are_alone_are_counted_without_a_warning(client: Client, survey: Survey) -> None:
    """Two combinations: with 1,000 people nobody is alone."""
    page = post(client, survey, "live", sent(survey, open_answers="on"), HTMX).content.decode()
    assert "about 0 of 1,000 people would be the only ones with theirs" in page
    assert 'data-caution="unique"' not in page


def test_values_that_move_are_answered_and_not_stored(client: Client, survey: Survey) -> None:
    before = Survey.objects.values().get()
    answer = post(
        client, survey, "live", sent(survey, **{"keep-1": "36", "asked-1": "2", "expected": "5000"}), HTMX
    )
    page = answer.content.decode()
    assert 'id="results-1"' in page
    assert 'hx-swap-oob="true"' in page
    assert "3.25 times" in page  # 1 + .36/.64·4
    assert "Expected precision with 5,000 answers" in page
    assert Survey.objects.values().get() == before


def test_a_value_half_typed_changes_nothing(client: Client, survey: Survey) -> None:
    assert post(client, survey, "live", sent(survey, **{"keep-1": ""}), HTMX).status_code == 204
    assert post(client, survey, "live", sent(survey, **{"keep-1": "100"}), HTMX).status_code == 204


def test_values_are_saved_as_a_design_takes_them(client: Client, survey: Survey) -> None:
    data = sent(
        survey, **{"keep-1": "35.99", "yes-1": "60", "asked-1": "3", "expected": "2500", "open_answers": "on"}
    )
    answer = post(client, survey, "save", data, SCRIPT)
    assert answer.status_code == 200
    assert (section(survey)["keep"], section(survey)["asked"]) == ("0.3599", 3)
    assert {tuple(each["noise"]) for each in section(survey)["questions"]} == {("0.4000", "0.6000")}
    assert (load_questionnaire(survey).expected, load_questionnaire(survey).open_answers) == (2500, True)


def test_without_a_script_the_page_comes_back_looking_at_the_same(client: Client, survey: Survey) -> None:
    answer = post(client, survey, "save", sent(survey, prior="10", rho1="1", rho2="20", length="2"))
    assert answer["Location"].endswith("/edit/protection?prior=10&rho1=1&rho2=20&length=2")
    page = client.get(answer["Location"]).content.decode()
    assert "<strong>10\u00a0%</strong> sure of something" in page
    assert '<option value="2" selected>' in page


def test_a_cure_is_applied_with_what_was_typed_and_what_is_none_is_refused_in_words(
    client: Client, survey: Survey
) -> None:
    answer = post(client, survey, "save", sent(survey, expected="700", do="asked 1 7"), HTMX)
    assert (section(survey)["asked"], load_questionnaire(survey).expected) == (7, 700)
    assert "129 times" in answer.content.decode()
    before = load_questionnaire(survey)
    for do in ("nonsense", "propose ²", "propose -1", "propose x", "propose " + "9" * 5000):
        answer = post(client, survey, "save", sent(survey, do=do), HTMX)
        assert "could not be understood" in answer.content.decode(), do[:20]
        assert load_questionnaire(survey) == before


def test_a_proposal_is_applied_and_taken_back_exactly(client: Client, survey: Survey) -> None:
    before = load_questionnaire(survey)
    post(client, survey, "save", sent(survey, do="propose 1 regroup"))
    assert load_questionnaire(survey) != before
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection")
    undo = page.context["undo"]
    answer = client.post(f"/app/surveys/{survey.pk}/edit/act", {"do": "undo", **undo})
    assert answer["Location"] == f"/app/surveys/{survey.pk}/edit/protection"
    survey.refresh_from_db()
    assert load_questionnaire(survey) == before


def test_a_proposal_is_not_taken_back_over_somebody_elses_change(client: Client, survey: Survey) -> None:
    post(client, survey, "save", sent(survey, do="propose 1 regroup"))
    removed = client.get(f"/app/surveys/{survey.pk}/edit/protection").context["undo"]["removed"]
    post(client, survey, "save", sent(survey, expected="77"))
    changed = load_questionnaire(survey)
    answer = client.post(
        f"/app/surveys/{survey.pk}/edit/act", {"do": "undo", "removed": removed}, follow=True
    )
    assert "changed since" in answer.content.decode()
    survey.refresh_from_db()
    assert load_questionnaire(survey) == changed


def test_of_two_who_set_it_the_later_one_sees_both(
    client: Client, survey: Survey, editor: Person, signed_in_as: As
) -> None:
    mine, theirs = sent(survey, **{"keep-1": "10"}), sent(survey, **{"keep-1": "20"})
    post(signed_in_as(editor), survey, "save", theirs, SCRIPT)
    answer = post(client, survey, "save", mine, SCRIPT)
    assert answer.status_code == 409
    assert "<dd>20</dd>" in answer.content.decode()
    assert section(survey)["keep"] == "0.2000"


def test_what_makes_no_sense_is_refused_by_name(client: Client, survey: Survey) -> None:
    answer = post(client, survey, "save", sent(survey, **{"keep-1": "100"}), SCRIPT)
    assert answer.status_code == 422
    assert answer.json()["said"].startswith("True answers sent (%): ")
    page = post(client, survey, "save", sent(survey, **{"asked-1": "11"}))
    assert page.status_code == 422
    assert 'value="11"' in page.content.decode()


def test_values_that_make_no_sense_in_the_address_are_named_or_ignored(
    client: Client, survey: Survey
) -> None:
    page = client.get(
        f"/app/surveys/{survey.pk}/edit/protection", {"rho1": "60", "rho2": "50"}
    ).content.decode()
    assert "The first number must be smaller than the second." in page

    page = client.get(
        f"/app/surveys/{survey.pk}/edit/protection", {"prior": "x", "length": "9"}
    ).content.decode()
    assert "<strong>5\u00a0%</strong> sure of something" in page


def test_a_survey_without_disguise_says_what_to_do(client: Client, survey: Survey) -> None:
    survey.draft = stored(plain(question("age")))
    survey.save()
    page = client.get(f"/app/surveys/{survey.pk}/edit/protection").content.decode()
    assert "Nothing is disguised yet" in page


def test_how_often_chance_says_yes_is_one_number_only_if_it_is_one() -> None:
    assert common_yes_noise_percent(read(sensitive(yes_no("a"), question("b")))) == "50"
    assert common_yes_noise_percent(read(sensitive(yes_no("a"), yes_no("b", "0.3000", "0.7000")))) == ""
    three = question("c", "no", "yes", "prefer-not-to-say")
    assert common_yes_noise_percent(read(sensitive(three))) == "33.33"
    assert common_yes_noise_percent(read(sensitive({**three, "noise": ["0.1000", "0.3000", "0.6000"]}))) == ""


def asked(question: dict[str, Any]) -> DraftQuestion:
    [only] = read(sensitive(question)).questions
    assert isinstance(only, DraftQuestion)
    return only


def test_the_rest_of_the_noise_is_shared_out_evenly_to_the_last_ten_thousandth() -> None:
    three = question("c", "no", "yes", "prefer-not-to-say")
    assert list(question_with_yes_noise(asked(three), Decimal("33.33")).noise) == [
        "0.3334",
        "0.3333",
        "0.3333",
    ]
    assert list(question_with_yes_noise(asked(options("of", "x")[0]), Decimal("0.01")).noise) == [
        "0.9999",
        "0.0001",
    ]


def test_a_yes_that_leaves_nothing_for_others_is_refused(client: Client, survey: Survey) -> None:
    survey.draft = stored(sensitive(question("c", "no", "yes", "prefer-not-to-say")))
    survey.save()
    answer = post(client, survey, "save", sent(survey, **{"yes-0": "99.99"}), SCRIPT)
    assert "leaves nothing for the other answers" in answer.json()["said"]
