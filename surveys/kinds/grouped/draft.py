"""Sections of a draft whose questions are disguised together (grouped unrelated-question model): how they are parsed,
and the law by which a device randomises the answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self, TypeGuard

from mining.json_codec import OPTIONAL
from privacy.grammar.json_node import PARTS
from privacy.grammar.question import DRAWN, YES_NO
from privacy.guarantee.presets import MOST_ASKED
from privacy.guarantee.section_layouts import NoiseLaw
from privacy.kinds.grouped.law import LastingLaw, SectionLaw
from privacy.kinds.grouped.section import LASTING, UnrelatedQuestionSection, uniform_noise
from surveys.draft_json import DEFAULT_SHARE, KEEP, PAIRS, SHARE, TOGETHER
from surveys.phrases.answering import CHOICES, TRIES
from surveys.phrases.how_answers_are_disguised import GROUPED_CHANCES, HOW_IT_WORKS, TOY
from surveys.questionnaire.draft_question import (
    DraftQuestion,
    QuestionInput,
    read_choices_question,
    read_noise_probabilities,
)
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import normal_probability

GROUPED = UnrelatedQuestionSection.kind


def noise_law(question: DraftQuestion) -> NoiseLaw:
    """Returns the probability of each answer when the device sends a random one; equal probabilities if none are
    set."""
    if question.noise:
        return tuple(map(Fraction, question.noise))
    return tuple(Fraction(part, PARTS) for part in uniform_noise(len(question.choices)))


def expected_share_text(question: DraftQuestion) -> str:
    """Returns the share of people who are expected to give the question's answer of interest, as text; the default
    share if none is set."""
    return question.share or DEFAULT_SHARE


def has_yes_and_no(question: DraftQuestion) -> bool:
    """True if yes and no are among the choices."""
    return set(question.choice_names).issuperset(YES_NO)


@dataclass(frozen=True, kw_only=True)
class GroupedDraft(DraftSection):
    """A section of questions that are disguised together.

    `asked` is how many of its questions each person is asked, 0 for all. `lasting` is the keep probability of a
    disguise drawn once for all rounds, empty if there is none. `together`: a preset asks every person all questions.
    `pairs`: a preset asks as many as give pairs of answers the least error, if two are yes/no questions.
    """

    kind = GROUPED
    holds_one = False
    own_keys = frozenset({SHARE})
    script_phrases = {**TOY, **TRIES, **CHOICES}
    phrases = {**HOW_IT_WORKS, **script_phrases, **GROUPED_CHANCES}
    keep: str = KEEP
    lasting: str = field(default="", metadata=OPTIONAL)
    asked: int = field(default=0, metadata=OPTIONAL)
    together: bool = field(default=False, metadata=OPTIONAL)
    pairs: bool = field(default=False, metadata=OPTIONAL)

    @classmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        question = read_choices_question(given)
        noise = read_noise_probabilities(given.data.get("noise"), len(question.choices))
        return replace(question, noise=noise, share=normal_probability(given.data.get(SHARE)) or "")

    @classmethod
    def read_kind_settings(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        asked = data.get("asked")
        return {
            "keep": normal_probability(data.get("keep")) or KEEP,
            "asked": asked if type(asked) is int else 0,
            LASTING: normal_probability(data.get(LASTING)) or "",
            TOGETHER: data.get(TOGETHER) is True,
            PAIRS: data.get(PAIRS) is True,
        }

    @property
    def questions_asked_per_person(self) -> int:
        return self.asked or len(self.questions)

    def normalized(self) -> Self:
        """Returns the section with settings that fit its questions; `asked` becomes 0 (all questions) unless it is
        smaller than their number."""
        is_part = 1 <= self.asked < len(self.questions)
        return replace(
            super().normalized(),
            asked=self.asked if is_part else 0,
            together=self.together and self.may_ask_all_together,
        )

    @property
    def may_ask_all_together(self) -> bool:
        return 1 < len(self.questions) <= MOST_ASKED

    @property
    def is_for_pairs(self) -> bool:
        """True if a preset asks the number of questions with the least error of pairs of answers."""
        return self.pairs and not self.together and sum(map(has_yes_and_no, self.questions)) > 1

    def disguise_law(self) -> SectionLaw | None:
        """Returns the law by which the section's answers are randomised together; None without questions, or if one has
        fewer than two answers."""
        if min((len(question.choices) for question in self.questions), default=0) < 2:
            return None
        return SectionLaw(
            Fraction(self.keep), tuple(map(noise_law, self.questions)), self.questions_asked_per_person
        )

    @property
    def is_lasting(self) -> bool:
        return bool(self.lasting)

    def lasting_law(self) -> LastingLaw | None:
        law = self.disguise_law()
        lasting = Fraction(self.lasting or 0)
        return LastingLaw(law, lasting) if law and lasting > law.keep else None

    def cumulative_disclosure_law(self) -> SectionLaw | None:
        lasting = self.lasting_law()
        return lasting.permanent if lasting else self.disguise_law()

    def single_choice_law(self) -> SectionLaw | None:
        return self.disguise_law()

    def adapt_moved_question(self, question: DraftQuestion) -> DraftQuestion:
        form = "one" if question.form == DRAWN else question.form
        return replace(question, form=form, role="", shares=())

    def restore_lost_settings(self, settings: Mapping[str, Any]) -> Self:
        return self if self.asked else replace(self, asked=settings.get("asked", 0))


def is_grouped_section(section: DraftSection) -> TypeGuard[GroupedDraft]:
    return isinstance(section, GroupedDraft)


def grouped_laws(draft: Questionnaire) -> Iterator[tuple[int, SectionLaw]]:
    """Yields number and disguise law of each section whose questions are disguised together."""
    for number, section in enumerate(draft.sections):
        if is_grouped_section(section) and (law := section.disguise_law()):
            yield number, law
