"""Surveys whose batches hold the records of simulated people, sealed as intake would seal them."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Person
from intake.disclosure import ledger
from intake.disclosure.models import Disclosure
from intake.models import Batch
from privacy.designs import Design, parse
from privacy.records.packed_bit_columns import pack_batch
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from surveys.models import Design as DesignRow, Survey
from tests.kept_rows import kept_row

YES_NO = ["no", "yes"]


def section(*names: str, keep: str = "0.7", asked: int | None = None) -> dict[str, Any]:
    questions = [{"name": name, "choices": YES_NO} for name in names]
    rotation = {"asked": asked} if asked else {}
    return {"kind": "unrelated-question", "keep": keep, "questions": questions, **rotation}


def plain(name: str, *choices: str) -> dict[str, Any]:
    return {"kind": "plain", "questions": [{"name": name, "choices": list(choices)}]}


def written(*sections: dict[str, Any]) -> Design:
    said: dict[str, Any] = {"title": {"en": "Work and health"}, "open_answers": True, "least": 20}
    return parse(json.dumps({"format": "candor-design/1", "sections": list(sections), **said}))


def small() -> Design:
    """So few questions that a histogram holds all: 2 classes x 2^4."""
    return written(plain("age", "young", "old"), section("theft", "lie"), section("sick", "tired"))


def large() -> Design:
    """Too many for a histogram: 2^20 patterns, and rotation besides."""
    names = [f"q{place}" for place in range(18)]
    return written(plain("age", "young", "old"), section(*names[:9]), section(*names[9:], asked=6))


def survey(owner: Person, design: Design, batches: Sequence[int], **values: Any) -> Survey:
    """A closed survey with so many records in each batch."""
    step = ("sealed", owner.pk, design.fingerprint, *batches, repr(values))
    return kept_row(step, lambda: survey_anew(owner, design, batches, **values))


def survey_anew(owner: Person, design: Design, batches: Sequence[int], **values: Any) -> Survey:
    row, _made = DesignRow.objects.get_or_create(
        fingerprint=design.fingerprint, defaults={"json": design.canonical}
    )
    draft = json.loads(design.canonical)
    closed = {"state": Survey.State.CLOSED, "closed_at": timezone.now()}
    made = Survey.objects.create(**{"owner": owner, "design": row, "draft": draft} | closed | values)
    for n in batches:
        seal(made, n)
    return finish(made) if batches and design.has_group_open and not values else made


def finish(of: Survey) -> Survey:
    """Finished with all that is sealed by now, though it may have been before."""
    QuerySet(Disclosure).filter(survey=of).delete()
    ledger.on_finishing(of, None, timezone.now())
    Survey.objects.filter(pk=of.pk).update(state=Survey.State.FINISHED)
    of.refresh_from_db()
    return of


def seal(to: Survey, n: int) -> Batch:
    """One more batch, of people of whom each has a share of .3 to .6 for every answer."""
    assert to.design
    design = to.design.content
    number = Batch.objects.filter(survey=to).count() + 1
    rng = np.random.default_rng(number)
    shares = np.random.default_rng(0).uniform(0.3, 0.6, len(design.questions)).tolist()
    people = Independent(tuple((1 - share, share) for share in shares))
    group, true = Population(people, people, 0.3).draw(design, n, rng)
    columns = pack_batch(design, group, disguise(design, group, true, rng))
    last = Batch.objects.filter(survey=to).order_by("-last").values_list("last", flat=True).first() or 0
    batch = Batch.objects.create(survey=to, first=last + 1, last=last + 1, n=n, columns=columns)
    if to.state == Survey.State.FINISHED:
        finish(to)
    return batch
