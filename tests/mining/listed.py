"""The slow way to count, which every faster one must agree with: look at each record."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.queries_and_counters import NONE, Item, Numbering, Queries, Query
from mining.rules import Rules
from privacy.designs import Design, PlainSection, parse
from privacy.kinds.score_table_by_law import find_score_table
from privacy.kinds.scored_items import ScoredItems
from privacy.records import decode_answers
from privacy.records.mined_codes import mined_codes
from proof.record_probabilities import record_law

OPEN, DISGUISED = 0, 1


class Listed:
    """Records, each with its group, its codes (a column) and a weight; every query is asked of every record."""

    def __init__(
        self,
        design: Design,
        group: NDArray[Any],
        codes: NDArray[Any],
        weights: NDArray[np.float64] | None = None,
        withheld: bool = False,
    ) -> None:
        self.design = design
        self.group = group
        self.codes = codes.astype(np.int64)
        self.weights = np.ones(len(group), np.int64) if weights is None else weights
        if withheld:
            plain = [
                place
                for place, _ in enumerate(design.questions)
                if isinstance(self.section(place), PlainSection)
            ]
            for place in plain:
                self.codes[place, group == OPEN] = design.questions[place].withheld
        self.asked_for: list[Query] = []

    @property
    def n(self) -> tuple[int, int]:
        return (self.weights[self.group == OPEN].sum(), self.weights[self.group == DISGUISED].sum())

    def section(self, place: int) -> Any:
        return [section for section in self.design.sections for _ in section.questions][place]

    def count(self, queries: Sequence[Query] | Queries) -> NDArray[Any]:
        rows = written(self.design, queries)
        self.asked_for += rows
        return np.array([self.one(query) for query in rows]).reshape(-1, 2)

    def one(self, query: Query) -> list[Any]:
        chosen, weights = np.ones(len(self.group), np.bool_), self.weights
        for place, code in query.items:
            question = self.design.questions[place]
            if isinstance(question, ScoredItems):
                weights = weights * scores(question, self.group, self.codes[place], code)
            else:
                chosen &= self.codes[place] == code
        for place in {*query.asked, *query.applies}:
            question = self.design.questions[place]
            chosen &= self.codes[place] != question.not_asked
            chosen &= self.codes[place] != question.withheld
        for place in query.applies:
            chosen &= self.codes[place] != self.design.questions[place].not_applicable
        found = [weights[chosen & (self.group == group)].sum() for group in (OPEN, DISGUISED)]
        if weights is self.weights:
            return found
        numbering = Numbering(self.design)
        items = np.array([sorted(map(numbering.number, query.items))], np.int32)
        return list(np.ldexp(found, int(numbering.unit_exponents(items)[0])))


def scores(
    question: ScoredItems, group: NDArray[Any], codes: NDArray[Any], number: int
) -> NDArray[np.float64]:
    """By record the score of an item, its square, or whether it touches the item; 0 of a record without a score."""
    variant, item = divmod(number, len(question.choices))
    table = find_score_table(question)
    known = codes < len(table.scores)
    code = np.where(known, codes, 0)
    disguised = [table.scores_by_item, table.scores_by_item**2, table.contains_class_of_item.astype(float)][
        variant
    ][code, item]
    opened = table.open_items[code, item].astype(float)
    return np.where(known, np.where(group == OPEN, opened, disguised), 0.0)


def written(design: Design, queries: Sequence[Query] | Queries) -> list[Query]:
    """Arrays as queries, by hand."""
    if not isinstance(queries, Queries):
        return list(queries)
    items = [
        (place, code)
        for place, question in enumerate(design.questions)
        for code in range(len(question.choices) * (3 if question.scored else 1))
    ]
    rows = zip(queries.items.tolist(), queries.asked.tolist(), queries.applies.tolist(), strict=True)
    return [
        Query(
            tuple(items[number] for number in held if number != NONE),
            tuple(place for place in asked if place != NONE),
            tuple(place for place in applies if place != NONE),
        )
        for held, asked, applies in rows
    ]


Person = tuple[int | None, ...]
"""The true answers of a person; None: it was not shown."""
People = Mapping[Any, float]
"""The share of those with each whole answer."""


class Exact(Listed):
    """Every possible record with its probability times a million, as mining sees it; a share `k` of all is open."""

    def __init__(self, source: dict[str, Any], opened: People, disguised: People, k: float) -> None:
        design = parse(json.dumps(source))
        law: dict[tuple[int, str], float] = {}
        for group, share, people in ((OPEN, k, opened), (DISGUISED, 1 - k, disguised)):
            for answers, chance in people.items():
                for text, probability in record_law(source, group, answers).items():
                    at = (group, text)
                    law[at] = law.get(at, 0.0) + share * chance * float(probability)
        codes = mined_codes(design, np.array([decode_answers(design, text) for _, text in law], np.uint8).T)
        for question, row in zip(design.mined.questions, codes, strict=True):
            if question.scored:
                # What is estimated by scores is a share of those to whom it applies.
                row[row == question.not_applicable] = question.not_asked
        super().__init__(
            design.mined,
            np.array([group for group, _ in law]),
            codes,
            1e6 * np.array(list(law.values())),
        )


def true_share(opened: People, disguised: People, k: float, has: Callable[[Any], bool]) -> float:
    """The share of those who have it among those to whom every question was shown."""
    shown = having = 0.0
    for share, people in ((k, opened), (1 - k, disguised)):
        for person, chance in people.items():
            if None not in person:
                shown += share * chance
                having += share * chance * has(person)
    return having / shown


def random_people(answers: Sequence[Person], seed: int, spread: float = 1.0) -> dict[Person, float]:
    shares = np.random.default_rng(seed).dirichlet(np.full(len(answers), spread))
    return dict(zip(answers, shares.tolist(), strict=True))


def whole_answers(source: dict[str, Any]) -> list[Person]:
    """Every choice of every question."""
    questions = [question for section in source["sections"] for question in section["questions"]]
    return list(product(*(range(len(question["choices"])) for question in questions)))


# Whether two JSON values are the same but for rounding.


def assert_close(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert list(one) == list(other)
        for name, value in one.items():
            assert_close(value, other[name])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for value, another in zip(one, other, strict=True):
            assert_close(value, another)
    elif isinstance(one, float) and other is not None:
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
    else:
        assert one == other


# The sides of a rule that was found, as items.

Itemset = tuple[Item, ...]


def sides(found: Rules, row: int, design: Design) -> tuple[Itemset, Itemset, Itemset]:
    """A, C and S of a row; S in order."""
    numbering = Numbering(design)
    numbers = [number for number in found.itemsets[found.itemset[row]].tolist() if number != NONE]
    whole = tuple(map(numbering.item, numbers))
    mask = int(found.antecedent[row])
    antecedent = tuple(item for place, item in enumerate(whole) if mask >> place & 1)
    return antecedent, tuple(item for item in whole if item not in antecedent), whole
