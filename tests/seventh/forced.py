"""The kind `forced`: one yes/no question, answered truly or as a coin says (forced response).

Its coins: a keep coin below the modulus, and an answer coin of two sides. The true answer is sent if
keep coin/modulus < keep, else the side of the answer coin. All comparisons are between integers.

With p = keep this is a section with noise (1/2, 1/2), so that gamma = (1+p) / (1-p).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np

from privacy.designs import parsing
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.question import YES_NO
from privacy.grammar.question_reading import REQUIRED, ParsedSoFar, read_question_fields
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import LEAST_BASE
from privacy.guarantee.presets import DEFAULT
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import SensitiveQuestion
from privacy.kinds.section import OneQuestionSection, Section, read_single_question
from privacy.kinds.section_intro_and_random_order import BARE, INTRO, Presentation
from privacy.kinds.simulation import Mask, SectionSimulation
from privacy.simulation import simulation_registry as simulations
from surveys.draft_json import KEEP
from surveys.kinds import read_draft, registry
from surveys.kinds.choices_form import choices_summary_line
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.percent_fields import ProbabilityField, percent_text, probability_text
from surveys.kinds.protection_page_elements import ProtectionSetting, SettingsWarning, few_answers_warning
from surveys.kinds.question_form import QuestionBlockForm
from surveys.kinds.record_file_columns import GROUPED_COLUMNS, FileColumns
from surveys.kinds.start_page_probabilities import Chance, CoinChances, chance_from_share
from surveys.phrases.answering import TRIES
from surveys.phrases.how_answers_are_disguised import GROUPED_CHANCES, HOW_IT_WORKS, TOY
from surveys.questionnaire.draft_question import Choice, DraftQuestion, QuestionInput
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import Protection, keep_probability_text
from surveys.questionnaire.question_block_editing import Block, unused_question_name
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import normal_probability

# --- the section, as in privacy/kinds ---


HALVES = (PARTS // 2, PARTS // 2)
OPTIONAL = frozenset({"form", "text", "label", "help", "show_if"})


def forced_law(keep: Fraction) -> SectionLaw:
    return SectionLaw(keep, ((Fraction(1, 2), Fraction(1, 2)),), 1)


@dataclass(frozen=True, slots=True)
class ForcedQuestion(SensitiveQuestion):
    def as_json(self) -> dict[str, Any]:
        members = SensitiveQuestion.as_json(self)
        del members["noise"]
        return members


@dataclass(frozen=True, slots=True)
class ForcedSection(OneQuestionSection):
    """`keep_parts` is the keep probability in ten-thousandths."""

    kind: ClassVar[str] = "forced"
    always_asked: ClassVar[str] = "a forced-response question is always asked"

    keep_parts: int
    questions: tuple[ForcedQuestion]
    presentation: Presentation = BARE

    @property
    def law(self) -> SectionLaw:
        return forced_law(Fraction(self.keep_parts, PARTS))

    @property
    def itemset_law(self) -> SectionLaw:  # type: ignore[override]
        return self.law

    @property
    def mined_law(self) -> MinedLaw:
        return MinedLaw(self.keep_parts, (HALVES,))

    def settings_json(self) -> dict[str, Any]:
        return {"keep": parts_to_decimal(self.keep_parts)}

    def sides_of_coins(self, modulus: int) -> list[int]:
        return [modulus, 2]

    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        keep, answer = coins
        return true if is_open or keep * PARTS < self.keep_parts * modulus else answer


def read(node: Node, sofar: ParsedSoFar) -> ForcedSection:
    members = node.members(frozenset({"kind", "keep", "questions"}), frozenset({INTRO}))
    asked, presentation = read_single_question(
        members, sofar, _question, "a forced-response section has one question"
    )
    return ForcedSection(members["keep"].probability(), asked, presentation)


def _question(node: Node, sofar: ParsedSoFar) -> ForcedQuestion:
    members = node.members(REQUIRED, OPTIONAL)
    common = read_question_fields(members, sofar)
    if tuple(choice.name for choice in common["choices"]) != YES_NO:
        raise members["choices"].refuse("a forced-response question has the choices no, yes in this order")
    return ForcedQuestion(**common, parts=HALVES)


# --- the simulation: many respondents at once ---


class ForcedSimulation(SectionSimulation[ForcedSection]):
    def disguise(
        self, section: ForcedSection, is_open: Mask, truth: Codes, codes: Codes, rng: np.random.Generator
    ) -> None:
        n, (question,) = len(is_open), section.questions
        kept = is_open | (rng.integers(0, PARTS, n) < section.keep_parts)
        codes[0] = np.where(kept | (truth[0] == question.true_hidden_code), truth[0], rng.integers(0, 2, n))


# --- the draft: how it is read ---


FORCED = ForcedSection.kind


@dataclass(frozen=True, kw_only=True)
class ForcedDraft(DraftSection):
    kind = FORCED
    script_phrases = {**TOY, **TRIES}
    phrases = {**HOW_IT_WORKS, **script_phrases, **GROUPED_CHANCES}
    keep: str = KEEP

    @classmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        return DraftQuestion(**given.common, form="yes-no", choices=tuple(map(Choice, YES_NO)))

    @classmethod
    def read_kind_settings(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"keep": normal_probability(data.get("keep")) or KEEP}

    def disguise_law(self) -> SectionLaw:
        return forced_law(Fraction(self.keep))


# --- the kind, as in surveys/kinds ---


class ForcedForm(QuestionBlockForm):
    """Words, name and rules alone; its answers are yes and no."""

    template = "builder/question-forced.html"

    def add_kind_fields(self) -> None:
        self.add_name_field()

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        return block


@dataclass(frozen=True)
class ForcedProtection(Protection):
    laws: tuple[SectionLaw]

    @property
    def keep(self) -> float:
        return float(self.laws[0].keep)


def forced_protection(
    section: ForcedDraft, respondents: int, prior: Fraction, language: str = ""
) -> ForcedProtection:
    return ForcedProtection((section.disguise_law(),), respondents, prior)


@dataclass(frozen=True, slots=True)
class ForcedChances(CoinChances):
    """`keep`: how often the true answer is sent; `rarest`: how often the other; `yes`: of the coin."""

    keep: Chance
    rarest: Chance
    yes: Chance

    template: ClassVar[str] = "intake/odds-forced.html"


class ForcedKind(QuestionKind[ForcedDraft]):
    draft = ForcedDraft
    device = "privacy/kinds/forced.js"
    title = "Forced-response question"
    adds = "A forced-response question"
    button = "Add a forced-response question"
    form_class = ForcedForm
    promise = "builder/promise-forced.html"
    panel = "builder/results-forced.html"
    heading = "A forced-response question: %(name)s"
    summary_line = staticmethod(choices_summary_line)
    protection = staticmethod(forced_protection)

    def new_section(self, draft: Questionnaire) -> ForcedDraft:
        question = ForcedDraft.read_question(
            QuestionInput({}, {"name": unused_question_name(draft)}, draft.languages)
        )
        return ForcedDraft(preset=DEFAULT.name, questions=(question,))

    def section_within_limit(self, section: ForcedDraft, limit: GammaLimit) -> ForcedDraft | None:
        keep = admissible_keep(section.disguise_law().noise, 1, limit)
        return replace(section, keep=keep_probability_text(keep)) if keep else None

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        if draft.disguised_respondents < LEAST_BASE:
            yield few_answers_warning(draft, number)

    def protection_settings(self, section: ForcedDraft) -> Iterator[ProtectionSetting]:
        yield ProtectionSetting(
            "keep", ProbabilityField(label="True answers (%)"), percent_text(section.keep), 99
        )

    def settings_that_end_presets(self, section: ForcedDraft) -> str:
        return section.keep

    def apply_settings(self, section: ForcedDraft, cleaned: Mapping[str, Any]) -> ForcedDraft:
        return replace(section, keep=probability_text(cleaned["keep"]))

    def start_page_chances(self, section: ForcedSection, language: str) -> ForcedChances:
        keep = section.law.keep
        return ForcedChances(
            chance_from_share(keep), chance_from_share((1 - keep) / 2), chance_from_share(Fraction(1, 2))
        )

    def file_columns(self, section: ForcedSection) -> FileColumns:
        return GROUPED_COLUMNS


# --- the registries: all that the product has to know of it ---


@contextmanager
def register_kind() -> Iterator[None]:
    """Until it is left."""
    simulated: dict[type[Section], SectionSimulation[Any]] = {ForcedSection: ForcedSimulation()}
    simulated.update(simulations.SIMULATIONS)
    with (
        patch.dict(parsing.KINDS, {FORCED: read}),
        patch.object(simulations, "SIMULATIONS", simulated),
        patch.dict(read_draft.DRAFTS, {FORCED: ForcedDraft}),
        patch.dict(registry.KINDS, {FORCED: ForcedKind()}),
    ):
        yield
