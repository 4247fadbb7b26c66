"""A questionnaire that is being written, in normal form; a stored draft is its JSON (surveys.draft_json).
Also defines the commands of the builder.

It may be unfinished: surveys.lifecycle.draft_problems names missing texts, too few choices, empty sections
and wrong rules, all of which the builder can fix. A questionnaire is immutable; every edit returns a new one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from mining.json_codec import OPTIONAL, node_to_json
from privacy.designs.design import DUTIES, FORMAT, LEAST
from privacy.designs.parsing import LEAST_DIRECT_RECORDS
from privacy.grammar.json_node import PARTS
from surveys.draft_json import EXPECTED, Draft
from surveys.questionnaire.draft_question import DraftQuestion, Words
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.value_normalization import Node, normal_texts

ALWAYS_STORED = ("title", "asker", "why", "intro", "consent", "thanks", "panel")
TEXTS = (*ALWAYS_STORED, *DUTIES, "logo_alt")


@dataclass(frozen=True)
class DraftQuota:
    """A quota: how many people with one or two given answers are wanted. `answers` maps names of questions to names of
    choices (privacy.designs.quotas)."""

    answers: Mapping[str, str]
    limit: int


@dataclass(frozen=True, kw_only=True)
class Questionnaire:
    """A questionnaire in normal form. `minutes`, `least` and `expected` are None if they are no numbers; `retention` is
    any text.

    `phrases` are the researcher's translations of fixed sentences, by id. `plan` are the drafted hypotheses as
    candor-plan/1. `direct` is the share asked directly, with four decimals. `follows` is the fingerprint of the design
    that is asked again, and `study` that of the first round where the disguise is lasting. `rounds` is the number of
    surveys, of which each person is asked one at random. All of these are empty or 0 if not used.

    `logo` is the SHA-256 of a `surveys.models.Logo`, `accent` a colour such as "#7a1f3d". For `invitation_key` see
    surveys.lifecycle.token_signing_key, for `token_key` and `sealing_key` surveys.lifecycle.field_device_keys.
    `understanding`: respondents are asked whether they understood the disguise, in a section that only the design
    holds. `asked_at`: JSON of privacy.designs.asked_at, which opening checks; empty: on this site's own pages.
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
    token_key: str = field(default="", metadata=OPTIONAL)
    sealing_key: str = field(default="", metadata=OPTIONAL)
    understanding: bool = field(default=False, metadata=OPTIONAL)
    quotas: tuple[DraftQuota, ...] = field(default=(), metadata=OPTIONAL)
    asked_at: Mapping[str, Any] = field(default_factory=dict, metadata=OPTIONAL)
    sections: tuple[DraftSection, ...] = ()

    @property
    def first_language(self) -> str:
        return self.languages[0]

    @property
    def has_disguised_sections(self) -> bool:
        """True if any section is disguised."""
        return any(section.sensitive for section in self.sections)

    @property
    def respondents(self) -> int:
        """Number of answers that the researcher expects; 1000 if not stated."""
        return EXPECTED if self.expected is None else max(1, self.expected)

    @property
    def disguised_respondents(self) -> int:
        """Number of expected answers that are disguised, if everybody who may choose chooses disguise."""
        return self.disguised_among(self.respondents)

    def disguised_among(self, respondents: int) -> int:
        """Returns the expected number of these respondents who are not asked directly."""
        return respondents - respondents * self.directly_asked_ten_thousandths // PARTS

    def respondents_for_disguised(self, disguised: int) -> int:
        """Returns how many answers to expect so that at least `disguised` of them are not asked directly."""
        return -(-disguised * PARTS // (PARTS - self.directly_asked_ten_thousandths))

    @property
    def minimum_batch_size(self) -> int:
        """Smallest number of records in a sealed batch."""
        return LEAST if self.least is None else self.least

    @property
    def directly_asked_ten_thousandths(self) -> int:
        """Share of devices that ask without disguise, in ten-thousandths; 0 if all answers are disguised."""
        return int(self.direct.removeprefix("0.") or 0)

    @property
    def all_questions(self) -> Iterator[DraftQuestion]:
        for section in self.sections:
            yield from section.questions

    def text_with_fallback(self, words: Words, language: str | None) -> str:
        """Returns the text in this language, else in the first of the questionnaire's languages that has it, else
        empty."""
        texts = (words.get(code, "") for code in (language, *self.languages) if code)
        return next(filter(None, texts), "")

    def replace_section(self, index: int, section: DraftSection) -> "Questionnaire":
        """Replaces a section without normalising it, unlike
        surveys.questionnaire.question_block_editing.replace_section_normalized."""
        return replace(self, sections=(*self.sections[:index], section, *self.sections[index + 1 :]))

    def change_each_question(self, change: Callable[[DraftQuestion], DraftQuestion]) -> "Questionnaire":
        sections = (
            replace(section, questions=tuple(map(change, section.questions))) for section in self.sections
        )
        return replace(self, sections=tuple(sections))

    def with_renamed_question(self, before: str, after: str) -> "Questionnaire":
        """Replaces the question name `before` by `after`, also in show-if rules and quotas."""
        renamed = self.change_each_question(lambda question: question.with_renamed_question(before, after))
        return renamed.change_each_quota_answer(
            lambda name, choice: (after if name == before else name, choice)
        )

    def with_renamed_choice(self, questions: Collection[str], before: str, after: str) -> "Questionnaire":
        """Replaces the choice name `before` of these questions by `after` in show-if rules and quotas."""

        def rename(name: str, choice: str) -> str:
            return after if name in questions and choice == before else choice

        def rename_in_rules(question: DraftQuestion) -> DraftQuestion:
            rules = {
                name: tuple(rename(name, choice) for choice in allowed)
                for name, allowed in question.show_if.items()
            }
            return replace(question, show_if=rules)

        renamed = self.change_each_question(rename_in_rules)
        return renamed.change_each_quota_answer(lambda name, choice: (name, rename(name, choice)))

    def change_each_quota_answer(self, change: Callable[[str, str], tuple[str, str]]) -> "Questionnaire":
        quotas = (
            replace(quota, answers=dict(change(name, choice) for name, choice in quota.answers.items()))
            for quota in self.quotas
        )
        return replace(self, quotas=tuple(quotas))

    def in_languages(self, languages: Sequence[str]) -> "Questionnaire":
        """Returns the questionnaire with texts in these languages only, in this order."""
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
        """Returns the JSON that a draft stores: keys of candor-design/1, and some that only the builder uses."""
        members = node_to_json(replace(self, sections=()))
        sections = [section.as_json() for section in self.sections]
        return {"format": FORMAT, **members, "sections": sections}


def min_batch_size_with_direct_arm(direct_parts: int) -> int:
    """Returns the smallest `least` that a survey may have if this share, in ten-thousandths, is asked directly."""
    return -(-LEAST_DIRECT_RECORDS * PARTS // direct_parts)


# --- commands
# What a command of the builder is: it makes another draft and says what it did.
# `sent` are the fields of the button's form; values that make no sense are refused.

Sent = Mapping[str, str]


@dataclass(frozen=True)
class CommandResult:
    """Result of a builder's command: the changed draft, a message, and the key of the question to show, as a form if
    `shows_form`.

    `focus` is the HTML id that gets the focus; `removed` is the data that undo needs.
    """

    draft: Questionnaire
    message: str
    key: str = ""
    shows_form: bool = False
    focus: str = ""
    removed: Node | None = None


Command = Callable[[Questionnaire, Sent], CommandResult]


def read_question_key(sent: Sent) -> str:
    """Returns the key of the question whose button was pressed."""
    return sent.get("key", "")


def read_sent_number(sent: Sent, name: str) -> int:
    return parse_number(sent.get(name, ""))


def parse_number(text: str) -> int:
    """Parses a number of at most nine ASCII digits; refuses anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return int(text)
