"""The preview: the respondents' own page in a frame, which can send nothing."""

import pytest
from django.test import Client

from builder.pages import preview
from surveys.models import Survey
from tests.builder.written import sensitive, stored

pytestmark = pytest.mark.page


def directives(policy: str) -> dict[str, str]:
    return dict(each.strip().partition(" ")[::2] for each in policy.split(";"))


def test_both_widths_stand_side_by_side_or_one_alone(client: Client, draft: Survey) -> None:
    page = f"/app/surveys/{draft.pk}/preview"
    frame = f'<iframe src="{page}/page"'
    assert client.get(page).content.decode().count(frame) == 2
    assert client.get(page, {"width": "phone"}).content.decode().count(frame) == 1
    assert client.get(page, {"width": "nonsense"}).content.decode().count(frame) == 2


def test_only_the_framed_page_may_be_framed_and_only_by_us(client: Client, draft: Survey) -> None:
    outer = client.get(f"/app/surveys/{draft.pk}/preview")
    inner = client.get(f"/app/surveys/{draft.pk}/preview/page")
    assert directives(outer["Content-Security-Policy"])["frame-src"] == "'self'"
    assert directives(outer["Content-Security-Policy"])["frame-ancestors"] == "'none'"
    assert directives(inner["Content-Security-Policy"])["frame-ancestors"] == "'self'"
    assert (outer["X-Frame-Options"], inner["X-Frame-Options"]) == ("DENY", "SAMEORIGIN")
    elsewhere = client.get(f"/app/surveys/{draft.pk}/")
    assert directives(elsewhere["Content-Security-Policy"])["frame-ancestors"] == "'none'"
    assert "frame-src" not in directives(elsewhere["Content-Security-Policy"])


def test_the_framed_page_can_send_nothing_and_says_that_it_is_a_preview(
    client: Client, draft: Survey
) -> None:
    answer = client.get(f"/app/surveys/{draft.pk}/preview/page")
    policy = directives(answer["Content-Security-Policy"])
    assert policy["default-src"] == policy["connect-src"] == policy["form-action"] == "'none'"
    page = answer.content.decode()
    assert "Preview. Everything works as it does for respondents" in page
    assert "Work and health" in page
    assert draft.slug not in page


def test_an_opened_survey_shows_its_design_and_not_its_draft(client: Client, opened: Survey) -> None:
    assert opened.design_id is not None
    assert opened.design_id in client.get(f"/app/surveys/{opened.pk}/preview/page").content.decode()


def test_a_draft_that_is_no_design_yet_says_what_it_lacks(client: Client, draft: Survey) -> None:
    draft.draft = stored(sensitive())
    draft.save()
    page = client.get(f"/app/surveys/{draft.pk}/preview").content.decode()
    assert "There is nothing to show yet" in page
    assert "at least one question" in page
    assert client.get(f"/app/surveys/{draft.pk}/preview/page").status_code == 404


def test_without_a_room_for_respondents_there_is_no_page(
    client: Client, draft: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "_respondents_pages", [])
    assert client.get(f"/app/surveys/{draft.pk}/preview/page").status_code == 404
