"""Pages of background work: the status of one job, and for staff of all."""

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted, safe_next_path, signed_in
from accounts.permission_model_base_classes import Visible
from jobs import database, job_queue, job_state_changes
from jobs.job_status import BackgroundPage, job_status_for_person
from jobs.models import Job, Trial, job_kinds_by_label


class TrialForm(forms.Form):
    steps = forms.IntegerField(
        label=_("Steps"),
        help_text=_("A quarter of a second each. It only counts, and you can cancel it."),
        initial=20,
        min_value=1,
        max_value=600,
    )


def get_permitted_job(person: Person, label: str, pk: str, action: str) -> Job:
    """Returns the job with this label and key if the person may take the action; raises Http404 if no page shows the
    job to this person."""
    manager: Any = getattr(job_kinds_by_label().get(label), "_default_manager", None)
    if not isinstance(manager, Visible):
        raise Http404
    job: Job = get_permitted(manager, person, pk, action)
    return job


@never_cache
@require_safe
@signed_in
def progress(request: PersonRequest, label: str, pk: str) -> HttpResponse:
    """Shows the page of a job; to htmx it sends only what has changed in the job's status box.

    `frame` and `seen` of the request tell which status the box shows now.
    """
    job = get_permitted_job(request.user, label, pk, "see")
    if "HX-Request" not in request.headers:
        return render(request, "jobs/job.html", {"job": job})
    status = job_status_for_person(job, request.user)
    if request.GET.get("frame") != status.frame:
        # The button appears or goes, so the whole box is exchanged; otherwise it stays untouched under
        # the finger that presses it.
        response = render(request, "jobs/_progress.html", {"job": job})
        response["HX-Retarget"], response["HX-Reswap"] = f"#{status.name}", "outerHTML"
        return response
    if request.GET.get("seen") == status.seen:
        return HttpResponse(status=204)
    return render(request, "jobs/_standing.html", {"job": job, "standing": status})


@require_POST
@signed_in
def cancel(request: PersonRequest, label: str, pk: str) -> HttpResponse:
    job = get_permitted_job(request.user, label, pk, "cancel")
    job_state_changes.cancel(job, database.now())
    if "HX-Request" in request.headers:
        job.refresh_from_db()
        return render(request, "jobs/_progress.html", {"job": job})
    return redirect(safe_next_path(request, reverse("jobs:progress", args=[label, pk])))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def background_jobs_page(request: PersonRequest) -> HttpResponse:
    """Shows workers, queue and recent jobs to staff; a POST starts a test job, which only counts."""
    if not request.user.is_staff:
        raise PermissionDenied
    form = TrialForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        trial = Trial(person=request.user, steps=form.cleaned_data["steps"])
        job_queue.enqueue(trial)
        return redirect("jobs:progress", label=trial.label, pk=trial.pk)
    context = {"form": form, "overview": BackgroundPage(request.user, database.now())}
    return render(request, "jobs/background.html", context)
