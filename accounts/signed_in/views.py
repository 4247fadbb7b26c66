"""The page of one's sessions: where one is signed in, and an end to any of them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.history import log_activity
from accounts.permission import PersonRequest, signed_in
from accounts.signed_in import sessions as person_sessions


@never_cache
@require_safe
@signed_in
def sessions(request: PersonRequest) -> HttpResponse:
    rows = person_sessions.of_person(request.user, request.session.session_key)
    return render(request, "accounts/sessions.html", {"sessions": rows})


@require_POST
@signed_in
def end(request: PersonRequest) -> HttpResponse:
    """One other session by its number, or without a number all others."""
    number = request.POST.get("number", "")
    rows = person_sessions.of_person(request.user, request.session.session_key)
    others = [row for row in rows if not row.is_current and number in ("", row.number)]
    person_sessions.end(others)
    for row in others:
        log_activity(request.user, "accounts.session-ended", request.user, note=row.browser)
    words = ngettext("%(count)s session was ended.", "%(count)s sessions were ended.", len(others))
    messages.success(request, words % {"count": len(others)})
    return redirect("accounts:sessions")
