"""The tab of attacks on one release: what was found when it was checked, and a register to try."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from accounts.permission import PersonRequest, guard
from releases.making import attacking
from releases.models import Release
from releases.pages import attack_words
from releases.pages.forms import RegisterForm
from releases.pages.views import page
from releases.permission import MADE
from surveys.pages import form_page, is_too_long, reading
from surveys.questionnaire.problems import NotAllowed
from ui.errors import problem_page


@csrf_exempt  # the token stands in the body, which is not read before its length is known
@form_page
def attacks(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "attack")
    if is_too_long(request, attacking.MOST_BYTES):
        return problem_page(request, 413)
    return _attacks(request, release)


@csrf_protect
def _attacks(request: PersonRequest, release: Release) -> HttpResponse:
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = _form(release, *posted)
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["register"]
        try:
            attacking.start(release, request.user, file.read() if file else b"", timezone.now())
        except NotAllowed as refused:
            messages.error(request, str(refused))
        return redirect("releases:attacks", release.pk)
    context = {**_context(release), "form": form}
    return page(request, release, "attacks", context, status=422 if form.errors else 200)


@reading
def attacked(request: PersonRequest, pk: int) -> HttpResponse:
    """What the last attack found; 204 while it is under way, so that the page asks again."""
    release = guard(Release.objects.listed(), request.user, pk, "attack")
    context = {**_context(release), "form": _form(release)}
    if context["is_live"]:
        return HttpResponse(status=204)
    return render(request, "releases/_attacked.html", context)


def _form(release: Release, *posted: object) -> RegisterForm:
    return RegisterForm(*posted, required=release.state in MADE)


def _context(release: Release) -> dict[str, object]:
    """`checked`: what was found in the published file when it was checked; `sentences`: by the last attack."""
    is_made = release.state in MADE
    last = release.attacks.filter(of_source=not is_made).order_by("-pk").first()
    answer = last.answer if last else {}
    return {
        "release": release,
        "attack": last,
        "is_live": last is not None and last.live,
        "checked": attack_words.sentences(release.report["attacks"]) if is_made else [],
        "sentences": attack_words.sentences(answer),
    }
