"""The pages that compare methods and numbers of k on the source of a draft."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from people.permission import PersonRequest, guard
from releases import comparing, comparison_picture
from releases.models import Release
from releases.views import page
from surveys.pages import form_page, reading
from surveys.refused import Refused


@form_page
def compare(request: PersonRequest, pk: int) -> HttpResponse:
    found = guard(Release.objects.listed(), request.user, pk, "configure")
    if request.method == "POST":
        try:
            comparing.start(found, request.user, timezone.now())
        except Refused as refused:
            messages.error(request, str(refused))
        return redirect("releases:compare", pk)
    return page(request, found, "compare", _context(request, found))


@reading
def compared(request: PersonRequest, pk: int) -> HttpResponse:
    """The last comparison; 204 while it is under way, so that the page asks again."""
    found = guard(Release.objects.listed(), request.user, pk, "configure")
    context = _context(request, found)
    if context["is_live"]:
        return HttpResponse(status=204)
    return render(request, "releases/_compared.html", context)


def _context(request: PersonRequest, found: Release) -> dict[str, object]:
    last = found.comparisons.order_by("-pk").first()
    rows = list(last.rows) if last else []
    return {
        "release": found,
        "comparison": last,
        "is_live": last is not None and last.live,
        "rows": comparison_picture.rows(rows),
        "picture": comparison_picture.picture(rows),
    }
