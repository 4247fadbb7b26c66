"""The questionnaires to start from: whole in both languages, well protected, and good for a rehearsal."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from accounts.models import History, Person
from builder.protection.summary import ProtectionSummary, all_opening_problems
from importing import candor_format
from importing.ready_questionnaires.questionnaires import (
    FOLDER,
    LANGUAGES,
    QUESTIONNAIRES,
    StartingQuestionnaire,
)
from importing.ready_questionnaires.views import create_survey_from_questionnaire
from intake.rehearsal import respondent_simulation
from jobs.models import State
from mining.parameters import Parameters
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.plain.section import PlainSection
from runs import run_start as mining
from runs.models import Itemset
from surveys import draft_json
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, state_changes as lifecycle
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Survey
from surveys.questionnaire.protection import common_preset
from tests.jobs.conftest import broker
from tests.runs import sealed
from tests.surveys.conftest import NOW

__all__ = ["broker"]

NAMES = list(QUESTIONNAIRES)


@pytest.fixture(params=NAMES)
def questionnaire(request: pytest.FixtureRequest) -> StartingQuestionnaire:
    return QUESTIONNAIRES[request.param]


def questions_of(questionnaire: StartingQuestionnaire) -> list[dict[str, Any]]:
    return [question.as_json() for question in questionnaire.draft.all_questions]


def finish_draft(
    questionnaire: StartingQuestionnaire, languages: tuple[str, ...] = LANGUAGES
) -> draft_json.Draft:
    """The draft with what only the researcher knows."""
    asker = dict.fromkeys(languages, "Olga Owner")
    made = questionnaire.draft.in_languages(languages).as_json()
    return {**made, "asker": asker, "contact": "owner@example.org", "retention": "2099-12-31"}


def test_ready_questionnaire_opens_in_every_choice_of_languages(questionnaire: StartingQuestionnaire) -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(NAMES)
    assert len(NAMES) == 5
    found = candor_format.read((FOLDER / f"{questionnaire.name}.json").read_bytes())
    assert found["languages"] == list(LANGUAGES)
    assert len(found["sections"]) == len(questionnaire.draft.sections)
    for languages in (("en",), ("zh-hans",), ("en", "zh-hans"), ("zh-hans", "en")):
        draft = finish_draft(questionnaire, languages)
        assert draft["languages"] == list(languages)
        assert all_opening_problems(read_questionnaire(draft)) == []
        assert draft_problems(draft, date(2026, 12, 1), 20) == []
        assert freeze_design(draft).languages == languages


def test_ready_questionnaire_is_complete_in_both_languages_and_protects_people(
    questionnaire: StartingQuestionnaire,
) -> None:
    # Every text is there in both languages.
    for key in ("title", "why", "intro", "consent", "thanks"):
        assert set(getattr(questionnaire.draft, key)) == set(LANGUAGES), key
    for question in questions_of(questionnaire):
        assert set(question["text"]) == set(LANGUAGES), question["name"]
        assert question["text"]["zh-hans"].endswith("？"), question["name"]
        if question["form"] != "yes-no":
            assert all(set(choice["label"]) == set(LANGUAGES) for choice in question["choices"])
    # The person is protected by default.
    outcome = ProtectionSummary(questionnaire.draft)
    assert outcome.person_protection is not None
    assert outcome.person_protection.epsilon < 3
    assert common_preset(questionnaire.draft) == DEFAULT
    assert outcome.warnings == []
    # Each asks plain and sensitive questions and hides what does not apply.
    kinds = [section.kind for section in questionnaire.draft.sections]
    assert kinds[0] == PlainSection.kind
    assert len(kinds) == 3
    assert 12 <= questionnaire.question_count <= 16
    assert 8 <= questionnaire.sensitive_count < questionnaire.question_count
    assert any(question["show_if"] for question in questions_of(questionnaire))
    assert questionnaire.minutes <= 5
    assert str(questionnaire.model).startswith("Modelled on")
    # Where health and drugs are asked about, people may prefer not to say.
    choices = [choice["name"] for question in questions_of(questionnaire) for choice in question["choices"]]
    if questionnaire.name in ("substance-use", "health-stigma"):
        assert draft_json.PREFER_NOT in choices


@pytest.mark.page
def test_survey_is_started_from_a_ready_questionnaire(
    questionnaire: StartingQuestionnaire, owner: Person
) -> None:
    survey = create_survey_from_questionnaire(questionnaire, owner, ["zh-hans", "en"], NOW)
    assert survey.draft["languages"] == ["zh-hans", "en"]
    assert str(survey) == questionnaire.title("zh-hans") or str(survey) == questionnaire.title("en")
    assert survey.draft["asker"] == {"zh-hans": "Olga Owner", "en": "Olga Owner"}
    assert (survey.draft["contact"], survey.draft["retention"]) == ("owner@example.org", "2027-12-01")
    assert History.objects.about(survey).get().what == "surveys.created"
    assert survey.state == Survey.State.DRAFT


@pytest.mark.page
@pytest.mark.usefixtures("broker")
@pytest.mark.parametrize(
    "questionnaire",
    [
        "exam-honesty",
        *(pytest.param(name, marks=pytest.mark.night) for name in NAMES if name != "exam-honesty"),
    ],
    indirect=True,
)
def test_rehearsal_of_a_ready_questionnaire_is_mined_without_failure(
    questionnaire: StartingQuestionnaire, owner: Person
) -> None:
    rehearsal = {**finish_draft(questionnaire), "rehearsal": True}
    survey = Survey.objects.create(owner=owner, draft=rehearsal)
    opening.open_survey_now(survey, owner, NOW)
    assert respondent_simulation.simulate(survey, 400, seed=15) == 400
    lifecycle.close_survey(survey, owner, NOW)
    parameters = Parameters(min_support=0.05, min_confidence=0.2)
    run = sealed.work(mining.start_mining_run(survey, owner, parameters, NOW, mlxtend="never"))
    assert run.state == State.DONE, run.error
    assert Itemset.objects.filter(run=run).exists()


def test_new_survey_page_offers_all_five_ready_questionnaires(reading: Client) -> None:
    page = reading.get("/app/surveys/new").text
    for each in QUESTIONNAIRES.values():
        assert f'value="{each.name}"' in page
        assert each.title("en") in page
        assert str(each.asks).split(",")[0] in page
        assert f"{each.question_count} questions, {each.sensitive_count} of them sensitive" in page
        assert f"About {each.minutes} minutes" in page


def test_button_makes_a_draft_in_the_chosen_languages(owner: Person, reading: Client) -> None:
    sent = {"questionnaire": "exam-honesty", "languages": "en zh-hans"}
    answer = reading.post("/app/surveys/new/start", sent)
    survey = Survey.objects.get()
    assert answer["Location"] == f"/app/surveys/{survey.pk}/edit"
    assert survey.draft["languages"] == ["en", "zh-hans"]
    assert survey.owner == owner


def test_ready_questionnaire_needs_a_researcher_a_post_and_a_known_name(
    client: Client, reading: Client, judging: Client
) -> None:
    sent: dict[str, str]
    for sent in (
        {},
        {"questionnaire": "../secret", "languages": "en"},
        {"questionnaire": "exam-honesty", "languages": "de"},
    ):
        answer = reading.post("/app/surveys/new/start", sent, follow=True)
        assert "Choose one of the questionnaires" in answer.text, sent
    sent = {"questionnaire": "exam-honesty", "languages": "en"}
    assert judging.post("/app/surveys/new/start", sent).status_code == 403
    assert reading.get("/app/surveys/new/start").status_code == 405
    assert "/app/account/" in client.post("/app/surveys/new/start", sent)["Location"]
    assert not Survey.objects.exists()
