"""Presentation of a section on the respondents' page: introduction text and random order. Records do not contain it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node
from privacy.grammar.question import Question
from privacy.grammar.question_reading import ParsedSoFar
from privacy.grammar.translated_texts import Texts, read_texts

INTRO, ORDER = "intro", "order"
RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Presentation:
    """The presentation of a section: `intro`, the text above its questions; `random_order`: each device draws their
    order."""

    intro: Texts = field(default_factory=Texts)
    random_order: bool = False

    def as_json(self) -> dict[str, Any]:
        """Returns the JSON members of introduction and order, only those that are set."""
        order = {ORDER: RANDOM} if self.random_order else {}
        return ({INTRO: self.intro.as_json()} if self.intro else {}) | order


BARE = Presentation()


def read_presentation(
    members: dict[str, Node], sofar: ParsedSoFar, questions: Sequence[Question]
) -> Presentation:
    """Reads the introduction and order of the section whose `questions` have just been read.

    Refuses random order if a show-if rule refers to a question of the same section.
    """
    intro, order = read_texts(members.get(INTRO), sofar.languages), members.get(ORDER)
    if order is None:
        return Presentation(intro)
    if order.text() != RANDOM:
        raise order.refuse(_("must be %(value)s"), value=RANDOM)
    first = len(sofar.places) - len(questions)
    for question in questions:
        for rule in question.show_if:
            if rule.place >= first:
                raise order.refuse(
                    _("a rule of %(name)s looks at %(other)s, which is in the same section"),
                    name=quote_value(question.name),
                    other=quote_value(rule.question),
                )
    return Presentation(intro, random_order=True)


def question_blocks(questions: Sequence[Question]) -> list[list[int]]:
    """Returns the question indexes in blocks that random order keeps together: each group, table or single question."""
    groups: list[list[int]] = []
    for index, question in enumerate(questions):
        if groups and question.of and questions[index - 1].of == question.of:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups
