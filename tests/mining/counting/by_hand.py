"""Records counted one at a time, and queries of every kind to count."""

from collections.abc import Iterable, Sequence

import numpy as np

from mining.queries_and_counters import Item, Query
from privacy.designs import Design, PlainSection
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.window.section import WindowQuestion
from privacy.kinds.place.section import PlaceQuestion
from privacy.kinds.subset.section import SubsetQuestion
from privacy.records.packed_bit_columns import Columns, columns_from_bytes, pack_batch
from tests.intake.shapes import any_codes

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


def packed(design: Design, records: Records) -> Columns:
    group = np.array([group for group, _ in records], np.uint8)
    codes = np.array([codes for _, codes in records], np.uint16).T
    return columns_from_bytes(design, pack_batch(design, group, codes))


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


def is_plain(design: Design, place: int) -> bool:
    sections: Sequence[object] = [section for section in design.sections for _ in section.questions]
    return isinstance(sections[place], PlainSection)


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


def is_settled(design: Design, itemset: Iterable[Item]) -> bool:
    """Whether it is impossible, or implied."""
    items = dict(itemset)
    for place in items.keys() & plain_places(design):
        left = allowed(design, place, items.keys() - {place})
        if items[place] not in left or left == {items[place]}:
            return True
    return False
