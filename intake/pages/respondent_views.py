"""The respondents' pages: the survey, and the page that checks a receipt.

The server does not know who asks and stores nothing about the visit; a page depends only on its address and the
language that is asked for.
"""

from collections.abc import Sequence
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from intake.disclosure.count_and_publish_full_quotas import full_quotas
from intake.endpoint.accept_record import PublicSurvey, find_public_survey
from intake.pages import frame_policy
from intake.pages.compression import View, compress_response
from intake.pages.language_negotiation import language_for, language_settings
from intake.pages.last_prove_result import last_proof
from intake.pages.logo_and_colour_views import logo_address
from intake.pages.page_scripts import page_settings_json
from intake.pages.survey_page import Mode, SurveyPage
from intake.pages.true_answer_probabilities import earlier_waves
from privacy.designs import Design
from surveys.lifecycle import completion_code
from surveys.models import PageFolder, Survey
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases import all_phrases
from surveys.phrases.languages import SHIPPED
from surveys.phrases.phrase_rendering import PhraseRenderer

PAUSE = 60
"""Seconds after which the page of a paused survey may be loaded again."""


def for_respondents(view: View) -> View:
    """Decorator of respondents' pages: no browser stores the page, and no other site learns of the visit.

    A query string in a link could name a person, so it is removed by a redirect; browsers keep the fragment,
    so an invitation works. The page may be compressed: it contains no secret and nothing of the request.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *words: str, **named: str) -> HttpResponse:
        has_parameters = bool(request.META.get("QUERY_STRING"))
        response = HttpResponseRedirect(request.path) if has_parameters else view(request, *words, **named)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return require_safe(compress_response(wrapped))


@for_respondents
def survey(request: HttpRequest, slug: str) -> HttpResponse:
    """View: shows the survey in the language that the browser prefers."""
    public = find_public_survey(slug)
    if public is None:
        return _not_open_or_missing_page(request, slug)
    design = public.design
    if design.host:
        return _leading_page(request, public)
    mode: Mode = "closed"
    if public.state == Survey.State.OPEN:
        mode = "paused" if public.paused else "answer"
    page = load_survey_page(
        design,
        mode,
        language_for(request, design.languages),
        full_quotas=full_quotas(public),
        proof=last_proof(public.survey),
        invited=public.invited,
        epoch=None if public.invited or design.inside else public.get_page_epoch(timezone.now()),
        passes_panel=completion_code.has_panel_parameter(public.completion),
        record_url="" if design.inside else reverse("intake:record", args=[slug]),
        exchange_url=reverse("intake:exchange", args=[slug]) if design.invitation_key else "",
        form_url=reverse("intake:form", args=[slug]) if can_be_answered_without_script(design) else "",
    )
    response = page_response(request, "intake/answer.html", {"page": page}, page.speaker)
    if sites := design.inside or design.sites:
        frame_policy.allow_framing(response, frame_policy.PAGE, sites)
    if design.inside:
        # A tool that isolates its page shows no frame without these.
        response["Cross-Origin-Embedder-Policy"] = "require-corp"
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
    if mode == "paused":
        response.status_code = 503
        response["Retry-After"] = str(PAUSE)
    return response


def _leading_page(request: HttpRequest, public: PublicSurvey) -> HttpResponse:
    """Shows where a survey is asked whose page another host serves, and how to check that page."""
    digest = PageFolder.objects.filter(survey=public.survey).values_list("sums_sha256", flat=True).first()
    design = public.design
    speaker = PhraseRenderer(language_for(request, design.languages), dict(design.phrases))
    context = {"design": design, "digest": digest, "is_open": public.state == Survey.State.OPEN}
    return page_response(request, "intake/hosted/leads.html", context, speaker)


def load_survey_page(design: Design, mode: Mode, language: str = "", **given: Any) -> SurveyPage:
    """Returns the page with what the database has of its design: the earlier surveys and the logo."""
    waves, logo = earlier_waves(design), logo_address(design, is_preview=mode == "preview")
    return SurveyPage(design, mode, language or design.languages[0], waves=waves, logo=logo, **given)


def preview(request: HttpRequest, design: Design, full_quotas: Sequence[int]) -> HttpResponse:
    """Shows the page of a design as it is when these quotas are full; it sends and stores nothing."""
    page = load_survey_page(design, "preview", full_quotas=full_quotas)
    return render(request, "intake/answer.html", {"page": page, "speaker": page.speaker})


def _not_open_or_missing_page(request: HttpRequest, slug: str) -> HttpResponse:
    draft = Survey.objects.filter(slug=slug, state=Survey.State.DRAFT).only("opens").first()
    # The languages of the draft are nobody's business yet.
    speaker = PhraseRenderer(language_for(request, SHIPPED))
    return page_response(request, "intake/no-survey.html", {"draft": draft}, speaker, status=404)


@for_respondents
def receipt(request: HttpRequest) -> HttpResponse:
    context = receipt_context(language_for(request, SHIPPED))
    return page_response(request, "intake/receipt.html", context, context["speaker"])


def receipt_context(language: str) -> dict[str, Any]:
    """Returns the template context of the page that checks a receipt, shown first in this language."""
    speakers = [PhraseRenderer(code) for code in SHIPPED]
    page = {
        "language": language,
        "languages": list(map(language_settings, speakers)),
        "words": {offered.language: offered.script_phrases(all_phrases.RECEIPT_PAGE) for offered in speakers},
    }
    return {"page": page, "page_json": page_settings_json(page), "speaker": PhraseRenderer(language)}


def page_response(
    request: HttpRequest, template: str, context: dict[str, Any], speaker: PhraseRenderer, status: int = 200
) -> HttpResponse:
    response = render(request, template, {**context, "speaker": speaker}, status=status)
    response["Content-Language"] = speaker.language
    return response
