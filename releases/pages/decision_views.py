"""Pages for decisions on a release: each states the consequences, and a POST takes the decision."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted, needs_recent_proof
from releases.lifecycle import release_decisions
from releases.models import Release
from releases.pages.report_sentences import ReleaseReport
from releases.pages.tabs_and_next_step import render_page
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page

Decide = Callable[[Release, Person, str, datetime], object]


class NoteForm(forms.Form):
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The activity log keeps it."),
    )


class ApproveUploadForm(NoteForm):
    """Form to approve an upload that shares some columns with an earlier released upload, since the two cannot be
    checked together."""

    apart = forms.BooleanField(
        label=_("I have made sure that both tables together do not tell of single people.")
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("It is shown on the page of the release, and the activity log keeps it."),
    )


@form_page
@needs_recent_proof
def approve(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "review")
    is_partly_known = bool(release.report.get("partly"))
    form_class = ApproveUploadForm if is_partly_known else NoteForm
    # That form is valid only where the reviewer has confirmed it.
    act = partial(release_decisions.approve, allows_shared_columns=is_partly_known)
    return _show_or_take_decision(
        request, release, "approve", form_class, act, gettext("The release is approved.")
    )


@form_page
def refuse(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "refuse")
    done = gettext("The release is refused.")
    return _show_or_take_decision(request, release, "refuse", ReasonForm, release_decisions.refuse, done)


@form_page
def withdraw(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "withdraw")
    done = gettext("The release is withdrawn.")
    return _show_or_take_decision(request, release, "withdraw", ReasonForm, release_decisions.withdraw, done)


def _show_or_take_decision(
    request: PersonRequest,
    release: Release,
    name: str,
    form_class: type[forms.Form],
    decide: Decide,
    done: str,
) -> HttpResponse:
    form = form_class(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["reason" if "reason" in form.fields else "note"]
        try:
            decide(release, request.user, text, timezone.now())
            messages.success(request, done)
            return redirect(release)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    said = ReleaseReport(release.report, knows_source=True) if release.report else None
    return render_page(request, release, name, {"form": form, "said": said}, tab="release")


@form_page
@needs_recent_proof
def discard(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "discard")
    if request.method == "POST":
        survey = release.survey
        try:
            release_decisions.discard(release, request.user, timezone.now())
        except NotAllowed as refused:
            messages.error(request, str(refused))
            return redirect(release)
        messages.success(request, gettext("The release is discarded."))
        return redirect("releases:of_survey", survey.pk) if survey else redirect("releases:index")
    return render_page(request, release, "discard", {}, tab="release")
