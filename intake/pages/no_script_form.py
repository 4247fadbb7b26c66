"""The page for browsers without JavaScript: one form, for surveys whose answers the device need not disguise.

The server makes the record's key, puts it into the page, and stores it only when the form comes back. The body has one
length for all answers, so that its length reveals nothing: codes are padded with zeros to the width of their question.
A crosswise question sends the code that its word is recorded as.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from secrets import token_hex
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from intake.disclosure.count_and_publish_full_quotas import full_quotas
from intake.endpoint.accept_record import (
    ARRIVED,
    Outcome,
    PublicSurvey,
    find_public_survey,
    is_key_stored,
    reason_to_refuse,
    reason_to_refuse_epoch,
)
from intake.endpoint.endpoint import POSTS, accept_request, read_request_body
from intake.pages import frame_policy
from intake.pages.language_negotiation import LanguageText, language_for, text_for_page
from intake.pages.logo_and_colour_views import style_sheet_address
from intake.pages.respondent_views import load_survey_page, page_response
from intake.pages.survey_page import StartPage
from privacy.designs import Design, InputError, Question, Texts
from privacy.grammar.input_error import mark_for_translation as _
from privacy.records import DISGUISED, Envelope, Record
from privacy.records.record import DIGITS, KEY
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.registry import get_kind
from surveys.lifecycle import completion_code
from surveys.models import Survey
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases.languages import SHIPPED
from surveys.phrases.phrase_rendering import PhraseRenderer

PHRASES: Mapping[Outcome, str] = {
    Outcome.STORED: "stored",
    Outcome.KNOWN: "known",
    Outcome.MALFORMED: "form_missing",
    Outcome.IMPOSSIBLE: "refused",
    Outcome.UNINVITED: "invitation",
    Outcome.FOREIGN: "refused",
    Outcome.NO_SURVEY: "gone",
    Outcome.CLOSED: "closed",
    Outcome.TOO_OLD: "form_old",
    Outcome.TOO_LONG: "refused",
    Outcome.TOO_OFTEN: "form_later",
    Outcome.UNSTORED: "form_later",
    Outcome.BUSY: "form_later",
    Outcome.PAUSED: "form_later",
    Outcome.OVER_QUOTA: "quota",
}
"""For each outcome the prefix of the two phrases of its page, which end in `_title` and `_about`."""

ANSWER_BYTES, ESCAPED = 8192, 6
"""For padding result pages, so that their length does not reveal the outcome: bytes without the design's
texts, and bytes of one of their characters in HTML."""
EXAMPLE = "EXAMPLE-CODE"
"""Completion code shown in a rehearsal that has none."""
MOST_COLUMNS = 7
"""Highest number of points of a scale in one line, as in several.js."""
KEY_FIELD, EPOCH_FIELD, TOKEN_FIELD, FULL_FIELD = "key", "epoch", "token", "full"
EPOCH_LENGTH = 4
SECRET_LENGTH = 32
"""Number of hexadecimal digits of a key and of an invitation."""


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def form(request: HttpRequest, slug: str) -> HttpResponse:
    """View: shows the questionnaire as a form without JavaScript, or accepts its answers.

    It needs no CSRF token, since there is no cookie that another site could abuse.
    """
    response = (
        _accept_and_show_outcome(request, slug) if request.method == "POST" else _question_page(request, slug)
    )
    response.setdefault("Content-Security-Policy", frame_policy.policy_for_sites(frame_policy.FORM))
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _question_page(request: HttpRequest, slug: str) -> HttpResponse:
    public = find_public_survey(slug)
    if (
        public is None
        or public.state != Survey.State.OPEN
        or public.paused
        or not can_be_answered_without_script(public.design)
    ):
        # The page of the survey says what is the matter.
        return redirect("intake:survey", slug)
    if request.META.get("QUERY_STRING"):
        return redirect("intake:form", slug)
    design = public.design
    page = load_survey_page(design, "answer", language_for(request, design.languages), invited=public.invited)
    blocks = form_blocks(design, page.speaker)
    context = {
        "page": page,
        "start": StartPage(design, page.speaker, page.waves),
        "key": token_hex(SECRET_LENGTH // 2),
        "epoch": f"{public.get_page_epoch(timezone.now()):0{EPOCH_LENGTH}}",
        "full": full_quota_digits(design, full_quotas(public)),
        "blocks": blocks,
        "total": len(blocks),
    }
    response = page_response(request, "intake/form.html", context, page.speaker)
    frame_policy.allow_framing(response, frame_policy.FORM, design.sites)
    return response


def _accept_and_show_outcome(request: HttpRequest, slug: str) -> HttpResponse:
    outcome, completion = accept_request(
        POSTS["record"], slug, lambda public: _request_envelope(request, public)
    )
    context: dict[str, Any] = {
        "slug": slug,
        "outcome": PHRASES[outcome],
        "arrived": outcome in ARRIVED,
        "completion": "",
    }
    texts = ""
    if design := _design_if_query_allowed(slug, outcome):
        speaker = PhraseRenderer(language_for(request, design.languages), dict(design.phrases))
        if design.panel and outcome in ARRIVED:
            context["completion"] = completion_code.address_without_panel_parameter(completion) or (
                EXAMPLE if design.rehearsal else ""
            )
            context["passes_panel"] = completion_code.has_panel_parameter(completion)
        context |= {
            "design": design,
            "thanks": text_for_page(design.thanks, speaker),
            "page": {"colour": style_sheet_address(design)},  # for the frame
        }
        texts = design.thanks.in_language_or_first(speaker.language) + design.contact
    else:
        speaker = PhraseRenderer(language_for(request, SHIPPED))
    context["host"] = urlsplit(context["completion"]).netloc
    response = page_response(request, "intake/form-outcome.html", context, speaker, status=outcome.status)
    frame_policy.allow_framing(response, frame_policy.FORM, design.sites if design else ())
    # As long whatever became of the form.
    response.content = response.content.ljust(ANSWER_BYTES + ESCAPED * len(texts))
    return response


def _design_if_query_allowed(slug: str, outcome: Outcome) -> Design | None:
    """Returns the survey's design, for the texts of the result page; None for an outcome that must cost no query."""
    if outcome in (Outcome.TOO_OFTEN, Outcome.NO_SURVEY):
        return None
    try:
        public = find_public_survey(slug)
    except Error:
        return None
    return public.design if public else None


def _request_envelope(request: HttpRequest, public: PublicSurvey) -> bytes | Outcome:
    """Returns the form's answers as the envelope that the page with JavaScript would send, or the outcome that refuses
    them."""
    design, invited = public.design, public.invited
    if not can_be_answered_without_script(design):
        return Outcome.NO_SURVEY
    body = read_request_body(request, "application/x-www-form-urlencoded", form_body_length(design, invited))
    if isinstance(body, Outcome):
        return body
    try:
        envelope = parse_form_body(design, invited, body)
    except InputError:
        return Outcome.MALFORMED
    if is_over_quota(design, body) and not is_key_stored(
        public.survey, public.get_key_epoch(envelope), public.hash_key(envelope)
    ):
        is_list_ours = claimed_full_quotas(body) <= set(full_quotas(public))
        otherwise = Outcome.OVER_QUOTA if is_list_ours else Outcome.MALFORMED
        now = timezone.now()
        return (
            reason_to_refuse_epoch(public, envelope, now)
            or reason_to_refuse(public, envelope, now)
            or otherwise
        )
    return envelope.json.encode()


# --- the questions


class FormAnswer(NamedTuple):
    """An answer that can be chosen: its value in the form, and its text or the phrases that express it."""

    value: str
    label: LanguageText | None = None
    phrase: str = ""
    means: str = ""


class FormQuestion:
    """One question of the form; `words` tell it apart from other questions in the same frame."""

    def __init__(
        self, index: int, question: Question, kind: QuestionKind[Any], speaker: PhraseRenderer
    ) -> None:
        self.position, self.field = index, form_field_name(index)
        self.words = question_text(question.text, question, speaker)
        self.answers = [
            FormAnswer(pad_code(question, code), phrase=phrase, means=f"{phrase}_means")
            for phrase, code in kind.answers_without_script(question)
        ]
        for code, choice in enumerate([] if self.answers else question.choices):
            value, label = pad_code(question, code), text_for_page(choice.label, speaker)
            if question.form == "many" or (question.form == "yes-no" and not label):
                answer = FormAnswer(value, phrase="yes" if choice.name == "yes" else "no")
            else:
                answer = FormAnswer(value, label or LanguageText(choice.name, speaker.language, False))
            self.answers.append(answer)
        if question.form == "many":
            self.words = question_text(question.choices[1].label, question, speaker)
            self.answers.reverse()


class FormBlock:
    """One frame of the form: a question, the options of a multiple-answer question, or the statements of a battery.

    `text` is empty above a battery whose statements share no help. `secret` is the secret question asked beside it,
    `none` the answer that excludes all options. `is_wide`: the answers of a battery stand in one line.
    """

    layout: Literal["choices", "options", "battery"] = "choices"

    def __init__(
        self, rows: Sequence[tuple[int, Question]], kind: QuestionKind[Any], speaker: PhraseRenderer
    ) -> None:
        first = rows[0][1]
        self.text, self.help = question_text(first.text, first, speaker), text_for_page(first.help, speaker)
        if first.form == "many":
            self.layout = "options"
        elif len(rows) > 1:
            self.layout = "battery"
            nothing = text_for_page(Texts(), speaker)
            is_help_shared = len({question.help for _index, question in rows}) == 1
            self.text, self.help = self.help if is_help_shared else nothing, nothing
        secret = kind.secret_texts(first)
        self.secret = None if secret is None else text_for_page(secret, speaker)
        self.none = text_for_page(first.none, speaker)
        self.asked = [FormQuestion(index, question, kind, speaker) for index, question in rows]
        self.is_scale = first.form == "scale"
        self.is_wide = len(self.asked[0].answers) <= MOST_COLUMNS
        self.intro: LanguageText | None = None


def form_blocks(design: Design, speaker: PhraseRenderer) -> list[FormBlock]:
    """Returns the frames of the form: questions that the page with JavaScript shows on one screen share a frame."""
    blocks, index = list[FormBlock](), 0
    for section in design.sections:
        rows, start = list(enumerate(section.questions, index)), len(blocks)
        for _group, together in groupby(rows, lambda row: row[1].of or row[0]):
            blocks.append(FormBlock(list(together), get_kind(section), speaker))
        blocks[start].intro = text_for_page(section.presentation.intro, speaker)
        index += len(rows)
    return blocks


def question_text(texts: Texts, question: Question, speaker: PhraseRenderer) -> LanguageText:
    """Returns the question's text in the language of the page that `speaker` translates; the question's name if it has
    no text."""
    return text_for_page(texts, speaker) or LanguageText(question.name, speaker.language, False)


# --- the body


def form_field_name(index: int) -> str:
    """Returns the form field's name of the question with this index."""
    return f"answer-{index}"


def pad_code(question: Question, code: int) -> str:
    return f"{code:0{question.width}d}"


def form_field_widths(design: Design, invited: bool) -> dict[str, int]:
    """Returns the form's field names in order, with the length of each value in characters."""
    answers = {form_field_name(index): question.width for index, question in enumerate(design.questions)}
    full = {FULL_FIELD: len(design.quotas)} if design.quotas else {}
    epoch = {} if invited else {EPOCH_FIELD: EPOCH_LENGTH}
    token = {TOKEN_FIELD: SECRET_LENGTH} if invited else {}
    return {KEY_FIELD: SECRET_LENGTH, **epoch, **full, **answers, **token}


def full_quota_digits(design: Design, full: Collection[int]) -> str:
    """Returns a text with one digit for each quota, which the form carries: 1 if the quota was full when the page was
    made.

    A quota filled later refuses nobody who has begun.
    """
    return "".join(str(int(index in full)) for index in range(len(design.quotas)))


def is_over_quota(design: Design, body: bytes) -> bool:
    """True if the form's answers, already checked, belong to a quota that was full when the page was made."""
    values = dict(parse_qsl(body.decode("ascii")))
    codes = [int(values[form_field_name(index)]) for index in range(len(design.questions))]
    return any(design.quotas[index].includes(codes) for index in claimed_full_quotas(body))


def claimed_full_quotas(body: bytes) -> set[int]:
    """Returns the numbers of the quotas that were full when the page was made, as the submitted form states."""
    digits = dict(parse_qsl(body.decode("ascii"))).get(FULL_FIELD, "")
    return {index for index, digit in enumerate(digits) if digit == "1"}


def form_body_length(design: Design, invited: bool) -> int:
    """Returns the length in bytes of every form body: name=value pairs joined by &."""
    widths = form_field_widths(design, invited)
    return sum(len(name) + 1 + width for name, width in widths.items()) + len(widths) - 1


def parse_form_body(design: Design, invited: bool, body: bytes) -> Envelope:
    """Parses a form body into an envelope: record, key and token; raises `InputError` if the body is not as our form
    sends it."""
    widths = form_field_widths(design, invited)
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise InputError("form", _("is not what our form sends")) from None
    if [name for name, _value in fields] != list(widths):
        raise InputError("form", _("is not what our form sends"))
    values = dict(fields)
    codes = [values[form_field_name(index)] for index in range(len(design.questions))]
    for code, question in zip(codes, design.questions, strict=True):
        if len(code) != question.width or not DIGITS.fullmatch(code):
            raise InputError("form", _("is not what our form sends"))
    full = values.get(FULL_FIELD, "")
    if len(full) != len(design.quotas) or not set(full) <= {"0", "1"}:
        raise InputError("form", _("is not what our form sends"))
    epoch = values.get(EPOCH_FIELD, "0" * EPOCH_LENGTH)
    if len(epoch) != EPOCH_LENGTH or not DIGITS.fullmatch(epoch):
        raise InputError("form", _("is not what our form sends"))
    key, token = values[KEY_FIELD], values.get(TOKEN_FIELD)
    if not all(KEY.fullmatch(secret) for secret in (key, token) if secret is not None):
        raise InputError("form", _("must be 32 lowercase hexadecimal digits"))
    return Envelope(key, Record(design.fingerprint, DISGUISED, "".join(codes)), token, int(epoch) or None)
