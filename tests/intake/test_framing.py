"""Which sites may show a survey: the headers of its pages, where researchers set it, and what is said of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from intake.invitations.embedding_setup import SANDBOX
from surveys.lifecycle import opening, survey_creation
from surveys.lifecycle.freeze_draft import needed_phrases
from surveys.models import Survey
from surveys.phrases.embedding import FRAMED, FRAMED_SCREEN
from tests.cast import As
from tests.intake import asked
from tests.surveys import drafts

pytestmark = [pytest.mark.django_db, pytest.mark.page]
SITES = ["https://panel.example.org", "https://*.example.com:8443"]
SHOWN = asked.design(sites=SITES)
PLAIN = asked.design()


def policy(response: Any) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in response["Content-Security-Policy"].split(";"))
    return {name: value for name, _space, value in parts}


def framing(response: Any) -> tuple[str, str | None]:
    return policy(response)["frame-ancestors"], response.headers.get("X-Frame-Options")


@pytest.mark.parametrize("place", ["", "/form"])
@pytest.mark.parametrize("more", [{}, {"state": Survey.State.CLOSED}, {"paused": timezone.now()}])
def test_the_pages_of_that_survey_name_its_sites_and_nothing_else_changes(
    place: str, more: dict[str, Any]
) -> None:
    listed, other = (
        Client().get(asked.survey(asks, **more).address + place, follow=True) for asks in (SHOWN, PLAIN)
    )
    assert framing(listed) == (" ".join(SITES), None)
    assert framing(other) == ("'none'", "DENY")
    assert policy(listed) | {"frame-ancestors": "'none'"} == policy(other)
    without = {"Content-Length", "X-Frame-Options", "Content-Security-Policy", "X-Request-Number"}
    assert {name: value for name, value in listed.headers.items() if name not in without} == {
        name: value for name, value in other.headers.items() if name not in without
    }


def test_what_came_of_a_form_may_be_shown_as_the_form() -> None:
    survey = asked.survey(SHOWN)
    response = Client().post(f"{survey.address}/form", "", content_type="application/x-www-form-urlencoded")
    assert framing(response) == (" ".join(SITES), None)


def test_nothing_else_of_it_may_be_shown() -> None:
    survey = asked.survey(SHOWN)
    for response in (
        Client().get("/a/receipt"),
        Client().get("/a/nowhere"),
        Client().get("/app/account/sign-in"),
    ):
        assert framing(response) == ("'none'", "DENY")
    assert policy(asked.post(survey, "{}"))["frame-ancestors"] == "'none'"


def test_the_page_is_the_same_whoever_shows_it() -> None:
    survey = asked.survey(SHOWN)
    alone = Client().get(survey.address)
    inside = Client().get(
        survey.address,
        headers={
            "Sec-Fetch-Dest": "iframe",
            "Sec-Fetch-Site": "cross-site",
            "Referer": "https://panel.example.org/",
            "Origin": "https://panel.example.org",
        },
    )
    assert alone.content == inside.content
    assert framing(alone) == framing(inside)


def test_only_a_survey_with_sites_loads_the_module_and_brings_its_words() -> None:
    with_sites, without = asked.start(SHOWN), asked.start(PLAIN)
    assert "intake/framed.js" in with_sites
    assert "which can see when it loads, how large it is and when you finish" in with_sites
    assert "that site learns that you took part" in with_sites
    assert "framed" not in without
    assert FRAMED_SCREEN.keys() <= FRAMED.keys() <= needed_phrases(drafts.complete(sites=SITES)).keys()
    assert not FRAMED.keys() & needed_phrases(drafts.complete()).keys()
    form = asked.start(SHOWN, form=True)
    assert "If this page is inside another site" in form


# --- the researcher


def save(client: Client, survey: Survey, lines: str) -> Any:
    return client.post(f"/app/surveys/{survey.pk}/invitations/sites", {"sites": lines})


def test_sites_are_listed_in_normal_form_and_frozen_with_the_design(
    draft: Survey, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    page = client.get(f"/app/surveys/{draft.pk}/invitations").text
    assert "&lt;iframe" not in page
    assert save(client, draft, "https://Panel.example.org/\n\nhttps://panel.example.org").status_code == 302
    draft.refresh_from_db()
    assert draft.draft["sites"] == ["https://panel.example.org"]
    entry = History.objects.about(draft).get(what="surveys.sites-changed")
    assert entry.note == "https://panel.example.org"
    page = client.get(f"/app/surveys/{draft.pk}/invitations").text
    assert f"{draft.address}&quot; title=&quot;" in page
    assert f"sandbox=&quot;{SANDBOX}&quot; referrerpolicy=&quot;no-referrer&quot;" in page
    sheet = client.get(f"/app/surveys/{draft.pk}/study-sheet").text
    assert "May be shown inside" in sheet
    assert "https://panel.example.org" in sheet
    opening.open_survey_now(draft, owner, timezone.now())
    assert draft.design is not None
    assert draft.design.content.sites == ("https://panel.example.org",)
    assert save(client, draft, "https://other.example").status_code == 302
    draft.refresh_from_db()
    assert draft.draft["sites"] == ["https://panel.example.org"]
    assert 'name="sites"' not in client.get(f"/app/surveys/{draft.pk}/invitations").text


def test_an_emptied_list_is_off_again(draft: Survey, owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    save(client, draft, "https://panel.example.org")
    save(client, draft, "")
    draft.refresh_from_db()
    assert "sites" not in draft.draft


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("https://a.example\nhttp://b.example", "http://b.example: Must begin with https://"),
        ("https://a.example/survey", "a site alone"),
        ("\n".join(f"https://{n}.example.org" for n in range(21)), "At most 20 sites"),
    ],
)
def test_a_wrong_line_is_refused_with_the_reason(
    draft: Survey, owner: Person, signed_in_as: As, lines: str, reason: str
) -> None:
    response = save(signed_in_as(owner), draft, lines)
    assert response.status_code == 422
    (error,) = response.context["sites_form"].errors["sites"]
    assert reason.lower() in error.lower()
    draft.refresh_from_db()
    assert "sites" not in draft.draft


def test_who_may_not_invite_may_not_list_sites(
    draft: Survey, signed_in_as: As, works_on: Any, stranger: Person
) -> None:
    assert save(signed_in_as(stranger), draft, "https://a.example").status_code == 404
    assert save(signed_in_as(works_on(draft, may_edit=False)), draft, "https://a.example").status_code == 403
    assert signed_in_as(stranger).get(f"/app/surveys/{draft.pk}/invitations/sites").status_code == 405
    draft.refresh_from_db()
    assert "sites" not in draft.draft


def test_a_copy_has_the_sites_and_an_opening_time_is_withdrawn(draft: Survey, owner: Person) -> None:
    client = Client()
    client.force_login(owner)
    opening.schedule_opening(draft, owner, timezone.now() + timedelta(days=1), timezone.now())
    save(client, draft, "https://a.example")
    draft.refresh_from_db()
    assert draft.opens is None
    copy = survey_creation.duplicate_survey(draft, owner, timezone.now())
    assert copy.draft["sites"] == ["https://a.example"]


# --- a panel's own parameter

LINK = "https://panel.example.org/done?cc=C1&id={panel}"
PAID = asked.design(panel={"en": "A link leads you back to your panel."})


def test_the_start_page_says_whether_the_panel_learns_its_own_id() -> None:
    passed = Client().get(asked.survey(PAID, completion=LINK).address).text
    assert "by which your panel knows you, so that your panel learns that you took part" in passed
    assert "It is the same for everybody" not in passed.split('id="page"')[0]
    assert '"passes_panel":true' in passed
    assert "panel.example.org" not in passed
    fixed = Client().get(asked.survey(PAID, completion="https://panel.example.org/done").address).text
    assert "It is the same for everybody" in fixed
    assert "passes_panel" not in fixed


def test_the_server_hands_out_the_link_as_it_was_set() -> None:
    answer = asked.post(asked.survey(PAID, completion=LINK), asked.envelope(PAID)).json()
    assert answer == {"outcome": "stored", "completion": LINK}


def test_without_javascript_the_link_leaves_it_out_and_the_page_says_so() -> None:
    survey = asked.survey(PAID, completion=LINK)
    form = Client().get(f"{survey.address}/form").text
    key = form.split('name="key" value="')[1][:32]
    epoch = form.split('name="epoch" value="')[1][:4]
    body = "&".join([f"key={key}", f"epoch={epoch}", *(f"answer-{place}=0" for place in range(6))])
    page = (
        Client().post(f"{survey.address}/form", body, content_type="application/x-www-form-urlencoded").text
    )
    assert 'href="https://panel.example.org/done?cc=C1"' in page
    assert "cannot pass on the ID by which your panel knows you" in page
    assert "Everybody gets this link" not in page


def test_the_link_for_a_panel_is_on_the_page_of_invitations(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    client, address = signed_in_as(owner), f"/app/surveys/{survey.pk}/invitations"
    assert "#panel=" not in client.get(address).text
    paying = asked.survey(PAID, completion=LINK, owner=owner)
    page = client.get(f"/app/surveys/{paying.pk}/invitations").text
    assert f"{paying.address}#panel={{{{%PROLIFIC_PID%}}}}" in page
