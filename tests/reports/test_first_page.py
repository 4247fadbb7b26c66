"""A questionnaire with the builder's own answers: its first rules are about what people did, not about how it asks."""

import pytest
from django.utils import timezone

from accounts.models import Person
from intake.rehearsal.respondent_simulation import simulate
from mining.parameters import Parameters
from reports.answer_labels import Labels
from runs import run_start
from runs.models import Run
from surveys.draft_json import Draft, draft_with_values, new_draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening
from surveys.models import Survey
from surveys.questionnaire.choice_question_kinds import new_block
from tests.jobs.attempts import attempt

SENSITIVE = 6
HIDDEN = {"q5", "q6", "q7"}
ABSENCES = {"no", "prefer-not-to-say"}


def with_defaults() -> Draft:
    """One plain question, and behind it sensitive ones as the builder makes them; half of them ask the first answer."""
    today = timezone.localdate()
    draft = new_draft("Work", "en", today, asker="The works council", contact="council@example.org")
    plain, sensitive = draft["sections"]
    while len(sensitive["questions"]) < SENSITIVE:
        added = new_block(read_questionnaire(draft), "yes-no", sensitive=True)
        sensitive["questions"] += [question.as_json() for question in added]
    for number, question in enumerate([*plain["questions"], *sensitive["questions"]]):
        question["text"] = {"en": f"Question {number}"}
        if number > SENSITIVE // 2:
            question["show_if"] = {"q1": ["1"]}
    for choice in plain["questions"][0]["choices"]:
        choice["label"] = {"en": f"Answer {choice['name']}"}
    sensitive["asked"] = 2
    return draft_with_values(draft, why={"en": "To learn."}, rehearsal=True)


@pytest.mark.page
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("respondents", "max_size", "least"),
    [(2_000, 2, 5), pytest.param(8_000, 3, 10, marks=pytest.mark.night)],
)
def test_a_survey_of_the_builders_defaults_lists_no_no_and_no_routing_first(
    owner: Person, respondents: int, max_size: int, least: int
) -> None:
    survey = Survey.objects.create(owner=owner, draft=with_defaults())
    opening.open_survey_now(survey, owner, timezone.now())
    simulate(survey, respondents, seed=1)
    run = run_start.start(survey, owner, Parameters(0.02, 0.1, max_size=max_size), timezone.now())
    attempt(run)
    run = Run.objects.get()
    labels = Labels(run.content)
    listed = run.rules.order_by("place")[:25]
    assert len(listed) > least
    for rule in listed:
        answers = [labels.names[number].split("=") for side in rule.sides for number in side]
        assert not ABSENCES & {choice for _question, choice in answers}
        asked = {question for question, _choice in answers}
        assert not ("q1" in asked and asked & HIDDEN)
