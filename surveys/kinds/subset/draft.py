"""Questions of a draft that send a random set of choices (subset selection): how they are parsed, the law by which the
set is drawn, and when sets are better than one choice."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from privacy.grammar.json_node import PARTS, parts_to_decimal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.subset.law import SubsetLaw, best_set_size_above_one, largest_keep, nearest_allowed_size
from privacy.kinds.subset.section import FEWEST_CHOICES, SubsetSection
from surveys.draft_json import KEEP
from surveys.phrases.answering import SETS
from surveys.phrases.how_answers_are_disguised import HOW_IT_WORKS, SET_CHANCES, TOY
from surveys.questionnaire.draft_question import DraftQuestion, QuestionInput, read_choices_question
from surveys.questionnaire.draft_section import DraftSection, complete_question
from surveys.questionnaire.value_normalization import Node, normal_probability

SUBSET = SubsetSection.kind
FORM = "one"
MANY_CHOICES = 60
LEAST_GAIN = Fraction(9, 10)  # sets are proposed where they leave at most so much of the variance


@dataclass(frozen=True, kw_only=True)
class SubsetDraft(DraftSection):
    """A section with one question, of whose choices a random set is sent (subset selection)."""

    kind = SUBSET
    lists_answers = True
    sends_sets = True
    script_phrases = {**TOY, **SETS}
    phrases = {**HOW_IT_WORKS, **TOY, **SET_CHANCES, **SETS}
    keep: str = KEEP
    size: int = 2

    @classmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        data = {**given.data, "form": FORM}
        return replace(read_choices_question(replace(given, data=data)), of="")

    @classmethod
    def read_kind_settings(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        size = data.get("size")
        keep = normal_probability(data.get("keep")) or KEEP
        return {"keep": keep, "size": size if type(size) is int else 2}

    @property
    def question(self) -> DraftQuestion:
        return self.questions[0]

    @property
    def choice_count(self) -> int:
        return len(self.question.choices)

    def normalized(self) -> Self:
        return replace(super().normalized(), size=nearest_allowed_size(self.size, self.choice_count))

    def disguise_law(self) -> SubsetLaw | None:
        """Returns the law by which the set of choices is drawn; None with too few choices for its size, or if a record
        would reveal nothing."""
        choices, keep = self.choice_count, Fraction(self.keep)
        if choices < FEWEST_CHOICES or self.size > choices // 2 or keep * choices <= self.size:
            return None
        return SubsetLaw(choices, self.size, keep)

    def keep_when_sent_as_one_choice(self) -> str:
        choices, law = max(self.choice_count, 2), self.disguise_law()
        limit = GammaLimit(law.gamma if law else Fraction(2), strict=False)
        keep = admissible_keep([(Fraction(1, choices),) * choices], 1, limit)
        return parts_to_decimal(int(keep * PARTS)) if keep else KEEP

    @classmethod
    def complete_question(cls, question: Mapping[str, Any]) -> Node:
        """Replaces the choices of a question that has too few for sets of two by placeholders, so that a design with it
        can be checked."""
        node, choices = complete_question(question), question.get("choices")
        if isinstance(choices, list) and len(choices) < FEWEST_CHOICES:
            node["choices"] = [str(number) for number in range(MANY_CHOICES)]
        return node


def subset_at_gamma_limit(section: SubsetDraft, limit: GammaLimit) -> SubsetDraft | None:
    """Returns the section with the best size of its sets for the limit of gamma, and with the largest keep probability;
    None if a record would reveal nothing."""
    choices = section.choice_count
    if choices < FEWEST_CHOICES:
        return None
    size = best_set_size_above_one(choices, limit.gamma) or nearest_allowed_size(2, choices)
    keep = largest_keep(choices, size, limit.gamma)
    keep -= not limit.admits(SubsetLaw(choices, size, Fraction(keep, PARTS)).gamma)
    limited = replace(section, size=size, keep=parts_to_decimal(keep))
    return limited if limited.disguise_law() else None


def convert_to_subset_selection(section: DraftSection, law: SectionLaw) -> tuple[SubsetDraft, float] | None:
    """Returns the section that sends a random set of choices at the same protection, and how many times fewer answers
    it needs.

    `section` has one question, disguised by `law` as one choice with equal noise. None if sets are no better.
    """
    gamma = law.gamma
    if len(section.questions) != 1 or gamma <= 1:
        return None
    (question,) = section.questions
    choices = len(question.choices)
    if (
        question.form != FORM
        or question.noise
        or best_set_size_above_one(choices, gamma) is None
        or choices <= gamma + 1
    ):
        return None
    questions = (replace(question, of="", share=""),)
    section = SubsetDraft(questions=questions, preset=section.preset, intro=section.intro)
    limited = subset_at_gamma_limit(section, GammaLimit(gamma, strict=False))
    sets = limited.disguise_law() if limited else None
    if limited is None or sets is None:
        return None
    # Of one choice the received share of a choice is 1/K where all are as likely, too.
    equal = Fraction(1, choices)
    ratio = sets.variance_per_respondent(equal) / (equal * (1 - equal) / law.keep**2)
    return (limited, float(1 / ratio)) if ratio <= LEAST_GAIN else None
