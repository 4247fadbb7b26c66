"""A survey of whose disguised people the share with the answer depends on age and sex; runs and models of it."""

import json

import numpy as np

from accounts.models import Person
from intake.models import Batch
from mining.parameters import Parameters
from privacy.designs import Design, parse
from privacy.records.packed_bit_columns import pack_batch
from privacy.simulation.disguise import disguise
from runs import regression_job
from runs.models import Margins, ModelJob, Run
from surveys.models import Survey
from tests.kept_rows import kept_row
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

ON_BOTH = {"item": "theft=yes", "on": ["age", "sex"]}


def design(least: int = 20) -> Design:
    """`club` is shown to the old alone."""
    scale = {"name": "age", "form": "scale", "choices": ["18-39", "40-59", "60+"]}
    club = {"name": "club", "choices": ["no", "yes"], "show_if": {"age": ["40-59", "60+"]}}
    questions = [scale, {"name": "sex", "choices": ["f", "m"]}, club]
    sections = (
        {"kind": "plain", "questions": questions},
        sealed.section("theft", "lie"),
        sealed.section("sick"),
    )
    return parse(json.dumps({**sealed.written(*sections).as_json(), "least": least}))


AGE, SEX, CLUB, THEFT = range(4)


def seal(to: Survey, n: int = 400, *, old: int = 0, young: int = 0, men: int | None = None) -> Batch:
    """One more batch: `old` of its first people alone are in the club, or all but `young` are old, or so many men."""
    step = ("modelled batch", to.pk, n, old, young, men)
    return kept_row(step, lambda: seal_anew(to, n, old, young, men))


def seal_anew(to: Survey, n: int, old: int, young: int, men: int | None) -> Batch:
    assert to.design
    of = to.design.content
    number = Batch.objects.filter(survey=to).count() + 1
    rng = np.random.default_rng(number)
    true = np.stack([rng.integers(0, question.codes, n) for question in of.questions]).astype(np.uint8)
    group = (np.arange(n) % 3 < 2).astype(np.uint8)
    if old:
        true[AGE, :old], true[CLUB] = 1, np.arange(n) < old
    if young:
        true[AGE] = np.where(np.arange(n) < young, 0, 1 + true[AGE] % 2)
    if men is not None:
        true[SEX] = np.arange(n) < men
    true[THEFT] = rng.random(n) < 0.2 + 0.2 * (true[AGE] > 0) + 0.1 * true[SEX]
    true[CLUB] = np.where(true[AGE] == 0, of.questions[CLUB].not_applicable, true[CLUB])
    columns = pack_batch(of, group, disguise(of, group, true, rng))
    return Batch.objects.create(survey=to, first=number, last=number, n=n, columns=columns)


def survey(owner: Person, batches: int = 2, of: Design | None = None) -> Survey:
    asks = of or design()

    def make() -> Survey:
        made = sealed.survey(owner, asks, [])
        for _batch in range(batches):
            seal(made)
        return made

    return kept_row(("modelled", owner.pk, asks.fingerprint, batches), make)


def run(of: Survey, owner: Person, margins: Margins | None = None) -> Run:
    """Over: done or failed, over all that is sealed."""
    wanted = Parameters(0.1, 0.5, max_size=1)
    return working.mined(of, owner, wanted, margins)


def model(of: Run, owner: Person, **specification: object) -> ModelJob:
    """Over: done, or refused."""

    def make() -> ModelJob:
        job = regression_job.start(of, owner, specification or ON_BOTH, NOW)
        working.one(job)
        job.refresh_from_db()
        return job

    return kept_row(("model", of.pk, owner.pk, repr(specification)), make, is_computed=True)
