"""Surveys whose batches hold the records of simulated people, sealed as intake would seal them, and runs over them.

A worker in the test's own process claims what waits, oldest first. Commands on files are run as they are.

Of disguised answers alone; of numbers too; of a study with arms, control items and a plan; and for models.
"""

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from django.db.models import QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from accounts.models import Person
from candor.__main__ import main
from intake.batches import sealed_batch_reader
from intake.disclosure import ledger
from intake.disclosure.models import Disclosure
from intake.models import Batch
from jobs import job_queue
from mining.parameters import Parameters
from mining.reconstruction import open_versus_disguised_test
from mining.reconstruction.score_moments_by_group import SupportCounts
from privacy.designs import Design, parse_design
from privacy.designs.hypothesis_plan import Plan, parse_plan
from privacy.records.batch_bit_columns import Columns, columns_from_bytes, pack_batch, unpack_columns
from privacy.records.record_file import RecordRow, write_records
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from runs import regression_job, run_start
from runs.models import Margins, ModelJob, Run
from surveys.models import Design as DesignRow, Plan as PlanRow, Survey
from tests.cast import kept_row, make_once
from tests.jobs.conftest import attempt
from tests.privacy import questionnaires as questions
from tests.privacy.questionnaires import HALF
from tests.surveys.conftest import NOW

YES_NO = ["no", "yes"]
People = tuple[NDArray[np.uint8], NDArray[Any]]
"""The groups and the true codes of simulated people."""


def section(*names: str, keep: str = "0.7", asked: int | None = None) -> dict[str, Any]:
    rotation = {"asked": asked} if asked else {}
    return {
        "kind": "unrelated-question",
        "keep": keep,
        "questions": [{"name": name, "choices": YES_NO} for name in names],
        **rotation,
    }


def plain(name: str, *choices: str) -> dict[str, Any]:
    return {"kind": "plain", "questions": [{"name": name, "choices": list(choices)}]}


def make_design(*sections: dict[str, Any]) -> Design:
    said: dict[str, Any] = {"title": {"en": "Work and health"}, "open_answers": True, "least": 20}
    return parse_design(json.dumps({"format": "candor-design/1", "sections": list(sections), **said}))


def small_design() -> Design:
    """So few questions that a histogram holds all: 2 classes x 2^4."""
    return make_design(plain("age", "young", "old"), section("theft", "lie"), section("sick", "tired"))


def large_design() -> Design:
    """Too many for a histogram: 2^20 patterns, and rotation besides."""
    names = [f"q{place}" for place in range(18)]
    return make_design(plain("age", "young", "old"), section(*names[:9]), section(*names[9:], asked=6))


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
    return finish_survey(made) if batches and design.has_group_open and not values else made


def finish_survey(of: Survey) -> Survey:
    """Finished with all that is sealed by now, though it may have been before."""
    QuerySet(Disclosure).filter(survey=of).delete()
    ledger.select_open_records_on_finishing(of, None, timezone.now())
    Survey.objects.filter(pk=of.pk).update(state=Survey.State.FINISHED)
    of.refresh_from_db()
    return of


def seal(to: Survey, n: int) -> Batch:
    """One more batch, of people of whom each has a share of .3 to .6 for every answer."""

    def people(design: Design, rng: np.random.Generator) -> People:
        shares = np.random.default_rng(0).uniform(0.3, 0.6, len(design.questions)).tolist()
        alike = Independent(tuple((1 - share, share) for share in shares))
        return Population(alike, alike, 0.3).draw(design, n, rng)

    batch = seal_people(to, people)
    if to.state == Survey.State.FINISHED:
        finish_survey(to)
    return batch


def seal_people(to: Survey, people: Callable[[Design, np.random.Generator], People]) -> Batch:
    """One more batch, of the people that this function draws; their number is the seed."""
    assert to.design
    design = to.design.content
    rng = np.random.default_rng(Batch.objects.filter(survey=to).count() + 1)
    group, true = people(design, rng)
    packed = pack_batch(design, group, disguise(design, group, true, rng))
    last = Batch.objects.filter(survey=to).order_by("-last").values_list("last", flat=True).first() or 0
    return Batch.objects.create(survey=to, first=last + 1, last=last + 1, n=len(group), columns=packed)


def columns(of: Survey, through: int = 2) -> list[Columns]:
    """Of the first so many batches."""
    return [batch.columns for batch in sealed_batch_reader.read_batches(of, through)]


def records(of: Survey) -> People:
    """As they were received."""
    assert of.design
    batches = Batch.objects.filter(survey=of).order_by("first")
    parts = [unpack_columns(columns_from_bytes(of.design.content, bytes(batch.columns))) for batch in batches]
    groups, codes = zip(*parts, strict=True)
    return np.concatenate(groups), np.concatenate(codes, axis=1)


# --- numbers ---

IF_YOUNG: dict[str, Any] = {"show_if": {"age": ["young"]}}
DEBT = questions.classes("debt", "0.8", 0, 5, 10, 20, rest=2, **IF_YOUNG)
PAY = questions.window("pay", 31, 2, "0.3")


def small_numbers() -> Design:
    """So few questions that a histogram counts them."""
    return make_design(plain("age", "young", "old"), PAY, section("theft"), DEBT)


def large_numbers() -> Design:
    """Too many for a histogram."""
    return make_design(
        plain("age", "young", "old"), PAY, section(*(f"q{place}" for place in range(18))), DEBT
    )


def numbers_survey(owner: Person, design: Design, batches: Sequence[int], open_share: float = 0.3) -> Survey:
    """Small numbers are more frequent."""

    def people(n: int, design: Design, rng: np.random.Generator) -> People:
        shares = tuple(tuple(1 / (1 + code) for code in range(of.true_codes)) for of in design.questions)
        return Population(Independent(shares), open_share=open_share).draw(design, n, rng)

    def make() -> Survey:
        made = survey(owner, design, [])
        for n in batches:
            seal_people(made, partial(people, n))
        return finish_survey(made) if batches else made

    return kept_row(("numbers", owner.pk, design.fingerprint, *batches, open_share), make)


# --- a study ---
# Questions: age 0, moon 1 (a plain control item), version 2 (drawn), theft 3, lying 4, mars 5 (a control item in
# disguise), drugs 6 (crosswise, in two versions).

YES = {"age": 0.5, "moon": 0.1, "version": 0.5, "theft": 0.2, "lying": 0.4, "mars": 0.05, "drugs": 0.3}
"""The true share of the last choice of each question."""
COEFFICIENT = {"kind": "coefficient", "item": "theft=yes", "model": "linear"}
HYPOTHESES: tuple[dict[str, Any], ...] = (
    {"name": "many steal", "kind": "share", "item": "theft=yes", "than": "0.1000"},
    {"name": "disguise finds more", "kind": "arms", "item": "theft=yes"},
    {"name": "wording", "kind": "version", "item": "lying=yes", "by": "version"},
    {"name": "thieves lie", "kind": "association", "antecedent": ["theft=yes"], "consequent": ["lying=yes"]},
    {"name": "older people steal", **COEFFICIENT, "covariates": ["age"], "of": "age=old"},
    {"name": "no such version", "kind": "version", "item": "theft=yes", "by": "age"},
)
"""The last one cannot be computed."""
PLAN = parse_plan(
    json.dumps({"format": "candor-plan/1", "salt": "0123456789abcdef" * 2, "hypotheses": HYPOTHESES})
)


def study_json(*, plan: Plan | None = None, more: int = 0, **changed: Any) -> dict[str, Any]:
    """`more` sensitive questions make the patterns too many for a histogram."""
    frozen = {"plan": plan.fingerprint} if plan else {}
    moon: dict[str, Any] = {"name": "moon", "text": {"en": "Have you been to the moon?"}}
    moon |= {"choices": YES_NO, "known": "0.0000"}
    secrets = {
        "secret": {"en": "Is your mother's birthday in January to March?"},
        "turned_by": "version",
        "turned": {"en": "Is your mother's birthday in April to December?"},
    }
    theft = questions.question("theft", *HALF, text={"en": "Have you taken something home?"})
    lying, mars = questions.question("lying", *HALF), questions.question("mars", *HALF, known="0.0000")
    many = [questions.question(f"q{place}", *HALF) for place in range(more)]
    age = {"name": "age", "text": {"en": "How old are you?"}, "choices": ["young", "old"]}
    sections = [
        questions.plain(age, moon, questions.drawn_question("version", *HALF)),
        questions.sensitive("0.7", theft, lying, mars),
        questions.crosswise("drugs", "0.2500", **secrets),
        *([questions.sensitive("0.7", *many)] if many else []),
    ]
    said: dict[str, Any] = {"format": "candor-design/1", "title": {"en": "Work and health"}}
    said |= {"open_answers": False, "direct": "0.5", "least": 100, "sections": sections}
    return {key: value for key, value in (said | frozen | changed).items() if value is not None}


def study(**values: Any) -> Design:
    return parse_design(json.dumps(study_json(**values)))


def study_survey(owner: Person, of: Design, batches: Sequence[int]) -> Survey:
    def make() -> Survey:
        made = survey(owner, of, [])
        if of.plan == PLAN.fingerprint:
            PlanRow.objects.create(survey=made, json=PLAN.canonical)
        for n in batches:
            seal_study(made, n)
        return made

    return kept_row(("study", owner.pk, of.fingerprint, *batches), make)


def seal_study(to: Survey, n: int, *, direct: int | None = None) -> Batch:
    """One more batch of people who answer as YES says; `direct`: so many of them were asked directly."""

    def people(design: Design, rng: np.random.Generator) -> People:
        shares = tuple((1 - YES.get(asked.name, 0.5), YES.get(asked.name, 0.5)) for asked in design.questions)
        group, true = Population(Independent(shares)).draw(design, n, rng)
        if direct is not None:
            group[:] = np.arange(n) >= direct
        return group, true

    batch = seal_people(to, people)
    if to.design and to.design.content.has_arms:
        # Arms are compared once the survey is finished.
        finish_survey(to)
    return batch


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


# --- models ---

ON_BOTH = {"item": "theft=yes", "on": ["age", "sex"]}
AGE, SEX, CLUB, THEFT = range(4)


def model_design(least: int = 20) -> Design:
    """The share of disguised people with theft depends on age and sex; `club` is shown to the old alone."""
    scale = {"name": "age", "form": "scale", "choices": ["18-39", "40-59", "60+"]}
    club = {"name": "club", "choices": YES_NO, "show_if": {"age": ["40-59", "60+"]}}
    of = [scale, {"name": "sex", "choices": ["f", "m"]}, club]
    design = make_design({"kind": "plain", "questions": of}, section("theft", "lie"), section("sick"))
    return parse_design(json.dumps({**design.as_json(), "least": least}))


def seal_for_models(
    to: Survey, n: int = 400, *, old: int = 0, young: int = 0, men: int | None = None
) -> Batch:
    """One more batch: `old` of its first people alone are in the club, or all but `young` are old, or so many men."""

    def people(of: Design, rng: np.random.Generator) -> People:
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
        return group, true

    step = ("batch for models", to.pk, n, old, young, men)
    return kept_row(step, lambda: seal_people(to, people))


def model_survey(owner: Person, batches: int = 2, of: Design | None = None) -> Survey:
    asks = of or model_design()

    def make() -> Survey:
        made = survey(owner, asks, [])
        for _batch in range(batches):
            seal_for_models(made)
        return made

    return kept_row(("for models", owner.pk, asks.fingerprint, batches), make)


def model_run(of: Survey, owner: Person, margins: Margins | None = None) -> Run:
    """Over: done or failed, over all that is sealed."""
    return mine_sealed(of, owner, Parameters(0.1, 0.5, max_size=1), margins)


def model(of: Run, owner: Person, **specification: object) -> ModelJob:
    """Over: done, or refused."""

    def make() -> ModelJob:
        job = regression_job.start_model_job(of, owner, specification or ON_BOTH, NOW)
        perform_one(job)
        job.refresh_from_db()
        return job

    return kept_row(("model", of.pk, owner.pk, repr(specification)), make, is_computed=True)


# --- runs, by a worker in the test's own process ---


WANTED = Parameters(min_support=0.2, min_confidence=0.4, max_size=2)


@pytest.fixture(scope="session", autouse=True)
def group_tests_once() -> Iterator[None]:
    """The group test of the same counts, most of what a small run costs, is computed once a process."""
    compare = open_versus_disguised_test._shares_p_and_detectable_differences
    known = dict[bytes, NDArray[np.float64]]()

    def compare_once(tally: SupportCounts) -> NDArray[np.float64]:
        key = pickle.dumps(tally)
        if key not in known:
            known[key] = compare(tally)
        return known[key].copy()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(open_versus_disguised_test, "_shares_p_and_detectable_differences", compare_once)
        yield


def perform_one(job: Run | ModelJob) -> None:
    attempt(job)


def all_that_waits() -> None:
    job_queue.attempt_waiting_jobs()


def work(run: Run) -> Run:
    """The run, over."""
    perform_one(run)
    all_that_waits()
    run.refresh_from_db()
    return run


def mine_sealed(
    of: Survey, person: Person, wanted: Parameters = WANTED, margins: Margins | None = None
) -> Run:
    """A run over all that is sealed, over."""

    def load_run_again(first: Run) -> Run:
        run = Run.objects.get(pk=first.pk)
        run.survey = of
        return run

    step = ("mined", of.pk, person.pk, repr(wanted), margins and margins.pk)
    return make_once(
        step,
        lambda: work(run_start.start_mining_run(of, person, wanted, NOW, margins, mlxtend="never")),
        load_run_again,
        is_computed=True,
    )


# --- commands on files ---


class Done(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def output(self) -> dict[str, Any]:
        assert self.status == 0, self.err
        found: dict[str, Any] = json.loads(self.out)
        return found

    def itemset(self, *items: str) -> dict[str, Any]:
        return next(entry for entry in self.output["itemsets"] if entry["items"] == list(items))

    @property
    def refusal(self) -> str:
        assert (self.status, self.out) == (1, "")
        assert self.err.count("\n") == 1
        return self.err


class Folder:
    """Files of a test, and commands that read them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def write_all(self, **files: dict[str, Any] | Iterable[str]) -> "Folder":
        """The design of the questionnaire as JSON, records and truth as CSV, by their names."""
        for name, what in files.items():
            self.write(f"{name}.{'json' if isinstance(what, dict) else 'csv'}", what)
        return self

    def write(self, name: str, what: dict[str, Any] | Iterable[str]) -> None:
        text = json.dumps(what) if isinstance(what, dict) else "\n".join([*what, ""])
        (self.folder / name).write_text(text)

    def run(self, command: str, *arguments: str) -> Done:
        try:
            status = main([command, *arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
        return Done(status, *self.capsys.readouterr())
