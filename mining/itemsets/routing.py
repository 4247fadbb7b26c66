"""Routing: itemsets that the show-if rules of the questionnaire make impossible, or that they imply.

For a plain question r, K_r is the set of its choices that are allowed by the rules of the other questions of S, by the
rules of the questions that those name, and so on. S is impossible if it has a choice outside K_r, and implied if it has
the only choice in it: then everybody to whom S applies has that answer.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Numbering, Numbers
from privacy.designs import Design
from privacy.grammar.question import LEFT_OUT


class Routing:
    """The show-if rules of a design, with the rules of the questions that they name."""

    def __init__(self, design: Design, numbering: Numbering) -> None:
        self.design, self.numbering = design, numbering

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Question by item: whether a person to whom the question applies may have the item."""
        questions = self.design.questions
        allowed = np.ones((len(questions), len(self.numbering)), np.bool_)
        for index in range(len(questions)):
            waiting, seen = [index], {index}
            while waiting:
                for rule in questions[waiting.pop()].show_if:
                    if rule.place == LEFT_OUT:
                        continue
                    first, end = self.numbering.first[rule.place : rule.place + 2]
                    permitted = np.isin(np.arange(end - first), list(rule.codes))
                    allowed[index, first:end] &= permitted
                    if rule.place not in seen:
                        seen.add(rule.place)
                        waiting.append(rule.place)
        return allowed

    @cached_property
    def is_needed(self) -> bool:
        return not bool(self.allowed.all())

    def settled(self, itemsets: Numbers) -> NDArray[np.bool_]:
        """Which itemsets are impossible or implied."""
        settled = np.zeros(len(itemsets), np.bool_)
        if not self.is_needed or itemsets.shape[1] < 2:
            return settled
        questions = self.numbering.questions_of(itemsets)
        for start in range(0, len(itemsets), CHUNK):
            rows = slice(start, start + CHUNK)
            settled[rows] = self._settled(itemsets[rows], questions[rows])
        return settled

    def _settled(self, itemsets: Numbers, questions: Numbers) -> NDArray[np.bool_]:
        allowed = np.ones((len(itemsets), len(self.numbering)), np.bool_)
        for column in range(itemsets.shape[1]):
            is_item = questions[:, column] != NONE
            allowed[is_item] &= self.allowed[questions[is_item, column]]
        left = np.zeros(questions.shape[:1] + self.numbering.sizes.shape, np.int32)
        with_choices = np.flatnonzero(self.numbering.sizes)
        # Of an empty range `reduceat` would give the next one's first.
        starts = self.numbering.first[with_choices]
        left[:, with_choices] = np.add.reduceat(allowed, starts, axis=1, dtype=np.int32)
        settled = np.zeros(len(itemsets), np.bool_)
        for column in range(itemsets.shape[1]):
            rows = np.flatnonzero(itemsets[:, column] != NONE)
            items, question = itemsets[rows, column], questions[rows, column]
            only_choice = (left[rows, question] == 1) & (self.numbering.sizes[question] > 1)
            settled[rows] |= ~allowed[rows, items] | only_choice
        return settled


CHUNK = 1 << 13
"""Itemsets at a time, to bound the memory."""
