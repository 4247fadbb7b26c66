"""The page without JavaScript: one form, for surveys in which a device has nothing to do.

The server makes the key of the record, puts it into the page and stores it nowhere before it comes back.
"""

from collections.abc import Mapping
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from intake.endpoint.accept import ARRIVED, Outcome, PublicSurvey, survey_at
from intake.endpoint.endpoint import body_of, taken
from intake.pages import form_body
from intake.pages.appearance import colour_address, logo_address
from intake.pages.earlier_waves import earlier_waves
from intake.pages.form_blocks import blocks
from intake.pages.languages import language_text
from intake.pages.pages import rendered, start_of, wished
from privacy.designs import Design, InputError
from surveys.models import Survey
from surveys.phrases.phrase import SHIPPED
from surveys.phrases.speaker import Speaker
from surveys.without_script import is_possible

POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self' data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
"""No script; the form goes to us."""

PHRASES: Mapping[Outcome, str] = {
    Outcome.STORED: "stored",
    Outcome.KNOWN: "known",
    Outcome.MALFORMED: "form_missing",
    Outcome.IMPOSSIBLE: "refused",
    Outcome.UNINVITED: "invitation",
    Outcome.FOREIGN: "refused",
    Outcome.NO_SURVEY: "gone",
    Outcome.CLOSED: "closed",
    Outcome.TOO_LONG: "refused",
    Outcome.TOO_OFTEN: "form_later",
    Outcome.UNSTORED: "form_later",
    Outcome.BUSY: "form_later",
    Outcome.PAUSED: "form_later",
}
"""By outcome the phrases of its page: this id with `_title` and `_about`."""

ANSWER_BYTES, ESCAPED = 8192, 6
"""Pages with an outcome are filled up, so that their length does not tell it: bytes without the texts of the design,
and bytes of a character of those as HTML."""
EXAMPLE = "EXAMPLE-CODE"
"""Shown where a rehearsal has no completion of its own."""


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def form(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask, or take the answers. There is no cookie that a foreign page could abuse."""
    response = _take(request, slug) if request.method == "POST" else _ask(request, slug)
    response["Content-Security-Policy"] = POLICY
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response


# --- asking


def _ask(request: HttpRequest, slug: str) -> HttpResponse:
    public = survey_at(slug)
    if public is None or public.state != Survey.State.OPEN or public.paused or not is_possible(public.design):
        # The page of the survey says what is the matter.
        return redirect("intake:survey", slug)
    if request.META.get("QUERY_STRING"):
        return redirect("intake:form", slug)
    design, speaker = public.design, _speaker(request, public.design)
    asked, waves = blocks(design, speaker), earlier_waves(design)
    context = {
        "design": design,
        "start": start_of(design, speaker, waves),
        "waves": waves,
        "key": token_hex(form_body.SECRET_LENGTH // 2),
        "invited": public.invited,
        "blocks": asked,
        "total": len(asked),
        "sensitive": sum(section.sensitive for section in design.sections),
        "questions": len(design.questions),
        "logo": logo_address(design, is_preview=False),
        "colour": colour_address(design),
    }
    return rendered(request, "intake/form.html", context, speaker)


def _speaker(request: HttpRequest, design: Design) -> Speaker:
    return Speaker(wished(request, design.languages), dict(design.phrases))


# --- taking the answers


def _take(request: HttpRequest, slug: str) -> HttpResponse:
    outcome, completion = taken(slug, lambda public: _record_of(request, public))
    design = _design_of(slug, outcome)
    speaker = _speaker(request, design) if design else Speaker(wished(request, SHIPPED))
    thanks = design.thanks.in_language(speaker.language) if design else ""
    context: dict[str, Any] = {
        "design": design,
        "slug": slug,
        "outcome": PHRASES[outcome],
        "arrived": outcome in ARRIVED,
        "thanks": language_text(design.thanks, speaker.language, speaker.around) if design else None,
        "completion": _completion_shown(design, completion, outcome),
    }
    if design:
        context["colour"], context["logo"] = colour_address(design), logo_address(design, is_preview=False)
        context["logo_alt"] = language_text(design.logo_alt, speaker.language, speaker.around)
    context["host"] = urlsplit(context["completion"]).netloc
    response = rendered(request, "intake/form-outcome.html", context, speaker, status=outcome.status)
    # As long whatever became of the form.
    texts = thanks + (design.contact + design.logo_alt.in_language(speaker.language) if design else "")
    response.content = response.content.ljust(ANSWER_BYTES + ESCAPED * len(texts))
    return response


def _design_of(slug: str, outcome: Outcome) -> Design | None:
    """What the survey asks, to say in its words what became of the form; a flood gets no query."""
    if outcome in (Outcome.TOO_OFTEN, Outcome.NO_SURVEY):
        return None
    try:
        public = survey_at(slug)
    except Error:
        return None
    return public.design if public else None


def _completion_shown(design: Design | None, completion: str, outcome: Outcome) -> str:
    """The code or link, for whoever's record has arrived; a rehearsal shows an example."""
    if design is None or not design.panel or outcome not in ARRIVED:
        return ""
    return completion or (EXAMPLE if design.rehearsal else "")


def _record_of(request: HttpRequest, public: PublicSurvey) -> bytes | Outcome:
    """The record as the page with JavaScript sends it, or why it is not looked at."""
    design, invited = public.design, public.invited
    if not is_possible(design):
        return Outcome.NO_SURVEY
    body = body_of(request, "application/x-www-form-urlencoded", form_body.length(design, invited))
    if isinstance(body, Outcome):
        return body
    try:
        return form_body.read(design, invited, body).json.encode()
    except InputError:
        return Outcome.MALFORMED
