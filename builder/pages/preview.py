"""The preview of a draft: shows the respondents' own pages as on a phone and as on a desktop."""

from collections.abc import Callable, Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.clickjacking import xframe_options_sameorigin

from accounts.permission import PersonRequest, get_permitted
from privacy.designs import Design, InputError
from surveys.kinds.read_draft import read_stored_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design_cached
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import Problem, reason_text
from surveys.signed_in_view import reading

WIDTHS = {
    "both": gettext_lazy("Side by side"),
    "phone": gettext_lazy("Phone"),
    "desktop": gettext_lazy("Desktop"),
}
COMMON = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'"
# The only pages that show another in a frame, and the only one that may be shown in one: by our own site alone.
FRAMING = f"{COMMON}; font-src 'self'; connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'"
FRAMED = (
    f"{COMMON}; connect-src 'none'; form-action 'none'; frame-ancestors 'self'"
    "; require-trusted-types-for 'script'; trusted-types 'none'"
)


RespondentsPage = Callable[[HttpRequest, Design, Sequence[int]], HttpResponse]
_respondents_pages: list[RespondentsPage] = []


def register_respondents_page(show: RespondentsPage) -> None:
    """Registers the function of `intake` that shows the respondents' page of a design, with these quotas full, and
    sends nothing from it."""
    _respondents_pages[:] = [show]


@reading
def show_preview(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk)
    design, width = survey_design_or_problem(survey), request.GET.get("width", "")
    width = width if width in WIDTHS else next(iter(WIDTHS))
    context = {
        "survey": survey,
        "problem": None if isinstance(design, Design) else design,
        "width": width,
        "widths": [(words, f"{request.path}?width={key}", key == width) for key, words in WIDTHS.items()],
    }
    response = render(request, "builder/preview.html", context)
    response["Content-Security-Policy"] = FRAMING
    return response


@reading
@xframe_options_sameorigin
def show_framed_preview(request: PersonRequest, pk: int) -> HttpResponse:
    """Shows the respondents' page in the preview's frames, where it sends nothing.

    `full`: show it as if all quotas were full.
    """
    design = survey_design_or_problem(get_permitted(Survey.objects, request.user, pk))
    if not isinstance(design, Design) or not _respondents_pages:
        raise Http404
    response = _respondents_pages[0](
        request, design, range(len(design.quotas)) if "full" in request.GET else ()
    )
    response["Content-Security-Policy"] = FRAMED
    return response


def survey_design_or_problem(survey: Survey) -> Design | Problem:
    """Returns the survey's design or, before the opening, the one that its draft would become.

    If the draft cannot become a design, returns the problem that prevents it.
    """
    if survey.design is not None:
        return survey.design.content
    try:
        return freeze_design_cached(read_stored_questionnaire(survey.draft).as_json())
    except InputError as refusal:
        return Problem(refusal.path, reason_text(refusal))
