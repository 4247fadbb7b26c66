"""Reports of surveys of every shape are true of them: each of tests/zoo/surveys is published and read by rules."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from accounts.models import RESEARCHERS, REVIEWERS
from intake.batches.sealing import last_batch_number
from tests.cast import with_role
from tests.servers import ROOT
from tests.zoo.rules import RULES, pattern_of
from tests.zoo.survey_collection import FOLDER, NAMES, SENTENCES, TestSurvey, words_of

pytestmark = pytest.mark.page
RED_LIST: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "red_list.json").read_text())
"""Rule by survey that is still broken, with what will mend it; nothing else may stand there."""
WITNESSES: dict[str, str] = json.loads((Path(__file__).parent / "witnesses.json").read_text())
"""By the key of each sentence about a design, a survey whose report says it."""
SAID_BY_NONE = {
    "arms-nothing.few": "arms of fewer than ten people: tests/reports/test_studies.py",
    "document-undecided": "before a decision: tests/reports/test_access.py",
    "provenance.host": "a page that another host serves: tests/proof/test_hosted.py",
    "associations.one-list": "a report of before: tests/reports/sentences/test_choose.py",
    "not-covered.invited-last": "invited people without pairs, who end the list as others do",
    "rule-noise": "estimates beyond what a share can be come by chance",
}
"""The sentences that no survey of the collection says, and why."""
TOO_FEW = "too_few"
AT_PUSH = (
    *("crosswise_only", "few_of_everything", "never_chosen", "plain_only", "real_finished", "rules_hide"),
    *("several_of_many", "weights"),
)


def others_at_night(name: str) -> Any:
    return name if name in AT_PUSH else pytest.param(name, marks=pytest.mark.night)


@pytest.mark.django_db
@pytest.mark.parametrize("name", [others_at_night(name) for name in NAMES if name != TOO_FEW])
def test_the_report_of_each_shape_of_survey_says_nothing_untrue(name: str, broker: Path) -> None:
    owner, reviewer = with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer")
    published = TestSurvey(name).publish(owner, reviewer)
    complaints = {rule: list(read(published)) for rule, read in RULES.items()}
    known = RED_LIST.get(name, {})
    assert {rule: said for rule, said in complaints.items() if said and rule not in known} == {}
    assert not [rule for rule in known if not complaints[rule]], "it is green now: take it off the red list"
    texts = " ".join([*published.texts.values(), *map(words_of, published.before.values())])
    expected = [one for one in SENTENCES if WITNESSES.get(one.key) == name]
    assert [one.key for one in expected if not pattern_of(one.text).search(texts)] == []


@pytest.mark.django_db
def test_a_survey_with_fewer_people_than_a_batch_needs_has_no_report(broker: Path) -> None:
    survey = TestSurvey(TOO_FEW).ask(with_role(RESEARCHERS, "owner"))
    assert last_batch_number(survey.pk) == 0


def test_the_red_list_names_surveys_and_rules_that_there_are() -> None:
    assert RED_LIST.keys() <= {path.stem for path in FOLDER.glob("*.json")}
    assert all(rules.keys() <= RULES.keys() for rules in RED_LIST.values())


def test_each_sentence_about_a_design_is_said_by_a_survey_of_the_collection() -> None:
    keys = {one.key for one in SENTENCES}
    assert len(keys) == len(SENTENCES)
    assert {*WITNESSES, *SAID_BY_NONE} == keys
    assert not WITNESSES.keys() & SAID_BY_NONE.keys()
    assert {*WITNESSES.values()} <= {*NAMES}


def test_sentence_table_names_only_existing_questions() -> None:
    """A key that nothing has would say nothing."""
    places = {place for one in SENTENCES for place in (one.key, one.key.partition(".")[0])}
    templates = (path.read_text() for path in (ROOT / "templates" / "reports").rglob("*.html"))
    modules = (path.read_text() for path in (ROOT / "reports").rglob("*.py"))
    asked = {key for text in templates for key in re.findall(r'{% say(?:_paragraph)? "([\w.-]+?)\.?"', text)}
    asked |= {
        key
        for text in modules
        for key in re.findall(r'(?:say|true_sentences)\(\s*f?"([\w.-]+?)\.?[{"]', text)
    }
    assert asked - places == set()
    assert {one.key for one in SENTENCES if not asked & {one.key, one.key.partition(".")[0]}} == set()
