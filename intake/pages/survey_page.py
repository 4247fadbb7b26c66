"""The page of a survey for respondents: on the survey's own address, in the preview, on a field device, as the form
without JavaScript, and as the study sheet quotes it.

A page is made of a design without a request and without the database; what these know is given.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from django.utils.safestring import SafeString

from intake.pages.language_negotiation import language_settings, text_for_page
from intake.pages.last_prove_result import LastProof
from intake.pages.logo_and_colour_views import style_sheet_address
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
    arm_chances,
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
from surveys.phrases import all_phrases
from surveys.phrases.answering import OUTSIDER, PREVIEW, UNDERSTANDING_SCREEN
from surveys.phrases.arms_crosswise_and_rounds import ARM_SCREEN, LASTING_SCREEN
from surveys.phrases.asked_elsewhere import HOSTED_SCREEN, TOOL_SCREEN
from surveys.phrases.embedding import FRAMED_SCREEN
from surveys.phrases.field_devices import FIELD_SCREEN
from surveys.phrases.inviting import EXCHANGE_SCREEN
from surveys.phrases.numbers_and_places import BANDS
from surveys.phrases.phrase_rendering import PhraseRenderer
from surveys.phrases.quotas import QUOTA_SCREEN
from surveys.phrases.sending import COMPLETING, INVITED
from surveys.questionnaire.protection import protects_only_inside_regions
from surveys.questionnaire.question_count import count_design_questions, count_questions
from ui import land_outline_path
from ui.number_format import rounded_odds

Mode = Literal["answer", "preview", "closed", "paused"]
"""What the page is for; a preview sends and stores nothing."""
FIELD_PHRASE_IDS = {"send": "field_finish", "send_title": "field_finish", "check_about": "field_check"}
"""Phrase ids of the page's scripts, with the ids of the phrases that replace them on a field device."""
TOOL_PHRASE_IDS = {"send_about": "tool_delete", "proves_which": "tool_unproven"}
"""The same inside a tool, which keeps the record beside the person's other answers."""
STYLE = "intake/page.css"
"""Style sheet of a page whose question kinds have none of their own; each page loads one file."""


@dataclass
class SurveyPage:
    """A survey's page, which its templates read as `page`."""

    design: Design
    mode: Mode
    language: str
    """The language that is shown first."""
    _: KW_ONLY
    waves: EarlierWaves | None
    """The earlier surveys that this one repeats."""
    logo: str
    """Address of the logo; empty without one."""
    full_quotas: Sequence[int] = ()
    proof: LastProof | None = None
    invited: bool = False
    """True if only people with an invitation may answer."""
    epoch: int | None = None
    """The month of the page; None if it asks for an invitation."""
    passes_panel: bool = False
    """True if the completion link passes the panel's parameter on."""
    record_url: str = ""
    exchange_url: str = ""
    form_url: str = ""
    """Address of the page without JavaScript; empty if there is none."""
    is_field: bool = False
    """True in the frame of a field device, whose records need no invitation."""

    def __post_init__(self) -> None:
        design = self.design
        self.speakers = {code: PhraseRenderer(code, dict(design.phrases)) for code in design.languages}
        self.speaker = self.speakers[self.language]
        self.languages = list(map(language_settings, self.speakers.values()))
        self.lasting = lasting_bounds(design)
        self.promises_inside = protects_only_inside_regions(design)
        self.exchanges_invitation = bool(design.invitation_key) and not self.is_field
        kinds = list(dict.fromkeys(section.kind for section in design.sections))
        self.style = next((style for kind in kinds if (style := KINDS[kind].style)), STYLE)
        self.script = page_script_name([*kinds, *([BANDS_SCRIPT] if design.has_banded_numbers else [])])
        self.colour = style_sheet_address(design)
        self.device_modules, self.disguise_hash = disguise_module_names(), disguise_hash()

    @property
    def tool(self) -> str:
        """The tools inside which the page stands, as people read them."""
        return self.design.asked_at.tool_names if self.design.asked_at else ""

    @cached_property
    def starts(self) -> list["StartPage"]:
        """The start page in each language."""
        return [StartPage(self.design, speaker, self.waves) for speaker in self.speakers.values()]

    @property
    def design_json(self) -> SafeString:
        # Only < is escaped, so that the script gets the canonical form back, byte for byte.
        return escape_script_json(self.design.canonical)

    @property
    def settings_json(self) -> SafeString:
        return page_settings_json(self.settings)

    @property
    def settings(self) -> dict[str, Any]:
        """Texts, numbers and addresses that the page's scripts need."""
        design = self.design
        settings: dict[str, Any] = {
            "mode": self.mode,
            "record": self.record_url,
            "invited": self.invited,
            "fingerprint": design.fingerprint,
            "language": self.language,
            "languages": self.languages,
            "words": self._script_words(),
            "chances": {
                name: [[_m_in_n_and_share(own), _m_in_n_and_share(foreign)] for own, foreign in pairs]
                for name, pairs in question_chances(design).items()
            },
        }
        if design.understanding:
            settings["outsider"] = parts_to_decimal(highest_keep_per_ten_thousand(design))
        if self.lasting:
            # A study that began earlier asks for a code before it makes one.
            study, second = study_fingerprint(design), float(self.lasting.second_code)
            settings["lasting"] = {"study": study, "again": bool(design.study), "second": second}
        kinds = [(section, get_kind(section)) for section in design.sections]
        points = {section.questions[0].name: kind.region_label_positions(section) for section, kind in kinds}
        if middles := {name: middle for name, middle in points.items() if middle}:
            settings["middles"] = middles
        if any(kind.draws_land_outline(section) for section, kind in kinds):
            settings["land"] = land_outline_path.land_svg_path()
        if design.inside:
            settings["inside"] = list(design.inside)
        if self.epoch is not None:
            settings["epoch"] = self.epoch
        if design.quotas:
            settings["full"] = list(self.full_quotas)
        if self.passes_panel:
            settings["passes_panel"] = True
        if self.exchange_url:
            waits = {"mean": MEAN_WAIT, "longest": LONGEST_WAIT, "short": SHORT_WAIT}
            settings["exchange"] = {"url": self.exchange_url, "key": design.invitation_key, "waits": waits}
        return settings

    def _script_words(self) -> dict[str, dict[str, str]]:
        """Returns the phrases that the page's scripts need, by language."""
        design, phrases = self.design, {**all_phrases.ANSWER_PAGE}
        for is_needed, more in (
            (self.mode == "preview" or design.host, PREVIEW),
            (self.invited, INVITED),
            (design.invitation_key, EXCHANGE_SCREEN),
            (design.has_arms, ARM_SCREEN),
            (design.panel, COMPLETING),
            (design.understanding, {**UNDERSTANDING_SCREEN, **OUTSIDER}),
            (self.lasting, LASTING_SCREEN),
            (design.has_banded_numbers, BANDS),
            (design.quotas, QUOTA_SCREEN),
            (design.sites, FRAMED_SCREEN),
            (self.is_field, FIELD_SCREEN),
            (design.inside, TOOL_SCREEN),
            (design.host, HOSTED_SCREEN),
        ):
            if is_needed:
                phrases.update(more)
        for section in design.sections:
            phrases.update(get_kind(section).draft.script_phrases)
        replaced = FIELD_PHRASE_IDS if self.is_field else {}
        site = self.tool
        if design.inside:
            replaced = TOOL_PHRASE_IDS | {key: key for key in TOOL_SCREEN}
        elif design.asked_at:
            replaced, site = {"sending_waiting": "hosted_waiting"}, design.asked_at.record_site
        # The script fills in the seconds.
        values = {"site": site, "seconds": "%(seconds)s"}
        return {
            code: speaker.script_phrases(phrases)
            | {ours: speaker.say_phrase(key, **values) for ours, key in replaced.items()}
            for code, speaker in self.speakers.items()
        }


class StartPage:
    """The start page in one of the survey's languages.

    `together`: bound on what all disguised answers reveal; `arms`: chances of being asked directly and with disguise;
    `earlier`: titles of the surveys that it repeats; `duties`: texts by the id of the phrase that heads them.
    """

    def __init__(self, design: Design, speaker: PhraseRenderer, waves: EarlierWaves | None) -> None:
        sections = section_chances(design, speaker.language)
        self.language, self.speaker = speaker.language, speaker
        plain, self.sensitive_count = count_design_questions(design)
        self.question_count = plain + self.sensitive_count
        asked = sum(min(section.asked, count_questions(section)) for section in design.sections)
        self.most_questions = asked - design.understanding
        """The highest number of questions that a respondent is asked."""
        self.cards = group_sections_by_chances(sections)
        self.together, self.arms = prior_and_posterior_chance(design), arm_chances(design)
        self.throws = any(section.throws for section in sections)
        """True if the device decides by coins which answer to some question is sent."""
        self.pairs = sum(not section.throws for section in sections)
        """Number of sensitive questions that are asked together with a secret question."""
        self.coin_count = self.sensitive_count - self.pairs
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


def _m_in_n_and_share(share: Fraction) -> list[float | None]:
    """Returns a probability for the scripts: m and n of the words "about m in n", and the share itself."""
    m, n = rounded_odds(float(share)) or (None, None)
    return [m, n, round(float(share), 6)]
