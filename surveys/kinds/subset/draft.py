"""A question in a draft of which a set of choices is sent: its normal form, its law, and where sets win over one."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privacy.grammar.node import PARTS, decimal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.kinds.presentation import INTRO
from privacy.kinds.subset.law import SubsetLaw, best_size, fitting_size, largest_keep
from privacy.kinds.subset.section import FEWEST_CHOICES, SubsetSection
from surveys.draft import KEEP, PRESET, SHARE
from surveys.phrases.answering import SETS
from surveys.phrases.chances import SET_CHANCES
from surveys.phrases.how_it_works import HOW_IT_WORKS, TOY
from surveys.questionnaire.choice_draft import choices_question
from surveys.questionnaire.normal_values import Node, probability
from surveys.questionnaire.section_kind import SectionKind
from surveys.questionnaire.unfinished import finished

SUBSET = SubsetSection.kind
FORM = "one"
MANY_CHOICES = 60
LEAST_GAIN = Fraction(9, 10)
"""Sets are proposed where they leave at most so much of the variance."""


def subset_question(question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
    made = choices_question({**question, "form": FORM}, common, spoken)
    return {key: value for key, value in made.items() if key != "of"}


def subset_settings(section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
    size, choices = section.get("size"), len(questions[0]["choices"]) if questions else 0
    keep = probability(section.get("keep")) or KEEP
    return {"keep": keep, "size": fitting_size(size if type(size) is int else 2, choices)}


def subset_law(section: Node) -> SubsetLaw | None:
    """None while it has too few choices for its sets, or shows nothing."""
    choices, size = len(section["questions"][0]["choices"]), section["size"]
    keep = Fraction(section["keep"])
    if choices < FEWEST_CHOICES or size > choices // 2 or keep * choices <= size:
        return None
    return SubsetLaw(choices, size, keep)


def limited_subset(section: Node, limit: GammaLimit) -> Node | None:
    """With the best size of sets for this limit, and as much kept as it allows."""
    choices = len(section["questions"][0]["choices"])
    if choices < FEWEST_CHOICES:
        return None
    size = best_size(choices, limit.gamma) or fitting_size(2, choices)
    keep = largest_keep(choices, size, limit.gamma)
    keep -= not limit.admits(SubsetLaw(choices, size, Fraction(keep, PARTS)).gamma)
    made = {**section, "size": size, "keep": decimal(keep)}
    return made if subset_law(made) else None


def sets_of(section: Node, gamma: Fraction) -> tuple[Node, float] | None:
    """The section that sends sets at the same protection, and how many times fewer answers it needs.

    Of a section with one question that is disguised as one choice, with equal noise; None where sets do not win.
    """
    if len(section["questions"]) != 1 or gamma <= 1:
        return None
    (question,) = section["questions"]
    choices = len(question["choices"])
    if question["form"] != FORM or "noise" in question or best_size(choices, gamma) is None:
        return None
    kept = {key: section[key] for key in (PRESET, INTRO) if key in section}
    asked = {key: value for key, value in question.items() if key not in ("of", SHARE)}
    made = limited_subset({"kind": SUBSET, **kept, "questions": [asked]}, GammaLimit(gamma, strict=False))
    law = subset_law(made) if made else None
    if made is None or law is None:
        return None
    # Of one choice the received share of a choice is 1/K where all are as likely, too.
    equal, keep = Fraction(1, choices), Fraction(section["keep"])
    ratio = law.n_variance(equal) / (equal * (1 - equal) / keep**2)
    return (made, float(1 / ratio)) if choices > gamma + 1 and ratio <= LEAST_GAIN else None


def as_one(section: Node) -> Node:
    """The section that sends one choice, at the same protection."""
    choices, law = len(section["questions"][0]["choices"]), subset_law(section)
    limit = GammaLimit(law.gamma if law else Fraction(2), strict=False)
    keep = admissible_keep([(Fraction(1, max(choices, 2)),) * max(choices, 2)], 1, limit)
    rest = {key: value for key, value in section.items() if key not in ("kind", "size", "keep")}
    return {"kind": "unrelated-question", "keep": decimal(int(keep * PARTS)) if keep else KEEP, **rest}


class SubsetDraft(SectionKind):
    kind = SUBSET
    lists_answers = True
    script_phrases = {**TOY, **SETS}
    phrases = {**HOW_IT_WORKS, **TOY, **SET_CHANCES, **SETS}
    normal_question = staticmethod(subset_question)
    normal_settings = staticmethod(subset_settings)
    law = staticmethod(subset_law)

    def finished(self, question: Mapping[str, Any]) -> Node:
        """With so many choices, where there are too few, that a set of two says something of the true one."""
        made, choices = finished(question), question.get("choices")
        is_short = isinstance(choices, list) and len(choices) < FEWEST_CHOICES
        return {**made, "choices": [str(number) for number in range(MANY_CHOICES)]} if is_short else made
