"""The pages that compare methods and numbers of k on the source of a draft."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from people.permission import PersonRequest, guard
from releases.making import comparing
from releases.models import Release
from releases.pages import comparison_picture
from releases.pages.comparison_picture import MethodRow
from releases.pages.views import page
from releases.specification import specifying
from surveys.not_allowed import NotAllowed
from surveys.pages import form_page, reading


@form_page
def compare(request: PersonRequest, pk: int) -> HttpResponse:
    found = guard(Release.objects.listed(), request.user, pk, "configure")
    if request.method == "POST":
        try:
            if "use" not in request.POST:
                comparing.start(found, request.user, timezone.now())
            elif row := _chosen(found, request.POST["use"]):
                comparing.choose(found, request.user, row.method, row.k, timezone.now())
                words = _("This draft uses %(method)s with k = %(k)s.")
                messages.success(request, words % {"method": row.name, "k": row.k})
                return redirect(found)
        except NotAllowed as refused:
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


def _chosen(found: Release, key: str) -> MethodRow | None:
    """The row of the last comparison with this key, if a table can be made so."""
    last = found.comparisons.order_by("-pk").first()
    rows = comparison_picture.rows(last.rows) if last else []
    return next((row for row in rows if row.key == key and not row.refusal), None)


def _context(request: PersonRequest, found: Release) -> dict[str, object]:
    last = found.comparisons.order_by("-pk").first()
    rows = comparison_picture.rows(last.rows) if last else []
    draft = specifying.specification_of(found)
    return {
        "release": found,
        "comparison": last,
        "is_live": last is not None and last.live,
        "rows": rows,
        "front": [row for row in rows if row.front],
        "rest": [row for row in rows if not row.front],
        "best": comparison_picture.best(rows, draft.criteria.k),
        "used": (draft.method, draft.criteria.k),
        "has_sensitive": bool(draft.sensitive),
        "picture": comparison_picture.picture(rows),
    }
