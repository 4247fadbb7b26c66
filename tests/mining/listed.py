"""The slow way to count and to estimate, record by record, with which every faster one must agree; known numbers."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations, product
from math import prod
from pathlib import Path
from statistics import NormalDist
from typing import Any, Literal, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.queries_and_counters import NONE, Item, Numbering, Queries, Query
from mining.rules import Rules
from privacy.designs import Design, PlainSection, UnrelatedQuestionSection, parse_design
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.window.section import WindowQuestion
from privacy.kinds.place.law import PlaceItemsSection
from privacy.kinds.place.section import PlaceQuestion
from privacy.kinds.score_table_by_law import find_score_table
from privacy.kinds.scored_items import ScoredItems
from privacy.kinds.subset.section import SubsetQuestion
from privacy.records import decode_answers
from privacy.records.batch_bit_columns import Columns, columns_from_bytes, pack_batch
from privacy.records.mined_code_conversion import mined_codes
from proof.record_probabilities import record_law
from tests.mining.inference.exact_table import ExactTable, Part, subsets
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
        rows = queries_by_hand(self.design, queries)
        self.asked_for += rows
        return np.array([self.counts_of_query(query) for query in rows]).reshape(-1, 2)

    def counts_of_query(self, query: Query) -> list[Any]:
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


def queries_by_hand(design: Design, queries: Sequence[Query] | Queries) -> list[Query]:
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
    """To the last digit; also of rules, whose columns are no attributes."""
    for name in names:
        column, other_column = (getattr(of, name) if hasattr(of, name) else of[name] for of in (one, other))
        np.testing.assert_array_equal(column, other_column, name)


# The sides of a rule that was found, as items.

Itemset = tuple[Item, ...]


def sides_of_rule(found: Rules, row: int, design: Design) -> tuple[Itemset, Itemset, Itemset]:
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


def mined_codes_by_hand(design: Design, codes: Sequence[int]) -> list[int]:
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
    return np.array([mined_codes_by_hand(design, record) for record in codes.T.tolist()]).T


def pack(design: Design, group: NDArray[Any], codes: NDArray[Any]) -> Columns:
    return columns_from_bytes(design, pack_batch(design, group, codes))


def pack_records(design: Design, records: Records) -> Columns:
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


def count_by_hand(design: Design, records: Records, query: Query, *, withheld: bool = False) -> list[int]:
    """How many open and disguised records fit."""
    named = {*dict(query.items), *query.asked, *query.applies}
    if not records or (withheld and any(design.questions[place].withheld_if_open for place in named)):
        return [0, 0]
    group, codes = np.array([group for group, _ in records]), np.array([codes for _, codes in records]).T
    return list(map(int, Listed(design, group, codes).counts_of_query(query)))


# What a questionnaire implies, followed from rule to rule as it is defined.


def plain_places(design: Design) -> set[int]:
    sections = [section for section in design.sections for _ in section.questions]
    return {place for place, section in enumerate(sections) if isinstance(section, PlainSection)}


def allowed_choices(design: Design, of: int, others: Iterable[int]) -> set[int]:
    """K_r: the choices of `of` that the rules of the others allow, and the rules of the questions that those name."""
    found = set(range(len(design.questions[of].choices)))
    for other in others:
        rules = design.questions[other].show_if
        for rule in rules:
            if rule.place == of:
                found &= rule.codes
        found &= allowed_choices(design, of, [rule.place for rule in rules])
    return found


def subsets_of(itemset: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """All that it contains, and itself."""
    return chain.from_iterable(combinations(itemset, size) for size in range(1, len(itemset) + 1))


def is_settled(design: Design, itemset: Iterable[Item]) -> bool:
    """Whether it is impossible, or implied."""
    items = dict(itemset)
    for place in items.keys() & plain_places(design):
        left = allowed_choices(design, place, items.keys() - {place})
        if items[place] not in left or left == {items[place]}:
            return True
    return False


# --- estimates record by record, as the formulas are written ---


Floats = NDArray[np.float64]
RecordNumbers = NDArray[np.intp]
"""Their numbers, in order."""


def by_section(design: Design, itemset: Iterable[Item]) -> dict[int, list[Item]]:
    """Sections are told apart by where they begin; all plain items are one section, -1."""
    found: dict[int, list[Item]] = {}
    for place, code in itemset:
        start, law = law_of(design, place)
        found.setdefault(start if law else -1, []).append((place, code))
    return found


@dataclass(frozen=True)
class LawByHand:
    """`noise` by question of the section and by choice."""

    keep: Fraction
    noise: list[list[Fraction]]


def law_of(design: Design, place: int) -> tuple[int, LawByHand | None]:
    start = 0
    for section in design.sections:
        if place < start + len(section.questions):
            return start, law_by_hand(section)
        start += len(section.questions)
    raise IndexError(place)


def law_by_hand(section: Any) -> LawByHand | None:
    if isinstance(section, UnrelatedQuestionSection):
        noise = [[Fraction(part) for part in question.noise] for question in section.questions]
        return LawByHand(Fraction(section.keep), noise)
    if isinstance(section, PlaceItemsSection):
        # b = m (W - V) / Z; noise leads into each region as often as it has cells, and never outside.
        sizes = [len(region) for region in section.law.regions]
        odds, near = Fraction(section.law.levels[0].odds, 100), section.law.levels[0].near
        keep = near * (odds - 1) / (near * (odds - 1) + sum(sizes))
        outside = len(section.questions[0].choices) > len(sizes)
        return LawByHand(keep, [[Fraction(size, sum(sizes)) for size in sizes] + [Fraction(0)] * outside])
    return None


def keep_and_chance(design: Design, part: Sequence[Item]) -> tuple[float, float]:
    """p, and c = (1-p) q."""
    start, law = law_of(design, part[0][0])
    if law is None:
        return 1.0, 0.0
    noise = prod(float(law.noise[place - start][code]) for place, code in part)
    return float(law.keep), (1 - float(law.keep)) * noise


def plain_only(listed: Listed, itemset: Iterable[Item]) -> bool:
    return set(by_section(listed.design, itemset)) == {-1}


def joins_plain_and_sensitive(listed: Listed, itemset: Iterable[Item]) -> bool:
    sections = set(by_section(listed.design, itemset))
    return -1 in sections and len(sections) > 1


def base(listed: Listed, itemset: Sequence[Item]) -> RecordNumbers:
    """base(S): of the disguised records alone where plain and sensitive items are joined."""
    records = asked_records(listed, itemset)
    disguised = records[listed.group[records] == DISGUISED]
    return disguised if joins_plain_and_sensitive(listed, itemset) else records


def eligible_records(listed: Listed, itemset: Sequence[Item]) -> RecordNumbers:
    """E(S): those of base(S) to which every item of S applies."""
    records = base(listed, itemset)
    return records[itemset_applies(listed, records, itemset)]


def asked_records(listed: Listed, itemset: Sequence[Item]) -> RecordNumbers:
    """The records whose device drew all of S, and which tell its plain answers."""
    questions = listed.design.questions
    told = [
        ~np.isin(listed.codes[place], [questions[place].not_asked, questions[place].withheld])
        for place, _ in itemset
    ]
    return np.flatnonzero(np.logical_and.reduce([np.ones(len(listed.group), np.bool_), *told]))


def itemset_applies(listed: Listed, records: RecordNumbers, itemset: Sequence[Item]) -> NDArray[np.bool_]:
    codes = [listed.design.questions[place].not_applicable for place, _ in itemset]
    return np.asarray(
        (sent_codes(listed, records, itemset) != np.array(codes, np.int64)[:, None]).all(axis=0)
    )


def contains_itemset(listed: Listed, records: RecordNumbers, itemset: Sequence[Item]) -> NDArray[np.bool_]:
    codes = [code for _, code in itemset]
    return np.asarray(
        (sent_codes(listed, records, itemset) == np.array(codes, np.int64)[:, None]).all(axis=0)
    )


def sent_codes(listed: Listed, records: RecordNumbers, itemset: Sequence[Item]) -> NDArray[np.int64]:
    """By item and record what was sent in answer to its question."""
    return listed.codes[np.ix_(np.array([place for place, _ in itemset], np.intp), records)]


def score_rows(listed: Listed, records: RecordNumbers, itemset: Sequence[Item]) -> Floats:
    """The unbiased scores of these records."""
    scores = np.ones(len(records))
    for part, p, c in parts_of(listed.design, tuple(itemset)):
        scores *= (contains_itemset(listed, records, part) - c) / p
    has = contains_itemset(listed, records, itemset)
    given = np.where(listed.group[records] == OPEN, has, scores)
    return np.where(itemset_applies(listed, records, itemset), given, 0.0)


@lru_cache(maxsize=64)
def parts_of(design: Design, itemset: tuple[Item, ...]) -> list[tuple[list[Item], float, float]]:
    """What S has of each section, with p and c: the same for every record."""
    return [(part, *keep_and_chance(design, part)) for part in by_section(design, itemset).values()]


class Inversion:
    """The pooled inversion by recursion over sections, among these records, and each record's influence on it."""

    def __init__(self, listed: Listed, records: RecordNumbers, itemset: Sequence[Item]) -> None:
        self.listed = listed
        self.records = records[itemset_applies(listed, records, itemset)]
        self.parts = list(by_section(listed.design, itemset).values())
        self.laws = [keep_and_chance(listed.design, part) for part in self.parts]
        self.open = (listed.group[self.records] == OPEN).astype(float)
        self.k = self.open.mean()

    def records_inside(self, chosen: tuple[int, ...]) -> Floats:
        items = [item for part in chosen for item in self.parts[part]]
        return contains_itemset(self.listed, self.records, items).astype(float)

    def smaller_subsets(self, chosen: tuple[int, ...]) -> list[tuple[tuple[int, ...], float]]:
        found = []
        for size in range(len(chosen)):
            for subset in combinations(chosen, size):
                kept = prod(self.laws[part][0] for part in subset)
                others = (self.laws[part][1] for part in chosen if part not in subset)
                found.append((subset, kept * prod(others)))
        return found

    def chance_product(self, chosen: tuple[int, ...]) -> Any:
        return self.k + (1 - self.k) * prod(self.laws[part][0] for part in chosen)

    def support(self, chosen: tuple[int, ...]) -> float:
        if not chosen:
            return 1.0
        known = sum(factor * self.support(subset) for subset, factor in self.smaller_subsets(chosen))
        return float(
            (self.records_inside(chosen).mean() - (1 - self.k) * known) / self.chance_product(chosen)
        )

    def scores_of_parts(self, chosen: tuple[int, ...]) -> Floats:
        if not chosen:
            return np.zeros(len(self.records))
        kept = prod(self.laws[part][0] for part in chosen)
        value = self.records_inside(chosen)
        for subset, factor in self.smaller_subsets(chosen):
            value = value - (1 - self.open) * factor * self.support(subset)
            value = value - (1 - self.k) * factor * self.scores_of_parts(subset)
        value = value - self.support(chosen) * (self.open + (1 - self.open) * kept)
        return np.asarray(value / self.chance_product(chosen))

    def scores(self, chosen: tuple[int, ...]) -> Floats:
        """What each record adds to the support while k stands still."""
        if not chosen:
            return np.ones(len(self.records))
        value = self.records_inside(chosen)
        for subset, factor in self.smaller_subsets(chosen):
            value = value - (1 - self.k) * factor * self.scores(subset)
        return np.asarray(value / self.chance_product(chosen))

    @property
    def all_part_numbers(self) -> tuple[int, ...]:
        return tuple(range(len(self.parts)))


# What is defined of a list: the level of each place, and q.


def level_at(place: int, family: int) -> float:
    """By the largest power of two up to the place."""
    k = max(2**power for power in range(10) if 2**power <= place)
    return max(1.96, NormalDist().inv_cdf(1 - 0.025 * k / family))


def stepped_up(p: Sequence[float], tests: int) -> list[float]:
    """Benjamini and Hochberg's: the least of p_(j) tests / j over j from the rank on, at most 1; equal p have that of
    the last of them."""
    steps = [(of, of * tests / rank) for rank, of in enumerate(sorted(p), start=1)]
    return [min(1.0, *(step for of, step in steps if of >= one)) for one in p]


# The table that a support or a rule is tested in, counted record by record as it is defined.

Side = Literal["A", "C"]


def may_hide(listed: Listed, itemset: Sequence[Item]) -> bool:
    return any(listed.design.questions[place].show_if for place, _ in itemset)


def support_table(
    listed: Listed, itemset: Sequence[Item], *, shown: bool = False, among: Sequence[Item] = ()
) -> ExactTable:
    """Among base(S), or E(S), or E of all of `among`. Behind a rule "S applies" belongs to the plain part, which is
    there anyway then."""
    parts = by_section(listed.design, itemset)
    of_plain = parts.pop(-1, [])
    hidden = may_hide(listed, itemset) and not shown and not among
    sections = list(parts.values())
    laws = [Part("A", number, noise_of(listed, items)) for number, items in enumerate(sections)]
    records = eligible_records(listed, among or itemset) if shown or among else base(listed, itemset)
    has = [contains_itemset(listed, records, items) for items in sections]
    if of_plain or hidden:
        has.insert(0, itemset_applies(listed, records, itemset) & contains_itemset(listed, records, of_plain))
    plain = [Part("A", None)] if of_plain or hidden else []
    return count_cells(listed, records, has, [*plain, *laws], keep_by_section(listed, sections))


def rule_table(listed: Listed, antecedent: Sequence[Item], consequent: Sequence[Item]) -> ExactTable:
    """Among E(S): what A and what C has in each section, and their plain items."""
    whole = sorted([*antecedent, *consequent])
    by_place = by_section(listed.design, whole)
    sensitive = [section for section in by_place if section != -1]
    parts: list[Part] = []
    items: list[list[Item]] = []
    for section, of_section in by_place.items():
        sides: list[tuple[Side, Sequence[Item]]] = [("A", antecedent), ("C", consequent)]
        for side, of in sides:
            mine = [item for item in of_section if item in of]
            if not mine:
                continue
            items.append(mine)
            if section == -1:
                parts.append(Part(side, None))
            else:
                parts.append(Part(side, sensitive.index(section), noise_of(listed, mine)))
    records = eligible_records(listed, whole)
    has = [contains_itemset(listed, records, of) for of in items]
    return count_cells(
        listed, records, has, parts, keep_by_section(listed, [by_place[section] for section in sensitive])
    )


def count_cells(
    listed: Listed,
    records: RecordNumbers,
    has: Sequence[NDArray[np.bool_]],
    parts: Sequence[Part],
    keep: dict[int, Fraction],
) -> ExactTable:
    at_least = {}
    weights, group = listed.weights[records].astype(np.int64), listed.group[records]
    for cell in subsets(frozenset(range(len(parts)))):
        having = np.logical_and.reduce([np.ones(len(records), np.bool_), *(has[part] for part in cell)])
        at_least[cell] = int(weights[having & (group == 0)].sum()), int(weights[having & (group == 1)].sum())
    return ExactTable(tuple(parts), keep, at_least)


def noise_of(listed: Listed, items: Sequence[Item]) -> Fraction:
    noise = Fraction(1)
    for place, code in items:
        start, law = law_of(listed.design, place)
        assert law is not None
        noise *= law.noise[place - start][code]
    return noise


def keep_by_section(listed: Listed, sections: Sequence[Sequence[Item]]) -> dict[int, Fraction]:
    laws = (law_of(listed.design, items[0][0])[1] for items in sections)
    return {number: law.keep for number, law in enumerate(laws) if law}


def has_enough_records(listed: Listed, records: RecordNumbers, itemset: Sequence[Item]) -> bool:
    """The floors: fifty records, and ten with S's plain items, and those without noise, in every group that has any."""
    of_plain = [item for item in itemset if not keep_and_chance(listed.design, [item])[1]]
    total = 0
    for group in (0, 1):
        mine = records[listed.group[records] == group]
        weights = listed.weights[mine].astype(np.int64)
        everybody, carrying = weights.sum(), weights[contains_itemset(listed, mine, of_plain)].sum()
        if everybody and carrying < 10:
            return False
        total += everybody
    return bool(total >= 50)
