"""The respondents' pages: the survey, and the page that checks a receipt.

The server does not know who asks and stores nothing about the visit; a page depends only on its address and the
language that is asked for.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from intake.batches.compressing import compressed
from intake.endpoint.accept import survey_at
from intake.pages import languages
from intake.pages.all_rounds import LastingBounds, lasting_bounds
from intake.pages.appearance import colour_address, logo_address
from intake.pages.chances import (
    ChanceCard,
    arm_chances,
    chance_cards,
    everything_together,
    most_kept,
    question_chances,
    section_chances,
)
from intake.pages.earlier_waves import EarlierWaves, earlier_waves
from intake.pages.last_proof import LastProof, last_proof
from intake.pages.scripts import script_of
from privacy.blind_signatures.tokens import LONGEST_WAIT, MEAN_WAIT, SHORT_WAIT
from privacy.designs import Design
from privacy.designs.design import DUTIES
from privacy.grammar.node import decimal
from privacy.mechanisms.permanent import study_of
from surveys.kinds.chance import Chance, Chances, ThrownChances
from surveys.kinds.registry import KINDS, kind_of
from surveys.models import Survey
from surveys.phrases import every
from surveys.phrases.answering import OUTSIDER, PREVIEW, UNDERSTANDING_SCREEN
from surveys.phrases.inviting import EXCHANGE_SCREEN
from surveys.phrases.phrase import SHIPPED
from surveys.phrases.sending import COMPLETING, INVITED
from surveys.phrases.speaker import Speaker
from surveys.phrases.studies import ARM_SCREEN, LASTING_SCREEN
from surveys.questionnaire.protection import inside_only
from surveys.without_script import is_possible
from ui import land
from ui.errors import problem_page
from ui.numbers import odds

Mode = Literal["answer", "preview", "closed", "paused"]
View = Callable[..., HttpResponse]
PAUSE = 60
"""Seconds after which a paused survey is worth another look."""

DEVICE = ("privacy/disguise.js", "privacy/coins.js", "privacy/draws.js", "privacy/envelope.js")
"""The modules that disguise beside those of the kinds."""
OF_CODES = "privacy/permanent.js"
"""The module of permanent draws, which only the page of a survey whose disguise lasts loads."""

STYLE = "intake/page.css"
"""Of a page whose kinds of questions bring no other: one file for each page."""


def for_respondents(view: View) -> View:
    """No browser stores the page and no other site learns of it. `config.policy` says what the page may do.

    What follows a ? in a link could name a person: the answer is a redirect to the address without it. A browser
    keeps the fragment, so that an invitation works.

    The page may be compressed: it contains no secret and nothing of the request.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *words: str, **named: str) -> HttpResponse:
        has_parameters = bool(request.META.get("QUERY_STRING"))
        response = HttpResponseRedirect(request.path) if has_parameters else view(request, *words, **named)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return require_safe(compressed(wrapped))


@for_respondents
def survey(request: HttpRequest, slug: str) -> HttpResponse:
    public = survey_at(slug)
    if public is None:
        return _nothing_yet(request, slug)
    mode: Mode = "closed"
    if public.state == Survey.State.OPEN:
        mode = "paused" if public.paused else "answer"
    record, exchange = (reverse(f"intake:{name}", args=[slug]) for name in ("record", "exchange"))
    form = reverse("intake:form", args=[slug]) if is_possible(public.design) else ""
    proof = last_proof(public.survey)
    response = show(
        request,
        public.design,
        mode,
        invited=public.invited,
        record=record,
        exchange=exchange if public.design.invitation_key else "",
        form=form,
        proof=proof,
    )
    if mode == "paused":
        response.status_code = 503
        response["Retry-After"] = str(PAUSE)
    return response


def show(request: HttpRequest, design: Design, mode: Mode, **more: Any) -> HttpResponse:
    """The survey in the language that the browser asks for; `more` goes to `respondent_context`."""
    language = wished(request, design.languages)
    context = respondent_context(design, mode, language=language, **more)
    return rendered(request, "intake/answer.html", context, context["speaker"])


@for_respondents
def receipt(request: HttpRequest) -> HttpResponse:
    speaker = Speaker(wished(request, SHIPPED))
    speakers = [Speaker(code) for code in SHIPPED]
    words = {each.language: each.words(every.RECEIPT_PAGE) for each in speakers}
    page = {"language": speaker.language, "languages": [_offered(each) for each in speakers], "words": words}
    context = {"page": page, "page_json": embedded_page(page), "language": speaker.language}
    return rendered(request, "intake/receipt.html", context, speaker)


def _nothing_yet(request: HttpRequest, slug: str) -> HttpResponse:
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
    speaker = Speaker(wished(request, SHIPPED))
    return rendered(request, "intake/not-yet.html", {"opens": draft.opens}, speaker, status=404)


def wished(request: HttpRequest, offered: Sequence[str]) -> str:
    return languages.chosen(request.headers.get("Accept-Language", ""), offered)


def rendered(
    request: HttpRequest, template: str, context: dict[str, Any], speaker: Speaker, status: int = 200
) -> HttpResponse:
    response = render(request, template, {**context, "speaker": speaker}, status=status)
    response["Content-Language"] = speaker.language
    return response


# --- what the page says


@dataclass(frozen=True, slots=True)
class StartPage:
    """The start page in one of the survey's languages; `together` bounds what all disguised answers tell,
    `heads` says how often true answers are sent, `arms` how often
    people are asked directly and how often disguised. `earlier` are the titles of the surveys that it repeats."""

    language: str
    speaker: Speaker
    sections: list[Chances]
    cards: list[ChanceCard]
    together: tuple[Chance, Chance] | None
    heads: str
    arms: tuple[Chance, Chance] | None
    earlier: list[languages.LanguageText]
    duties: dict[str, languages.LanguageText]
    """By the id of the phrase above it."""
    title: languages.LanguageText
    asker: languages.LanguageText
    why: languages.LanguageText
    intro: languages.LanguageText
    consent: languages.LanguageText
    panel: languages.LanguageText
    logo_alt: languages.LanguageText

    @property
    def near(self) -> bool:
        """Whether some true answers are made less exact before they are sent."""
        return any(section.near for section in self.sections)

    @property
    def sets(self) -> bool:
        """Whether of some question a set of choices is sent."""
        return any(section.sets for section in self.sections)

    @property
    def throws(self) -> bool:
        """Whether coins of the device decide what is sent of some question."""
        return any(section.throws for section in self.sections)

    @property
    def pairs(self) -> int:
        """How many questions are asked together with another one."""
        return sum(not section.throws for section in self.sections)

    @property
    def outside(self) -> bool:
        """Whether there are places that are not protected."""
        return any(section.outside for section in self.sections)


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
) -> dict[str, Any]:
    """The context of `intake/answer.html`. In the mode "preview" nothing is sent and nothing is stored. `form` is the
    address of the page without JavaScript, where there is one."""
    language = language or design.languages[0]
    sensitive = [q for section in design.sections if section.sensitive for q in section.questions]
    pairs = sum(not each.throws for each in section_chances(design))
    kinds, waves = _kinds(design), earlier_waves(design)
    speakers = {code: Speaker(code, dict(design.phrases)) for code in design.languages}
    page = _page(design, speakers, mode, language, invited, record)
    if exchange:
        page["exchange"] = {
            "url": exchange,
            "key": design.invitation_key,
            "waits": {"mean": MEAN_WAIT, "longest": LONGEST_WAIT, "short": SHORT_WAIT},
        }
    return {
        "mode": mode,
        "page": page,
        "page_json": embedded_page(page),
        # Only < is escaped, so that the script gets the canonical form back, byte for byte.
        "design_json": _unbreakable(design.canonical),
        "design": design,
        "language": language,
        "speaker": speakers[language],
        "starts": [start_of(design, speaker, waves) for speaker in speakers.values()],
        "waves": waves,
        "invited": invited,
        "exchange": exchange,
        "sensitive": len(sensitive),
        "thrown": len(sensitive) - pairs,
        "questions": len(design.questions) - len(design.drawn) - design.understanding,
        "form": form,
        "proof": proof,
        "most_asked": _most_asked(design),
        "destroyed": design.retention,
        "promises_inside": inside_only(design),
        "style": next((style for kind in kinds if (style := KINDS[kind].style)), STYLE),
        "script": script_of(kinds),
        "logo": logo_address(design, is_preview=mode == "preview"),
        "colour": colour_address(design),
        "device_modules": device_modules(),
        "loaded_modules": loaded_modules(design),
        "lasting": lasting_bounds(design),
        "disguise_hash": disguise_hash(),
    }


def _kinds(design: Design) -> list[str]:
    return list(dict.fromkeys(section.kind for section in design.sections))


def _page(
    design: Design, speakers: Mapping[str, Speaker], mode: Mode, language: str, invited: bool, record: str
) -> dict[str, Any]:
    """What the scripts are told."""
    phrases = {**every.ANSWER_PAGE}
    if mode == "preview":
        phrases.update(PREVIEW)
    if invited:
        phrases.update(INVITED)
    if design.invitation_key:
        phrases.update(EXCHANGE_SCREEN)
    if design.has_arms:
        phrases.update(ARM_SCREEN)
    if design.panel:
        phrases.update(COMPLETING)
    if design.understanding:
        phrases.update({**UNDERSTANDING_SCREEN, **OUTSIDER})
    lasting = lasting_bounds(design)
    if lasting:
        phrases.update(LASTING_SCREEN)
    for kind in _kinds(design):
        phrases.update(KINDS[kind].draft.script_phrases)
    shows_land = any(kind_of(section).shows_land(section) for section in design.sections)
    return {
        "mode": mode,
        "record": record,
        "invited": invited,
        "fingerprint": design.fingerprint,
        "language": language,
        "languages": [_offered(speaker) for speaker in speakers.values()],
        "words": {code: speaker.words(phrases) for code, speaker in speakers.items()},
        "chances": {
            name: [[_said(theirs), _said(others)] for theirs, others in pairs]
            for name, pairs in question_chances(design).items()
        },
        **({"outsider": decimal(most_kept(design))} if design.understanding else {}),
        **({"lasting": _code_of(design, lasting)} if lasting else {}),
        **({"land": land.path()} if shows_land else {}),
    }


def _code_of(design: Design, bounds: LastingBounds) -> dict[str, Any]:
    """What the page of the code is told: a study that began earlier asks for a code before it makes one."""
    return {"study": study_of(design), "again": bool(design.study), "second": float(bounds.second_code)}


def start_of(design: Design, speaker: Speaker, waves: EarlierWaves | None) -> StartPage:
    texts = (
        design.title,
        design.asker,
        design.why,
        design.intro,
        design.consent,
        design.panel,
        design.logo_alt,
    )
    titles = [each.title for each in waves.designs if each.title] if waves else []
    sections = section_chances(design, speaker.language)
    return StartPage(
        speaker.language,
        speaker,
        sections,
        chance_cards(sections),
        everything_together(design),
        speaker.percent_range(
            (section.keep.value, section.keep.places)
            for section in sections
            if isinstance(section, ThrownChances)
        ),
        arm_chances(design),
        [languages.language_text(title, speaker.language, speaker.around) for title in titles],
        {
            name: languages.language_text(text, speaker.language, speaker.around)
            for name in DUTIES
            if (text := getattr(design, name))
        },
        *(languages.language_text(text, speaker.language, speaker.around) for text in texts),
    )


def _most_asked(design: Design) -> int:
    """The most questions that one respondent can be asked; the options of a question of several are one."""
    most = 0
    for section in design.sections:
        pages = len({q.of or q.name for q in section.questions if not q.share_parts})
        most += min(section.asked, pages)
    return most - design.understanding


def _offered(speaker: Speaker) -> dict[str, str]:
    """`interface` is the language of the page around the survey's texts, `numbers` how a browser writes numbers."""
    return {
        "code": speaker.language,
        "interface": speaker.around,
        "name": languages.own_name(speaker.language),
        "dir": speaker.direction,
        "numbers": speaker.numbers.intl,
    }


def _said(share: Fraction) -> list[float | None]:
    """ "About m in n" and the share itself."""
    m, n = odds(float(share)) or (None, None)
    return [m, n, round(float(share), 6)]


def device_modules() -> tuple[str, ...]:
    """All modules that disguise, in the order in which they are hashed. The start page lists them; they import nothing,
    so that each is served to the byte as it is published, whatever names the static files get."""
    return (*DEVICE, OF_CODES, *(kind.device for kind in KINDS.values()))


def loaded_modules(design: Design) -> tuple[str, ...]:
    """Those of them that the page loads: the module of a kind with a script of its own only where the page asks such
    questions."""
    kinds = {section.kind for section in design.sections}
    left_out = {kind.device for name, kind in KINDS.items() if kind.module and name not in kinds}
    if not design.lasting_sections:
        left_out.add(OF_CODES)
    return tuple(module for module in device_modules() if module not in left_out)


@lru_cache(maxsize=1)
def disguise_hash() -> str:
    """The SHA-256 of the modules that disguise, one after the other, as every browser gets them."""
    return sha256(b"".join(map(_source, device_modules()))).hexdigest()


def _source(module: str) -> bytes:
    path = finders.find(module)
    assert isinstance(path, str), module
    return Path(path).read_bytes()


def embedded_page(page: Mapping[str, Any]) -> SafeString:
    """What the scripts are told. The keys of the words stand there once, not in every language: 1 kB less in six."""
    keys = list(dict.fromkeys(key for words in page["words"].values() for key in words))
    words = {language: [words.get(key) for key in keys] for language, words in page["words"].items()}
    return embedded({**page, "keys": keys, "words": words})


def embedded(data: object) -> SafeString:
    """JSON for a script element that is never run."""
    return _unbreakable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def _unbreakable(text: str) -> SafeString:
    return mark_safe(text.replace("<", "\\u003c"))  # noqa: S308 - without < nothing ends the element
