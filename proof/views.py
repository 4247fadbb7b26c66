"""Pages *How do I know?*: the last proof of a survey for its respondents, with checks that they can make themselves."""

from django.http import Http404, HttpRequest, HttpResponse

from intake.endpoint.accept_record import find_public_survey
from intake.pages.language_negotiation import language_for
from intake.pages.respondent_views import for_respondents, page_response
from proof.models import Proof, last_proof
from proof.outcome import Result
from proof.report import as_json_text, as_markdown
from surveys.phrases.languages import SHIPPED
from surveys.phrases.phrase_rendering import PhraseRenderer


@for_respondents
def proof_page(request: HttpRequest, slug: str) -> HttpResponse:
    proof = _last_proof(slug)
    speaker = PhraseRenderer(language_for(request, SHIPPED))
    counts = [speaker.count_text(proof.document["counts"][result]) for result in Result]
    context = {
        "slug": slug,
        "report": proof.document,
        "counts": dict(zip(("held", "failed", "unchecked"), counts, strict=True)),
        "proof": last_proof(proof.survey_id),
        "language": speaker.language,
    }
    return page_response(request, "intake/proof.html", context, speaker)


@for_respondents
def proof_json(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse(as_json_text(_last_proof(slug).document), content_type="application/json")


@for_respondents
def proof_markdown(request: HttpRequest, slug: str) -> HttpResponse:
    text = as_markdown(_last_proof(slug).document)
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


def _last_proof(slug: str) -> Proof:
    survey = find_public_survey(slug)
    proof = Proof.last_for_survey(survey.survey) if survey else None
    if proof is None:
        raise Http404
    return proof
