"""A crosswise question in a draft: its normal form, and the law of its section."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from privacy.grammar.node import PARTS
from privacy.grammar.question import DRAWN, YES_NO
from privacy.kinds.crosswise.law import crosswise_law
from privacy.kinds.crosswise.section import LEAST_SHARE, MOST_SHARE, CrosswiseSection
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft import Draft
from surveys.phrases.how_it_works import HOW_IT_WORKS
from surveys.phrases.studies import CROSSWISE as CROSSWISE_PHRASES, CROSSWISE_SCREEN
from surveys.questionnaire.choice_draft import choices_of
from surveys.questionnaire.control_items import known_of
from surveys.questionnaire.normal_values import Node, name_of, probability, words
from surveys.questionnaire.section_kind import SectionKind

CROSSWISE = CrosswiseSection.kind
SHARE = "0.2500"
"""The share of a new question's secret, about a season of birth."""
HALVES = ["0.5000", "0.5000"]
LONGEST_SOURCE = 500


def crosswise_question(question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
    choices = choices_of(question.get("choices"), spoken)
    if tuple(each["name"] for each in choices) != YES_NO:
        choices = [{"name": name, "label": {}} for name in YES_NO]
    made = {
        **common,
        "form": "yes-no",
        "choices": choices,
        "share": probability(question.get("share")) or SHARE,
        **known_of(question, "yes-no"),
        "source": words(question.get("source"))[:LONGEST_SOURCE],
    }
    return with_turning(made, name_of(question.get("turned_by")))


def with_turning(question: Node, by: str) -> Node:
    """The question whose secret is turned by this drawn question; never, where `by` is empty."""
    rest = {key: value for key, value in question.items() if key not in ("turned_by", "turned")}
    return {**rest, "turned_by": by, "turned": question.get("turned", {})} if by else rest


def share_parts(question: Node) -> int:
    """The share of the secret in ten-thousandths."""
    return int(question["share"].removeprefix("0."))


def is_fitting(parts: int) -> bool:
    """Whether a design takes a secret with this share."""
    return LEAST_SHARE <= parts <= MOST_SHARE and parts != PARTS // 2


def crosswise_section_law(section: Node) -> SectionLaw | None:
    """None while the share does not fit."""
    parts = share_parts(section["questions"][0])
    return crosswise_law(parts) if is_fitting(parts) else None


def crosswise_questions(draft: Draft) -> Iterator[tuple[int, Node]]:
    """The number of each crosswise section with its question."""
    for number, section in enumerate(draft["sections"]):
        if section.get("kind") == CROSSWISE:
            yield number, section["questions"][0]


def may_turn(question: Node) -> bool:
    """Whether it is drawn between two versions, half of the devices each."""
    return question.get("form") == DRAWN and question.get("shares") == HALVES


class CrosswiseDraft(SectionKind):
    kind = CROSSWISE
    texts = ("text", "label", "help", "secret", "turned")
    has_settings = False
    throws = False
    script_phrases = CROSSWISE_SCREEN
    phrases = {**HOW_IT_WORKS, **CROSSWISE_PHRASES}
    normal_question = staticmethod(crosswise_question)
    law = staticmethod(crosswise_section_law)

    def normal_settings(self, section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
        return {}
