"""Surveys with a few plain questions, whose records are written down one by one."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.utils import timezone

from accounts.models import Person
from intake.models import Batch
from privacy.designs import Design, parse_design
from privacy.records.batch_bit_columns import pack_batch
from surveys.models import Design as DesignRow, Survey
from tests.cast import kept_row

Row = tuple[int, ...]
"""Group (1: disguised), then the codes of the questions: in the usual design of age, town and theft."""
AGES = ["young", "grown", "old"]
TOWNS = ["Aa", "Bee", "Cee"]


def design(**more: Any) -> Design:
    said: dict[str, Any] = {"title": {"en": "Work and health"}, "open_answers": True, "least": 20}
    age = {"name": "age", "form": "scale", "choices": AGES}
    theft = {"name": "theft", "choices": ["no", "yes"]}
    sections = [
        {"kind": "plain", "questions": [age, {"name": "town", "choices": TOWNS}]},
        {"kind": "unrelated-question", "keep": "0.7", "questions": [theft]},
    ]
    return parse_design(json.dumps({"format": "candor-design/1", "sections": sections, **said, **more}))


def survey(owner: Person, *batches: Sequence[Row], of: Design | None = None) -> Survey:
    """A closed survey with these records in its batches."""
    made = of or design()
    step = ("surveyed", owner.pk, made.fingerprint, repr(batches))
    return kept_row(step, lambda: survey_anew(owner, made, batches))


def survey_anew(owner: Person, made: Design, batches: Sequence[Sequence[Row]]) -> Survey:
    canonical = {"json": made.canonical}
    row, _made = DesignRow.objects.get_or_create(fingerprint=made.fingerprint, defaults=canonical)
    closed = {"state": Survey.State.CLOSED, "closed_at": timezone.now()}
    found = Survey.objects.create(owner=owner, design=row, draft=json.loads(made.canonical), **closed)
    for rows in batches:
        seal(found, rows)
    return found


def seal(to: Survey, rows: Sequence[Row]) -> Batch:
    return kept_row(("surveyed batch", to.pk, repr(rows)), lambda: seal_anew(to, rows))


def seal_anew(to: Survey, rows: Sequence[Row]) -> Batch:
    assert to.design
    table = np.array(rows)
    columns = pack_batch(to.design.content, table[:, 0].astype(np.uint8), table[:, 1:].T)
    lasts = Batch.objects.filter(survey=to).order_by("-last").values_list("last", flat=True)
    number = 1 + (lasts.first() or 0)
    return Batch.objects.create(survey=to, first=number, last=number, n=len(rows), columns=columns)


def people(*cells: tuple[int, int, int]) -> list[Row]:
    """So many disguised records of each age and town: (age, town, how many); every second one says yes."""
    return [(1, age, town, place % 2) for age, town, many in cells for place in range(many)]


def everybody(each: int) -> list[Row]:
    """So many of every age and town."""
    return people(*((age, town, each) for age in range(3) for town in range(3)))


def opened(rows: Iterable[Row]) -> list[Row]:
    return [(0, *row[1:]) for row in rows]
