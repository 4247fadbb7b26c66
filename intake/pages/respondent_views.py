"""The respondents' pages: the survey, and the page that checks a receipt.

The server does not know who asks and stores nothing about the visit; a page depends only on its address and the
language that is asked for.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import wraps
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from intake.disclosure.count_and_publish_full_quotas import full_quotas
from intake.endpoint.accept_record import find_public_survey
from intake.pages import frame_policy
from intake.pages.compression import View, compress_response
from intake.pages.language_negotiation import language_for, native_language_name, text_for_page
from intake.pages.last_prove_result import LastProof, last_proof
from intake.pages.logo_and_colour_views import logo_address, style_sheet_address
from intake.pages.page_scripts import (
    BANDS as BANDS_SCRIPT,
    disguise_hash,
    disguise_module_names,
    escape_script_json,
    page_script_name,
    page_settings_json,
)
from intake.pages.true_answer_probabilities import (
    EarlierWaves,
    LastingBounds,
    arm_chances,
    earlier_waves,
    group_sections_by_chances,
    highest_keep_per_ten_thousand,
    lasting_bounds,
    prior_and_posterior_chance,
    question_chances,
    section_chances,
)
from privacy.blind_signatures.tokens import LONGEST_WAIT, MEAN_WAIT, SHORT_WAIT
from privacy.designs import Design
from privacy.designs.design import DUTIES
from privacy.grammar.json_node import parts_to_decimal
from privacy.mechanisms.permanent_draws import study_fingerprint
from surveys.kinds.registry import KINDS, get_kind
from surveys.lifecycle import completion_code
from surveys.models import Survey
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases import all_phrases
from surveys.phrases.answering import OUTSIDER, PREVIEW, UNDERSTANDING_SCREEN
from surveys.phrases.arms_crosswise_and_rounds import ARM_SCREEN, LASTING_SCREEN
from surveys.phrases.embedding import FRAMED_SCREEN
from surveys.phrases.field_devices import FIELD_SCREEN
from surveys.phrases.inviting import EXCHANGE_SCREEN
from surveys.phrases.languages import SHIPPED
from surveys.phrases.numbers_and_places import BANDS
from surveys.phrases.phrase_rendering import PhraseRenderer
from surveys.phrases.quotas import QUOTA_SCREEN
from surveys.phrases.sending import COMPLETING, INVITED
from surveys.questionnaire.protection import protects_only_inside_regions
from surveys.questionnaire.question_count import count_design_questions, count_questions
from ui import land_outline_path
from ui.errors import problem_page
from ui.number_format import rounded_odds

Mode = Literal["answer", "preview", "closed", "paused"]
PAUSE = 60
"""Seconds after which the page of a paused survey may be loaded again."""
FIELD_PHRASE_IDS = {"send": "field_finish", "send_title": "field_finish", "check_about": "field_check"}
"""Phrase ids of the page's scripts, with the ids of the phrases that replace them on a field device."""
STYLE = "intake/page.css"
"""Style sheet of a page whose question kinds have none of their own; each page loads one file."""


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
    mode: Mode = "closed"
    if public.state == Survey.State.OPEN:
        mode = "paused" if public.paused else "answer"
    context = respondent_context(
        design,
        mode,
        language=language_for(request, design.languages),
        invited=public.invited,
        record=reverse("intake:record", args=[slug]),
        exchange=reverse("intake:exchange", args=[slug]) if design.invitation_key else "",
        form=reverse("intake:form", args=[slug]) if can_be_answered_without_script(design) else "",
        proof=last_proof(public.survey),
        full=full_quotas(public),
        passes_panel=completion_code.has_panel_parameter(public.completion),
        epoch=None if public.invited else public.get_page_epoch(timezone.now()),
    )
    response = page_response(request, "intake/answer.html", context, context["speaker"])
    if design.sites:
        frame_policy.allow_framing(response, frame_policy.PAGE, design.sites)
    if mode == "paused":
        response.status_code = 503
        response["Retry-After"] = str(PAUSE)
    return response


def _not_open_or_missing_page(request: HttpRequest, slug: str) -> HttpResponse:
    draft = Survey.objects.filter(slug=slug, state=Survey.State.DRAFT).only("opens").first()
    if draft is None:
        return problem_page(
            request,
            404,
            _("There is no survey at this address"),
            _(
                "Compare the whole address with the survey link you received. A survey that has ended "
                "says so."
            ),
        )
    # The languages of the draft are nobody's business yet.
    speaker = PhraseRenderer(language_for(request, SHIPPED))
    return page_response(request, "intake/not-yet.html", {"opens": draft.opens}, speaker, status=404)


@for_respondents
def receipt(request: HttpRequest) -> HttpResponse:
    speaker = PhraseRenderer(language_for(request, SHIPPED))
    speakers = [PhraseRenderer(code) for code in SHIPPED]
    page = {
        "language": speaker.language,
        "languages": list(map(language_settings, speakers)),
        "words": {offered.language: offered.script_phrases(all_phrases.RECEIPT_PAGE) for offered in speakers},
    }
    context = {"page": page, "page_json": page_settings_json(page), "language": speaker.language}
    return page_response(request, "intake/receipt.html", context, speaker)


def page_response(
    request: HttpRequest, template: str, context: dict[str, Any], speaker: PhraseRenderer, status: int = 200
) -> HttpResponse:
    response = render(request, template, {**context, "speaker": speaker}, status=status)
    response["Content-Language"] = speaker.language
    return response


# --- what the page of a survey says


class StartPage:
    """The start page in one of the survey's languages.

    `together`: bound on what all disguised answers reveal; `arms`: chances of being asked directly and with disguise;
    `earlier`: titles of the surveys that it repeats; `duties`: texts by the id of the phrase that heads them.
    """

    def __init__(self, design: Design, speaker: PhraseRenderer, waves: EarlierWaves | None) -> None:
        sections = section_chances(design, speaker.language)
        self.language, self.speaker = speaker.language, speaker
        self.cards = group_sections_by_chances(sections)
        self.together, self.arms = prior_and_posterior_chance(design), arm_chances(design)
        self.throws = any(section.throws for section in sections)
        """True if the device decides by coins which answer to some question is sent."""
        self.pairs = sum(not section.throws for section in sections)
        """Number of sensitive questions that are asked together with a secret question."""
        self.outside = any(section.has_unprotected_answers for section in sections)
        """True if some places on the map are not protected."""
        titles = [wave.title for wave in waves.designs if wave.title] if waves else []
        self.earlier = [text_for_page(title, speaker) for title in titles]
        self.duties = {
            name: text_for_page(text, speaker) for name in DUTIES if (text := getattr(design, name))
        }
        self.title, self.asker = text_for_page(design.title, speaker), text_for_page(design.asker, speaker)
        self.why, self.intro = text_for_page(design.why, speaker), text_for_page(design.intro, speaker)
        self.consent, self.panel = (
            text_for_page(design.consent, speaker),
            text_for_page(design.panel, speaker),
        )
        self.logo_alt = text_for_page(design.logo_alt, speaker)


def most_questions_asked(design: Design) -> int:
    """Returns the highest number of questions a respondent is asked."""
    asked = sum(min(section.asked, count_questions(section)) for section in design.sections)
    return asked - design.understanding


def respondent_context(
    design: Design,
    mode: Mode,
    *,
    language: str = "",
    invited: bool = False,
    record: str = "",
    exchange: str = "",
    form: str = "",
    proof: LastProof | None = None,
    full: Sequence[int] = (),
    passes_panel: bool = False,
    epoch: int | None = None,
    field: bool = False,
) -> dict[str, Any]:
    """Returns the template context of a survey's page for respondents (`intake/answer.html`).

    In the mode "preview" nothing is sent and nothing is stored. `form` is the address of the page without JavaScript,
    where there is one; `full` are the full quotas, by number; `passes_panel`: the completion link passes the panel's
    parameter on; `epoch`: the month of the page, where no invitation is asked for; `field`: the page stands in the
    frame of a field device, whose records ask for no invitation.
    """
    language = language or design.languages[0]
    speakers = {code: PhraseRenderer(code, dict(design.phrases)) for code in design.languages}
    kinds = list(dict.fromkeys(section.kind for section in design.sections))
    waves, lasting = earlier_waves(design), lasting_bounds(design)
    starts = [StartPage(design, speaker, waves) for speaker in speakers.values()]
    plain, sensitive = count_design_questions(design)
    page = {
        "mode": mode,
        "record": record,
        "invited": invited,
        "fingerprint": design.fingerprint,
        "language": language,
        "languages": list(map(language_settings, speakers.values())),
        **_script_settings(design, speakers, mode, invited, lasting, field),
    }
    if epoch is not None:
        page["epoch"] = epoch
    if design.quotas:
        page["full"] = list(full)
    if passes_panel:
        page["passes_panel"] = True
    if exchange:
        page["exchange"] = {
            "url": exchange,
            "key": design.invitation_key,
            "waits": {"mean": MEAN_WAIT, "longest": LONGEST_WAIT, "short": SHORT_WAIT},
        }
    return {
        "mode": mode,
        "page": page,
        "page_json": page_settings_json(page),
        # Only < is escaped, so that the script gets the canonical form back, byte for byte.
        "design_json": escape_script_json(design.canonical),
        "design": design,
        "language": language,
        "speaker": speakers[language],
        "starts": starts,
        "waves": waves,
        "invited": invited,
        "exchange": exchange,
        "exchanged": design.invitation_key and not field,
        "field": field,
        "sensitive": sensitive,
        "thrown": sensitive - starts[0].pairs,
        "questions": plain + sensitive,
        "form": form,
        "proof": proof,
        "passes_panel": passes_panel,
        "most_asked": most_questions_asked(design),
        "promises_inside": protects_only_inside_regions(design),
        "style": next((style for kind in kinds if (style := KINDS[kind].style)), STYLE),
        "script": page_script_name([*kinds, *([BANDS_SCRIPT] if design.has_banded_numbers else [])]),
        "logo": logo_address(design, is_preview=mode == "preview"),
        "colour": style_sheet_address(design),
        "device_modules": disguise_module_names(),
        "lasting": lasting,
        "disguise_hash": disguise_hash(),
    }


def _script_settings(
    design: Design,
    speakers: Mapping[str, PhraseRenderer],
    mode: Mode,
    invited: bool,
    lasting: LastingBounds | None,
    field: bool,
) -> dict[str, Any]:
    """Returns the texts and numbers of the survey that the page's scripts need."""
    phrases = {**all_phrases.ANSWER_PAGE}
    for is_needed, more in (
        (mode == "preview", PREVIEW),
        (invited, INVITED),
        (design.invitation_key, EXCHANGE_SCREEN),
        (design.has_arms, ARM_SCREEN),
        (design.panel, COMPLETING),
        (design.understanding, {**UNDERSTANDING_SCREEN, **OUTSIDER}),
        (lasting, LASTING_SCREEN),
        (design.has_banded_numbers, BANDS),
        (design.quotas, QUOTA_SCREEN),
        (design.sites, FRAMED_SCREEN),
        (field, FIELD_SCREEN),
    ):
        if is_needed:
            phrases.update(more)
    for section in design.sections:
        phrases.update(get_kind(section).draft.script_phrases)
    facts: dict[str, Any] = {
        "words": {code: speaker.script_phrases(phrases) for code, speaker in speakers.items()},
        "chances": {
            name: [[_m_in_n_and_share(own), _m_in_n_and_share(foreign)] for own, foreign in pairs]
            for name, pairs in question_chances(design).items()
        },
    }
    if field:
        for code, speaker in speakers.items():
            facts["words"][code] |= {ours: speaker.say_phrase(key) for ours, key in FIELD_PHRASE_IDS.items()}
    if design.understanding:
        facts["outsider"] = parts_to_decimal(highest_keep_per_ten_thousand(design))
    if lasting:
        # A study that began earlier asks for a code before it makes one.
        second = float(lasting.second_code)
        facts["lasting"] = {"study": study_fingerprint(design), "again": bool(design.study), "second": second}
    middles = {
        section.questions[0].name: points
        for section in design.sections
        if (points := get_kind(section).region_label_positions(section))
    }
    if middles:
        facts["middles"] = middles
    if any(get_kind(section).draws_land_outline(section) for section in design.sections):
        facts["land"] = land_outline_path.land_svg_path()
    return facts


def language_settings(speaker: PhraseRenderer) -> dict[str, str]:
    """Returns a language's code, name and text direction for the scripts, and two settings.

    `interface`: the language of the page around the survey's texts; `numbers`: the browser's locale for numbers.
    """
    return {
        "code": speaker.language,
        "interface": speaker.page_language,
        "name": native_language_name(speaker.language),
        "dir": speaker.text_direction,
        "numbers": speaker.number_style.intl,
    }


def _m_in_n_and_share(share: Fraction) -> list[float | None]:
    """Returns a probability for the scripts: m and n of the words "about m in n", and the share itself."""
    m, n = rounded_odds(float(share)) or (None, None)
    return [m, n, round(float(share), 6)]
