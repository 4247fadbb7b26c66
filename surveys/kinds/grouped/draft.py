"""Questions of a draft that are disguised together: their normal form and their law."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from privacy.grammar.node import PARTS
from privacy.grammar.question import DRAWN
from privacy.guarantee.by_guarantee import NoiseLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import UnrelatedQuestionSection, uniform
from surveys.draft import KEEP, SHARE, Draft
from surveys.phrases.answering import CHOICES, TRIES
from surveys.phrases.chances import GROUPED_CHANCES
from surveys.phrases.how_it_works import HOW_IT_WORKS, TOY
from surveys.questionnaire.choice_draft import choices_question, noise_of_choices
from surveys.questionnaire.normal_values import Node, probability
from surveys.questionnaire.section_kind import SectionKind

GROUPED = UnrelatedQuestionSection.kind


def noise_law(question: Node) -> NoiseLaw:
    if "noise" in question:
        return tuple(Fraction(each) for each in question["noise"])
    return tuple(Fraction(part, PARTS) for part in uniform(len(question["choices"])))


def grouped_law(section: Node) -> SectionLaw | None:
    """None while the section has no question, or one with fewer than two answers."""
    questions = section["questions"]
    if not questions or min(len(each["choices"]) for each in questions) < 2:
        return None
    noise = tuple(noise_law(each) for each in questions)
    return SectionLaw(Fraction(section["keep"]), noise, section.get("asked", len(questions)))


def is_grouped(section: Mapping[str, Any]) -> bool:
    return section.get("kind") == GROUPED


def grouped_laws(draft: Draft) -> Iterator[tuple[int, SectionLaw]]:
    """The number and the law of each such section; its questions can stand in any other of them."""
    for number, section in enumerate(draft["sections"]):
        if is_grouped(section) and (law := grouped_law(section)):
            yield number, law


class GroupedDraft(SectionKind):
    kind = GROUPED
    holds_one = False
    own_keys = frozenset({SHARE})
    script_phrases = {**TOY, **TRIES, **CHOICES}
    phrases = {**HOW_IT_WORKS, **script_phrases, **GROUPED_CHANCES}
    law = staticmethod(grouped_law)

    def normal_question(self, question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
        made = choices_question(question, common, spoken)
        noise = noise_of_choices(question.get("noise"), len(made["choices"]))
        share = probability(question.get(SHARE))
        return made | ({"noise": noise} if noise else {}) | ({SHARE: share} if share else {})

    def normal_settings(self, section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
        """A section that asks all of its questions does not say how many."""
        asked = section.get("asked")
        is_part = type(asked) is int and 1 <= asked < len(questions)
        return {"keep": probability(section.get("keep")) or KEEP} | ({"asked": asked} if is_part else {})

    def fitted(self, question: Node) -> Node:
        made = {key: value for key, value in question.items() if key not in ("role", "shares")}
        return {**made, "form": "one"} if made["form"] == DRAWN else made
