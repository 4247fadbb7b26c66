"""A crosswise question in a draft, and the law by which a device randomises its answer. Imports no forms, since the
process that reads uploads needs it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mining.json_codec import OPTIONAL
from privacy.grammar.json_node import PARTS
from privacy.grammar.question import YES_NO
from privacy.kinds.crosswise.section import LEAST_SHARE, MOST_SHARE, CrosswiseSection, crosswise_law
from privacy.kinds.grouped.law import SectionLaw
from surveys.phrases.arms_crosswise_and_rounds import CROSSWISE as CROSSWISE_PHRASES, CROSSWISE_SCREEN
from surveys.phrases.how_answers_are_disguised import HOW_IT_WORKS
from surveys.questionnaire.draft_question import (
    DraftQuestion,
    QuestionInput,
    Words,
    keep_or_replace_choices,
    read_choices,
    read_known_share,
)
from surveys.questionnaire.draft_section import COMMON_TEXTS, DraftSection
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import Node, normal_name, normal_probability, normal_text

FORM = "yes-no"
LONGEST_SOURCE = 500


@dataclass(frozen=True, kw_only=True)
class CrosswiseDraftQuestion(DraftQuestion):
    """A crosswise question: people say whether their answer equals their answer to the `secret` question, which a known
    `share` of people answer with yes.

    The device asks the opposite secret, `turned`, instead if its random answer to the question `turned_by` says so.
    """

    share: str = "0.2500"  # such as a season of birth
    secret: Words = field(default_factory=dict)
    source: str = ""
    turned_by: str = field(default="", metadata=OPTIONAL)
    turned: Words = field(default_factory=dict, metadata=OPTIONAL)

    @property
    def secret_share_in_ten_thousandths(self) -> int:
        """Share of people of whom the secret is true, in ten-thousandths."""
        return int(self.share.removeprefix("0."))

    @property
    def secret_texts(self) -> tuple[str, ...]:
        """The texts of the secret and of its opposite, in all languages."""
        return (*self.secret.values(), *self.turned.values())

    def with_turning_question(self, turning_question: str) -> "CrosswiseDraftQuestion":
        """Sets the question, answered at random by the device, that decides whether the opposite secret is asked; an
        empty name removes it."""
        return replace(self, turned_by=turning_question, turned=self.turned if turning_question else {})

    def with_renamed_question(self, before: str, after: str) -> "CrosswiseDraftQuestion":
        renamed = super().with_renamed_question(before, after)
        return replace(renamed, turned_by=after) if renamed.turned_by == before else renamed

    def as_json(self) -> Node:
        """Returns the question as JSON, with the opposite secret (even without a text) if some devices ask it."""
        return super().as_json() | ({"turned": dict(self.turned)} if self.turned_by else {})


def is_secret_share_allowed(parts: int) -> bool:
    """True if a secret with this share of people, in ten-thousandths, can be used: not a half, nor near 0 or 1."""
    return LEAST_SHARE <= parts <= MOST_SHARE and parts != PARTS // 2


@dataclass(frozen=True, kw_only=True)
class CrosswiseDraft(DraftSection):
    """A section with one crosswise question."""

    kind = CrosswiseSection.kind
    texts = (*COMMON_TEXTS, "secret", "turned")
    has_settings = False
    throws = False
    script_phrases = CROSSWISE_SCREEN
    phrases = {**HOW_IT_WORKS, **CROSSWISE_PHRASES}
    questions: tuple[CrosswiseDraftQuestion, ...] = ()

    @property
    def question(self) -> CrosswiseDraftQuestion:
        return self.questions[0]

    @classmethod
    def read_question(cls, given: QuestionInput) -> CrosswiseDraftQuestion:
        data = given.data
        question = CrosswiseDraftQuestion(
            **given.common,
            form=FORM,
            choices=keep_or_replace_choices(read_choices(data.get("choices"), given.languages), YES_NO),
            known=read_known_share(data, FORM),
            share=normal_probability(data.get("share")) or CrosswiseDraftQuestion.share,
            source=normal_text(data.get("source"))[:LONGEST_SOURCE],
        )
        return question.with_turning_question(normal_name(data.get("turned_by")))

    def text_keys_of_question(self, question: DraftQuestion) -> Sequence[str]:
        is_turned = isinstance(question, CrosswiseDraftQuestion) and question.turned_by
        return self.texts if is_turned else [text for text in self.texts if text != "turned"]

    def disguise_law(self) -> SectionLaw | None:
        parts = self.question.secret_share_in_ten_thousandths
        return crosswise_law(parts) if is_secret_share_allowed(parts) else None


def crosswise_questions(draft: Questionnaire) -> Iterator[tuple[int, CrosswiseDraftQuestion]]:
    """Yields each crosswise question with the number of its section."""
    for number, section in enumerate(draft.sections):
        if isinstance(section, CrosswiseDraft):
            yield number, section.question
