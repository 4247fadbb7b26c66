"""Who may reach the builder's pages, and by which methods."""

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from surveys.lifecycle.opening import open_survey_now
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT, refusal
from tests.cast import As
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
PAGES = ["edit", "edit-copy", "protection", "study", "translations", "appearance", "quotas"]
OF_A_QUESTION = ["edit-cells"]
FILES = ["translations-download"]
"""Pages that need to know which."""
SEEN = ["preview", "preview-page"]
POSTS = [
    *("edit-save", "edit-act", "edit-number", "edit-logo"),
    *("protection-live", "protection-save", "study-save", "study-rounds", "appearance-act", "quotas-act"),
    *("translations-save", "translations-phrase", "translations-act"),
    *("translations-import", "translations-accept"),
]
EDITING = [*PAGES, *OF_A_QUESTION, *FILES, *POSTS]
IMPORTING = ["edit-cells", "edit-logo", "translations-import", "translations-accept", *FILES]


def address(route: str, survey: Survey) -> str:
    room = "importing" if route in IMPORTING else "builder"
    return reverse(f"{room}:{route}", args=[survey.pk])


def ask(client: Client, survey: Survey, route: str, **options: Any) -> Any:
    method = client.post if route in POSTS else client.get
    return method(address(route, survey), **options)


def route_statuses(client: Client, survey: Survey, routes: list[str]) -> dict[str, int]:
    return {route: ask(client, survey, route).status_code for route in routes}


def test_owner_and_editor_may_edit_and_a_viewer_may_preview(
    draft: Survey, client: Client, editor: Person, viewer: Person, signed_in_as: As
) -> None:
    pages = [*PAGES, *SEEN]
    assert route_statuses(client, draft, pages) == dict.fromkeys(pages, 200)
    found = route_statuses(signed_in_as(editor), draft, EDITING)
    assert {route: status for route, status in found.items() if status in (403, 404, 500)} == {}
    seen_by_viewer = route_statuses(signed_in_as(viewer), draft, [*EDITING, *SEEN])
    assert seen_by_viewer == dict.fromkeys(EDITING, 403) | dict.fromkeys(SEEN, 200)


def test_stranger_gets_404_and_visitors_sign_in(draft: Survey, stranger: Person, signed_in_as: As) -> None:
    routes = [*EDITING, *SEEN]
    assert route_statuses(signed_in_as(stranger), draft, routes) == dict.fromkeys(routes, 404)
    answers = {route: ask(Client(), draft, route) for route in routes}
    assert {route: answer.status_code for route, answer in answers.items()} == dict.fromkeys(routes, 302)
    assert all(answer["Location"].startswith("/app/account/sign-in") for answer in answers.values())


def test_builder_commands_refuse_get_and_pages_refuse_post(draft: Survey, client: Client) -> None:
    pages = ["edit", "protection", "study", "translations", *SEEN]
    assert client.put(address("study-save", draft)).status_code == 405
    read = {route: client.get(address(route, draft)).status_code for route in POSTS}
    sent = {route: client.post(address(route, draft)).status_code for route in pages}
    assert read | sent == dict.fromkeys([*POSTS, *pages], 405)


def test_opened_survey_is_not_edited(opened: Survey, client: Client) -> None:
    before = Survey.objects.values().get()
    answers = {route: ask(client, opened, route) for route in EDITING}
    led_to = {route: answer["Location"] for route, answer in answers.items()}
    assert led_to == dict.fromkeys(EDITING, opened.get_absolute_url())
    for route, answer in answers.items():
        assert any("no longer a draft" in str(said) for said in get_messages(answer.wsgi_request)), route
    assert "no longer a draft" in client.get(opened.get_absolute_url()).text
    assert Survey.objects.values().get() == before
    # A script is told so in a line.
    assert "no longer a draft" in refusal(client.post(address("edit-save", opened), headers=SCRIPT))
    answer = client.post(address("edit-act", opened), headers=HTMX)
    assert answer["HX-Reswap"] == "none"
    assert "no longer a draft" in answer.text


def test_builder_tab_is_shown_to_editors_of_a_draft(
    draft: Survey, owner: Person, editor: Person, viewer: Person, signed_in_as: As
) -> None:
    def tabs(person: Person) -> list[bool]:
        page = signed_in_as(person).get(draft.get_absolute_url()).text
        return [f'href="{address(route, draft)}"' in page for route in ("edit", "preview")]

    assert [tabs(person) for person in (owner, editor, viewer)] == [[True, True], [True, True], [False, True]]
    open_survey_now(draft, owner, NOW)
    assert tabs(owner) == [False, True]
