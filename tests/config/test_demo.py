import json
from datetime import UTC, datetime
from threading import Event

import pytest
from django.contrib.auth import authenticate
from django.test import RequestFactory

from config import demo
from jobs import work
from jobs.models import Job, State
from mining.reports import deciding
from mining.reports.models import Review
from people.models import Person
from privacy.designs import UnrelatedQuestionSection, parse
from surveys.intake.models import Simulation
from surveys.models import Survey

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.django_db
def test_the_demo_has_an_open_rehearsal_that_simulated_respondents_are_to_answer() -> None:
    seeded = demo.seed(NOW)
    survey = Survey.objects.get()
    assert seeded.survey == survey
    assert (survey.state, survey.is_rehearsal, survey.owner.username) == ("open", True, "demo-researcher")
    assert Simulation.objects.get().n == 5_000


@pytest.mark.django_db
def test_a_second_start_gives_new_passwords_and_no_second_survey() -> None:
    first, second = demo.seed(NOW), demo.seed(NOW)
    assert first.survey == second.survey
    assert (Survey.objects.count(), Simulation.objects.count(), Person.objects.count()) == (1, 1, 2)
    username, old = first.passwords["researcher"]
    request = RequestFactory().post("/account/sign-in")
    assert authenticate(request, username=username, password=old) is None
    assert authenticate(request, username=username, password=second.passwords["researcher"][1]) is not None


@pytest.mark.django_db
def test_an_empty_demo_has_people_and_nothing_else() -> None:
    assert demo.seed(NOW, empty=True).survey is None
    assert not Survey.objects.exists()


def test_the_questionnaire_is_what_it_should_be() -> None:
    design = parse(demo.QUESTIONNAIRE.read_text())
    hidden = [section for section in design.sections if isinstance(section, UnrelatedQuestionSection)]
    assert (design.languages, design.open_answers, design.rehearsal) == (("en", "zh-hans"), True, True)
    assert len(design.sections[0].questions) == 3
    assert sum(len(section.questions) for section in hidden if section.asked < len(section.questions)) == 10
    assert [question.form for question in hidden[-1].questions] == ["one"]


def test_every_text_of_it_stands_in_both_languages() -> None:
    def texts(node: object) -> list[dict[str, str]]:
        if isinstance(node, list):
            return [found for child in node for found in texts(child)]
        if not isinstance(node, dict):
            return []
        if node and all(isinstance(value, str) for value in node.values()) and "en" in node:
            return [node]
        return [found for child in node.values() for found in texts(child)]

    found = texts(json.loads(demo.QUESTIONNAIRE.read_text()))
    assert len(found) > 40
    assert all(set(text) == {"en", "zh-hans"} and all(text.values()) for text in found)


@pytest.mark.slow
@pytest.mark.django_db
def test_the_tour_ends_with_one_report_published_and_one_for_the_reviewer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker's part is done at once, in this process."""
    said: list[str] = []
    seeded = demo.seed(NOW)

    def perform(tour: demo.Tour, job: Job) -> None:
        work.attempt(job.label, str(job.pk), token="t", worker="w")
        job.refresh_from_db()
        assert job.state == State.DONE, str(job.problem)

    monkeypatch.setattr(demo.Tour, "_wait", perform)
    monkeypatch.setattr(demo, "FIRST", 1_000)
    monkeypatch.setattr(demo, "RESPONDENTS", 6_000)
    monkeypatch.setattr("config.demo.connection.close", lambda: None)
    demo.Tour(seeded, "http://here", said.append, Event()).walk()
    first, second = Review.objects.order_by("pk")
    assert second.state == Review.State.PUBLISHED
    assert first.state in (Review.State.WAITING, Review.State.IN_REVIEW)
    assert deciding.tally(first.run)["undecided"] > 0
    assert "http://here/reports/" in said[-1]
    demo.Tour(seeded, "http://here", said.append, Event()).walk()
    assert Review.objects.count() == 2
