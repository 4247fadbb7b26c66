"""Random designs, answers and words, which shrink towards few, small and zero; and laws by what a device does."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain, combinations, count as forever, product
from math import gcd, lcm, prod
from typing import Any, TypeVar
from unicodedata import normalize

import numpy as np
from hypothesis import strategies as st

from privacy.designs import Design, Section as AnySection, UnrelatedQuestionSection, parse_design
from privacy.grammar.number_range import FURTHEST
from privacy.guarantee.breaches import Matrix, check_distribution
from privacy.kinds.grouped.law import NOT_ASKED, SectionLaw
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.place.law import PlaceLaw, PlaceLevel, V
from privacy.kinds.place.section import FURTHEST as FURTHEST_CELL
from privacy.mechanisms.random_draws import seeded_words
from proof.record_probabilities import number_of_true_codes
from tests.privacy import questionnaires

PARTS = 10_000
ODD = (
    *("é", "e\u0301", "工作", "𝒳", "👩\u200d🌾", 'a "b", c'),
    *("__proto__", "constructor", "toString", "7", "-1", "?"),
)
"""Names that mean something to JavaScript, JSON or CSV, or that take more than one unit or form."""
WORD_BITS = (32, 14, 16)
WIDE = (9, 99, 999)
"""With so many choices a code has two, three or four digits."""


@st.composite
def names(draw: st.DrawFn, plain: str, taken: set[str], refused: tuple[str, ...] = ()) -> str:
    """A name that is not taken: a plain one, or an odd one."""
    odd = [name for name in ODD if normalize("NFC", name) not in taken and name not in refused]
    name = draw(st.sampled_from([plain, *odd]))
    taken.add(normalize("NFC", name))
    return name


@st.composite
def choice_names(draw: st.DrawFn, choices: int) -> list[str]:
    """Mostly plain ones; the first and the last may be odd."""
    found = [f"c{code}" for code in range(choices)]
    taken = set(found)
    if draw(st.booleans()):
        for place in (0, -1):
            found[place] = draw(names(found[place], taken, ("?",)))
    return found


@st.composite
def noise_laws(draw: st.DrawFn, choices: int) -> list[str]:
    """Ten-thousandths, none of them 0, summing to 10,000."""
    weights = draw(st.lists(st.integers(1, 99), min_size=choices, max_size=choices))
    parts = [max(1, weight * PARTS // sum(weights)) for weight in weights]
    parts[parts.index(max(parts))] += PARTS - sum(parts)
    return [f"0.{part:04d}" for part in parts]


@st.composite
def windows(draw: st.DrawFn) -> dict[str, Any]:
    """The law of a number that is blurred: the width coprime to the values, and not too wide to see any shape."""
    values = draw(st.sampled_from([*range(2, 41), 98, 99, 1001, 65_000]))
    halves = [half for half in range(values // 4 + 1) if gcd(2 * half + 1, values) == 1]
    return {
        "law": "window",
        "low": draw(st.sampled_from([0, 1, -40, -FURTHEST])),
        "step": draw(st.sampled_from([1, 5])),
        "values": values,
        "window": draw(st.sampled_from(halves)),
        "uniform": f"0.{draw(st.integers(1, 7_500)):04d}",
    }


@st.composite
def classes(draw: st.DrawFn) -> dict[str, Any]:
    """The law of a number by classes, with or without ends and a rest."""
    step = draw(st.sampled_from([1, 2, 7]))
    gaps = draw(st.lists(st.integers(1, 9_000), min_size=1, max_size=20))
    low = draw(st.sampled_from([0, 1, -40, -FURTHEST]))
    limits = list(accumulate((step * gap for gap in gaps[1:]), initial=low + step * gaps[0]))
    law = {"law": "classes", "step": step, "limits": limits, "cuts": draw(st.integers(1, len(limits)))}
    if not draw(st.integers(0, 3)):
        return law
    high = limits[-1] + step * draw(st.integers(0, 50))
    is_scale = max(gaps) == 1 and high == limits[-1]
    rest = 0 if is_scale else draw(st.sampled_from([0, 1, 10]))
    return law | {"low": low, "high": high, "rest": rest}


@st.composite
def place_laws(draw: st.DrawFn) -> dict[str, Any]:
    """The law of a place: up to 40 cells in no order, up to four regions, at most two levels of one b."""
    count = draw(st.sampled_from([*range(2, 13), 40]))
    span = draw(st.sampled_from([4, 100, FURTHEST_CELL]))
    coordinates = st.integers(-span, span)
    at = draw(st.lists(st.tuples(coordinates, coordinates), min_size=count, max_size=count, unique=True))
    taken = {f"c{cell}" for cell in range(count)} | {f"r{region}" for region in range(4)}
    cells = [{"name": f"c{cell}", "at": list(point)} for cell, point in enumerate(at)]
    cells[0]["name"] = draw(names("c0", taken, ("?",)))
    homes = draw(st.lists(st.integers(-1, 3), min_size=count, max_size=count).filter(lambda of: max(of) >= 0))
    regions: list[dict[str, Any]] = []
    for number in sorted(set(homes) - {-1}):
        own = [cell["name"] for cell, home in zip(cells, homes, strict=True) if home == number]
        regions.append({"name": f"r{number}", "cells": own})
    regions[0]["name"] = draw(names("r0", taken, ("?",)))
    sizes = [len(region["cells"]) for region in regions]
    near, other = draw(st.integers(1, min(sizes))), draw(st.integers(1, min(sizes)))
    excess = lcm(near, other) * draw(st.integers(1, 40))
    law = {"cells": cells, "regions": regions, **near_and_odds(near, excess)}
    for region in regions:
        if near != other and draw(st.booleans()):
            region.update(near_and_odds(other, excess))
    return law


def near_and_odds(near: int, excess: int) -> dict[str, Any]:
    """Near cells and odds with m (W - V) = `excess`."""
    odds = 100 + excess // near
    return {"near": near, "odds": f"{odds // 100}.{odds % 100:02d}"}


def bands(count: int) -> dict[str, Any]:
    """Of a plain question with so many choices: people type a number, of which these are the bands."""
    limits = [10 * row for row in range(1, count)]
    return {"form": "one", "number": {"low": 0, "high": 10 * count, "limits": limits}}


@st.composite
def designs(draw: st.DrawFn) -> dict[str, Any]:
    """The JSON of a design: up to three sections of up to four questions of up to twelve choices, or of one number or
    place.

    In one design of eight one question has more choices, so that its codes have two to four digits.
    """
    earlier: list[tuple[str, list[str]]] = []
    taken: set[str] = set()
    sections = []
    wide = draw(st.sampled_from(WIDE)) if draw(st.integers(0, 7)) == 7 else 0
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("plain", "unrelated-question", "number", "place")))
        questions = []
        for _ in range(draw(st.integers(1, {"plain": 2, "number": 1, "place": 1}.get(kind, 4)))):
            question: dict[str, Any] = {"name": draw(names(f"q{len(taken)}", taken))}
            choices = 0
            if kind == "number":
                question |= draw(windows() | classes())
            elif kind == "place":
                question |= draw(place_laws())
            else:
                choices, wide = wide or draw(st.integers(2, 12)), 0
                question["choices"] = draw(choice_names(choices))
                if kind == "plain" and choices <= 12 and draw(st.booleans()):
                    question |= bands(choices)
            if bool(earlier) and draw(st.booleans()):
                name, of = earlier[draw(st.integers(0, len(earlier) - 1))]
                allowed = draw(st.sets(st.integers(0, len(of) - 1), min_size=1, max_size=min(len(of), 12)))
                question["show_if"] = {name: [of[code] for code in sorted(allowed)]}
            if kind == "plain":
                earlier.append((question["name"], question["choices"]))
            elif 0 < choices <= 12 and draw(st.booleans()):
                question["noise"] = draw(noise_laws(choices))
            questions.append(question)
        section: dict[str, Any] = {"kind": kind, "questions": questions}
        if kind == "unrelated-question" or questions[0].get("law") == "classes":
            section["keep"] = f"0.{draw(st.integers(1, PARTS - 1)):04d}"
        if questions[0].get("rest"):
            section["keep_rest"] = f"0.{draw(st.integers(1, PARTS - 1)):04d}"
        if kind == "unrelated-question":
            section["asked"] = draw(st.integers(1, len(questions)))
        sections.append(section)
    return {"format": "candor-design/1", "open_answers": True, "sections": sections}


@st.composite
def answers_to(draw: st.DrawFn, design: dict[str, Any]) -> list[int]:
    """A true answer to every question, hidden or not."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    return [draw(st.integers(0, number_of_true_codes(question) - 1)) for question in questions]


def words_from(bits: int, first: list[int], seed: int) -> Iterator[int]:
    """Chosen words (the last ones of the span, say, which are thrown again), then those of a seed."""
    span = 1 << bits
    words = seeded_words(seed)
    narrowed = (words.draw() >> (words.bits - bits) for _ in forever())
    return chain((span - 1 - word % span for word in first), narrowed)


word_streams = st.tuples(
    st.sampled_from(WORD_BITS), st.lists(st.integers(0, 7_000), max_size=6), st.integers(0, 2**32)
)


# Places on grids, drawn at random, and what a device does with them, cell by cell, without code under test.


@dataclass(frozen=True, slots=True)
class GridPlace:
    """A law, and by true cell the weight of every cell that may go out, in hundredths."""

    law: PlaceLaw
    weights: list[list[int]]


@st.composite
def grid_places(draw: st.DrawFn, largest: int = 12) -> GridPlace:
    """Regions of cells drawn one by one: they touch, are in pieces, and may leave no cell outside."""
    width, height = draw(st.integers(1, largest)), draw(st.integers(2, largest))
    count = width * height
    seeded = draw(st.randoms(use_true_random=False))
    first = 0 if draw(st.booleans()) else -1
    most = draw(st.integers(1, min(5, count)))
    # Cells 0 .. most - 1 belong to one region each, so that none is empty.
    homes = [*range(most), *(seeded.randint(first, most - 1) for _ in range(count - most))]
    order = seeded.sample(range(count), count)
    regions = [sorted(order[i] for i in range(count) if homes[i] == region) for region in range(most)]
    least = min(map(len, regions))
    near, other = draw(st.integers(1, least)), draw(st.integers(1, least))
    excess = lcm(near, other) * draw(st.integers(1, 900))
    both = draw(st.booleans())
    wanted = (other if both and seeded.random() < 1 / 2 else near for _ in regions)
    levels = [PlaceLevel(m, 100 + excess // m) for m in wanted]
    points = [(i % width, i // width) for i in range(count)]
    law = PlaceLaw(tuple(points), tuple(map(tuple, regions)), tuple(levels))
    inside = {cell for region in regions for cell in region}
    found = []
    for true, (x, y) in enumerate(points):
        weights = [100 if cell in inside else 0 for cell in range(len(points))]
        if true not in inside:
            weights[true] = levels[0].near * (levels[0].odds - 100)
        for region, level in zip(regions, levels, strict=True):
            if true in region:
                own = ((*points[cell], cell) for cell in region)
                apart = sorted(((a - x) ** 2 + (b - y) ** 2, cell) for a, b, cell in own)
                for _, cell in apart[: level.near]:
                    weights[cell] = level.odds
        found.append(weights)
    return GridPlace(law, found)


def place_probabilities(law: PlaceLaw, x: int) -> list[Fraction]:
    """P(y|x) of each cell y if the true cell is x."""
    weights = [V if cell in law.region_by_cell else 0 for cell in range(len(law.points))]
    if x in law.region_by_cell:
        for cell in law.near_cells(x):
            weights[cell] = law.levels[law.region_by_cell[x]].odds
    else:
        weights[x] = law.near_excess
    return [Fraction(weight, law.coin_sides) for weight in weights]


Value = TypeVar("Value")


def present(value: Value | None) -> Value:
    assert value is not None
    return value


# A law as a matrix, and a section's law from what a device does, coin by coin; no formula of the product.
# `keep` = (a, b) stands for a/b, and a question's noise law is a row of integers over their sum.


def amplification(law: Matrix) -> Fraction | None:
    """gamma = max P(y|x) / P(y|x'), exact for the entries given; None where a record rules an answer out."""
    possible = law[:, (law > 0).any(axis=0)]
    if (possible == 0).any():
        return None
    pairs = zip(possible.max(axis=0), possible.min(axis=0), strict=True)
    return max(Fraction(most) / Fraction(least) for most, least in pairs)


def exact_law(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    """A checked matrix of fractions."""
    law = np.array([list(row) for row in rows], dtype=object)
    for row in law:
        check_distribution(row)
    return law


def records_of(law: SectionLaw) -> Iterator[tuple[int, ...]]:
    """Every record that can be sent, in the order of the matrix's columns: for small sections only."""
    for drawn in combinations(range(len(law.noise)), law.asked):
        for given in product(*(range(len(law.noise[question])) for question in drawn)):
            said = dict(zip(drawn, given, strict=True))
            yield tuple(said.get(question, NOT_ASKED) for question in range(len(law.noise)))


def matrix_of(law: SectionLaw) -> Matrix:
    """P(y|x), the drawn subset being part of y."""
    records, answers = list(records_of(law)), product(*(range(len(choices)) for choices in law.noise))
    return exact_law([[law.probability(answer, record) for record in records] for answer in answers])


Noise = tuple[tuple[int, ...], ...]
Section = tuple[tuple[int, int], Noise, int]
"""Keep, noise, and how many questions are asked."""
Weights = dict[tuple[int, ...], int]


def redraws(noise: Noise) -> Weights:
    """What comes out where every question gets a draw of its own."""
    weights: Weights = {(): 1}
    for row in noise:
        weights = {(*said, code): w * part for said, w in weights.items() for code, part in enumerate(row)}
    return weights


def records(
    keep: tuple[int, int], noise: Noise, truth: tuple[int, ...], redrawn: Weights | None = None
) -> Weights:
    """The records of somebody with this truth, every question asked."""
    kept, total = keep
    weights = {said: (total - kept) * weight for said, weight in (redrawn or redraws(noise)).items()}
    weights[truth] += kept * prod(map(sum, noise))
    return weights


def tables(keep: tuple[int, int], noise: Noise, asked: int) -> Iterator[list[Weights]]:
    """For each subset that a device may draw, the records for each truth about the questions in it.

    Whoever sees a record sees the subset, and what was not drawn went into it in no way.
    """
    for drawn in combinations(noise, asked):
        redrawn, truths = redraws(drawn), product(*(range(len(row)) for row in drawn))
        yield [records(keep, drawn, truth, redrawn) for truth in truths]


def brute_gamma(keep: tuple[int, int], noise: Noise, asked: int) -> Fraction:
    """The largest P(y|x) / P(y|x') there is."""
    return max(
        Fraction(max(truthful_records), min(truthful_records))
        for table in tables(keep, noise, asked)
        # All tables name the records in one order.
        for truthful_records in zip(*(weights.values() for weights in table), strict=True)
    )


def law_of(keep: tuple[int, int], noise: Noise, asked: int) -> SectionLaw:
    rows = tuple(tuple(Fraction(part, sum(row)) for part in row) for row in noise)
    return SectionLaw(Fraction(*keep), rows, asked)


def pair_count(noise: Noise, asked: int) -> int:
    """How many pairs of truth and record brute force looks at."""
    return sum(prod(map(len, drawn)) ** 2 for drawn in combinations(noise, asked))


@st.composite
def sections(draw: st.DrawFn, questions: int = 8, most_work: int = 70_000) -> Section:
    """A section with mixed choices, small enough for brute force."""
    total = draw(st.integers(2, 10_000))
    kept = draw(st.integers(1, total - 1))
    row = st.lists(st.integers(1, 30), min_size=2, max_size=4).map(tuple)
    noise = tuple(draw(st.lists(row, min_size=1, max_size=questions)))
    asked = draw(st.integers(1, len(noise)))
    while pair_count(noise, asked) > most_work:
        asked = asked - 1 if asked > 1 else 1
        noise = noise if asked > 1 else noise[:1]
    return (kept, total), noise, asked


# --- small designs, and codes of records that they can have ---


CLASSES, WINDOW, PLACE = "classes", "window", "place"


@st.composite
def small_designs(draw: st.DrawFn, least: int = 20, *, numbers: bool = False) -> Design:
    """Up to three sections of up to four questions, with rules, rotation and up to twelve choices; and numbers."""
    plain: dict[str, int] = {}
    sections: list[dict[str, Any]] = []
    kinds = ["plain", "unrelated-question", *([CLASSES, WINDOW, PLACE] if numbers else [])]
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(kinds))
        if kind == PLACE:
            sections.append(draw(place_sections(f"{number}.0", plain)))
            continue
        if kind in (CLASSES, WINDOW):
            sections.append(draw(number_sections(f"{number}.0", kind, plain)))
            continue
        questions: list[dict[str, Any]] = []
        for place in range(draw(st.integers(1, 4))):
            choices = draw(st.one_of(st.integers(2, 4), st.sampled_from([8, 9, 12])))
            names = [f"{code}" for code in range(choices)]
            question: dict[str, Any] = {"name": f"{number}.{place}", "choices": names}
            questions.append(question | draw(rules(plain)))
            if kind == "plain":
                questions[-1] |= bands(choices) if draw(st.booleans()) else {}
                plain[question["name"]] = choices
        section: dict[str, Any] = {"kind": kind, "questions": questions}
        if kind != "plain":
            section |= {"keep": "0.5", "asked": draw(st.integers(1, len(questions)))}
        sections.append(section)
    whole = {"format": "candor-design/1", "open_answers": True, "least": least, "sections": sections}
    return parse_design(json.dumps(whole))


@st.composite
def rules(draw: st.DrawFn, plain: dict[str, int]) -> dict[str, Any]:
    """Perhaps a rule on one of these questions, which have so many choices."""
    if not (bool(plain) and draw(st.booleans())):
        return {}
    rule = draw(st.sampled_from(sorted(plain)))
    allowed = draw(st.sets(st.integers(0, plain[rule] - 1), min_size=1))
    return {"show_if": {rule: [f"{code}" for code in sorted(allowed)]}}


@st.composite
def number_sections(draw: st.DrawFn, name: str, law: str, plain: dict[str, int]) -> dict[str, Any]:
    """A number whose codes take one byte or two, or that has one to four limits."""
    rule = draw(rules(plain))
    if law == WINDOW:
        question = {"name": name, "law": law} | rule
        values = draw(st.sampled_from([7, 254, 256, 1001]))
        question |= {"low": -3, "values": values, "window": 1, "uniform": "0.5"}
        return {"kind": "number", "questions": [question]}
    points = sorted(draw(st.lists(st.integers(-9, 9), min_size=2, max_size=5, unique=True)))
    rest = draw(st.integers(0, 10)) if max(np.diff(points)) > 1 else 0
    cuts = draw(st.integers(1, len(points) - 1))
    return questionnaires.classes(name, "0.6", *points, cuts=cuts, rest=rest, **rule)


@st.composite
def place_sections(draw: st.DrawFn, name: str, plain: dict[str, int]) -> dict[str, Any]:
    """A place whose codes take one byte or two; one to three regions of two to four cells, perhaps cells outside."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    ends = [0, *accumulate(sizes)]
    regions = {f"r{at}": list(range(*ends[at : at + 2])) for at in range(len(sizes))}
    cells = sum(sizes) + draw(st.sampled_from([0, 1, 5, 300]))
    near = draw(st.integers(1, 2))
    return questionnaires.place_in_row(name, regions, cells, near, "8", **draw(rules(plain)))


def any_codes(design: Design, rng: np.random.Generator, group: int | None = None) -> list[int]:
    """The codes of a possible record, of this group where one is named, drawn without regard to any law."""
    codes: list[int] = []
    for section in design.sections:
        asked = section.asked if isinstance(section, UnrelatedQuestionSection) else len(section.questions)
        drawn = set(rng.permutation(len(section.questions))[:asked].tolist())
        for place, question in enumerate(section.questions):
            if place not in drawn:
                codes.append(question.not_asked)
            elif not question.applies(codes):
                codes.append(question.not_applicable)
            else:
                foreign = set() if group is None else set(question.codes_never_sent(group == 0))
                own = [code for code in sent_codes(section, question.codes) if code not in foreign]
                codes.append(int(rng.choice(own)))
    return codes


def sent_codes(section: AnySection, codes: int) -> list[int]:
    """The codes that a device may send: of a number by classes not every interval."""
    if not isinstance(section, ClassesSection):
        return list(range(codes))
    found, draws = intervals(section.question.classes), section.law.count_draws_with_class
    sent = [code for code, (a, z) in enumerate(found) if draws(a, z) or z - a == 1]
    return [*sent, *range(len(found), codes)]
