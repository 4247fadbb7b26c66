"""A run and its publication as mining 4 stored them, in rows without what came with mining 5.

mining-4.json was written by that version: 800 records of work, theft, and sick, which only the employed are shown.
"""

import json
from pathlib import Path
from typing import Any

from people.models import Person
from privacy.designs import parse
from reports import publishing
from reports.models import Publication, Review
from runs.models import Itemset, Rule, Run
from surveys.models import Design, Survey
from tests.surveys.conftest import NOW

STORED = Path(__file__).with_name("mining-4.json")
ROUNDED = {"confidence": 1.0000000000000002, "conviction": -337769972052786.5}
"""What one of its runs stored of a confidence of 1."""


def stored() -> dict[str, Any]:
    """The last rule, sick -> employed, has the confidence that rounding left."""
    found: dict[str, Any] = json.loads(STORED.read_text())
    found["rules"][-1] |= ROUNDED
    found["publication"]["rules"][-1] |= ROUNDED
    return found


def run(owner: Person) -> Run:
    """It waits for its review."""
    found = stored()
    design = parse(json.dumps(found["design"]))
    row = Design.objects.create(fingerprint=design.fingerprint, json=design.canonical)
    survey = Survey.objects.create(
        owner=owner, design=row, draft=found["design"], state="closed", closed_at=NOW
    )
    made = Run.objects.create(
        survey=survey,
        number=1,
        design=design.fingerprint,
        state="done",
        created=NOW,
        finished=NOW,
        **fields(found["run"]),
    )
    Itemset.objects.bulk_create(
        Itemset(run=made, **fields({name: value for name, value in one.items() if name != "certain"}))
        for one in found["itemsets"]
    )
    itemsets = list(Itemset.objects.filter(run=made).order_by("place"))
    Rule.objects.bulk_create(
        Rule(run=made, **{**one, "itemset": itemsets[one["itemset"]]}) for one in found["rules"]
    )
    publishing.add_finished_runs(NOW)
    return made


def fields(row: dict[str, Any]) -> dict[str, Any]:
    """The names of columns as those of the model's fields."""
    return {"n_open" if name == "opened" else name: value for name, value in row.items()}


def published(owner: Person, reviewer: Person) -> Review:
    """All its rules were accepted."""
    from reports import deciding
    from reports.deciding import Verdict, with_verdicts

    made = run(owner)
    review = Review.objects.with_surveys().get(run=made)
    deciding.decide(review, reviewer, with_verdicts(made), Verdict.ACCEPT, "", NOW)
    Review.objects.filter(pk=review.pk).update(state=Review.State.PUBLISHED)
    Publication.objects.create(run=made, by=reviewer, when=NOW, **stored()["publication"])
    return Review.objects.with_surveys().get(run=made)
