"""The survey as respondents will meet it, on a phone and on a desktop; nothing is sent."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.clickjacking import xframe_options_sameorigin

from accounts.permission import PersonRequest, guard
from builder.pages import respondents_page
from privacy.designs import Design, InputError
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle.freezing import frozen
from surveys.models import Survey
from surveys.pages import reading
from surveys.questionnaire.problems import Problem, reason_of

WIDTHS = {
    "both": gettext_lazy("Side by side"),
    "phone": gettext_lazy("Phone"),
    "desktop": gettext_lazy("Desktop"),
}
COMMON = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'"
# The only page that shows another in a frame, and the only one that may be shown in one: by our own site alone.
FRAMING = f"{COMMON}; font-src 'self'; connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'"
FRAMED = (
    f"{COMMON}; connect-src 'none'; form-action 'none'; frame-ancestors 'self'"
    "; require-trusted-types-for 'script'; trusted-types 'none'"
)


@reading
def preview(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk)
    design = design_of(survey)
    width = request.GET.get("width", "")
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
def preview_page(request: PersonRequest, pk: int) -> HttpResponse:
    """The content of the frames: the respondents' own page, without any connection."""
    survey = guard(Survey.objects, request.user, pk)
    design = design_of(survey)
    page = respondents_page.respondents_page(design, "") if isinstance(design, Design) else None
    if page is None:
        raise Http404
    template, context = page
    response = render(request, template, context)
    response["Content-Security-Policy"] = FRAMED
    return response


def design_of(survey: Survey) -> Design | Problem:
    """The design that the draft would become, or why it cannot be shown."""
    if survey.design is not None:
        return survey.design.content
    try:
        return frozen(read_questionnaire(survey.draft).as_json())
    except InputError as refusal:
        return Problem(refusal.path, reason_of(refusal))
