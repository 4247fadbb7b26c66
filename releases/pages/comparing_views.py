"""The pages that compare methods and numbers of k on the source of a draft."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, guard
from releases.making import comparing
from releases.models import Release
from releases.pages import comparison_picture
from releases.pages.comparison_picture import MethodRow
from releases.pages.views import page
from releases.specification import specifying
from surveys.pages import form_page, reading
from surveys.questionnaire.problems import NotAllowed


@form_page
def compare(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "configure")
    if request.method == "POST":
        try:
            if "use" not in request.POST:
                comparing.start(release, request.user, timezone.now())
            elif row := _chosen(release, request.POST["use"]):
                comparing.choose(release, request.user, row.method, row.k, timezone.now())
                words = _("This draft uses %(method)s with k = %(k)s.")
                messages.success(request, words % {"method": row.name, "k": row.k})
                return redirect(release)
        except NotAllowed as refused:
            messages.error(request, str(refused))
        return redirect("releases:compare", pk)
    return page(request, release, "compare", _context(request, release))


@reading
def compared(request: PersonRequest, pk: int) -> HttpResponse:
    """The last comparison; 204 while it is under way, so that the page asks again."""
    release = guard(Release.objects.listed(), request.user, pk, "configure")
    context = _context(request, release)
    if context["is_live"]:
        return HttpResponse(status=204)
    return render(request, "releases/_compared.html", context)


def _chosen(release: Release, key: str) -> MethodRow | None:
    """The row of the last comparison with this key, if a table can be made so."""
    last = release.comparisons.order_by("-pk").first()
    rows = comparison_picture.rows(last.rows) if last else []
    return next((row for row in rows if row.key == key and not row.refusal), None)


def _context(request: PersonRequest, release: Release) -> dict[str, object]:
    last = release.comparisons.order_by("-pk").first()
    rows = comparison_picture.rows(last.rows) if last else []
    draft = specifying.specification_of(release)
    return {
        "release": release,
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
