"""The tab of attacks on one release: what was found when it was checked, and a register to try."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from accounts.permission import PersonRequest, get_permitted
from releases.making import attacking
from releases.models import Release
from releases.pages import attack_words
from releases.pages.release_page import render_page
from releases.permission import MADE
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.view_decorators import form_page, is_upload_too_long, reading
from ui.errors import problem_page


class RegisterForm(forms.Form):
    register = forms.FileField(
        label=_("Register of people (CSV)"),
        help_text=_(
            "At most 50 megabytes, UTF-8, one person per row, with some of the columns that others may know. The first "
            "line holds the names of the columns. It is never shown, and deleted when the attack begins."
        ),
        max_length=200,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )

    def __init__(self, release: Release, *posted: object) -> None:
        super().__init__(*posted)  # type: ignore[arg-type]
        self.fields["register"].required = release.state in MADE


@csrf_exempt  # the token stands in the body, which is not read before its length is known
@form_page
def attacks(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.listed(), request.user, pk, "attack")
    if is_upload_too_long(request, attacking.MOST_BYTES):
        return problem_page(request, 413)
    return _attacks(request, release)


@csrf_protect
def _attacks(request: PersonRequest, release: Release) -> HttpResponse:
    form = RegisterForm(release, *((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["register"]
        try:
            attacking.start(release, request.user, file.read() if file else b"", timezone.now())
        except NotAllowed as refused:
            messages.error(request, str(refused))
        return redirect("releases:attacks", release.pk)
    return render_page(request, release, "attacks", _context(release, form))


@reading
def attacked(request: PersonRequest, pk: int) -> HttpResponse:
    """What the last attack found; 204 while it is under way, so that the page asks again."""
    release = get_permitted(Release.objects.listed(), request.user, pk, "attack")
    context = _context(release, RegisterForm(release))
    if context["is_live"]:
        return HttpResponse(status=204)
    return render(request, "releases/_attacked.html", context)


def _context(release: Release, form: RegisterForm) -> dict[str, object]:
    """`checked`: what was found in the published file when it was checked; `sentences`: by the last attack."""
    is_made = release.state in MADE
    last = release.attacks.filter(of_source=not is_made).order_by("-pk").first()
    return {
        "release": release,
        "form": form,
        "attack": last,
        "is_live": last is not None and last.live,
        "checked": attack_words.sentences(release.report["attacks"]) if is_made else [],
        "sentences": attack_words.sentences(last.answer if last else {}),
    }
