"""Who asks: the token of a request, its budget and its scope."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja.errors import AuthorizationError, Throttled
from ninja.security import HttpBearer

from accounts.second_factor import factors
from api import tokens
from api.models import Scope, Token


class TokenRequest(HttpRequest):
    """A request of a program, in the name of the person of its token."""

    auth: Token


class Bearer(HttpBearer):
    """A token with this scope. What it may do to an object, `accounts.permission.guard` says of its person."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> Any:
        # Not the inherited one, which may write the header to the log.
        scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
        return self.authenticate(request, secret.strip()) if scheme.lower() == "bearer" else None

    def authenticate(self, request: HttpRequest, token: str) -> Token | None:
        now = timezone.now()
        usable = tokens.shown(token, now)
        if usable is None:
            return None
        if seconds := tokens.seconds_to_wait(usable, now):
            raise Throttled(seconds)
        tokens.note_use(usable, now)
        if self.scope not in usable.scopes:
            raise AuthorizationError(
                message=_("This token lacks the scope %(scope)s.") % {"scope": self.scope}
            )
        if factors.must_have_factor(usable.person) and not factors.has_factor(usable.person):
            raise AuthorizationError(message=_("Your role needs a second factor: add one to your account."))
        if tokens.needs_sign_on(usable.person, now):
            raise AuthorizationError(
                message=_(
                    "Sign in to your account again: a token works for %(days)s days after a sign-in by a provider."
                )
                % {"days": tokens.SIGN_ON_LASTS.days}
            )
        return usable
