"""A plan is frozen at opening, shown to the owner and reviewers, and not carried to another survey."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from privacy.designs.hypothesis_plan import check_plan_fingerprint, parse_plan
from surveys.lifecycle import opening, reviewer_approvals, survey_creation
from surveys.models import Plan, Survey
from surveys.study.hypothesis_sentences import HypothesisWords
from tests.cast import As
from tests.privacy.questionnaires import classes, design, plain
from tests.surveys.conftest import NOW, People, address, design_of, page_text, update_row
from tests.surveys.drafts import EVERY, SHARE, add_plan, not_none, study

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return update_row(draft, draft=add_plan(study(), *EVERY))


@pytest.fixture
def frozen_survey(survey: Survey, owner: Person, reviewer: Person) -> Survey:
    """A direct arm needs a reviewer, who approves the fingerprint that then opens."""
    approved = reviewer_approvals.current_fingerprint(survey, "weak")
    reviewer_approvals.request_approval(survey, owner, "weak", approved, "", NOW)
    reviewer_approvals.decide_approval(survey, reviewer, "weak", approved, allow=True, reason="", now=NOW)
    opening.open_survey_now(survey, owner, NOW)
    assert survey.design_id == approved
    return survey


def test_plan_row_matches_the_hash_in_the_design(frozen_survey: Survey) -> None:
    plan = Plan.objects.get(survey=frozen_survey)
    assert sha256(plan.json.encode()).hexdigest() == design_of(frozen_survey).plan
    check_plan_fingerprint(parse_plan(plan.json), design_of(frozen_survey).plan)
    written = json.loads(plan.json)
    assert [of["kind"] for of in written["hypotheses"]] == [of["kind"] for of in EVERY]
    page = Client().get(frozen_survey.address).text
    for secret in ("hypotheses", written["salt"]):
        assert secret not in not_none(frozen_survey.design).json
        assert secret not in page, "of respondents"


def test_a_survey_without_hypotheses_has_no_plan(opened: Survey) -> None:
    assert not Plan.objects.exists()
    assert design_of(opened).plan == ""


def test_plan_is_read_and_exported_by_owner_and_reviewers_only(
    frozen_survey: Survey, people: People, signed_in_as: As
) -> None:
    for role in ("owner", "reviewer"):
        client = signed_in_as(people[role])
        page = page_text(client, frozen_survey, "hypotheses")
        assert "were frozen when the survey opened" in page
        assert "“Age: b” and “Theft: yes” are associated." in page
        assert address(frozen_survey, "hypotheses") in page_text(client, frozen_survey)
        file = client.get(address(frozen_survey, "hypotheses/plan.json"))
        assert file.text == Plan.objects.get(survey=frozen_survey).json
        assert "plan.json" in file.headers["Content-Disposition"]
    for role, refused in {"editor": 403, "viewer": 403, "superuser": 403, "stranger": 404}.items():
        client = signed_in_as(people[role])
        for path in ("hypotheses", "hypotheses/plan.json"):
            assert client.get(address(frozen_survey, path)).status_code == refused
        assert "/hypotheses" not in page_text(client, frozen_survey)
    assert Client().get(address(frozen_survey, "hypotheses")).status_code == 302
    assert signed_in_as(people["editor"]).post(address(frozen_survey, "hypotheses")).status_code == 405


def test_reviewers_read_the_hypotheses_of_a_waiting_draft(
    survey: Survey, reviewer: Person, signed_in_as: As
) -> None:
    client = signed_in_as(reviewer)
    assert "Until then they can change" in page_text(client, survey, "hypotheses")
    assert client.get(address(survey, "hypotheses/plan.json")).status_code == 404
    assert f'<a href="{address(survey, "hypotheses")}">5</a>' in page_text(client, survey, "review")


@pytest.mark.night
def test_exported_plan_is_read_by_the_command(frozen_survey: Survey, client: Client, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(client.get(address(frozen_survey, "hypotheses/plan.json")).content)
    command = [sys.executable, "-m", "candor", "plan", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(said.stdout) == {"sha256": design_of(frozen_survey).plan}


def test_owners_copy_of_a_draft_keeps_the_plan(frozen_survey: Survey, owner: Person, editor: Person) -> None:
    for options in ({}, {"rehearsal": True}, {"as_new_wave": True}):
        assert "plan" not in survey_creation.duplicate_survey(frozen_survey, owner, NOW, **options).draft
    draft = Survey.objects.create(owner=owner, draft=add_plan(study(), SHARE))
    plan, copied = draft.draft["plan"], survey_creation.duplicate_survey(draft, owner, NOW).draft["plan"]
    assert copied["hypotheses"] == plan["hypotheses"]
    assert copied["salt"] != plan["salt"]
    assert "plan" not in survey_creation.duplicate_survey(draft, editor, NOW).draft


def test_hypotheses_name_questions_and_answers() -> None:
    """Options of one group are told apart, an answer names its option once, an item of a number says its limits."""

    def option(name: str, label: str) -> dict[str, Any]:
        choices = ["no", {"name": "yes", "label": {"en": label}}]
        return {"name": name, "form": "many", "of": "help", "text": {"en": "Who helps?"}, "choices": choices}

    ages = {"name": "age", "choices": ["a", "b"]}
    words = HypothesisWords(
        design(
            plain(option("family", "Family"), option("friends", "Friends"), ages),
            classes("debt", "0.5", 0, 500, 2000, unit={"en": "euros"}),
            classes("mood", "0.5", 1, 2, 3, unit={"en": "points"}),
        ),
        "en",
    )
    covariates = {name: words.covariate_text(name) for name in ("family", "friends", "family*friends")}
    assert list(covariates.values()) == ["Help: Family", "Help: Friends", "Help: Family × Help: Friends"]
    for item, said in {
        "friends=yes": "Help: Friends",
        "debt=>=500": "Debt: 500 euros or more",
        "debt=>=500 <2000": "Debt: 500 to under 2,000 euros",
        "debt=<500": "Debt: under 500 euros",
        "mood=>=2 <3": "Mood: 2",
    }.items():
        assert words.item_text(item) == said
