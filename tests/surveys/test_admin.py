import pytest
from django.db import connection
from django.urls import reverse

from accounts.models import Person
from surveys.models import Design, Survey
from tests.cast import As

pytestmark = pytest.mark.page
KINDS = ["survey", "design"]


def listed(kind: str) -> str:
    return reverse(f"admin:surveys_{kind}_changelist")


def detail(kind: str, survey: Survey) -> str:
    return reverse(f"admin:surveys_{kind}_change", args=[survey.pk if kind == "survey" else survey.design_id])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fixture", ["reviewer", "superuser"])
def test_staff_look_and_change_nothing(
    kind: str, fixture: str, opened: Survey, signed_in_as: As, request: pytest.FixtureRequest
) -> None:
    client = signed_in_as(request.getfixturevalue(fixture))
    assert client.get(listed(kind)).status_code == 200
    assert client.get(detail(kind, opened)).status_code == 200
    assert client.post(detail(kind, opened), {"state": "closed"}).status_code == 403
    assert client.get(reverse(f"admin:surveys_{kind}_add")).status_code == 403
    assert client.post(detail(kind, opened).replace("change", "delete"), {"post": "yes"}).status_code == 403
    opened.refresh_from_db()
    assert opened.state == "open"


@pytest.mark.parametrize("kind", KINDS)
def test_researchers_are_not_let_in(kind: str, owner: Person, signed_in_as: As) -> None:
    assert signed_in_as(owner).get(listed(kind)).status_code == 302


def test_a_reviewer_finds_the_way_to_the_decision(opened: Survey, reviewer: Person, signed_in_as: As) -> None:
    page = signed_in_as(reviewer).get(listed("survey")).text
    assert f'href="/app/surveys/{opened.pk}/review"' in page


def test_who_may_not_review_finds_no_link_to_a_refusal(
    opened: Survey, superuser: Person, signed_in_as: As
) -> None:
    client = signed_in_as(superuser)
    assert client.get(f"/app/surveys/{opened.pk}/review").status_code in {403, 404}
    assert "Allow or refuse" not in client.get(listed("survey")).text


def test_a_design_that_was_tampered_with_is_said_to_be(
    opened: Survey, superuser: Person, signed_in_as: As
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER surveys_design_no_update")
        cursor.execute("UPDATE surveys_design SET json = '{}'")
    client = signed_in_as(superuser)
    assert client.get(listed("design")).status_code == 200
    assert "restore it from a backup" in client.get(detail("design", opened)).text
    assert Design.objects.count() == 1
