"""Pages *How do I know?*: the last proof of a survey for its respondents, with checks that they can make themselves."""

from django.http import Http404, HttpRequest, HttpResponse

from intake.endpoint.accept_record import PublicSurvey, find_public_survey
from intake.pages.language_negotiation import language_for
from intake.pages.respondent_views import for_respondents, page_response
from proof.models import Proof, last_proof
from proof.outcome import Result
from proof.report import as_json_text, as_markdown
from surveys.phrases.languages import SHIPPED
from surveys.phrases.phrase_rendering import PhraseRenderer


@for_respondents
def proof_page(request: HttpRequest, slug: str) -> HttpResponse:
    survey, proof = _survey_and_last_proof(slug)
    speaker = PhraseRenderer(language_for(request, SHIPPED))
    counts = [speaker.count_text(proof.document["counts"][result]) for result in Result]
    context = {
        "slug": slug,
        "report": proof.document,
        "counts": dict(zip(("held", "failed", "unchecked"), counts, strict=True)),
        "proof": last_proof(proof.survey_id),
        "exchanged": bool(survey.design.invitation_key),
        "language": speaker.language,
    }
    return page_response(request, "intake/proof.html", context, speaker)


@for_respondents
def proof_json(request: HttpRequest, slug: str) -> HttpResponse:
    _survey, proof = _survey_and_last_proof(slug)
    return HttpResponse(as_json_text(proof.document), content_type="application/json")


@for_respondents
def proof_markdown(request: HttpRequest, slug: str) -> HttpResponse:
    _survey, proof = _survey_and_last_proof(slug)
    text = as_markdown(proof.document)
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


def _survey_and_last_proof(slug: str) -> tuple[PublicSurvey, Proof]:
    survey = find_public_survey(slug)
    proof = Proof.last_for_survey(survey.survey) if survey else None
    if survey is None or proof is None:
        raise Http404
    return survey, proof
