from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from ui import home_page_items as home_page, navigation
from ui.attackers import ATTACKERS
from ui.cookie_and_log_paths import APP
from ui.references import read_references
from ui.statements import find_promise_tests, read_limits, read_promises
from ui.styleguide_examples import example_context
from ui.worked_example import WorkedExample, record_squares, shares_picture


@require_safe
def visitors_home(request: HttpRequest) -> HttpResponse:
    """Shows the home page of visitors, the same for everybody; browsers send no cookie to this address."""
    rehearsal = WorkedExample()
    context = {"rehearsal": rehearsal, "wall": record_squares(rehearsal), "shares": shares_picture(rehearsal)}
    context["one_person_does_both"] = settings.ONE_PERSON_DOES_BOTH
    return render(request, "ui/home.html", context)


@require_safe
@login_required
def signed_in_home(request: HttpRequest) -> HttpResponse:
    context = {
        "waiting": home_page.waiting.for_person(request.user),
        "cards": home_page.cards.for_person(request.user),
        "news": sorted(home_page.news.for_person(request.user), key=lambda item: item.when, reverse=True),
    }
    return render(request, "ui/signed-in-home.html", context)


@require_safe
def redirect_to_signed_in_home(_request: HttpRequest) -> HttpResponse:
    """Redirects `/app`, as people shorten an address of a page; whoever is not signed in goes on to sign in."""
    return redirect("ui:signed-in-home")


@require_safe
def redirect_short_address(request: HttpRequest, *_parts: str) -> HttpResponse:
    """Redirects short addresses, such as from `/limits` to `/app/limits`."""
    return redirect(f"{APP}{request.get_full_path()}", permanent=True)


@require_safe
def method_page(request: HttpRequest) -> HttpResponse:
    context = {"rehearsal": WorkedExample(), "references": read_references().values()}
    return render(request, "ui/method.html", context)


@require_safe
def limits_page(request: HttpRequest) -> HttpResponse:
    promises, limits, tests = read_promises(), read_limits(), find_promise_tests()
    attackers = [
        (attacker, [promises[key] for key in attacker.promises], [limits[key] for key in attacker.limits])
        for attacker in ATTACKERS
    ]
    tested = [(promise, tests[promise.heading]) for promise in promises.values()]
    context = {"promises": tested, "attackers": attackers, "limits": limits.values()}
    return render(request, "ui/limits.html", context)


@require_safe
@login_required
def styleguide(request: HttpRequest) -> HttpResponse:
    if not navigation.is_staff(request):
        raise PermissionDenied
    if request.GET.get("page-of") == "dialog":
        return render(request, "ui/styleguide/confirm.html")
    return render(request, "ui/styleguide.html", example_context(request))
