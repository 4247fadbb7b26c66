"""The second factor, the step that asks for it, the roles that need one; and showing again who one is."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY, format_hotp_value, hotp_value
from django.conf import LazySettings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import History, Person
from accounts.second_factor import factors
from accounts.second_factor.requirement import SecondFactorRequired
from tests.accounts.conftest import PASSWORD, Letters
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
SIGN_IN, ASKED = reverse("accounts:sign-in"), reverse("accounts:second-factor-asked")
INDEX, ADD, REMOVE = (reverse(f"accounts:{name}") for name in ("second-factor", "app-add", "app-remove"))
CODES, HOME = reverse("accounts:recovery-codes"), reverse("ui:signed-in-home")
CONFIRM = reverse("accounts:confirm")


def code(secret: str = SECRET, steps: int = 0) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def enter_recovery_code(client: Client, person: Person) -> Client:
    """A browser in which this person has just entered a recovery code, to change factors."""
    client.post(f"{CONFIRM}?factor=yes", {"code": factors.replace_recovery_codes(person)[0]})
    return client


@pytest.fixture
def member_with_app(member: Person) -> Person:
    """The researcher, with a password and an app."""
    factors.add_app(member, SECRET)
    return member


def enter_password(client: Client, person: Person, **more: str) -> str:
    form = {"username": person.username, "password": PASSWORD, **more}
    return client.post(SIGN_IN, form).headers["Location"]


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_authenticator_code_matches_the_rfc() -> None:
    # RFC 6238, appendix B, at 59 seconds: the last six digits of 94287082.
    assert format_hotp_value(hotp_value("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 59 // 30)) == "287082"


def test_password_alone_is_half_a_sign_in_and_the_code_leads_to_the_wanted_page(
    member_with_app: Person, client: Client
) -> None:
    assert enter_password(client, member_with_app, next="/app/account/history") == ASKED
    assert not is_in(client)
    answer = client.post(ASKED, {"code": code()})
    assert (answer.headers["Location"], is_in(client)) == ("/app/account/history", True)
    half_in = Client()
    enter_password(half_in, member_with_app)
    assert half_in.get(reverse("accounts:account")).status_code == 302


def test_wrong_authenticator_code_is_refused_and_counted(member_with_app: Person, client: Client) -> None:
    enter_password(client, member_with_app)
    wrong = code(steps=50)
    answers = [client.post(ASKED, {"code": wrong}).status_code for _try in range(6)]
    assert answers == [200, 200, 200, 200, 429, 429]
    assert client.post(ASKED, {"code": code()}).status_code == 429
    assert not is_in(client)


def test_authenticator_code_works_once(member_with_app: Person, client: Client) -> None:
    used = code()
    enter_password(client, member_with_app)
    client.post(ASKED, {"code": used})
    other = Client()
    enter_password(other, member_with_app)
    assert (other.post(ASKED, {"code": used}).status_code, is_in(other)) == (200, False)


def test_code_that_adds_the_app_does_not_sign_in(member: Person, signed_in_as: As, client: Client) -> None:
    adding = signed_in_as(member)
    adding.get(ADD)
    used = code(adding.session[SECRET_SESSION_KEY])
    adding.post(ADD, {"code": used})
    enter_password(client, member)
    assert (client.post(ASKED, {"code": used}).status_code, is_in(client)) == (200, False)


def test_changing_a_second_factor_ends_other_sessions(member: Person, signed_in_as: As) -> None:
    other, adding = Client(), signed_in_as(member)
    enter_password(other, member)
    assert is_in(other)
    adding.get(ADD)
    adding.post(ADD, {"code": code(adding.session[SECRET_SESSION_KEY])})
    assert factors.has_factor(member)
    assert other.get(reverse("accounts:account")).headers["Location"].startswith(SIGN_IN)
    assert adding.get(reverse("accounts:account")).status_code == 200


def test_a_recovery_code_works_once(member_with_app: Person) -> None:
    recovery = factors.replace_recovery_codes(member_with_app)[0]
    for expected in (True, False):
        client = Client()
        enter_password(client, member_with_app)
        client.post(ASKED, {"code": recovery})
        assert is_in(client) == expected
    assert factors.count_recovery_codes(member_with_app) == 9


def test_second_step_without_the_first_restarts_the_sign_in(client: Client, member_with_app: Person) -> None:
    for answer in (client.get(ASKED), client.post(ASKED, {"code": code()})):
        assert (answer.status_code, answer.headers["Location"]) == (302, SIGN_IN)
    assert not is_in(client)


def test_person_deactivated_between_the_steps_cannot_sign_in(member_with_app: Person, client: Client) -> None:
    enter_password(client, member_with_app)
    Person.objects.update(is_active=False)
    client.post(ASKED, {"code": code()})
    assert client.get(reverse("accounts:account")).status_code == 302


def test_app_is_added_by_its_first_code_and_recovery_codes_are_shown(
    researcher: Person, signed_in_as: As
) -> None:
    client = signed_in_as(researcher)
    page = client.get(ADD).content.decode()
    secret = client.session[SECRET_SESSION_KEY]
    assert "data:image/svg+xml" in page
    assert not factors.has_factor(researcher)
    assert client.post(ADD, {"code": "000000" if code(secret) != "000000" else "111111"}).status_code == 200
    assert not factors.has_factor(researcher)
    shown = re.findall(r"<code>(\d{8})</code>", client.post(ADD, {"code": code(secret)}).content.decode())
    assert (len(shown), factors.count_recovery_codes(researcher)) == (10, 10)
    assert factors.has_factor(researcher)
    assert SECRET_SESSION_KEY not in client.session
    assert [*History.objects.order_by("pk").values_list("what", flat=True)][-2:] == [
        "accounts.factor-added",
        "accounts.codes-made",
    ]


def test_new_recovery_codes_replace_the_old_ones(member_with_app: Person, signed_in_as: As) -> None:
    client = enter_recovery_code(signed_in_as(member_with_app), member_with_app)
    old = factors.replace_recovery_codes(member_with_app)
    page = client.post(CODES).content.decode()
    assert not {*old} & {*re.findall(r"<code>(\d{8})</code>", page)}


def test_removing_the_app_removes_the_recovery_codes(member_with_app: Person, signed_in_as: As) -> None:
    assert (
        enter_recovery_code(signed_in_as(member_with_app), member_with_app).post(REMOVE).headers["Location"]
        == INDEX
    )
    assert not Authenticator.objects.exists()
    assert History.objects.filter(what="accounts.factor-removed").count() == 1


def test_changing_a_factor_needs_more_than_a_password(member_with_app: Person, signed_in_as: As) -> None:
    client = signed_in_as(member_with_app)
    for address in (ADD, REMOVE, CODES, reverse("accounts:passkey-add")):
        for _turn in range(2):
            answer = client.post(address)
            assert answer.headers["Location"].startswith(f"{CONFIRM}?next="), address
            assert answer.headers["Location"].endswith("&factor=yes"), address
            client.post(answer.headers["Location"], {"password": PASSWORD})
        assert factors.authenticator_app(member_with_app), address
        assert not factors.passkeys(member_with_app), address
    assert 'name="password"' not in client.get(answer.headers["Location"]).content.decode()


def test_second_factor_shown_a_while_ago_is_asked_for_again(
    member_with_app: Person, signed_in_as: As
) -> None:
    client = enter_recovery_code(signed_in_as(member_with_app), member_with_app)
    session = client.session
    session["factor_shown"] -= 301
    session.save()
    assert client.post(REMOVE).headers["Location"].startswith(CONFIRM)
    assert factors.has_factor(member_with_app)


def test_second_factor_secrets_are_encrypted_in_the_database(member_with_app: Person) -> None:
    codes = factors.replace_recovery_codes(member_with_app)
    stored = str([*Authenticator.objects.values_list("data", flat=True)])
    assert SECRET not in stored
    assert not any(recovery in stored for recovery in codes)
    assert [row.data.keys() for row in Authenticator.objects.order_by("type")] == [
        {"seed", "used_mask"},
        {"secret"},
    ]


def test_no_authenticator_code_is_right_under_another_key(
    member_with_app: Person, settings: LazySettings, client: Client
) -> None:
    recovery = factors.replace_recovery_codes(member_with_app)[0]
    settings.SECRET_KEY = "another" * 10
    enter_password(client, member_with_app)
    for refused in (code(), recovery):
        assert client.post(ASKED, {"code": refused}).status_code == 200
    assert (is_in(client), factors.count_recovery_codes(member_with_app)) == (False, 10)


def test_an_administrator_s_removal_ends_sessions_and_writes_to_the_person(
    member_with_app: Person, superuser: Person, signed_in_as: As, sent_emails: Letters
) -> None:
    theirs = signed_in_as(member_with_app)
    client = signed_in_as(superuser)
    form = {"action": "remove_factor", "_selected_action": [member_with_app.pk]}
    client.post(reverse("admin:accounts_person_changelist"), form)
    assert not Authenticator.objects.exists()
    assert theirs.get(reverse("accounts:account")).headers["Location"].startswith(SIGN_IN)
    [letter] = sent_emails()
    assert (letter.to, "removed the second factor" in letter.body) == ([member_with_app.email], True)


def test_people_cannot_remove_the_app_of_another(
    member_with_app: Person, stranger: Person, signed_in_as: As
) -> None:
    assert signed_in_as(stranger).post(REMOVE).status_code == 404
    assert factors.has_factor(member_with_app)


def test_second_factor_pages_refuse_visitors_and_links(
    client: Client, researcher: Person, signed_in_as: As
) -> None:
    for address in (INDEX, ADD):
        assert client.get(address).headers["Location"].startswith(SIGN_IN), address
    for address in (REMOVE, CODES):
        assert client.post(address).headers["Location"].startswith(SIGN_IN), address
        assert signed_in_as(researcher).get(address).status_code == 405, address


def test_second_factor_page_shows_the_factor_and_its_codes(member_with_app: Person, signed_in_as: As) -> None:
    page = signed_in_as(member_with_app).get(INDEX).content.decode()
    assert "Remove the app" in page
    assert "0 codes" in page


def require_factor_for(settings: LazySettings, *roles: str) -> SecondFactorRequired:
    settings.SECOND_FACTOR_FOR = roles
    return SecondFactorRequired(lambda request: HttpResponse("page"))


def request_of(person: Person, path: str) -> HttpRequest:
    request = HttpRequest()
    request.path_info, request.user = path, person
    return request


def test_role_that_needs_a_factor_sees_only_the_page_to_add_one(
    settings: LazySettings, researcher: Person
) -> None:
    middleware = require_factor_for(settings, "researchers")
    assert middleware(request_of(researcher, "/app/surveys/")).headers["Location"] == INDEX
    for open_page in (INDEX, ADD, reverse("accounts:sign-out"), CONFIRM, "/a/a-survey", "/"):
        assert middleware(request_of(researcher, open_page)).content == b"page"


def test_second_factor_requirement_lets_other_roles_and_people_with_a_factor_in(
    settings: LazySettings, researcher: Person
) -> None:
    request = request_of(researcher, "/app/surveys/")
    assert require_factor_for(settings, "reviewers")(request).content == b"page"
    factors.add_app(researcher, SECRET)
    assert require_factor_for(settings, "researchers")(request).content == b"page"
    with pytest.raises(MiddlewareNotUsed):
        require_factor_for(settings)


# --- showing again who one is, before what cannot be undone ---


def age_session_proof(client: Client, seconds: int = 31 * 60) -> Client:
    session = client.session
    session["proved"] -= seconds
    session.save()
    return client


def test_confirmation_is_asked_only_some_time_after_sign_in_and_returns_to_the_page(
    member: Person, signed_in_as: As
) -> None:
    client = signed_in_as(member)
    assert client.get(ADD).status_code == 200
    answer = age_session_proof(client).get(ADD)
    assert answer.headers["Location"] == f"{CONFIRM}?next=%2Fapp%2Faccount%2Fsecond-factor%2Fapp"
    answer = client.post(CONFIRM, {"password": PASSWORD, "next": ADD})
    assert answer.headers["Location"] == ADD
    assert client.get(ADD).status_code == 200


def test_late_form_changes_nothing_and_returns_to_its_own_page(member: Person, signed_in_as: As) -> None:
    client = age_session_proof(signed_in_as(member))
    answer = client.post(REMOVE, headers={"Referer": "http://evil.example/account/"})
    assert answer.headers["Location"] == f"{CONFIRM}?next=%2Fapp%2Faccount%2Fhome"
    factors.add_app(member, SECRET)
    client = age_session_proof(signed_in_as(member))
    answer = client.post(REMOVE, headers={"Referer": "http://testserver/app/account/second-factor?a=b"})
    assert answer.headers["Location"] == f"{CONFIRM}?next=%2Fapp%2Faccount%2Fsecond-factor%3Fa%3Db&factor=yes"
    assert factors.has_factor(member)


def test_authenticator_code_alone_confirms(member: Person, signed_in_as: As) -> None:
    factors.add_app(member, SECRET)
    client = age_session_proof(signed_in_as(member))
    assert client.post(CONFIRM, {"code": code(), "next": ADD}).status_code == 302
    assert client.session["proved"] > 0


def test_wrong_confirmation_is_refused_and_wrong_passwords_must_wait(
    member: Person, signed_in_as: As
) -> None:
    client = age_session_proof(signed_in_as(member))
    before = client.session["proved"]
    nothing: dict[str, str] = {}
    for given in (nothing, {"password": "wrong"}, {"code": "123"}):
        assert client.post(CONFIRM, {**given, "next": ADD}).status_code == 200
        assert client.session["proved"] == before
    answers = [client.post(CONFIRM, {"password": "wrong"}).status_code for _try in range(6)]
    assert answers[-1] == 429


def test_confirmation_is_asked_again_after_the_clock_was_set_back(member: Person, signed_in_as: As) -> None:
    assert age_session_proof(signed_in_as(member), -3600).get(ADD).headers["Location"].startswith(CONFIRM)


def test_htmx_confirmation_moves_the_whole_page(member: Person, signed_in_as: As) -> None:
    answer = age_session_proof(signed_in_as(member)).post(REMOVE, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"].startswith(CONFIRM)) == (403, True)


def test_operator_may_switch_confirmation_off(
    member: Person, signed_in_as: As, settings: LazySettings
) -> None:
    settings.CONFIRM_MINUTES = 0
    assert age_session_proof(signed_in_as(member)).get(ADD).status_code == 200


def test_irreversible_actions_ask_for_confirmation_first(reviewer: Person, signed_in_as: As) -> None:
    client = age_session_proof(signed_in_as(reviewer))
    for name, arguments in {
        "admin:reports_review_publish": [1],
        "admin:reports_review_publish_model": [1, 1],
        "releases:approve": [1],
        "releases:discard": [1],
        "recordfiles:records": [1],
        "surveys:destroy": [1],
    }.items():
        answer = client.post(reverse(name, args=arguments))
        assert answer.headers["Location"].startswith(CONFIRM), name
