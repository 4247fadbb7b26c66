"""Surveys, drafts and runs by the API: the same as by the pages."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from api.models import Scope
from surveys.lifecycle import opening, record_counts as survey_counts, state_changes, survey_creation
from surveys.models import Survey
from tests.api.conftest import problem, program
from tests.cast import add_collaborator, unsaved_person
from tests.runs import sealed
from tests.surveys import drafts

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
SURVEYS = "/api/1/surveys"


def json_request(draft: Any) -> dict[str, Any]:
    return {"data": json.dumps(draft), "content_type": "application/json"}


@pytest.fixture
def draft(owner: Person) -> Survey:
    complete = drafts.normalize_draft(drafts.complete())
    return survey_creation.create_survey_from_draft(owner, complete, "surveys.created", timezone.now())


def test_a_survey_is_created_from_a_draft_opened_and_closed(client: Client, owner: Person) -> None:
    made = client.post(SURVEYS, **json_request(drafts.complete()))
    survey = Survey.objects.get(owner=owner)
    assert (made.status_code, made["Location"]) == (201, f"{SURVEYS}/{survey.pk}")
    opened = client.post(f"{SURVEYS}/{survey.pk}/open").json()
    assert (opened["state"], opened["address"]) == ("open", f"http://testserver/a/{survey.slug}")
    assert client.post(f"{SURVEYS}/{survey.pk}/close").json()["state"] == "closed"
    assert problem(client.post(f"{SURVEYS}/{survey.pk}/close"), 409)
    items = [client.get(f"{SURVEYS}/{survey.pk}").json()]
    one_page = {"page": 1, "pages": 1, "next": None, "previous": None}
    assert client.get(SURVEYS).json() == one_page | {"items": items}


def test_closing_day_is_stated_without_time_in_the_sites_zone(
    client: Client, draft: Survey, owner: Person
) -> None:
    opening.open_survey_now(draft, owner, timezone.now())
    late = datetime(2026, 12, 1, 23, 30, tzinfo=UTC)
    state_changes.close_survey(draft, owner, late)
    with timezone.override("Asia/Shanghai"):
        assert client.get(f"{SURVEYS}/{draft.pk}").json()["closed_at"] == "2026-12-02"


def test_missing_parts_of_a_draft_are_named_by_place(client: Client) -> None:
    key = client.post(SURVEYS, **json_request(drafts.complete(asker={}))).json()["id"]
    errors = problem(client.post(f"{SURVEYS}/{key}/open"), 409)["errors"]
    assert errors == [{"path": "asker.en", "reason": "required"}]
    assert client.get(f"{SURVEYS}/{key}/checks").json()["missing"] == errors


def test_api_checks_equal_those_of_the_builder(client: Client, draft: Survey) -> None:
    """Gamma 1 + .5/(.5·.4) = 3.5; a suspicion of 1/20 becomes 3.5/(3.5 + 19) = 0.1556 at most, rounded up."""
    checks = client.get(f"{SURVEYS}/{draft.pk}/checks").json()
    assert checks["ready"]
    assert checks["guarantee"] == {"gamma": 3.5, "epsilon": 1.26, "prior": 0.05, "posterior": 0.156}
    assert [margin["answers"] for margin in checks["margins"]] == [1]


def test_sending_an_unchanged_draft_changes_no_question(client: Client, draft: Survey) -> None:
    page = f"{SURVEYS}/{draft.pk}/draft"
    answer = client.get(page)
    before = opening.opening_checklist(draft, timezone.now()).design
    put = client.put(page, **json_request(answer.json()), headers={"If-Match": answer["ETag"]})
    assert put.status_code == 200
    draft.refresh_from_db()
    after = opening.opening_checklist(draft, timezone.now()).design
    assert before is not None
    assert after is not None
    assert before.fingerprint == after.fingerprint
    assert put["ETag"] == f'"{put.json()["version"]}"' == client.get(page)["ETag"]


def test_second_of_two_draft_changes_is_refused(client: Client, draft: Survey) -> None:
    page = f"{SURVEYS}/{draft.pk}/draft"
    seen = client.get(page)["ETag"]
    changed = json_request(drafts.complete(minutes=9))
    assert client.put(page, **changed, headers={"If-Match": seen}).status_code == 200
    assert client.put(page, **json_request(drafts.complete()), headers={"If-Match": seen}).status_code == 412
    assert client.put(page, **changed).status_code == 428
    draft.refresh_from_db()
    assert draft.draft["minutes"] == 9


def test_draft_sent_by_the_api_cannot_follow_a_survey_or_be_a_rehearsal(
    client: Client, draft: Survey
) -> None:
    page = f"{SURVEYS}/{draft.pk}/draft"
    hostile = drafts.complete(rehearsal=True, follows="a" * 64)
    assert client.put(page, **json_request(hostile), headers={"If-Match": "*"}).status_code == 412
    put = client.put(page, **json_request(hostile), headers={"If-Match": client.get(page)["ETag"]})
    assert put.status_code == 200
    draft.refresh_from_db()
    assert not draft.is_rehearsal
    assert not draft.draft.get("follows")


def test_plan_is_taken_with_a_draft_and_stays_when_none_is_sent(client: Client) -> None:
    plan = {"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": [drafts.SHARE | {"name": "rare"}]}
    made = client.post(SURVEYS, **json_request(drafts.complete(plan=plan)))
    survey = Survey.objects.get(pk=made.json()["id"])
    assert survey.draft["plan"]["hypotheses"][0]["name"] == "rare"
    page = f"{SURVEYS}/{survey.pk}/draft"
    more = plan | {"hypotheses": [*plan["hypotheses"], drafts.SHARE | {"name": "other", "than": "0.2000"}]}
    for given, names in ((more, ["rare", "other"]), (None, ["rare", "other"]), (plan, ["rare"])):
        draft = drafts.complete() if given is None else drafts.complete(plan=given)
        assert (
            client.put(
                page, **json_request(draft), headers={"If-Match": client.get(page)["ETag"]}
            ).status_code
            == 200
        )
        survey.refresh_from_db()
        assert [each["name"] for each in survey.draft["plan"]["hypotheses"]] == names
    editor = program(add_collaborator(survey, unsaved_person("editor"), may_edit=True))
    version = {"If-Match": editor.get(page)["ETag"]}
    for given, status in ((more, 403), (None, 200)):
        draft = drafts.complete() if given is None else drafts.complete(plan=given)
        assert editor.put(page, **json_request(draft), headers=version).status_code == status
        survey.refresh_from_db()
        assert [each["name"] for each in survey.draft["plan"]["hypotheses"]] == ["rare"]
    wrong = plan | {"hypotheses": [{"name": "rare"}]}
    (error, *_more) = problem(client.post(SURVEYS, **json_request(drafts.complete(plan=wrong))), 422)[
        "errors"
    ]
    assert "hypotheses[0]" in error["path"]


def test_warnings_have_codes(client: Client) -> None:
    key = client.post(SURVEYS, **json_request(drafts.complete(expected=20))).json()["id"]
    warnings = client.get(f"{SURVEYS}/{key}/checks").json()["warnings"]
    assert warnings
    assert all(each["code"] in {"few", "floor", "never", "noisy"} and each["text"] for each in warnings)


def test_deleted_draft_is_not_listed_and_answers_404(client: Client, draft: Survey) -> None:
    page = f"{SURVEYS}/{draft.pk}"
    assert client.delete(page).status_code == 204
    assert client.get(SURVEYS).json()["items"] == []
    for address in (page, f"{page}/draft", f"{page}/checks", f"{page}/counts"):
        assert problem(client.get(address), 404), address
    assert problem(client.delete(page), 404)


def test_damaged_json_is_refused_as_json(client: Client) -> None:
    for body in (b"{a: 1}", b'{"a": 1,}', b'{"a": \n'):
        errors = problem(client.post(SURVEYS, body, content_type="application/json"), 422)["errors"]
        assert "is damaged JSON" in errors[0]["reason"], body


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 422),
        (b"[]", "application/json", 422),
        (b"PK\x03\x04", "application/json", 422),
        (b'{"format": 1}', "application/json", 422),
        (b'{"format": "candor-design/1", "sections": 3}', "application/json", 422),
        (b"--x--\r\n", "multipart/form-data; boundary=x", 415),
        (b"{" + b" " * 2_600_000, "application/json", 413),
    ],
)
def test_invalid_draft_is_refused_and_not_stored(client: Client, body: bytes, kind: str, status: int) -> None:
    assert problem(client.post(SURVEYS, body, content_type=kind), status)
    assert not Survey.objects.exists()


def test_an_opened_survey_is_not_changed(client: Client, draft: Survey, owner: Person) -> None:
    opening.open_survey_now(draft, owner, timezone.now())
    page = f"{SURVEYS}/{draft.pk}/draft"
    design = client.get(page)
    assert (design.content.decode(), design["ETag"]) == (draft.design.json, f'"{draft.design_id}"')  # type: ignore[union-attr]
    assert (
        client.put(page, **json_request(design.json()), headers={"If-Match": design["ETag"]}).status_code
        == 409
    )


class TestRecords:
    @pytest.fixture
    def counted(self, owner: Person) -> Survey:
        return sealed.survey(owner, sealed.small_design(), [300, 300])

    def test_api_counts_equal_those_of_the_page(self, client: Client, counted: Survey) -> None:
        shown = survey_counts.shown_counts_of_survey(counted)
        names = ("sealed", "least", "waiting_at_least", "waiting_at_most", "received_at_least")
        told = client.get(f"{SURVEYS}/{counted.pk}/counts").json()
        assert told == {name: getattr(shown, name) for name in names}
        assert shown.sealed == 600

    def test_started_run_shows_its_state_only(self, client: Client, counted: Survey) -> None:
        runs = f"{SURVEYS}/{counted.pk}/runs"
        made, again = (client.post(runs, **json_request({"min_support": 0.2})) for _time in range(2))
        assert (made.status_code, again.status_code) == (201, 409)
        told = client.get(made["Location"]).json()
        today = timezone.localdate().isoformat()
        assert (told["state"], told["day"], told["report"]) == ("queued", today, None)
        assert client.get(runs).json()["items"] == [told]

    @pytest.mark.parametrize(
        "wrong", [{"min_support": 0}, {"max_size": 7}, {"engine": "mlxtend"}, {"exact": 3}]
    )
    def test_wrong_run_parameters_are_named(
        self, client: Client, counted: Survey, wrong: dict[str, Any]
    ) -> None:
        answer = client.post(f"{SURVEYS}/{counted.pk}/runs", **json_request(wrong))
        assert answer.status_code == 422
        assert [error["path"].rpartition(".")[2] for error in answer.json()["errors"]] == [*wrong]
        assert not counted.runs.exists()

    def test_counts_are_missing_without_sealed_answers(self, client: Client, draft: Survey) -> None:
        assert client.post(f"{SURVEYS}/{draft.pk}/runs", **json_request({})).status_code == 409


def test_token_without_the_scope_is_refused(owner: Person, draft: Survey) -> None:
    reads = program(owner, [Scope.READ_SURVEYS])
    assert reads.get(SURVEYS).status_code == 200
    refused = reads.post(f"{SURVEYS}/{draft.pk}/open")
    assert (refused.status_code, "open" in refused.json()["detail"]) == (403, True)
    draft.refresh_from_db()
    assert draft.state == state_changes.State.DRAFT
