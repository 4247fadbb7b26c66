"""What the questionnaire's page shows, closed and open."""

import pytest
from django.test import Client

from builder.editing.save_edit import load_questionnaire
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Survey
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.answer_scales import SCALES
from tests.builder.written import plain, question, sensitive, stored as written
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def shown(client: Client, survey: Survey, **query: object) -> str:
    page = client.get(f"/app/surveys/{survey.pk}/edit", query).content.decode()  # type: ignore[arg-type]
    assert "style=" not in page
    return page


def test_a_closed_question_is_a_few_words(client: Client, survey: Survey) -> None:
    page = shown(client, survey)
    assert "age?" in page
    assert "One of 2" in page
    assert "Others could know it" in page
    assert "Several of 2" in page
    assert "Only if work?: employed" in page
    assert "data-keeps" not in page


def test_every_place_that_lacks_something_can_be_pointed_to(client: Client, survey: Survey) -> None:
    found = draft_problems(load_questionnaire(survey).as_json(), NOW.date(), 20)
    assert len(found) > 10
    everything = ["=start", "age", "work", "of=use", "theft", "debt"]
    for page in (
        shown(client, survey),
        shown(client, survey, open=everything),
        shown(client, survey, **{"in": "zh-hans"}),
    ):
        for problem in found:
            # The members of a group share their question, which is named once.
            if not problem.path.startswith("sections[0].questions[3].text"):
                assert page.count(f'id="{problem.anchor}"') == 1, problem.anchor


def test_what_is_missing_in_another_language_is_counted_and_leads_to_its_translation(
    client: Client, survey: Survey
) -> None:
    page = shown(client, survey)
    assert "3 texts are missing in Simplified Chinese" in page
    assert "translations?to=zh-hans#sections-0-questions-0-text-zh-hans" in page


def test_an_open_question_shows_its_form_in_the_language_one_writes_in(
    client: Client, survey: Survey
) -> None:
    assert 'id="sections-0-questions-0-text-en"' in shown(client, survey, open="age")
    assert 'id="sections-0-questions-0-text-zh-hans"' in shown(
        client, survey, open="age", **{"in": "zh-hans"}
    )
    assert 'id="sections-0-questions-0-text-en"' in shown(client, survey, open="age", **{"in": "xx"})


def test_only_plain_questions_have_a_role_and_only_sensitive_ones_chances(
    client: Client, survey: Survey
) -> None:
    plain_form, sensitive_form = shown(client, survey, open="age"), shown(client, survey, open="debt")
    assert "Could other people know this about the respondent?" in plain_form
    assert "Random answers" not in plain_form
    assert "Could other people know this about the respondent?" not in sensitive_form
    assert "Random answers" in sensitive_form


def test_sensitive_questions_are_not_offered_for_rules(client: Client, survey: Survey) -> None:
    page = shown(client, survey, open="debt")
    assert '<option value="work">' in page
    assert '<option value="theft">' not in page


def test_an_open_form_is_not_told_what_its_own_fields_lack(client: Client, survey: Survey) -> None:
    """Scripts say so once a field has been left."""
    Survey.objects.filter(pk=survey.pk).update(draft=written(plain(question("age", text={}))))
    lack = "Question text: required"
    assert lack in shown(client, survey)
    assert lack not in shown(client, survey, open="age")


def test_the_page_says_why_there_is_no_free_text(client: Client, survey: Survey) -> None:
    assert "Why are there no free-text questions?" in shown(client, survey)


def test_the_promise_of_a_section_stands_above_its_questions(client: Client, survey: Survey) -> None:
    """gamma = 1 + .5/(.5·.25) = 5: 5 % becomes 5·.05/1.2 = 20.83… %."""
    page = shown(client, survey)
    assert "About 1 in 2 times (50.0 %) the true answers are sent" in page
    assert "becomes at most 20.9\u00a0%" in page


def test_settings_that_need_a_reviewers_yes_are_named_above_the_questions(
    client: Client, weak: Survey
) -> None:
    """ln 1025 = 6.9325, rounded up."""
    assert "ε = 6.94 for each person (limit: 5)" in shown(client, weak)


def test_a_draft_from_elsewhere_opens_too(client: Client, survey: Survey) -> None:
    survey.draft = {"sections": [{"kind": "plain", "questions": [{"choices": ["a"]}]}, {"kind": "story"}]}
    survey.save()
    page = shown(client, survey, open="q1")
    assert "Sections of this kind are not edited here." in page
    assert "Choices: at least two choices" in page


def test_an_empty_draft_can_be_begun(client: Client, survey: Survey) -> None:
    survey.draft = {}
    survey.save()
    assert "Add a sensitive section (disguised)" in shown(client, survey)


def test_a_ready_made_scale_has_all_its_points_in_every_shipped_language(subtests: pytest.Subtests) -> None:
    for key in SCALES:
        with subtests.test(f"{key!r:.60}"):
            points = SCALES[key].points
            assert set(points) == set(SHIPPED)
            for words in points.values():
                assert len(set(words)) == len(words) == int(key.partition("-")[2])


def test_a_rule_that_cannot_stand_is_named_and_gone_after_saving(client: Client, survey: Survey) -> None:
    survey.draft = written(plain(question("age")), sensitive(question("debt", show_if={"lost": ["x"]})))
    survey.save()
    assert "The rule on <code>lost</code> is not possible any more" in shown(client, survey, open="debt")
