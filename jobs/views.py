"""Pages of background work: how one job stands, and for staff how all of it does."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from jobs import clock, overview, queue, transitions
from jobs.forms import TrialForm
from jobs.models import Job, Trial
from jobs.permission import load
from jobs.standing import Standing
from jobs.templatetags.jobs import standing_for

View = Callable[..., HttpResponse]


class PersonRequest(HttpRequest):
    """A request of somebody who is signed in: an instance of the project's model of a person."""

    user: Any


def signed_in(view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, **kwargs)
        back = request.get_full_path() if request.method in ("GET", "HEAD") else ""
        if "HX-Request" not in request.headers:
            return redirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': back})}")
        # The fragment has no room for a sign-in page; the browser goes there as a whole.
        return HttpResponse(status=401, headers={"HX-Redirect": resolve_url(settings.LOGIN_URL)})

    return guarded


def for_staff(view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if not request.user.is_staff:
            raise PermissionDenied
        return view(request, **kwargs)

    return signed_in(guarded)


@never_cache
@require_safe
@signed_in
def progress(request: PersonRequest, label: str, pk: str) -> HttpResponse:
    """A page of the job's own; for htmx only what has changed since `seen`."""
    job = load(request.user, label, pk, "see")
    if "HX-Request" not in request.headers:
        return render(request, "jobs/job.html", {"job": job})
    return fragment(request, job, standing_for(job, request.user))


def fragment(request: PersonRequest, job: Job, now: Standing) -> HttpResponse:
    if request.GET.get("frame") != now.frame:
        # The button appears or goes, so the whole box is exchanged; otherwise it stays untouched under
        # the finger that presses it.
        response = render(request, "jobs/_progress.html", {"job": job})
        response["HX-Retarget"], response["HX-Reswap"] = f"#{now.name}", "outerHTML"
        return response
    if request.GET.get("seen") == now.seen:
        return HttpResponse(status=204)
    return render(request, "jobs/_standing.html", {"job": job, "standing": now})


@require_POST
@signed_in
def cancel(request: PersonRequest, label: str, pk: str) -> HttpResponse:
    job = load(request.user, label, pk, "cancel")
    transitions.cancel(job, clock.now())
    if "HX-Request" in request.headers:
        job.refresh_from_db()
        return render(request, "jobs/_progress.html", {"job": job})
    back = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    if ours and back.startswith("/"):
        return HttpResponseRedirect(back)
    return redirect("jobs:progress", label=label, pk=pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def background(request: PersonRequest) -> HttpResponse:
    """Workers, queue and recent jobs; a POST tries it all out with a job that does nothing."""
    form = TrialForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        trial = Trial(person=request.user, steps=form.cleaned_data["steps"])
        queue.enqueue(trial)
        return redirect("jobs:progress", label=trial.label, pk=trial.pk)
    context = {"form": form, "overview": overview.of(request.user, clock.now())}
    return render(request, "jobs/background.html", context)
