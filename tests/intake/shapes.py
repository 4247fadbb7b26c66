"""Designs of every shape and records that a device could send, in batches and as they stand in a file."""

import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from hypothesis import strategies as st

from intake.models import Batch
from intake.recordfiles import codebook as codebooks
from intake.recordfiles.rows import UsedRows
from privacy.designs import Design, Section, UnrelatedQuestionSection, parse
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.section import ClassesSection
from privacy.records import OPEN, RecordRow, packed_bit_columns
from surveys.models import Survey
from tests.privacy import questionnaires
from tests.privacy.strategies import bands

CLASSES, WINDOW, PLACE = "classes", "window", "place"


@st.composite
def designs(draw: st.DrawFn, least: int = 20, *, numbers: bool = False) -> Design:
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
            question: dict[str, Any] = {
                "name": f"{number}.{place}",
                "choices": [f"{code}" for code in range(choices)],
            }
            questions.append(question | draw(rules(plain)))
            if kind == "plain":
                questions[-1] |= bands(choices) if draw(st.booleans()) else {}
                plain[question["name"]] = choices
        section: dict[str, Any] = {"kind": kind, "questions": questions}
        if kind != "plain":
            section |= {"keep": "0.5", "asked": draw(st.integers(1, len(questions)))}
        sections.append(section)
    whole = {"format": "candor-design/1", "open_answers": True, "least": least, "sections": sections}
    return parse(json.dumps(whole))


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
    return questionnaires.place_in_row(
        name, regions, cells, draw(st.integers(1, 2)), "8", **draw(rules(plain))
    )


def any_codes(design: Design, rng: np.random.Generator, group: int | None = None) -> list[int]:
    """The codes of a possible record, of this group where one is named, drawn without regard to any law."""
    codes: list[int] = []
    for section in design.sections:
        asked = len(section.questions)
        if isinstance(section, UnrelatedQuestionSection):
            asked = section.asked
        drawn = set(rng.permutation(len(section.questions))[:asked].tolist())
        for place, question in enumerate(section.questions):
            if place not in drawn:
                codes.append(question.not_asked)
            elif not question.applies(codes):
                codes.append(question.not_applicable)
            else:
                foreign = set() if group is None else set(question.codes_never_sent(group == 0))
                codes.append(
                    int(rng.choice([c for c in sent_codes(section, question.codes) if c not in foreign]))
                )
    return codes


def sent_codes(section: Section, codes: int) -> list[int]:
    """The codes that a device may send: of a number by classes not every interval."""
    if not isinstance(section, ClassesSection):
        return list(range(codes))
    found = intervals(section.question.classes)
    sent = [
        code for code, (a, z) in enumerate(found) if section.law.count_draws_with_class(a, z) or z - a == 1
    ]
    return [*sent, *range(len(found), codes)]


# --- Records as they stand in a file, and batches that hold known ones


def packed(design: Design, rows: Sequence[RecordRow]) -> bytes:
    group = np.array([row.group for row in rows], np.uint8)
    most = max(question.not_applicable for question in design.questions)
    codes = np.array([row.codes for row in rows], np.min_scalar_type(most)).T
    return packed_bit_columns.pack_batch(design, group, codes)


def records(design: Design, *parts: Sequence[RecordRow], seed: int = 1) -> UsedRows:
    """As `sealed` would read them from batches of these rows."""
    opened = tuple(packed_bit_columns.columns_from_bytes(design, packed(design, part)) for part in parts)
    order = np.random.default_rng(seed).permutation(sum(part.n for part in opened))
    return UsedRows(design, opened, order.astype(np.uint32))


def seal(survey: Survey, design: Design, *parts: Sequence[RecordRow]) -> None:
    """Batches of these rows, as a sealing leaves them."""
    for number, rows in enumerate(parts, 1):
        Batch.objects.create(
            survey=survey, first=number, last=number, n=len(rows), columns=packed(design, rows)
        )


def codebook(records: UsedRows, file: str, title: str, language: str) -> str:
    return codebooks.codebook_markdown(records.design, file, title, language, records)


def cells_of(table: Any, column: str) -> list[str]:
    """A column of a Parquet file as the cells of a CSV file, by what its own metadata say of null."""
    signs = {"not applicable": "-", "not asked": ""}
    about = table.schema.field(column).metadata or {}
    missing = about.get(b"candor:missing", table.schema.metadata[b"candor:missing"])
    null = signs[json.loads(missing)["null"]]
    return [null if cell is None else str(cell) for cell in table[column].to_pylist()]


def told(design: Design, rows: Sequence[RecordRow]) -> Iterator[RecordRow]:
    """What a file that leaves the product tells of these rows: no plain answer and no place of an open record."""
    plain = [question.withheld_if_open for question in design.questions]
    for group, codes in rows:
        hidden = [
            question.withheld if group == OPEN and is_plain else code
            for question, code, is_plain in zip(design.questions, codes, plain, strict=True)
        ]
        yield RecordRow(group, tuple(hidden))
