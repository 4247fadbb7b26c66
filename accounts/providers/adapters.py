"""django-allauth adapters: who may sign in by an identity provider, with which account, and with which
roles."""

import time
from typing import TYPE_CHECKING, Any, cast

from allauth.account.adapter import DefaultAccountAdapter, get_adapter as get_account_adapter
from allauth.account.internal.emailkit import valid_email_or_none
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url

from accounts import credentials, email_confirmation, mail, role_assignment, sessions
from accounts.activity_log import log_activity
from accounts.models import RESEARCHERS, REVIEWERS, Person
from accounts.providers import saml_responses
from accounts.providers.problem_page import problem_page

if TYPE_CHECKING:
    from allauth.socialaccount.models import SocialApp, SocialLogin

MAPPED = {"researchers": RESEARCHERS, "reviewers": REVIEWERS}


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return resolve_url(settings.LOGIN_REDIRECT_URL)

    def get_login_stages(self) -> list[str]:
        return ["accounts.second_factor.requirement.FactorStage"]

    def respond_user_inactive(self, request: HttpRequest, user: Any) -> HttpResponse:
        return problem_page(request, "inactive")

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        """Logs a sign-in by a provider, records its proof of identity, and sends the email that confirms a new
        address."""
        if sociallogin := (kwargs["signal_kwargs"] or {}).get("sociallogin"):
            log_activity(user, "accounts.signed-in-by-provider", user, note=sociallogin.provider.name)
            # Not after a second factor, which came in a request of its own and was a proof.
            if hasattr(request, "proved_at"):
                sessions.record_identity_proof(request, request.proved_at)
        if user.new_email:
            email_confirmation.ask_to_confirm(request, user)
        response: HttpResponse = super().post_login(request, user, **kwargs)
        return response

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing, so that django-allauth's messages are not shown; our own pages report what was done."""


class ProviderAdapter(DefaultSocialAccountAdapter):
    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> "list[SocialApp]":
        """Returns the configured providers, without unusable SAML entries, in the form that django-allauth reads."""
        apps = super().list_apps(request, provider=provider, client_id=client_id)
        usable = [app for app in apps if app.provider != "saml" or saml_responses.is_usable_saml_entry(app)]
        for app in usable:
            if app.provider == "saml":
                saml_responses.convert_to_allauth_settings(app)
        return usable

    def is_open_for_signup(self, request: HttpRequest, sociallogin: "SocialLogin") -> bool:
        return True

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: Any = None,
    ) -> None:
        raise ImmediateHttpResponse(problem_page(request, "refused", provider.name))

    def pre_social_login(self, request: HttpRequest, sociallogin: "SocialLogin") -> None:
        """Checks a provider's sign-in before it counts: refuses false or old proofs of identity, joins it to an
        existing account, and updates the roles.

        What the provider says of the person is not stored.
        """
        app = sociallogin.provider.app
        claims = read_consistent_claims(sociallogin)
        if claims is None or sociallogin.state.get("process") != "login":
            raise ImmediateHttpResponse(problem_page(request, "refused", app.name))
        request.proved_at = proof_time(sociallogin)  # type: ignore[attr-defined]
        if request.user.is_authenticated and sessions.is_proof_too_old(request, request.proved_at):  # type: ignore[attr-defined]
            raise ImmediateHttpResponse(problem_page(request, "not-asked", app.name))
        if not sociallogin.is_existing:
            self._join_account_of_address(request, sociallogin, claims)
        # What the provider says of a person is read, and not stored.
        sociallogin.email_addresses = []
        if sociallogin.is_existing:
            sociallogin.account.extra_data = {}
            sociallogin.account.save()
            update_roles(signed_in_person(sociallogin), app.settings, claims)

    def _join_account_of_address(
        self, request: HttpRequest, sociallogin: "SocialLogin", claims: dict[str, Any]
    ) -> None:
        """Connects the provider's sign-in to the existing account with the same confirmed email address.

        Only a provider that the operator trusts may do that, since at others anybody can write any address into their
        profile. The account's earlier credentials end. The emergency account can be joined to no provider.
        """
        app, email = sociallogin.provider.app, signed_in_person(sociallogin).email
        person = Person.objects.filter(email__iexact=email).first() if email else None
        if person is None:
            return
        if not is_address_trusted(app, claims) or person.username == settings.BREAK_GLASS_ACCOUNT:
            raise ImmediateHttpResponse(problem_page(request, "address", app.name))
        with transaction.atomic():
            credentials.end_all_credentials(person)
            sociallogin.connect(request, person)
            log_activity(person, "accounts.provider-added", person, note=app.name)
        for address in {person.email, email}:
            mail.send_in_background(mail.compose_letter("joined", person, to=address, provider=app.name))

    def populate_user(self, request: HttpRequest, sociallogin: "SocialLogin", data: dict[str, Any]) -> Person:
        """Fills a new account's name, address and username from the provider's data."""
        person = signed_in_person(sociallogin)
        names = [data.get("first_name"), data.get("last_name")]
        person.name = str(data.get("name") or " ".join(name for name in names if name))[:150]
        person.email = valid_email_or_none(data.get("email")) or ""
        person.username = str(data.get("username") or "")[:150]
        return person

    @transaction.atomic
    def save_user(self, request: HttpRequest, sociallogin: "SocialLogin", form: Any = None) -> Person:
        """Stores a new account for a provider's sign-in, without a password; an unverified address stays
        unconfirmed."""
        person = signed_in_person(sociallogin)
        claims, sociallogin.account.extra_data = read_consistent_claims(sociallogin) or {}, {}
        person.set_unusable_password()
        if not is_address_trusted(sociallogin.provider.app, claims):
            person.email, person.new_email = "", person.email
        get_account_adapter(request).populate_username(request, person)
        # "Connect" leaves out the library's own table of addresses.
        sociallogin.save(request, connect=True)
        log_activity(None, "accounts.created-by-provider", person, note=sociallogin.provider.name)
        update_roles(person, sociallogin.provider.app.settings, claims)
        return person


def signed_in_person(sociallogin: "SocialLogin") -> Person:
    return cast("Person", sociallogin.user)


def is_address_trusted(app: "SocialApp", claims: dict[str, Any]) -> bool:
    """True if the operator trusts the provider's addresses, and the claims do not state that this one is unverified."""
    return app.settings.get("trust_email") is True and claims.get("email_verified", True) in (True, "true")


def read_consistent_claims(sociallogin: "SocialLogin") -> dict[str, Any] | None:
    """Returns the provider's claims about the person; None if ID token and user info are about different people."""
    data: dict[str, Any] = sociallogin.account.extra_data
    if "id_token" not in data and "userinfo" not in data:
        return data
    signed, fetched = data.get("id_token") or {}, data.get("userinfo") or {}
    if signed and fetched and signed.get("sub") != fetched.get("sub"):
        return None
    return {**signed, **fetched}


def proof_time(sociallogin: "SocialLogin") -> float:
    """Returns when the person last authenticated at the provider, in seconds by our clock; 0 if the provider does not
    state it.

    A session at the provider may be hours old. The token's issue time corrects for a clock that differs from ours.
    """
    token = sociallogin.account.extra_data.get("id_token") or {}
    shown, issued = token.get("auth_time"), token.get("iat")
    if not isinstance(shown, int | float) or not isinstance(issued, int | float):
        return 0
    return time.time() - max(issued - shown, 0)


def update_roles(person: Person, mapping: dict[str, Any], claims: dict[str, Any]) -> None:
    """Gives or removes each role that the provider's settings name, as its claims say; does not change other roles."""
    claim = claims.get(mapping.get("roles_claim", ""), [])
    groups = {claim} if isinstance(claim, str) else set(map(str, claim)) if isinstance(claim, list) else set()
    for key, role in MAPPED.items():
        if key in mapping:
            change = role_assignment.give_role if groups & set(mapping[key]) else role_assignment.remove_role
            change(person, role, by=None)
