"""Reports of surveys of every shape are true of them: each of tests/zoo/surveys is published and read by rules."""

import json
from pathlib import Path

import pytest

from accounts.models import RESEARCHERS, REVIEWERS
from intake.batches.sealing import last_batch_number
from tests.cast import with_role
from tests.zoo.rules import RULES
from tests.zoo.survey_collection import FOLDER, NAMES, TestSurvey

RED_LIST: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "red_list.json").read_text())
"""Rule by survey that is still broken, with what will mend it; nothing else may stand there."""
TOO_FEW = "too_few"


@pytest.mark.at_push(8)
@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in NAMES if name != TOO_FEW])
def test_the_report_of_each_shape_of_survey_says_nothing_untrue(name: str, broker: Path) -> None:
    owner, reviewer = with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer")
    published = TestSurvey(name).publish(owner, reviewer)
    complaints = {rule: list(read(published)) for rule, read in RULES.items()}
    known = RED_LIST.get(name, {})
    assert {rule: said for rule, said in complaints.items() if said and rule not in known} == {}
    assert not [rule for rule in known if not complaints[rule]], "it is green now: take it off the red list"


@pytest.mark.django_db
def test_a_survey_with_fewer_people_than_a_batch_needs_has_no_report(broker: Path) -> None:
    survey = TestSurvey(TOO_FEW).rehearse(with_role(RESEARCHERS, "owner"))
    assert last_batch_number(survey.pk) == 0


def test_the_red_list_names_surveys_and_rules_that_there_are() -> None:
    assert RED_LIST.keys() <= {path.stem for path in FOLDER.glob("*.json")}
    assert all(rules.keys() <= RULES.keys() for rules in RED_LIST.values())
