"""The page without JavaScript: one form, for surveys in which a device has nothing to do.

The server makes the key of the record, puts it into the page and stores it nowhere before it comes back.
"""

from collections.abc import Mapping
from itertools import groupby
from math import ceil
from secrets import token_hex
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from look.errors import problem_page
from privacy.designs import Choice, Design, Question, Refusal
from privacy.kinds.crosswise.form import DIFFERENT, SAME, CrosswiseQuestion
from surveys.intake import form_body
from surveys.intake.accept import ARRIVED, Outcome, PublicSurvey, survey_at
from surveys.intake.endpoint import body_of, taken
from surveys.intake.languages import LanguageText, language_text
from surveys.intake.pages import rendered, start_of, wished
from surveys.models import Survey
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

ANSWER_BYTES = 8192
"""Pages with an outcome are filled up to a multiple of this, so that their length does not tell it."""


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


class FormAnswer(NamedTuple):
    """One answer to choose: its value in the form, and its words or the phrases that say it."""

    value: str
    label: LanguageText | None = None
    phrase: str = ""
    means: str = ""


class FormQuestion(NamedTuple):
    """One question of the form; `option` is its own text among several answers to one question."""

    place: int
    field: str
    answers: list[FormAnswer]
    option: LanguageText | None = None


class FormBlock(NamedTuple):
    """What stands in one frame: a question, or the options of one; `secret` is the other of a crosswise question."""

    text: LanguageText
    help: LanguageText
    asked: list[FormQuestion]
    secret: LanguageText | None = None
    intro: LanguageText | None = None
    is_scale: bool = False


def _ask(request: HttpRequest, slug: str) -> HttpResponse:
    public = survey_at(slug)
    if public is None or public.state != Survey.State.OPEN or public.paused or not is_possible(public.design):
        # The page of the survey says what is the matter.
        return redirect("intake:survey", slug)
    if request.GET:
        return redirect("intake:form", slug)
    design, speaker = public.design, _speaker(request, public.design)
    blocks = _blocks(design, speaker)
    context = {
        "design": design,
        "start": start_of(design, speaker),
        "key": token_hex(form_body.SECRET_LENGTH // 2),
        "invited": public.invited,
        "blocks": blocks,
        "total": len(blocks),
        "sensitive": sum(section.sensitive for section in design.sections),
        "questions": len(design.questions),
    }
    return rendered(request, "intake/form.html", context, speaker)


def _speaker(request: HttpRequest, design: Design) -> Speaker:
    return Speaker(wished(request, design.languages), dict(design.phrases))


def _blocks(design: Design, speaker: Speaker) -> list[FormBlock]:
    found, place = list[FormBlock](), 0
    for section in design.sections:
        intro: LanguageText | None = language_text(section.presentation.intro, *_languages(speaker))
        placed = list(enumerate(section.questions, place))
        for _group, together in groupby(placed, lambda one: one[1].of if one[1].form == "many" else one[0]):
            found.append(_block(list(together), intro, speaker))
            intro = None
        place += len(placed)
    return found


def _block(together: list[tuple[int, Question]], intro: LanguageText | None, speaker: Speaker) -> FormBlock:
    _place, question = together[0]
    text = language_text(question.text, *_languages(speaker))
    return FormBlock(
        text or LanguageText(question.name, speaker.language, False),
        language_text(question.help, *_languages(speaker)),
        [_asked(place, one, speaker) for place, one in together],
        secret=language_text(question.secret, *_languages(speaker))
        if isinstance(question, CrosswiseQuestion)
        else None,
        intro=intro,
        is_scale=question.form == "scale",
    )


def _asked(place: int, question: Question, speaker: Speaker) -> FormQuestion:
    field = form_body.field(place)
    if isinstance(question, CrosswiseQuestion):
        return FormQuestion(place, field, _words(question))
    answers = [_answer(question, code, choice, speaker) for code, choice in enumerate(question.choices)]
    if question.form != "many":
        return FormQuestion(place, field, answers)
    option = language_text(question.choices[1].label, *_languages(speaker))
    named = LanguageText(question.name, speaker.language, False)
    return FormQuestion(place, field, answers[::-1], option or named)


def _answer(question: Question, code: int, choice: Choice, speaker: Speaker) -> FormAnswer:
    value = form_body.value(question, code)
    label = language_text(choice.label, *_languages(speaker))
    if question.form == "many" or (question.form == "yes-no" and not label):
        return FormAnswer(value, phrase="yes" if choice.name == "yes" else "no")
    return FormAnswer(value, label or LanguageText(choice.name, speaker.language, False))


def _words(question: CrosswiseQuestion) -> list[FormAnswer]:
    """The words *same* and *different*, each with the code that it is recorded as."""
    return [
        FormAnswer(
            form_body.value(question, question.recorded(word, turned=False)),
            phrase=phrase,
            means=f"{phrase}_means",
        )
        for word, phrase in ((SAME, "crosswise_same"), (DIFFERENT, "crosswise_different"))
    ]


def _languages(speaker: Speaker) -> tuple[str, str]:
    return speaker.language, speaker.around


# --- taking the answers


def _take(request: HttpRequest, slug: str) -> HttpResponse:
    outcome, _completion = taken(slug, lambda public: _record_of(request, public))
    public = survey_at(slug) if outcome is not Outcome.UNSTORED else None
    if public is None:
        return problem_page(
            request,
            outcome.status,
            _("Your answers were not stored"),
            _("Wait a minute, then reload this page."),
        )
    speaker = _speaker(request, public.design)
    context: dict[str, Any] = {
        "design": public.design,
        "slug": slug,
        "outcome": PHRASES[outcome],
        "arrived": outcome in ARRIVED,
        "thanks": language_text(public.design.thanks, *_languages(speaker)),
    }
    response = rendered(request, "intake/form-outcome.html", context, speaker, status=outcome.status)
    response.content = _filled_up(response.content)
    return response


def _filled_up(content: bytes) -> bytes:
    return content.ljust(ANSWER_BYTES * ceil(len(content) / ANSWER_BYTES), b"\n")


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
    except Refusal:
        return Outcome.MALFORMED
