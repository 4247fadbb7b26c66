"""Who may reach the builder's pages, and by which methods."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT
from tests.cast import As

pytestmark = pytest.mark.page
PAGES = ["edit", "edit-copy", "protection", "translations", "appearance"]
OF_A_QUESTION = ["edit-cells"]
"""Pages that need to know which."""
SEEN = ["preview", "preview-page"]
POSTS = [
    "edit-save",
    "edit-act",
    "edit-number",
    "protection-live",
    "protection-save",
    "translations-save",
    "translations-act",
    "appearance-act",
    "edit-logo",
]
OF_IMPORTING = {*OF_A_QUESTION, "edit-logo"}


def address(route: str, survey: Survey) -> str:
    room = "importing" if route in OF_IMPORTING else "builder"
    return reverse(f"{room}:{route}", args=[survey.pk])


@pytest.mark.parametrize("route", [*PAGES, *SEEN])
def test_a_page_opens_for_its_owner(draft: Survey, owner: Person, signed_in_as: As, route: str) -> None:
    assert signed_in_as(owner).get(address(route, draft)).status_code == 200


@pytest.mark.parametrize("route", [*PAGES, *OF_A_QUESTION, *SEEN, *POSTS])
def test_nobody_is_sent_to_the_sign_in_page(draft: Survey, client: Client, route: str) -> None:
    answer = client.post(address(route, draft)) if route in POSTS else client.get(address(route, draft))
    assert answer.status_code == 302
    assert answer["Location"].startswith("/account/sign-in")


@pytest.mark.parametrize("route", [*PAGES, *OF_A_QUESTION, *SEEN, *POSTS])
def test_a_stranger_finds_no_such_survey(
    draft: Survey, stranger: Person, signed_in_as: As, route: str
) -> None:
    client = signed_in_as(stranger)
    answer = client.post(address(route, draft)) if route in POSTS else client.get(address(route, draft))
    assert answer.status_code == 404


@pytest.mark.parametrize("route", [*PAGES, *OF_A_QUESTION, *POSTS])
def test_a_viewer_may_not_edit(draft: Survey, viewer: Person, signed_in_as: As, route: str) -> None:
    client = signed_in_as(viewer)
    answer = client.post(address(route, draft)) if route in POSTS else client.get(address(route, draft))
    assert answer.status_code == 403


@pytest.mark.parametrize("route", SEEN)
def test_a_viewer_may_look_at_the_preview(
    draft: Survey, viewer: Person, signed_in_as: As, route: str
) -> None:
    assert signed_in_as(viewer).get(address(route, draft)).status_code == 200


@pytest.mark.parametrize("route", [*PAGES, *OF_A_QUESTION, *POSTS])
def test_an_editor_may_edit(draft: Survey, editor: Person, signed_in_as: As, route: str) -> None:
    client = signed_in_as(editor)
    answer = client.post(address(route, draft)) if route in POSTS else client.get(address(route, draft))
    assert answer.status_code not in (403, 404, 500)


@pytest.mark.parametrize("route", POSTS)
def test_what_changes_something_is_not_read(
    draft: Survey, owner: Person, signed_in_as: As, route: str
) -> None:
    assert signed_in_as(owner).get(address(route, draft)).status_code == 405


@pytest.mark.parametrize("route", ["edit", "protection", "translations", *SEEN])
def test_a_page_takes_no_post(draft: Survey, owner: Person, signed_in_as: As, route: str) -> None:
    assert signed_in_as(owner).post(address(route, draft)).status_code == 405


@pytest.mark.parametrize("route", [*PAGES, *OF_A_QUESTION, *POSTS])
def test_what_was_opened_is_not_edited(opened: Survey, owner: Person, signed_in_as: As, route: str) -> None:
    client, before = signed_in_as(owner), Survey.objects.values().get()
    method = client.post if route in POSTS else client.get
    answer = method(address(route, opened), follow=True)
    assert answer.redirect_chain[-1][0] == opened.get_absolute_url()
    assert "no longer a draft" in answer.content.decode()
    assert Survey.objects.values().get() == before


def test_a_script_is_told_so_in_a_line(opened: Survey, owner: Person, signed_in_as: As) -> None:
    answer = signed_in_as(owner).post(address("edit-save", opened), headers=SCRIPT)
    assert answer.status_code == 422
    assert "no longer a draft" in answer.json()["said"]
    answer = signed_in_as(owner).post(address("edit-act", opened), headers=HTMX)
    assert answer["HX-Reswap"] == "none"
    assert "no longer a draft" in answer.content.decode()


@pytest.mark.parametrize(("person", "shown"), [("owner", True), ("editor", True), ("viewer", False)])
def test_the_tab_is_there_for_whoever_may_edit(
    draft: Survey, signed_in_as: As, request: pytest.FixtureRequest, person: str, shown: bool
) -> None:
    page = signed_in_as(request.getfixturevalue(person)).get(draft.get_absolute_url()).content.decode()
    assert (f'href="{address("edit", draft)}"' in page) == shown
    assert f'href="{address("preview", draft)}"' in page


def test_an_opened_survey_has_no_tab_for_editing(opened: Survey, owner: Person, signed_in_as: As) -> None:
    page = signed_in_as(owner).get(opened.get_absolute_url()).content.decode()
    assert f'href="{address("edit", opened)}"' not in page
    assert f'href="{address("preview", opened)}"' in page
