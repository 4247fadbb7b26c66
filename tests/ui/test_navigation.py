from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory

from ui import navigation

Links = Callable[[], list[navigation.NavigationLink]]


@pytest.fixture
def links(nothing_registered: None) -> Links:
    """What a visitor is offered on the page of the method, of the places that a test registers."""
    request = RequestFactory().get("/app/method")
    request.user = AnonymousUser()
    return lambda: navigation.navigation_links(request)


def register(label: str, url_name: str, **more: Any) -> None:
    navigation.register_entry(label, url_name, navigation.is_visitor, **more)


def test_places_stand_in_the_order_in_which_they_are_registered(links: Links) -> None:
    register("First", "ui:limits")
    register("Second", "ui:method")
    assert [link.label for link in links()] == ["First", "Second"]


def test_a_place_that_one_may_not_see_or_that_has_no_address_is_left_out(links: Links) -> None:
    navigation.register_entry("Tables", "admin:index", navigation.is_staff)
    assert links() == []
    register("Nowhere", "ui:nowhere")
    assert links() == []


def test_navigation_marks_at_most_one_current_place(links: Links) -> None:
    """The address of the start page begins every other."""
    register("Home", "ui:home")
    register("Method", "ui:method")
    register("Limits", "ui:limits")
    here = {link.label: (link.here, link.exactly_here) for link in links()}
    assert here == {"Home": (False, False), "Method": (True, True), "Limits": (False, False)}


def test_a_place_can_own_pages_below_another(links: Links) -> None:
    register("Home", "ui:home")
    register("Limits", "ui:limits", also="/app/meth")
    assert [(link.label, link.exactly_here) for link in links() if link.here] == [("Limits", False)]


def test_a_visitor_finds_the_method_and_the_limits_in_the_head(visitor: Client) -> None:
    head = visitor.get("/").content.decode().split("</header>")[0]
    assert 'href="/app/method"' in head
    assert 'href="/app/limits"' in head
    assert "/app/admin/" not in head


def test_staff_find_the_administration_in_the_head(staff: Client) -> None:
    head = staff.get("/app/method").content.decode().split("</header>")[0]
    assert 'href="/app/admin/"' in head


def test_what_is_put_away_or_chosen_needs_no_script_and_a_language_names_itself(visitor: Client) -> None:
    assert "简体中文" in visitor.get("/").content.decode()
    page = visitor.get("/app/limits").content.decode()
    assert '<button name="theme" value="dark" aria-pressed="false">' in page
    assert 'name="next" value="/app/limits"' in page
