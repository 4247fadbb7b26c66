"""Page of a survey's margins: known shares of the population, uploaded as CSV, to which runs are weighted."""

from io import BytesIO

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy

from accounts.permission import PersonRequest, get_permitted
from privacy.designs import InputError
from runs import margin_weights
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed, path_and_reason_text
from surveys.signed_in_view import form_page, takes_upload, upload_of_at_most


class MarginsForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("For example where the shares come from: Census 2025."),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=300,
        help_text=gettext_lazy(
            "CSV: a column for each question whose shares you know, named as in the questionnaire, then the column "
            "“share”. Take only questions that are not disguised and that everybody is asked. One row for each choice. "
            "The shares of a question sum to 1."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )


@takes_upload
@form_page
def margins(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "run" if request.method == "POST" else "see")
    if not survey.has_usable_design:
        raise PermissionDenied
    return _store_margins(request, survey)


@upload_of_at_most(margin_weights.MOST_BYTES)
def _store_margins(request: PersonRequest, survey: Survey) -> HttpResponse:
    form = MarginsForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            name, content = form.cleaned_data["name"], BytesIO(file.read())
            margin_weights.store_margins(survey, request.user, name, content, file.name, timezone.now())
            return redirect("runs:margins", survey.pk)
        except InputError as refusal:
            form.add_error("file", path_and_reason_text(refusal))
        except NotAllowed as refused:
            form.add_error("name", str(refused))
    context = {
        "survey": survey,
        "form": form,
        "may_upload": survey.may(request.user, "run"),
        "rows": margin_weights.list_margins(survey),
        "columns": margin_weights.margin_columns(survey, get_language() or "en"),
    }
    return render(request, "runs/margins.html", context, status=422 if form.errors else 200)
