"""A survey with arms, control items, two versions of a crosswise question and a plan, with sealed simulated records.

Places: age 0, moon 1 (a plain control item), version 2 (drawn), theft 3, lying 4, mars 5 (a control item in disguise),
drugs 6 (crosswise).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accounts.models import Person
from intake.models import Batch
from privacy.designs import Design, parse
from privacy.designs.hypothesis_plan import Plan, parse_plan
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch, unpack_columns
from privacy.records.record_file import RecordRow, write_records
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from surveys.models import Plan as PlanRow, Survey
from tests.kept_rows import kept_row
from tests.privacy.questionnaires import HALF, crosswise, drawn, plain, question, sensitive
from tests.runs import sealed

YES = {"age": 0.5, "moon": 0.1, "version": 0.5, "theft": 0.2, "lying": 0.4, "mars": 0.05, "drugs": 0.3}
"""The true share of the last choice of each question."""

HYPOTHESES = (
    {"name": "many steal", "kind": "share", "item": "theft=yes", "than": "0.1000"},
    {"name": "disguise finds more", "kind": "arms", "item": "theft=yes"},
    {"name": "wording", "kind": "version", "item": "lying=yes", "by": "version"},
    {"name": "thieves lie", "kind": "association", "antecedent": ["theft=yes"], "consequent": ["lying=yes"]},
    {
        "name": "older people steal",
        "kind": "coefficient",
        "item": "theft=yes",
        "model": "linear",
        "covariates": ["age"],
        "of": "age=old",
    },
    {"name": "no such version", "kind": "version", "item": "theft=yes", "by": "age"},
)
"""The last one cannot be computed."""
PLAN = parse_plan(
    json.dumps({"format": "candor-plan/1", "salt": "0123456789abcdef" * 2, "hypotheses": HYPOTHESES})
)


def written(*, plan: Plan | None = None, more: int = 0, **changed: Any) -> dict[str, Any]:
    """`more` sensitive questions make the patterns too many for a histogram."""
    frozen = {"plan": plan.fingerprint} if plan else {}
    said: dict[str, Any] = {
        "format": "candor-design/1",
        "title": {"en": "Work and health"},
        "open_answers": False,
        "direct": "0.5",
        "least": 100,
        "sections": [
            plain(
                {"name": "age", "text": {"en": "How old are you?"}, "choices": ["young", "old"]},
                {"name": "moon", "text": {"en": "Have you been to the moon?"}, "choices": ["no", "yes"]}
                | {"known": "0.0000"},
                drawn("version", *HALF),
            ),
            sensitive(
                "0.7",
                question("theft", *HALF, text={"en": "Have you taken something home?"}),
                question("lying", *HALF),
                question("mars", *HALF, known="0.0000"),
            ),
            crosswise(
                "drugs",
                "0.2500",
                secret={"en": "Is your mother's birthday in January to March?"},
                turned_by="version",
                turned={"en": "Is your mother's birthday in April to December?"},
            ),
            *([sensitive("0.7", *(question(f"q{place}", *HALF) for place in range(more)))] if more else []),
        ],
    }
    return {key: value for key, value in (said | frozen | changed).items() if value is not None}


def design(**values: Any) -> Design:
    return parse(json.dumps(written(**values)))


def survey(owner: Person, of: Design, batches: Sequence[int]) -> Survey:
    def make() -> Survey:
        made = sealed.survey(owner, of, [])
        if of.plan == PLAN.fingerprint:
            PlanRow.objects.create(survey=made, json=PLAN.canonical)
        for n in batches:
            seal(made, n)
        return made

    return kept_row(("studied", owner.pk, of.fingerprint, *batches), make)


def seal(to: Survey, n: int, *, direct: int | None = None) -> Batch:
    """One more batch of people who answer as YES says; `direct`: so many of them were asked directly."""
    assert to.design
    of = to.design.content
    number = Batch.objects.filter(survey=to).count() + 1
    rng = np.random.default_rng(number)
    shares = tuple((1 - YES.get(asked.name, 0.5), YES.get(asked.name, 0.5)) for asked in of.questions)
    group, true = Population(Independent(shares)).draw(of, n, rng)
    if direct is not None:
        group[:] = np.arange(n) >= direct
    columns = pack_batch(of, group, disguise(of, group, true, rng))
    batch = Batch.objects.create(survey=to, first=number, last=number, n=n, columns=columns)
    if of.has_arms:
        # Arms are compared once the survey is finished.
        sealed.finish(to)
    return batch


def records(of: Survey) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    assert of.design
    parts = [
        unpack_columns(columns_from_bytes(of.design.content, bytes(batch.columns)))
        for batch in Batch.objects.filter(survey=of).order_by("first")
    ]
    groups, codes = zip(*parts, strict=True)
    return np.concatenate(groups), np.concatenate(codes, axis=1)


def write_files(of: Survey, folder: Path, plan: Plan | None = None) -> None:
    """What the commands read: design.json, records.csv and plan.json."""
    assert of.design
    (folder / "design.json").write_text(of.design.content.canonical)
    group, codes = records(of)
    with (folder / "records.csv").open("w") as file:
        rows = zip(group.tolist(), codes.T.tolist(), strict=True)
        write_records(file, of.design.content, (RecordRow(one, tuple(row)) for one, row in rows))
    if plan:
        (folder / "plan.json").write_text(plan.canonical)
