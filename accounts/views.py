from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY, logout
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import email_confirmation, page_language_and_theme, sessions as person_sessions
from accounts.activity_log import log_activity, renaming_note
from accounts.deactivated_account_activities import end_or_keep_activities, list_continuing_activities
from accounts.email_confirmation import ask_to_confirm
from accounts.forms import AccountForm, HistoryFilter
from accounts.models import History, Person, Theme
from accounts.permission import PersonRequest, get_permitted, safe_next_path, signed_in
from accounts.providers import sign_in_links
from ui import errors

form_methods = require_http_methods(["GET", "HEAD", "POST"])
ROWS = 50


@sensitive_post_parameters("password")
@never_cache
@form_methods
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return HttpResponseRedirect(safe_next_path(request, settings.LOGIN_REDIRECT_URL))
    form = AuthenticationForm(request, request.POST if request.method == "POST" else None)
    goal = safe_next_path(request, settings.LOGIN_REDIRECT_URL)
    if request.method == "POST" and form.is_valid():
        from allauth.account.utils import perform_login  # late for cost

        person = form.get_user()
        response: HttpResponse = perform_login(request, person, redirect_url=goal)
        # Not where a second factor is still to be shown.
        if SESSION_KEY in request.session:
            person_sessions.remember_device(request, response, person)
        return response
    context = {
        "form": form,
        "next": request.POST.get("next") or request.GET.get("next", ""),
        "providers": sign_in_links.provider_links(request, goal),
        "for_all": settings.PASSWORD_SIGN_IN,
    }
    return render(request, "accounts/sign-in.html", context)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    messages.success(request, _("You are signed out."))
    return redirect(settings.LOGOUT_REDIRECT_URL)


@sensitive_post_parameters("password")
@never_cache
@form_methods
@signed_in
def account_page(request: PersonRequest) -> HttpResponse:
    # A copy of one's own: a refused change must not show as made in the rest of the page.
    person = get_permitted(Person.objects, request.user, request.user.pk, "edit")
    form = AccountForm(request, request.POST if request.method == "POST" else None, instance=person)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/account.html", {"form": form, "person": request.user})
    with transaction.atomic():
        form.save()
        if "name" in form.changed_data:
            note = renaming_note(form.initial["name"], person.name)
            log_activity(person, "accounts.name-changed", person, note=note)
        if "email" in form.changed_data:
            action = "accounts.email-asked" if person.new_email else "accounts.email-removed"
            log_activity(person, action, person)
    request.user = person
    translation.activate(page_language_and_theme.language_for(request))
    messages.success(request, _("Your account is saved."))
    if "email" in form.changed_data and person.new_email:
        ask_to_confirm(request, person)
    response = redirect("accounts:account")
    page_language_and_theme.delete_choice_cookies(response)
    return response


@require_POST
@signed_in
def resend_or_cancel_email(request: PersonRequest) -> HttpResponse:
    """View: sends the confirmation email to the new address again, or cancels that address."""
    person = request.user
    if "forget" in request.POST:
        person.new_email = ""
        person.save(update_fields=["new_email"])
        messages.success(request, _("The address is forgotten."))
    elif person.new_email:
        ask_to_confirm(request, person)
    return redirect("accounts:account")


@never_cache
@form_methods
@signed_in
def confirm_email(request: PersonRequest, token: str) -> HttpResponse:
    """View: opens the link of a confirmation email, for the signed-in account; only the page's button confirms."""
    person = request.user
    is_valid = bool(person.new_email) and email_confirmation.tokens.check_token(person, token)
    if request.method == "POST" and is_valid:
        if email_confirmation.confirm_new_address(person):
            messages.success(request, _("The address is confirmed."))
            return redirect("accounts:account")
        is_valid = False
    return render(request, "accounts/email-confirm.html", {"is_valid": is_valid, "person": person})


@require_POST
def store_preferences(request: HttpRequest) -> HttpResponse:
    """View: stores the language, the theme or both, in the account, else in a visitor's cookies."""
    choices = {key: request.POST[key] for key in ("language", "theme") if key in request.POST}
    allowed = {"language": ["", *dict(settings.LANGUAGES)], "theme": Theme.values}
    if not choices or any(value not in allowed[key] for key, value in choices.items()):
        raise BadRequest
    home = settings.LOGIN_REDIRECT_URL if request.user.is_authenticated else "ui:home"
    response = HttpResponseRedirect(safe_next_path(request, home))
    if request.user.is_authenticated:
        Person.objects.filter(pk=request.user.pk).update(**choices)
        page_language_and_theme.delete_choice_cookies(response)
    else:
        page_language_and_theme.set_choice_cookies(response, choices)
    return response


@csrf_exempt
def store_preferences_from_home(request: HttpRequest) -> HttpResponse:
    """View: stores preferences from the home page, which has no cookie and so no CSRF token; forms of other
    sites are refused by their Origin header."""
    ours = [f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS]
    if request.headers.get("Origin") not in ours:
        return errors.csrf_failure(request)
    response: HttpResponse = store_preferences(request)
    return response


@never_cache
@form_methods
@signed_in
def continuing_activities_page(request: PersonRequest, pk: int) -> HttpResponse:
    """View for superusers: shows the continuing activities of a deactivated account; ends those that are ticked, the
    others continue."""
    person = get_permitted(Person.objects, request.user, pk, "manage")
    if person.is_active:
        raise Http404
    things = list_continuing_activities(person)
    if request.method == "POST":
        keys = request.POST.getlist("end")
        ended = [thing for thing in things if thing.key in keys]
        kept = [thing for thing in things if thing.key not in keys]
        end_or_keep_activities(person, ended, kept, request.user, timezone.now())
        messages.success(request, _("What you ticked is ended; the rest goes on."))
        return redirect("accounts:left-behind", pk=pk)
    return render(request, "accounts/left-behind.html", {"person": person, "things": things})


@never_cache
@require_safe
@signed_in
def history_page(request: PersonRequest) -> HttpResponse:
    form = HistoryFilter(History.objects.visible_to(request.user), request.GET)
    page = Paginator(form.filtered_rows_or_all().select_related("who"), ROWS).get_page(
        request.GET.get("page")
    )
    return render(request, "accounts/history.html", {"form": form, "page_obj": page})


@never_cache
@require_safe
@signed_in
def sessions_page(request: PersonRequest) -> HttpResponse:
    rows = person_sessions.list_sessions(request.user, request.session.session_key)
    return render(request, "accounts/sessions.html", {"sessions": rows})


@require_POST
@signed_in
def end_session(request: PersonRequest) -> HttpResponse:
    """View: ends another session by its number, or all others if no number is given."""
    number = request.POST.get("number", "")
    rows = person_sessions.list_sessions(request.user, request.session.session_key)
    others = [row for row in rows if not row.is_current and number in ("", row.number)]
    person_sessions.end_sessions(others)
    for row in others:
        log_activity(request.user, "accounts.session-ended", request.user, note=row.browser)
    words = ngettext("%(count)s session was ended.", "%(count)s sessions were ended.", len(others))
    messages.success(request, words % {"count": len(others)})
    return redirect("accounts:sessions")
