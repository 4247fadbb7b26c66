"""The slow way to count, which every faster one must agree with: look at each record; numbers computed elsewhere."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.queries_and_counters import NONE, Item, Numbering, Queries, Query
from mining.rules import Rules
from privacy.designs import Design, PlainSection, parse_design
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.window.section import WindowQuestion
from privacy.kinds.place.section import PlaceQuestion
from privacy.kinds.score_table_by_law import find_score_table
from privacy.kinds.scored_items import ScoredItems
from privacy.kinds.subset.section import SubsetQuestion
from privacy.records import decode_answers
from privacy.records.batch_bit_columns import Columns, columns_from_bytes, pack_batch
from privacy.records.mined_code_conversion import mined_codes
from proof.record_probabilities import record_law
from tests.privacy.strategies import any_codes

OPEN, DISGUISED = 0, 1
VECTORS = Path(__file__).parents[1] / "vectors"
T = TypeVar("T")


def at_night(cases: Iterable[Any]) -> list[Any]:
    """These cases of a parameter, for each night alone."""
    return [pytest.param(case, marks=pytest.mark.night) for case in cases]


def vector_file(name: str) -> Any:
    """Numbers that were computed elsewhere."""
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


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
        for place in plain_places(design) if withheld else ():
            self.codes[place, group == OPEN] = design.questions[place].withheld
        self.asked_for: list[Query] = []

    @property
    def n(self) -> tuple[int, int]:
        return (self.weights[self.group == OPEN].sum(), self.weights[self.group == DISGUISED].sum())

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
        return list(np.ldexp(found, int(numbering.unit_exponent_by_row(items)[0])))


def scores(
    question: ScoredItems, group: NDArray[Any], codes: NDArray[Any], number: int
) -> NDArray[np.float64]:
    """By record the score of an item, its square, or whether it touches the item; 0 of a record without a score."""
    variant, item = divmod(number, len(question.choices))
    table = find_score_table(question)
    known = codes < len(table.scores)
    code = np.where(known, codes, 0)
    score, touches = table.scores_by_code_and_item[code, item], table.code_names_class_of_item[code, item]
    disguised = [score, score**2, touches.astype(float)][variant]
    opened = table.open_code_has_item[code, item].astype(float)
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
    columns = queries.items.tolist(), queries.asked.tolist(), queries.applies.tolist()
    rows = [[tuple(of for of in row if of != NONE) for row in column] for column in columns]
    return [
        Query(tuple(items[number] for number in held), asked, applies)
        for held, asked, applies in zip(*rows, strict=True)
    ]


Person = tuple[int | None, ...]
"""The true answers of a person; None: it was not shown."""
People = Mapping[Any, float]
"""The share of those with each whole answer."""


class Exact(Listed):
    """Every possible record with its probability times a million, as mining sees it; a share `k` of all is open."""

    def __init__(self, source: dict[str, Any], opened: People, disguised: People, k: float) -> None:
        design = parse_design(json.dumps(source))
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
        groups, weights = np.array([group for group, _ in law]), 1e6 * np.array(list(law.values()))
        super().__init__(design.mined, groups, codes, weights)


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


def assert_same_columns(one: Any, other: Any, names: Iterable[str]) -> None:
    """To the last digit."""
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


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


ANSWERED = 3
"""Any code of a window that is neither "not asked" nor "not applicable"."""

Records = list[tuple[int, list[int]]]


def any_records(design: Design, n: int, rng: np.random.Generator) -> Records:
    return [(int(rng.integers(2)), any_codes(design, rng)) for _ in range(n)]


def mined(design: Design, codes: Sequence[int]) -> list[int]:
    """The codes of a record as mining sees it, worked out question by question."""
    found: list[int] = []
    for question, code in zip(design.questions, codes, strict=True):
        hidden = code == question.not_applicable
        if isinstance(question, WindowQuestion):
            # Without choices, 0 is "not asked" and 1 "not applicable".
            found.append(1 if hidden else ANSWERED)
        elif isinstance(question, ClassesQuestion):
            # The bit of the rest has no score, and neither has a hidden number.
            classes = len(question.limits) + 1
            found.append(code if code < classes * (classes + 1) // 2 else question.not_asked)
        elif isinstance(question, SubsetQuestion):
            found.append(question.not_asked if hidden else code)
        elif isinstance(question, PlaceQuestion):
            # The region, or elsewhere; where it is hidden, "not asked".
            regions = [place for place, region in enumerate(question.regions) if code in region.cells]
            among = sum(len(region.cells) for region in question.regions)
            elsewhere = len(question.regions)
            hidden_code = elsewhere + (among < len(question.cells))
            found.append(hidden_code if hidden else (*regions, elsewhere)[0])
        else:
            found.append(code)
    return found


def as_mined(design: Design, codes: NDArray[Any]) -> NDArray[np.int64]:
    """The same of many records, a column each."""
    return np.array([mined(design, record) for record in codes.T.tolist()]).T


def pack(design: Design, group: NDArray[Any], codes: NDArray[Any]) -> Columns:
    return columns_from_bytes(design, pack_batch(design, group, codes))


def packed(design: Design, records: Records) -> Columns:
    group = np.array([group for group, _ in records], np.uint8)
    return pack(design, group, np.array([codes for _, codes in records], np.uint16).T)


def any_queries(design: Design, count: int, rng: np.random.Generator) -> list[Query]:
    """Up to three questions in each place, now and then two choices of one question; none of scores."""
    queries = []
    for _ in range(count):
        some = [design.questions[place] for place in some_questions(design, rng)]
        places = [design.questions.index(of) for of in some if of.choices and not of.scored]
        items = [(place, any_choice(design, place, rng)) for place in places]
        if items and rng.random() < 0.1:
            items.append((items[0][0], any_choice(design, items[0][0], rng)))
        asked, applies = some_questions(design, rng), some_questions(design, rng)
        queries.append(Query(tuple(sorted(set(items))), asked, applies))
    return queries


def any_choice(design: Design, place: int, rng: np.random.Generator) -> int:
    return int(rng.integers(len(design.questions[place].choices)))


def some_questions(design: Design, rng: np.random.Generator) -> tuple[int, ...]:
    places = rng.integers(0, len(design.questions), rng.integers(0, 4))
    return tuple(sorted(set(places.tolist())))


def counted(design: Design, records: Records, query: Query, *, withheld: bool = False) -> list[int]:
    """How many open and disguised records fit; of all records at once, question by question."""
    held = {place for place, _ in query.items}
    named = held | set(query.asked) | set(query.applies)
    if not records or (withheld and any(design.questions[place].withheld_if_open for place in named)):
        return [0, 0]
    group, codes = np.array([group for group, _ in records]), np.array([codes for _, codes in records]).T
    chosen = np.ones(len(records), np.bool_)
    for place in named:
        chosen &= codes[place] != design.questions[place].not_asked
    for place in held | set(query.applies):
        chosen &= codes[place] != design.questions[place].not_applicable
    for place, code in query.items:
        chosen &= codes[place] == code
    return [int((chosen & (group == of)).sum()) for of in (0, 1)]


# What a questionnaire implies, followed from rule to rule as it is defined.


def plain_places(design: Design) -> set[int]:
    sections = [section for section in design.sections for _ in section.questions]
    return {place for place, section in enumerate(sections) if isinstance(section, PlainSection)}


def allowed(design: Design, of: int, others: Iterable[int]) -> set[int]:
    """K_r: the choices of `of` that the rules of the others allow, and the rules of the questions that those name."""
    found = set(range(len(design.questions[of].choices)))
    for other in others:
        rules = design.questions[other].show_if
        for rule in rules:
            if rule.place == of:
                found &= rule.codes
        found &= allowed(design, of, [rule.place for rule in rules])
    return found


def parts(itemset: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """All that it contains, and itself."""
    return chain.from_iterable(combinations(itemset, size) for size in range(1, len(itemset) + 1))


def is_settled(design: Design, itemset: Iterable[Item]) -> bool:
    """Whether it is impossible, or implied."""
    items = dict(itemset)
    for place in items.keys() & plain_places(design):
        left = allowed(design, place, items.keys() - {place})
        if items[place] not in left or left == {items[place]}:
            return True
    return False
