"""Pages of own tables: upload one, read the result of an experiment, change its
parameters, download files."""

from math import ceil
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted
from importing.isolated_reader import ReadersBusy, busy_response
from jobs.models import State
from mining.own_table import export
from mining.own_table.experiment import OUTCOMES, ComparedRule, ExperimentResult, Outcome
from mining.own_table.settings import Protection, Settings
from mining.own_table.table import MOST_BYTES, YES
from own_tables import experiments
from own_tables.adult_example import adult_as_own_table
from own_tables.curve_pictures import pictures_with_texts
from own_tables.forms import SettingsForm, UploadForm
from own_tables.models import Experiment, OwnTable
from privacy.designs import InputError
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from surveys.lifecycle.survey_creation import may_create_surveys
from surveys.models import Design, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import (
    form_page,
    posting,
    reading,
    refusal_as_message,
    takes_upload,
    upload_of_at_most,
)

TYPES = {
    "result.json": "application/json",
    "rules.csv": "text/csv; charset=utf-8",
    "curves.csv": "text/csv; charset=utf-8",
}


def may_use_own_tables(request: HttpRequest) -> bool:
    """Returns True for people who may create surveys."""
    return isinstance(request.user, Person) and may_create_surveys(request.user)


@takes_upload
@form_page
def upload_page(request: PersonRequest) -> HttpResponse:
    """Shows the form for a new table and stores the table; a file that is too long is refused before it is read."""
    if not may_use_own_tables(request):
        raise PermissionDenied
    return _csrf_checked_upload_page(request)


@upload_of_at_most(MOST_BYTES)
def _csrf_checked_upload_page(request: PersonRequest) -> HttpResponse:
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*posted, settings=_settings_from_survey(request))
    if form.is_bound and form.is_valid():
        try:
            return redirect("own_tables:own_table", _store_chosen_table(request, form).pk)
        except NotAllowed as refused:
            form.add_error("file", str(refused))
        except ReadersBusy as busy:
            form.add_error("file", str(busy))
            return busy_response(_render_upload_page(request, form), busy)
    return _render_upload_page(request, form)


def _render_upload_page(request: PersonRequest, form: UploadForm) -> HttpResponse:
    context = {"form": form, "tables": OwnTable.objects.visible_to(request.user)}
    return render(request, "own_tables/index.html", context, status=422 if form.errors else 200)


def _store_chosen_table(request: PersonRequest, form: UploadForm) -> OwnTable:
    experiments.refuse_too_many_tables(request.user)
    now, file = timezone.now(), form.cleaned_data["file"]
    if "adult" in request.POST:
        return experiments.store_table(request.user, adult_as_own_table(), "Adult", form.settings(), now)
    if file is None:
        raise NotAllowed(_("Choose a file, or try the table Adult."))
    table = experiments.read_upload(file.read(), file.name, form.cleaned_data["columns"], request.user.pk)
    return experiments.store_table(request.user, table, file.name, form.settings(), now)


def _settings_from_survey(request: PersonRequest) -> Settings | None:
    """Returns the parameters of the first disguised group of questions of the survey that the request's address names.

    None if there is no such group, or an experiment does not allow its parameters.
    """
    if not (key := request.GET.get("survey", "")):
        return None
    design_id = get_permitted(Survey.objects, request.user, key).design_id
    if design_id is None:
        return None
    design = Design.load_parsed(design_id)
    groups = [section for section in design.sections if isinstance(section, UnrelatedQuestionSection)]
    if not groups:
        return None
    yes = [
        chance
        for question in groups[0].questions
        for choice, chance in zip(question.choices, question.noise, strict=True)
        if choice.name == YES
    ]
    theta = float(yes[0]) if yes else Settings().theta
    try:
        return Settings(keep=float(groups[0].keep), theta=theta, group_size=len(groups[0].questions))
    except InputError:
        return None


@reading
def table_page(request: PersonRequest, pk: int) -> HttpResponse:
    table = get_permitted(OwnTable.objects, request.user, pk)
    return render(request, "own_tables/own-table.html", _table_context(table))


@reading
def experiment_outcome(request: PersonRequest, pk: int) -> HttpResponse:
    """Returns the part of the page with the result; status 204 while the experiment runs, so that the
    page asks again."""
    table = get_permitted(OwnTable.objects, request.user, pk)
    if table.last_experiment and table.last_experiment.live:
        return HttpResponse(status=204)
    return render(request, "own_tables/_outcome.html", _table_context(table))


def _table_context(table: OwnTable, form: SettingsForm | None = None) -> dict[str, Any]:
    experiment = table.last_experiment
    context: dict[str, Any] = {
        "table": table,
        "omitted": [(column.name, _(column.template) % column.numbers) for column in table.omitted_columns()],
        "deleted": table.created + experiments.KEPT,
        "experiment": experiment,
        "form": form or SettingsForm(settings=experiment.read_settings() if experiment else None),
    }
    if experiment and experiment.state == State.DONE:
        result = experiment.read_result()
        context |= {
            "result": result,
            **_protection_bounds(result.protection),
            "settings": experiment.read_settings(),
            "outcomes": _rules_by_outcome(result),
            "pictures": pictures_with_texts(result, experiment.pictures),
        }
    return context


def _protection_bounds(protection: Protection) -> dict[str, list[float]]:
    """Returns upper bounds of gamma and the posterior, for one group and for a person, rounded up for the page."""
    gammas, posteriors = (
        (protection.group_gamma, protection.person_gamma),
        (protection.group_posterior, protection.person_posterior),
    )
    return {
        "gammas": [ceil(10 * gamma) / 10 for gamma in gammas],
        "posteriors": [ceil(1_000 * posterior) / 1_000 for posterior in posteriors],
    }


def _rules_by_outcome(result: ExperimentResult) -> list[tuple[str, list[ComparedRule]]]:
    """Groups the compared rules by outcome: found, missed or false."""
    words: dict[Outcome, str] = {
        "found": _("Found: in your table and in the disguised one"),
        "missed": _("Missed: in your table alone"),
        "false": _("Invented: in the disguised table alone"),
    }
    by_outcome = [
        (words[outcome], [rule for rule in result.rules if rule.outcome == outcome]) for outcome in OUTCOMES
    ]
    return [(said, rules) for said, rules in by_outcome if rules]


@posting
def run_again(request: PersonRequest, pk: int) -> HttpResponse:
    table = get_permitted(OwnTable.objects, request.user, pk, "use")
    form = SettingsForm(request.POST)
    if not form.is_valid():
        return render(request, "own_tables/own-table.html", _table_context(table, form), status=422)
    with refusal_as_message(request):
        experiments.start_experiment(table, form.settings())
    return redirect("own_tables:own_table", table.pk)


@posting
def delete_table(request: PersonRequest, pk: int) -> HttpResponse:
    table = get_permitted(OwnTable.objects, request.user, pk, "use")
    experiments.delete_tables(pk=table.pk)
    messages.success(request, _("The table and what was found in it are deleted."))
    return redirect("own_tables:index")


@reading
def download_file(request: PersonRequest, pk: int, name: str) -> HttpResponse:
    table = get_permitted(OwnTable.objects, request.user, pk)
    experiment = table.last_experiment
    if name not in TYPES or experiment is None or experiment.state != State.DONE:
        raise Http404
    response = HttpResponse(_file_content(experiment, name), content_type=TYPES[name])
    response["Content-Disposition"] = f'attachment; filename="own-table-{table.pk}-{name}"'
    return response


def _file_content(experiment: Experiment, name: str) -> str:
    result = experiment.read_result()
    if name == "rules.csv":
        return export.rules_csv(result.rules)
    if name == "curves.csv":
        return export.curves_csv(result)
    return export.result_json(experiment.read_settings(), experiment.seed, result)
