"""Which sites may show a survey: the headers of its pages, where researchers set it, and what is said of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from intake.invitations.embedding_setup import SANDBOX
from surveys.lifecycle import opening, survey_creation
from surveys.lifecycle.design_from_draft import needed_phrases
from surveys.models import Survey
from surveys.phrases.embedding import FRAMED, FRAMED_SCREEN
from tests.cast import As
from tests.intake import asked
from tests.intake.test_completion import PANEL_LINK, paying
from tests.surveys import drafts

pytestmark = [pytest.mark.django_db, pytest.mark.page]
SITES = ["https://panel.example.org", "https://*.example.com:8443"]
SHOWN = asked.design(sites=SITES)
PLAIN = asked.design()
BY_SITES, IN_NONE = (" ".join(SITES), None), ("'none'", "DENY")


def policy(response: Any) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in response["Content-Security-Policy"].split(";"))
    return {name: value for name, _space, value in parts}


def framing_headers(response: Any) -> tuple[str, str | None]:
    return policy(response)["frame-ancestors"], response.headers.get("X-Frame-Options")


@pytest.mark.parametrize("place", ["", "/form"])
def test_pages_of_a_framed_survey_name_its_sites_only(place: str) -> None:
    without = {"Content-Length", "X-Frame-Options", "Content-Security-Policy", "X-Request-Number"}
    states: list[dict[str, Any]] = [{}, {"state": Survey.State.CLOSED}, {"paused": timezone.now()}]
    for more in states:
        addresses = (asked.survey(asks, **more).address + place for asks in (SHOWN, PLAIN))
        listed, other = (Client().get(address, follow=True) for address in addresses)
        assert (framing_headers(listed), framing_headers(other)) == (BY_SITES, IN_NONE)
        assert policy(listed) | {"frame-ancestors": "'none'"} == policy(other)
        one, another = (
            {name: value for name, value in page.headers.items() if name not in without}
            for page in (listed, other)
        )
        assert one == another


def test_form_result_may_be_framed_like_the_form_and_nothing_else() -> None:
    survey = asked.survey(SHOWN)
    assert framing_headers(asked.post_form(survey, "")) == BY_SITES
    for path in ("/a/receipt", "/a/nowhere", "/app/account/sign-in"):
        assert framing_headers(Client().get(path)) == IN_NONE, path
    assert policy(asked.post(survey, "{}"))["frame-ancestors"] == "'none'"


def test_page_is_the_same_on_every_framing_site() -> None:
    survey = asked.survey(SHOWN)
    outside = {"Referer": "https://panel.example.org/", "Origin": "https://panel.example.org"}
    by_frame = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}
    alone, inside = (Client().get(survey.address, headers=sent) for sent in ({}, outside | by_frame))
    assert alone.content == inside.content
    assert framing_headers(alone) == framing_headers(inside)


def test_only_framed_surveys_load_the_module_and_its_words() -> None:
    sees = "which can see when it loads, how large it is and when you finish"
    said = "intake/framed.js", sees, "that site learns that you took part"
    assert asked.missing_parts(asked.start(SHOWN), *said) == []
    assert "framed" not in asked.start(PLAIN)
    assert FRAMED_SCREEN.keys() <= FRAMED.keys() <= needed_phrases(drafts.complete(sites=SITES)).keys()
    assert not FRAMED.keys() & needed_phrases(drafts.complete()).keys()
    assert "If this page is inside another site" in asked.start(SHOWN, form=True)


# --- the researcher


def save(client: Client, survey: Survey, lines: str) -> int:
    """The status; what is stored is read again."""
    answer = client.post(f"/app/surveys/{survey.pk}/invitations/sites", {"sites": lines})
    survey.refresh_from_db()
    return answer.status_code


def test_sites_are_listed_and_frozen_with_the_design(draft: Survey, owner: Person, client: Client) -> None:
    address = f"/app/surveys/{draft.pk}/invitations"
    assert "&lt;iframe" not in client.get(address).text
    assert save(client, draft, "https://Panel.example.org/\n\nhttps://panel.example.org") == 302
    assert draft.draft["sites"] == ["https://panel.example.org"]
    assert History.objects.about(draft).get(what="surveys.sites-changed").note == "https://panel.example.org"
    frame = f"sandbox=&quot;{SANDBOX}&quot; referrerpolicy=&quot;no-referrer&quot;"
    assert asked.missing_parts(client.get(address).text, f"{draft.address}&quot; title=&quot;", frame) == []
    sheet = client.get(f"/app/surveys/{draft.pk}/study-sheet").text
    assert asked.missing_parts(sheet, "May be shown inside", "https://panel.example.org") == []
    # An emptied list is off again.
    assert save(client, draft, "") == 302
    assert "sites" not in draft.draft
    save(client, draft, "https://panel.example.org")
    opening.open_survey_now(draft, owner, timezone.now())
    assert draft.design is not None
    assert draft.design.content.sites == ("https://panel.example.org",)
    assert save(client, draft, "https://other.example") == 302
    assert draft.draft["sites"] == ["https://panel.example.org"]
    assert 'name="sites"' not in client.get(address).text


def test_wrong_site_line_is_refused_with_the_reason_and_needs_the_right(
    draft: Survey, client: Client, stranger: Person, signed_in_as: As, works_on: Any
) -> None:
    address = f"/app/surveys/{draft.pk}/invitations/sites"
    for lines, reason in (
        ("https://a.example\nhttp://b.example", "http://b.example: must begin with https://"),
        ("https://a.example/survey", "a site alone"),
        ("\n".join(f"https://{n}.example.org" for n in range(21)), "at most 20 sites"),
    ):
        response = client.post(address, {"sites": lines})
        assert response.status_code == 422
        (error,) = response.context["sites_form"].errors["sites"]
        assert reason in error.lower()
    assert save(signed_in_as(stranger), draft, "https://a.example") == 404
    assert save(signed_in_as(works_on(draft, may_edit=False)), draft, "https://a.example") == 403
    assert signed_in_as(stranger).get(address).status_code == 405
    assert "sites" not in draft.draft


def test_copy_keeps_the_sites_and_opening_outside_is_off(
    draft: Survey, owner: Person, client: Client
) -> None:
    opening.schedule_opening(draft, owner, timezone.now() + timedelta(days=1), timezone.now())
    Person.objects.filter(pk=owner.pk).update(language="zh-hans")
    save(client, draft, "https://a.example")
    assert draft.opens is None
    # In Chinese no space stands between sentences.
    assert "网站已保存。开放时间" in client.get(f"/app/surveys/{draft.pk}/invitations").text
    copy = survey_creation.duplicate_survey(draft, owner, timezone.now())
    assert copy.draft["sites"] == ["https://a.example"]


def test_panel_link_is_listed_among_the_invitations(survey: Survey, owner: Person, client: Client) -> None:
    paid = paying(PANEL_LINK, owner=owner)
    assert "#panel=" not in client.get(f"/app/surveys/{survey.pk}/invitations").text
    page = client.get(f"/app/surveys/{paid.pk}/invitations").text
    assert f"{paid.address}#panel={{{{%PROLIFIC_PID%}}}}" in page
