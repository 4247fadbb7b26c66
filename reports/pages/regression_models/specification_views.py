"""Pages where researchers specify models on a run; the results are shown on the pages of the run's report."""

from collections.abc import Iterator
from typing import NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted
from jobs.models import State
from privacy.designs import InputError
from reports.answer_labels import Labels
from reports.pages.regression_models.specification_form import ModelForm
from reports.review import regression_decisions
from reports.texts.regression_texts import SpecifiedModel
from runs import regression_job
from runs.models import ModelJob, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed, path_and_reason_text
from surveys.signed_in_view import form_page, reading


@form_page
def models_to_specify(request: PersonRequest, pk: int) -> HttpResponse:
    starts = request.method == "POST"
    run = get_permitted(Run.objects, request.user, pk, "model" if starts else "see")
    if run.state != State.DONE:
        raise Http404
    labels = Labels(run.mined_design)
    form = ModelForm(labels, request.POST if starts else None)
    if starts and form.is_valid():
        try:
            return redirect(
                regression_job.start_model_job(run, request.user, form.specification, timezone.now())
            )
        except InputError as refusal:
            form.add_error(None, path_and_reason_text(refusal))
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    context = {
        "run": run,
        "survey": run.survey,
        "form": form,
        "may_specify": run.may(request.user, "model"),
        "follows": run.survey.may_know_outcomes(request.user),
        "rows": list(_specified_models(run, request.user)),
    }
    return render(request, "reports/modelling/models.html", context, status=422 if form.errors else 200)


class ModelOfRun(NamedTuple):
    """A specified model as its page and the list show it to one person: `badge` and `label` to people who may not know
    its outcome; `url`: where the person reads its numbers, empty if they may not."""

    job: ModelJob
    specified: SpecifiedModel
    badge: str
    label: str
    url: str


def _specified_models(run: Run, person: Person, **which: int) -> Iterator[ModelOfRun]:
    """Yields the models of a run, the newest first; `which` selects one."""
    labels, addresses = Labels(run.mined_design), regression_decisions.model_addresses(run, person)
    jobs = ModelJob.objects.filter(run=run, **which).select_related("model__publication")
    for job in jobs.order_by("-number"):
        specified = SpecifiedModel.from_specification(labels, job.specification)
        state = regression_decisions.model_state(job)
        yield ModelOfRun(job, specified, *state, addresses.get(job.pk, ""))


@reading
def specified_model(request: PersonRequest, pk: int, number: int) -> HttpResponse:
    return render(request, "reports/modelling/model.html", _model_context(request, pk, number))


@reading
def poll_model_result(request: PersonRequest, pk: int, number: int) -> HttpResponse:
    """Returns the finished job's part of the page; status 204 while it is under way, so that the page asks again."""
    context = _model_context(request, pk, number)
    if context["live"]:
        return HttpResponse(status=204)
    return render(request, "reports/modelling/_outcome.html", context)


def _model_context(request: PersonRequest, pk: int, number: int) -> dict[str, object]:
    run = get_permitted(Run.objects, request.user, pk)
    one = next(_specified_models(run, request.user, number=number), None)
    if one is None:
        raise Http404
    follows = run.survey.may_know_outcomes(request.user)
    return {
        "run": run,
        "survey": run.survey,
        "one": one,
        "job": one.job,
        "follows": follows,
        "live": follows and one.job.live,
        "sees_numbers": run.may(request.user, "numbers"),
        "may_specify": run.may(request.user, "model"),
    }
