"""A survey's design: questionnaire, disguise and settings, all of which are fixed when the survey opens."""

from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from typing import Any

from privacy.designs.asked_at import AskedAt
from privacy.designs.quotas import Quota
from privacy.grammar.json_node import canonical_text, parts_to_decimal
from privacy.grammar.question import Question
from privacy.grammar.translated_texts import Texts
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.kinds.plain.section import PlainQuestion
from privacy.kinds.section import Section

FORMAT = "candor-design/1"
LEAST = 100
DUTIES = ("ethics", "officer", "privacy", "imprint")
"""Ids of the start page's texts: ethics board, data protection officer, privacy notice, imprint."""
UNDERSTOOD, UNDERSTANDINGS = "understood", ("at-once", "explained", "not")
"""Name of the plain question that stores the check of understanding, and of its choices.

A respondent understood the disguise at once, after an explanation, or not.
"""


@dataclass(frozen=True, slots=True)
class Design:
    """A survey's design, made and checked by `parse_design`. `minutes` 0, `retention` None and empty texts: not stated.

    `panel` is the text next to the completion code; without it there is no code. `direct_parts`: the share of devices
    that are asked directly, in ten-thousandths; 0: the design has no arms. `follows`: fingerprint of the design that
    this one repeats; `study`: fingerprint of the first design of a study with a lasting disguise; `plan`: SHA-256 of
    the plan of hypotheses; empty: none. `rounds`: number of surveys of which each person is asked in one, drawn at
    random; 0: no such draw. `leave_to` is the page that opens for people who leave. `logo` is the SHA-256 of a picture
    on the respondents' pages, `logo_alt` its alternative text, and `accent` their colour, such as "#7a1f3d"; empty:
    none. `sites`: sites that may embed the pages (privacy.designs.embedding_sites). `invitation_key`: public key, as
    text, of the blind signatures for invited people (privacy.blind_signatures); empty: invitations are not exchanged.
    `token_key` signs the tokens of field devices and `sealing_key` seals their records
    (surveys.field_record_encryption): public keys as text; empty: no field devices. `understanding`: the last section
    is the check of understanding. `quotas`: numbers of people wanted with certain plain answers. `asked_at`: the host
    or the tools that show the page; None: the site that gets the records.

    `phrases` are the fixed sentences of the respondents' pages by their id. `width` is the length of a record's answer
    text, `drawn` are the indexes of the questions that the device answers, `coded_by_group` the indexes of questions
    whose codes differ between open and disguised records. `mined` is the design as mining uses it, with the same
    fingerprint and questions: items of scores instead of a number's codes, regions instead of cells; the design itself
    if it has no numbers, places or sets of choices.
    """

    sections: tuple[Section, ...]
    languages: tuple[str, ...] = ("en",)
    title: Texts = field(default_factory=Texts)
    asker: Texts = field(default_factory=Texts)
    why: Texts = field(default_factory=Texts)
    intro: Texts = field(default_factory=Texts)
    consent: Texts = field(default_factory=Texts)
    thanks: Texts = field(default_factory=Texts)
    contact: str = ""
    leave_to: str = ""
    sites: tuple[str, ...] = ()
    minutes: int = 0
    least: int = LEAST
    retention: date | None = None
    open_answers: bool = False
    rehearsal: bool = False
    panel: Texts = field(default_factory=Texts)
    ethics: Texts = field(default_factory=Texts)
    officer: Texts = field(default_factory=Texts)
    privacy: Texts = field(default_factory=Texts)
    imprint: Texts = field(default_factory=Texts)
    logo: str = ""
    logo_alt: Texts = field(default_factory=Texts)
    accent: str = ""
    direct_parts: int = 0
    follows: str = ""
    study: str = ""
    rounds: int = 0
    plan: str = ""
    invitation_key: str = ""
    token_key: str = ""
    sealing_key: str = ""
    understanding: bool = False
    quotas: tuple[Quota, ...] = ()
    asked_at: AskedAt | None = None
    phrases: tuple[tuple[str, Texts], ...] = ()
    questions: tuple[Question, ...] = field(init=False, repr=False, compare=False)
    drawn: tuple[int, ...] = field(init=False, repr=False, compare=False)
    coded_by_group: tuple[int, ...] = field(init=False, repr=False, compare=False)
    width: int = field(init=False, repr=False, compare=False)
    canonical: str = field(init=False, repr=False, compare=False)
    fingerprint: str = field(init=False, compare=False)
    mined: "Design" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        questions = tuple(question for section in self.sections for question in section.questions)
        canonical = canonical_text(self.as_json())
        object.__setattr__(self, "questions", questions)
        drawn = tuple(index for index, question in enumerate(questions) if question.share_parts)
        object.__setattr__(self, "drawn", drawn)
        by_group = tuple(index for index, question in enumerate(questions) if question.codes_by_group)
        object.__setattr__(self, "coded_by_group", by_group)
        object.__setattr__(self, "width", sum(question.width for question in questions))
        object.__setattr__(self, "canonical", canonical)
        object.__setattr__(self, "fingerprint", sha256(canonical.encode()).hexdigest())
        object.__setattr__(self, "mined", self._make_mined_design())

    def _make_mined_design(self) -> "Design":
        """Returns the design as mining uses it; the design itself if nothing differs."""
        sections = tuple(section.as_mined() for section in self.sections)
        if all(one is other for one, other in zip(sections, self.sections, strict=True)):
            return self
        mined = replace(self, sections=sections)
        object.__setattr__(mined, "canonical", self.canonical)
        object.__setattr__(mined, "fingerprint", self.fingerprint)
        return mined

    @property
    def has_banded_numbers(self) -> bool:
        """True if people type a number that the device records only as a band (a range of numbers)."""
        return any(isinstance(question, PlainQuestion) and question.number for question in self.questions)

    @property
    def lasting_sections(self) -> tuple[UnrelatedQuestionSection, ...]:
        """The sections whose disguise is fixed for all rounds of a study, in the order of the devices."""
        return tuple(
            section
            for section in self.sections
            if isinstance(section, UnrelatedQuestionSection) and section.lasting_parts
        )

    @property
    def has_arms(self) -> bool:
        """True if the device draws whether a person is asked directly or disguised."""
        return self.direct_parts > 0

    @property
    def has_field_devices(self) -> bool:
        """True if one device, without a network, may ask many people (docs/field.md)."""
        return bool(self.sealing_key)

    @property
    def host(self) -> str:
        """Origin of the host that serves the page in place of this site; empty if there is none."""
        return self.asked_at.host if self.asked_at else ""

    @property
    def inside(self) -> tuple[str, ...]:
        """Origins of the tools inside which the page stands and that get the records; empty if there are none."""
        return self.asked_at.inside if self.asked_at else ()

    @property
    def has_disguise(self) -> bool:
        """True if some answers are disguised, by devices or by respondents."""
        return self.devices_disguise or self.has_crosswise

    @property
    def devices_disguise(self) -> bool:
        """True if devices disguise some answers at random; those to crosswise questions they send as they are."""
        return any(
            section.sensitive and not isinstance(section, CrosswiseSection) for section in self.sections
        )

    @property
    def has_crosswise(self) -> bool:
        """True if respondents disguise some answers themselves, by a secret (the crosswise model)."""
        return any(isinstance(section, CrosswiseSection) for section in self.sections)

    @property
    def offers_choice(self) -> bool:
        """True if people may choose to answer without disguise; where nothing is disguised, no page asks them."""
        return self.open_answers and self.has_disguise

    @property
    def has_group_open(self) -> bool:
        """True if records of group 0 are possible: from people who answer openly, or from the direct arm."""
        return self.open_answers or self.has_arms

    @property
    def understanding_index(self) -> int | None:
        """Index of the question that checks whether a person understood the disguise; None if the design has none."""
        return len(self.questions) - 1 if self.understanding else None

    def _optional_members_json(self) -> dict[str, Any]:
        """Returns the JSON members that the canonical form contains only if the design uses them."""
        used = {
            "leave_to": self.leave_to,
            "sites": list(self.sites),
            "panel": self.panel.as_json(),
            **{name: getattr(self, name).as_json() for name in DUTIES},
            "logo": self.logo,
            "logo_alt": self.logo_alt.as_json(),
            "accent": self.accent,
            "direct": parts_to_decimal(self.direct_parts) if self.has_arms else "",
            "follows": self.follows,
            "study": self.study,
            "rounds": self.rounds,
            "plan": self.plan,
            "invitation_key": self.invitation_key,
            "token_key": self.token_key,
            "sealing_key": self.sealing_key,
            "understanding": self.understanding,
            "quotas": [quota.as_json() for quota in self.quotas],
            "asked_at": self.asked_at.as_json() if self.asked_at else {},
        }
        return {key: value for key, value in used.items() if value}

    @property
    def has_numbers_or_places(self) -> bool:
        """True if the design has sensitive numbers or places, whose codes are counted besides items."""
        return any(section.counted_by_code for section in self.sections)

    def as_json(self) -> dict[str, Any]:
        """Returns the design as JSON (docs/formats.md, Design)."""
        phrases = {key: texts.as_json() for key, texts in self.phrases}
        return {
            "format": FORMAT,
            "languages": list(self.languages),
            "title": self.title.as_json(),
            "asker": self.asker.as_json(),
            "why": self.why.as_json(),
            "intro": self.intro.as_json(),
            "consent": self.consent.as_json(),
            "thanks": self.thanks.as_json(),
            "contact": self.contact,
            "minutes": self.minutes,
            "least": self.least,
            "retention": self.retention.isoformat() if self.retention else "",
            "open_answers": self.open_answers,
            "rehearsal": self.rehearsal,
            "sections": [section.as_json() for section in self.sections],
            **self._optional_members_json(),
            **({"phrases": phrases} if phrases else {}),
        }
