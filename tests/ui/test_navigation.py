import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import Client, RequestFactory

from ui import navigation


@pytest.fixture
def request_of_nobody() -> HttpRequest:
    request = RequestFactory().get("/app/method")
    request.user = AnonymousUser()
    return request


@pytest.mark.usefixtures("nothing_registered")
class TestRegister:
    def test_places_stand_in_the_order_of_their_rank(self, request_of_nobody: HttpRequest) -> None:
        navigation.register_entry("Second", "ui:limits", navigation.is_visitor, rank=2)
        navigation.register_entry("First", "ui:method", navigation.is_visitor, rank=1)
        assert [link.label for link in navigation.navigation_links(request_of_nobody)] == ["First", "Second"]

    def test_a_place_that_one_may_not_see_is_not_offered(self, request_of_nobody: HttpRequest) -> None:
        navigation.register_entry("Tables", "admin:index", navigation.is_staff)
        assert navigation.navigation_links(request_of_nobody) == []

    def test_a_place_without_an_address_is_left_out(self, request_of_nobody: HttpRequest) -> None:
        navigation.register_entry("Nowhere", "ui:nowhere", navigation.is_visitor)
        assert navigation.navigation_links(request_of_nobody) == []

    def test_the_place_where_one_is_says_so(self, request_of_nobody: HttpRequest) -> None:
        navigation.register_entry("Method", "ui:method", navigation.is_visitor)
        navigation.register_entry("Limits", "ui:limits", navigation.is_visitor)
        here = {
            link.label: (link.here, link.exactly_here)
            for link in navigation.navigation_links(request_of_nobody)
        }
        assert here == {"Method": (True, True), "Limits": (False, False)}

    def test_one_place_at_most_is_the_current_one(self, request_of_nobody: HttpRequest) -> None:
        """The address of the start page begins every other."""
        navigation.register_entry("Home", "ui:home", navigation.is_visitor)
        navigation.register_entry("Method", "ui:method", navigation.is_visitor)
        navigation.register_entry("Limits", "ui:limits", navigation.is_visitor)
        assert [link.label for link in navigation.navigation_links(request_of_nobody) if link.here] == [
            "Method"
        ]

    def test_a_place_can_own_pages_below_another(self, request_of_nobody: HttpRequest) -> None:
        navigation.register_entry("Home", "ui:home", navigation.is_visitor)
        navigation.register_entry("Limits", "ui:limits", navigation.is_visitor, also="/app/meth")
        links = navigation.navigation_links(request_of_nobody)
        assert [(link.label, link.exactly_here) for link in links if link.here] == [("Limits", False)]


def test_a_visitor_finds_the_method_and_the_limits_in_the_head(visitor: Client) -> None:
    head = visitor.get("/").content.decode().split("</header>")[0]
    assert 'href="/app/method"' in head
    assert 'href="/app/limits"' in head
    assert "/app/admin/" not in head


def test_staff_find_the_administration_in_the_head(staff: Client) -> None:
    head = staff.get("/app/method").content.decode().split("</header>")[0]
    assert 'href="/app/admin/"' in head


def test_the_language_is_offered_in_itself(visitor: Client) -> None:
    assert "简体中文" in visitor.get("/").content.decode()


def test_what_is_put_away_or_chosen_needs_no_script(visitor: Client) -> None:
    page = visitor.get("/app/limits").content.decode()
    assert '<button name="theme" value="dark" aria-pressed="false">' in page
    assert 'name="next" value="/app/limits"' in page
