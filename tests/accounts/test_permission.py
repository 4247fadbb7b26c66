import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import History, Person
from accounts.permission import PersonRequest, get_permitted, safe_next_path, signed_in

pytestmark = pytest.mark.django_db


def test_one_gets_what_one_may_see(researcher: Person) -> None:
    assert get_permitted(Person.objects, researcher, researcher.pk, "edit") == researcher


def test_what_one_may_not_see_does_not_exist(researcher: Person, stranger: Person) -> None:
    with pytest.raises(Http404):
        get_permitted(Person.objects, researcher, stranger.pk)


def test_what_one_sees_but_may_not_do_is_forbidden(reviewer: Person, stranger: Person) -> None:
    with pytest.raises(PermissionDenied):
        get_permitted(Person.objects, reviewer, stranger.pk, "edit")


@pytest.mark.parametrize("key", ["", "x", None, 0, -1, 10**30, "1 OR 1=1", "\x00"])
def test_a_key_that_makes_no_sense_is_not_found(reviewer: Person, key: object) -> None:
    with pytest.raises(Http404):
        get_permitted(Person.objects, reviewer, key)


def test_a_filtered_queryset_guards_as_well(reviewer: Person, stranger: Person) -> None:
    with pytest.raises(Http404):
        get_permitted(Person.objects.get_queryset().exclude(pk=stranger.pk), reviewer, stranger.pk)


def test_a_mistyped_action_is_a_mistake_and_not_a_no(reviewer: Person) -> None:
    with pytest.raises(KeyError):
        get_permitted(Person.objects, reviewer, reviewer.pk, "mange")


@pytest.mark.parametrize(
    ("who", "seen", "manages"),
    [
        ("stranger", {"stranger"}, False),
        ("reviewer", {"stranger", "reviewer", "superuser"}, False),
        ("superuser", {"stranger", "reviewer", "superuser"}, True),
    ],
)
def test_staff_see_everybody_and_superusers_manage(
    stranger: Person, reviewer: Person, superuser: Person, who: str, seen: set[str], manages: bool
) -> None:
    person = {"stranger": stranger, "reviewer": reviewer, "superuser": superuser}[who]
    assert {other.username for other in Person.objects.visible_to(person)} == seen
    assert [other.may(person, "manage") for other in (stranger, reviewer)] == [manages, manages]
    assert [other.may(person, "see") for other in (stranger, superuser)] == [
        other.username in seen for other in (stranger, superuser)
    ]


def test_an_act_is_seen_by_who_did_it_and_by_staff(
    researcher: Person, reviewer: Person, stranger: Person
) -> None:
    act = History.objects.create(who=researcher, what="x", thing_name="a thing")
    assert [act.may(person, "see") for person in (researcher, reviewer, stranger)] == [True, True, False]


@signed_in
def page(request: PersonRequest, word: str) -> HttpResponse:
    return HttpResponse(f"{request.user.username} {word}")


def test_who_is_signed_in_gets_the_page(researcher: Person) -> None:
    request = RequestFactory().get("/x")
    request.user = researcher
    assert page(request, word="hello").content == b"researcher hello"


def test_strangers_are_sent_to_sign_in_and_come_back() -> None:
    request = RequestFactory().get("/x?y=1&z=2")
    request.user = AnonymousUser()
    response = page(request, word="hello")
    assert response.headers["Location"] == "/app/account/sign-in?next=%2Fx%3Fy%3D1%26z%3D2"


def test_nobody_comes_back_to_an_address_that_only_takes_a_form() -> None:
    request = RequestFactory().post("/x")
    request.user = AnonymousUser()
    assert (
        page(request, word="hello").headers["Location"] == "/app/account/sign-in?next=%2Fapp%2Faccount%2Fhome"
    )


def test_htmx_moves_the_whole_page_to_the_sign_in() -> None:
    request = RequestFactory().get("/x", headers={"HX-Request": "true"})
    request.user = AnonymousUser()
    response = page(request, word="hello")
    assert (response.status_code, response.headers["HX-Redirect"]) == (401, reverse("accounts:sign-in"))


def test_over_https_nobody_is_led_back_to_http() -> None:
    request = RequestFactory().post("/x", {"next": "http://testserver/y"}, secure=True)
    assert safe_next_path(request, "accounts:account") == "/app/account/"


def test_a_session_that_has_ended_is_a_stranger(client: Client, researcher: Person) -> None:
    client.force_login(researcher)
    client.session.flush()
    assert client.get(reverse("accounts:history")).status_code == 302
