"""The page on which a rehearsal takes one's own table of true answers: W of one's own data, and nothing is stored."""

import secrets

import numpy as np
from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from accounts.permission import PersonRequest, get_permitted
from privacy.designs import InputError
from runs import kernel_cache
from runs.own_table import MOST_BYTES, REPETITIONS, errors_of_own_table
from surveys.models import Design, Survey
from surveys.questionnaire.problems_and_refusals import path_and_reason_text
from surveys.view_decorators import form_page, is_upload_too_long
from ui.errors import problem_page


class OwnTableForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        max_length=300,
        help_text=gettext_lazy(
            "A column for each question and a row for each person, as the command “disguise” takes them: at most "
            "20,000 rows and 2 megabytes. A column “group” may say who answers openly: open or disguised."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )


@csrf_exempt  # the token stands in the body, which is not read before its length is known
@form_page
def own_table(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "run")
    if not survey.is_rehearsal or survey.design_id is None:
        raise PermissionDenied
    if is_upload_too_long(request, MOST_BYTES):
        return problem_page(request, 413)
    return _respond(request, survey, survey.design_id)


@csrf_protect
def _respond(request: PersonRequest, survey: Survey, design: str) -> HttpResponse:
    form = OwnTableForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    errors = None
    if form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        rng = np.random.default_rng(secrets.randbits(128))
        try:
            errors = errors_of_own_table(
                Design.load_parsed(design), file.read(), file.name, rng, kernel_cache.folder()
            )
        except InputError as refusal:
            form.add_error("file", path_and_reason_text(refusal))
    context = {"survey": survey, "form": form, "errors": errors, "repetitions": REPETITIONS}
    return render(request, "runs/own-table.html", context, status=422 if form.errors else 200)
