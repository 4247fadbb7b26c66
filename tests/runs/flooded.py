"""Batches of one record, sealed as intake would seal a flood of it."""

import json
from typing import Any

import numpy as np
from django.db.models import Max

from accounts.models import Person
from intake.models import Batch
from privacy.designs import Design, parse
from privacy.records.columns import pack
from surveys.models import Survey
from tests.kept_rows import kept_row
from tests.runs import sealed

STRONG = sealed.small()
"""Two sections with a keep of .7: of a hundred, 85 may come out alike where all are alike."""


def weak(keep: str = "0.95") -> Design:
    said: dict[str, Any] = {"title": {"en": "Weak"}, "least": 20}
    section = {
        "kind": "unrelated-question",
        "keep": keep,
        "questions": [{"name": "theft", "choices": ["no", "yes"]}],
    }
    return parse(json.dumps({"format": "candor-design/1", "sections": [section], **said}))


def survey(owner: Person, honest: int = 0, flooded: int = 0, design: Design = STRONG, n: int = 100) -> Survey:
    """So many honest batches, then so many of copies."""

    def make() -> Survey:
        made = sealed.survey(owner, design, [])
        for _ in range(honest):
            sealed.seal(made, n)
        for _ in range(flooded):
            flood(made, n)
        return made

    return kept_row(("flooded", owner.pk, honest, flooded, design.fingerprint, n), make)


def flood(to: Survey, n: int = 100, copies: int | None = None) -> Batch:
    """One more batch; of its records so many are the same, the others are random."""
    assert to.design
    design = to.design.content
    last = Batch.objects.filter(survey=to).aggregate(last=Max("last"))["last"] or 0
    rng = np.random.default_rng(last)
    codes = np.array([rng.integers(0, len(q.choices), n) for q in design.questions], np.uint8)
    codes[:, : n if copies is None else copies] = 1
    columns = pack(design, np.ones(n, np.uint8), codes)
    return Batch.objects.create(survey=to, first=last + 1, last=last + 1, n=n, columns=columns)
