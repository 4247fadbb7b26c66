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
from surveys.lifecycle import approvals, opening, survey_creation
from surveys.models import Plan, Survey
from tests.builder.planned import EVERY, SHARE, planned, study
from tests.cast import As
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = planned(study(), *EVERY)
    draft.save()
    return draft


@pytest.fixture
def frozen(survey: Survey, owner: Person, reviewer: Person) -> Survey:
    """A direct arm needs a reviewer, who approves the fingerprint that then opens."""
    approvals.request_approval(survey, owner, "weak", approvals.current_fingerprint(survey, "weak"), "", NOW)
    approved = approvals.current_fingerprint(survey, "weak")
    approvals.decide_approval(survey, reviewer, "weak", approved, allow=True, reason="", now=NOW)
    opening.open_survey_now(survey, owner, NOW)
    assert survey.design_id == approved
    return survey


def get(client: Client, survey: Survey, path: str) -> Any:
    return client.get(f"/app/surveys/{survey.pk}/{path}")


def test_the_row_is_the_plan_whose_hash_the_design_holds(frozen: Survey) -> None:
    plan = Plan.objects.get(survey=frozen)
    assert frozen.design is not None
    assert sha256(plan.json.encode()).hexdigest() == frozen.design.content.plan
    check_plan_fingerprint(parse_plan(plan.json), frozen.design.content.plan)
    assert [of["kind"] for of in json.loads(plan.json)["hypotheses"]] == [of["kind"] for of in EVERY]
    assert "hypotheses" not in frozen.design.json
    assert json.loads(plan.json)["salt"] not in frozen.design.json


def test_a_survey_without_hypotheses_has_no_plan(opened: Survey) -> None:
    assert not Plan.objects.exists()
    assert opened.design is not None
    assert opened.design.content.plan == ""


def test_the_owner_and_reviewers_read_and_export_it(
    frozen: Survey, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    for person in (owner, reviewer):
        client = signed_in_as(person)
        page = get(client, frozen, "hypotheses").content.decode()
        assert "were frozen when the survey opened" in page
        assert "“Age: b” and “Theft: yes” are associated." in page
        assert f"/app/surveys/{frozen.pk}/hypotheses" in get(client, frozen, "").content.decode()
        file = get(client, frozen, "hypotheses/plan.json")
        assert file.content.decode() == Plan.objects.get(survey=frozen).json
        assert "plan.json" in file.headers["Content-Disposition"]


def test_nobody_else_does(
    survey: Survey,
    frozen: Survey,
    editor: Person,
    viewer: Person,
    superuser: Person,
    stranger: Person,
    signed_in_as: As,
) -> None:
    for person, refused in ((editor, 403), (viewer, 403), (superuser, 403), (stranger, 404)):
        client = signed_in_as(person)
        for path in ("hypotheses", "hypotheses/plan.json"):
            assert get(client, frozen, path).status_code == refused
        assert b"/hypotheses" not in get(client, frozen, "").content
    assert Client().get(f"/app/surveys/{frozen.pk}/hypotheses").status_code == 302
    assert signed_in_as(editor).post(f"/app/surveys/{frozen.pk}/hypotheses").status_code == 405


def test_a_reviewer_reads_those_of_a_draft_that_waits_for_approval(
    survey: Survey, reviewer: Person, signed_in_as: As
) -> None:
    client = signed_in_as(reviewer)
    assert "Until then they can change" in get(client, survey, "hypotheses").content.decode()
    assert get(client, survey, "hypotheses/plan.json").status_code == 404
    assert (
        f'<a href="/app/surveys/{survey.pk}/hypotheses">5</a>'
        in get(client, survey, "review").content.decode()
    )


@pytest.mark.night
def test_the_command_reads_the_exported_file(
    frozen: Survey, owner: Person, signed_in_as: As, tmp_path: Path
) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(get(signed_in_as(owner), frozen, "hypotheses/plan.json").content)
    command = [sys.executable, "-m", "candor", "plan", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert frozen.design is not None
    assert json.loads(said.stdout) == {"sha256": frozen.design.content.plan}


def test_no_page_of_respondents_holds_a_hypothesis(frozen: Survey) -> None:
    page = Client().get(frozen.address).content.decode()
    plan = json.loads(Plan.objects.get(survey=frozen).json)
    assert plan["salt"] not in page
    assert "hypotheses" not in page


def test_a_copy_of_an_opened_survey_does_not_carry_it(frozen: Survey, owner: Person) -> None:
    for options in ({}, {"rehearsal": True}, {"follows": True}):
        assert "plan" not in survey_creation.duplicate_survey(frozen, owner, NOW, **options).draft


def test_a_copy_of_a_draft_carries_its_hypotheses_under_another_salt_for_its_owner_alone(
    draft: Survey, owner: Person, editor: Person
) -> None:
    draft.draft = planned(study(), SHARE)
    draft.save()
    copy = survey_creation.duplicate_survey(draft, owner, NOW)
    assert copy.draft["plan"]["hypotheses"] == draft.draft["plan"]["hypotheses"]
    assert copy.draft["plan"]["salt"] != draft.draft["plan"]["salt"]
    assert "plan" not in survey_creation.duplicate_survey(draft, editor, NOW).draft
