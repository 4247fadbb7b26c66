import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404, HttpResponse
from django.test import RequestFactory
from django.urls import reverse

from accounts.models import History, Person
from accounts.permission import PersonRequest, get_permitted, safe_next_path, signed_in

pytestmark = pytest.mark.django_db


def test_get_permitted_returns_what_the_person_may_see(researcher: Person) -> None:
    assert get_permitted(Person.objects, researcher, researcher.pk, "edit") == researcher


def test_object_the_person_may_not_see_answers_404(researcher: Person, stranger: Person) -> None:
    with pytest.raises(Http404):
        get_permitted(Person.objects, researcher, stranger.pk)


def test_object_seen_without_the_right_to_act_answers_403(reviewer: Person, stranger: Person) -> None:
    with pytest.raises(PermissionDenied):
        get_permitted(Person.objects, reviewer, stranger.pk, "edit")


def test_invalid_key_answers_404_and_filtered_querysets_are_guarded(
    reviewer: Person, stranger: Person
) -> None:
    for key in ("", "x", None, 0, -1, 10**30, "1 OR 1=1", "\x00"):
        with pytest.raises(Http404):
            get_permitted(Person.objects, reviewer, key)
    with pytest.raises(Http404):
        get_permitted(Person.objects.get_queryset().exclude(pk=stranger.pk), reviewer, stranger.pk)


def test_unknown_action_raises_an_error_instead_of_refusing(reviewer: Person) -> None:
    with pytest.raises(KeyError):
        get_permitted(Person.objects, reviewer, reviewer.pk, "mange")


def test_staff_see_everybody_and_superusers_manage(
    stranger: Person, reviewer: Person, superuser: Person
) -> None:
    everybody = {"stranger", "reviewer", "superuser"}
    for person, seen, manages in (
        (stranger, {"stranger"}, False),
        (reviewer, everybody, False),
        (superuser, everybody, True),
    ):
        assert {other.username for other in Person.objects.visible_to(person)} == seen
        assert [other.may(person, "manage") for other in (stranger, reviewer)] == [manages, manages]
        for other in (stranger, superuser):
            assert other.may(person, "see") == (other.username in seen)


def test_history_entry_is_seen_by_its_person_and_by_staff(
    researcher: Person, reviewer: Person, stranger: Person
) -> None:
    act = History.objects.create(who=researcher, what="x", thing_name="a thing")
    assert [act.may(person, "see") for person in (researcher, reviewer, stranger)] == [True, True, False]


@signed_in
def page(request: PersonRequest, word: str) -> HttpResponse:
    return HttpResponse(f"{request.user.username} {word}")


def answer_to(person: Person | AnonymousUser, request: WSGIRequest) -> HttpResponse:
    request.user = person
    return page(request, word="hello")


def test_visitors_are_sent_to_sign_in_and_return_to_the_page(researcher: Person, rf: RequestFactory) -> None:
    assert answer_to(researcher, rf.get("/x")).content == b"researcher hello"
    sign_in = "/app/account/sign-in?next="
    led_to = answer_to(AnonymousUser(), rf.get("/x?y=1&z=2")).headers["Location"]
    assert led_to == f"{sign_in}%2Fx%3Fy%3D1%26z%3D2"
    # Nobody comes back to an address that only takes a form.
    led_to = answer_to(AnonymousUser(), rf.post("/x")).headers["Location"]
    assert led_to == f"{sign_in}%2Fapp%2Faccount%2Fhome"


def test_htmx_request_moves_the_whole_page_to_the_sign_in(rf: RequestFactory) -> None:
    response = answer_to(AnonymousUser(), rf.get("/x", headers={"HX-Request": "true"}))
    assert (response.status_code, response.headers["HX-Redirect"]) == (401, reverse("accounts:sign-in"))


def test_sign_in_redirect_never_leads_from_https_to_http(rf: RequestFactory) -> None:
    request = rf.post("/x", {"next": "http://testserver/y"}, secure=True)
    assert safe_next_path(request, "accounts:account") == "/app/account/"
