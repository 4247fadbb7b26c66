"""A questionnaire that is being written, in normal form. A stored draft is its JSON (surveys.draft_json).

surveys.lifecycle.draft_problems names what can still be wrong with it, and the builder can fix all of that: missing
texts, too few choices, empty sections, rules on the wrong question. Nothing changes one in place.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from mining.document.codec import OPTIONAL, dump
from privacy.designs.design import DUTIES, FORMAT, LEAST
from privacy.designs.parsing import LEAST_DIRECT_RECORDS
from privacy.grammar.json_node import PARTS
from surveys.draft_json import EXPECTED, Draft
from surveys.questionnaire.draft_question import DraftQuestion, Words
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.normal_values import Node, normal_texts
from surveys.questionnaire.problems_and_refusals import NotAllowed

ALWAYS_STORED = ("title", "asker", "why", "intro", "consent", "thanks", "panel")
TEXTS = (*ALWAYS_STORED, *DUTIES, "logo_alt")


@dataclass(frozen=True, kw_only=True)
class Questionnaire:
    """A questionnaire in normal form; `minutes`, `least` and `expected` are None if they are no numbers, `retention` is
    any text.

    `phrases` are the researcher's translations of fixed sentences, by id. `direct` is the share asked directly, with
    four decimals, `follows` the fingerprint of the design that is asked again, `study` that of the first of its rounds
    where a disguise lasts, all empty for none; `rounds` in how many surveys at random each person is asked once, 0 for
    not so; `plan` the drafted hypotheses as candor-plan/1, empty without any. `logo` is the SHA-256 of a
    `surveys.models.Logo`, `accent` a colour such as "#7a1f3d"; both empty for none. For `invitation_key` see
    surveys.lifecycle.invitation_keys. `understanding`: respondents are asked whether they understood the disguise, in a
    section that no draft holds.
    """

    languages: tuple[str, ...]
    title: Words = field(default_factory=dict)
    asker: Words = field(default_factory=dict)
    why: Words = field(default_factory=dict)
    intro: Words = field(default_factory=dict)
    consent: Words = field(default_factory=dict)
    thanks: Words = field(default_factory=dict)
    panel: Words = field(default_factory=dict)
    ethics: Words = field(default_factory=dict, metadata=OPTIONAL)
    officer: Words = field(default_factory=dict, metadata=OPTIONAL)
    privacy: Words = field(default_factory=dict, metadata=OPTIONAL)
    imprint: Words = field(default_factory=dict, metadata=OPTIONAL)
    logo: str = field(default="", metadata=OPTIONAL)
    logo_alt: Words = field(default_factory=dict, metadata=OPTIONAL)
    accent: str = field(default="", metadata=OPTIONAL)
    contact: str = ""
    leave_to: str = field(default="", metadata=OPTIONAL)
    sites: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    minutes: int | None = field(default=None, metadata=OPTIONAL)
    least: int | None = field(default=None, metadata=OPTIONAL)
    retention: str = ""
    open_answers: bool = False
    rehearsal: bool = False
    expected: int | None = field(default=None, metadata=OPTIONAL)
    phrases: Mapping[str, Words] = field(default_factory=dict, metadata=OPTIONAL)
    direct: str = field(default="", metadata=OPTIONAL)
    follows: str = field(default="", metadata=OPTIONAL)
    study: str = field(default="", metadata=OPTIONAL)
    rounds: int = field(default=0, metadata=OPTIONAL)
    plan: Mapping[str, Any] = field(default_factory=dict, metadata=OPTIONAL)
    invitation_key: str = field(default="", metadata=OPTIONAL)
    understanding: bool = field(default=False, metadata=OPTIONAL)
    sections: tuple[DraftSection, ...] = ()

    @property
    def first_language(self) -> str:
        return self.languages[0]

    @property
    def has_disguised_sections(self) -> bool:
        """True if anything is disguised."""
        return any(section.sensitive for section in self.sections)

    @property
    def respondents(self) -> int:
        """Number of answers that the researcher expects."""
        return EXPECTED if self.expected is None else max(1, self.expected)

    @property
    def minimum_batch_size(self) -> int:
        """Smallest number of records in a batch."""
        return LEAST if self.least is None else self.least

    @property
    def share_asked_directly(self) -> int:
        """Share of devices that ask directly, in ten-thousandths; 0 without arms."""
        return int(self.direct.removeprefix("0.") or 0)

    @property
    def all_questions(self) -> Iterator[DraftQuestion]:
        for section in self.sections:
            yield from section.questions

    def text_in_language(self, words: Words, language: str | None) -> str:
        """Returns the text in this language, else in the first of the questionnaire's that has it, else empty."""
        texts = (words.get(code, "") for code in (language, *self.languages) if code)
        return next(filter(None, texts), "")

    def replace_section(self, index: int, section: DraftSection) -> "Questionnaire":
        """Replaces a section as it is; surveys.questionnaire.question_blocks.replace_section also normalises it."""
        return replace(self, sections=(*self.sections[:index], section, *self.sections[index + 1 :]))

    def change_each_question(self, change: Callable[[DraftQuestion], DraftQuestion]) -> "Questionnaire":
        sections = (
            replace(section, questions=tuple(map(change, section.questions))) for section in self.sections
        )
        return replace(self, sections=tuple(sections))

    def in_languages(self, languages: Sequence[str]) -> "Questionnaire":
        """Returns the questionnaire with its words in these languages alone, in this order."""
        words: dict[str, Any] = {name: normal_texts(getattr(self, name), languages) for name in TEXTS}
        phrases = {key: normal_texts(translations, languages) for key, translations in self.phrases.items()}
        return replace(
            self,
            languages=tuple(languages),
            **words,
            phrases={key: translations for key, translations in phrases.items() if translations},
            sections=tuple(section.in_languages(languages) for section in self.sections),
        )

    def as_json(self) -> Draft:
        """Returns the stored draft: the keys of candor-design/1 and the builder's own."""
        members = dump(replace(self, sections=()))
        sections = [section.as_json() for section in self.sections]
        return {"format": FORMAT, **members, "sections": sections}


def least_batch_with_direct_share(parts: int) -> int:
    """Returns the smallest minimum batch size with this share asked directly, in ten-thousandths."""
    return -(-LEAST_DIRECT_RECORDS * PARTS // parts)


# --- commands
# What a command of the builder is: it makes another draft and says what it did.
# `sent` are the fields of the button's form; values that make no sense are refused.

Sent = Mapping[str, str]


@dataclass(frozen=True)
class CommandResult:
    """Result of a command: the changed draft, a message, and the question (`key`) to show, as a form if `shows_form`.

    `focus` is an id in the page; `removed` is what undo restores.
    """

    draft: Questionnaire
    message: str
    key: str = ""
    shows_form: bool = False
    focus: str = ""
    removed: Node | None = None


Command = Callable[[Questionnaire, Sent], CommandResult]


def read_question_key(sent: Sent) -> str:
    """Returns the key of the question that a button belongs to."""
    return sent.get("key", "")


def read_sent_number(sent: Sent, name: str) -> int:
    return parse_number(sent.get(name, ""))


def parse_number(text: str) -> int:
    """Parses a number of at most nine ASCII digits; anything else is refused."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return int(text)
