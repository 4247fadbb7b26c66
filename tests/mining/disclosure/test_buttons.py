"""A button tells no more than a page: people who work on a survey learn nothing from what is refused, or how it ends.

Twins are two surveys whose told tables are the same: of each two plain questions, also with the sensitive answer. The
table of all three plain questions together, which nobody was told, differs, and with it what may be made of it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, cycle, islice, product
from typing import Any

import numpy as np
import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client, TestCase
from numpy.typing import NDArray

from accounts.mail import mail_thread
from accounts.models import RESEARCHERS, REVIEWERS, Person
from jobs import job_queue
from jobs.models import Job
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from releases.models import Release
from releases.specification import save_specification
from runs import run_start
from surveys.models import Collaborator
from tests.cast import unsaved_person, with_role
from tests.jobs.conftest import broker
from tests.mining.disclosure.documents import Documents, content_of, differences, signed_in, taken_back
from tests.mining.disclosure.random_surveys import Study
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]

Codes = NDArray[np.uint16]
CELLS = (0, 3, 9, 12, 30, 49, 50, 60)
"""How many people of the second twin give the first answer to all three plain questions."""
VARIES = re.compile(rb'value="[A-Za-z0-9]{64}"')


@dataclass(frozen=True)
class Twins:
    design: Design
    first: Codes
    second: Codes


def draw_twins(seed: int) -> Twins:
    rng = np.random.default_rng(seed)
    choices = [[f"c{code}" for code in range(int(rng.integers(2, 4)))], ["no", "yes"], ["no", "yes"]]
    asked = [{"name": f"p{at}", "choices": of} for at, of in enumerate(choices)]
    of = design(
        plain(*asked),
        sensitive("0.7", question("s", *HALF)),
        least=40,
        open_answers=False,
        title={"en": "Twins"},
    )
    n = int(rng.integers(1200, 1500))
    truth = np.stack([rng.integers(0, one.codes, n) for one in of.questions]).astype(np.uint16)
    first = disguise(of, np.full(n, DISGUISED, np.uint8), truth, rng).astype(np.uint16)
    return Twins(of, first, swap_answers(first, int(rng.choice(CELLS)), rng))


def swap_answers(codes: Codes, left: int, rng: np.random.Generator) -> Codes:
    """Four people with one sensitive answer, of whom each two agree in one plain answer and differ in two, give the
    other answer to the third question, until so many are left who give all three first answers."""
    other = codes.copy()
    corners = ((0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1))
    for sent in (0, 1):
        there = [np.flatnonzero(np.all(np.array([*corner, sent]) == codes.T, axis=1)) for corner in corners]
        excess = len(there[0]) - left // 2 - sent * (left % 2)
        for four in islice(zip(*map(rng.permutation, there), strict=False), max(excess, 0)):
            other[2, list(four)] = 1 - other[2, list(four)]
    return other


def table(codes: Codes, *questions: int) -> dict[tuple[int, ...], int]:
    cells, counts = np.unique(codes[list(questions)], axis=1, return_counts=True)
    return dict(zip(map(tuple, cells.T.tolist()), counts.tolist(), strict=True))


# --- who presses, and what they see ---


@dataclass
class Desk:
    """The people of one survey. `turns`: who opens the next page. `seen`: what the owner, an editor and a viewer were
    answered, in this order."""

    study: Study
    people: Mapping[str, Person]
    clients: Mapping[str, Client]
    turns: Iterator[str]
    seen: Documents = field(default_factory=dict)

    @property
    def survey_address(self) -> str:
        return f"/app/surveys/{self.study.survey.pk}"

    def send_form(self, who: str, address: str, sent: Mapping[str, Any] | None = None) -> str:
        """Sends a form, or opens a page; what is answered is compared. Returns the address that it leads to."""
        client, queries = self.clients[who], list[str]()

        def note_query(execute: Any, sql: str, *more: Any) -> Any:
            queries.append(sql)
            return execute(sql, *more)

        with connection.execute_wrapper(note_query), TestCase.captureOnCommitCallbacks(execute=True):
            answer = client.get(address) if sent is None else client.post(address, sent)
        headers = "".join(f"{name}: {value}\n" for name, value in sorted(answer.headers.items()))
        body = VARIES.sub(b"", content_of(answer))
        head = f"{answer.status_code}, {len(queries)} queries\n{headers}\n"
        if who != "reviewer":
            self.seen[f"{len(self.seen)} {who} {address}"] = head.encode() + body
        return answer.headers.get("Location", "")

    def look_at_all_pages(self, *more: str) -> None:
        """All pages that say how something is going, each of them by one of the people in turn, and all letters."""
        pages = [
            f"{self.survey_address}/",
            *(f"{self.survey_address}/{name}" for name in ("runs", "releases", "records", "history")),
        ]
        pages += [
            "/app/account/home",
            "/app/account/history",
            "/app/surveys/",
            "/app/reports/",
            "/app/releases/",
        ]
        pages += [f"/app/releases/{release.pk}/" for release in self.releases]
        pages += [f"/app/jobs/{job.kind}/{job.pk}/progress" for job in Job.objects.order_by("pk")]
        for address in (*pages, *more):
            self.send_form(next(self.turns), address)
        mail_thread.submit(lambda: None).result()
        names = {person.email for who, person in self.people.items() if who != "reviewer"}
        letters = "".join(str(letter.message()) for letter in mail.outbox if names & {*letter.to})
        self.seen[f"{len(self.seen)} letters"] = re.sub(r"(Message-ID|Date): .*", "", letters).encode()

    @property
    def releases(self) -> list[Release]:
        return list(Release.objects.filter(source__survey=self.study.survey).order_by("pk"))


def open_desk(of: Design, codes: Codes, turn: int) -> Desk:
    owner, reviewer = with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer")
    people = {
        "owner": owner,
        "editor": unsaved_person("editor"),
        "viewer": unsaved_person("viewer"),
        "reviewer": reviewer,
    }
    study = Study(owner, reviewer, of)
    for who in ("editor", "viewer"):
        Collaborator.objects.create(survey=study.survey, person=people[who], may_edit=who == "editor")
    study.seal(np.full(codes.shape[1], DISGUISED, np.uint8), codes)
    turns = islice(cycle(("owner", "editor", "owner", "editor", "viewer")), turn, None)
    return Desk(study, people, {who: signed_in(person) for who, person in people.items()}, turns)


# --- the buttons ---


def model_forms(of: Design) -> Iterator[dict[str, str]]:
    """One of a told table; others need the one that nobody was told."""
    names = [f"covariate_p{number}" for number in range(3)]
    base = {"item": "s=yes", "formula": "linear", **dict.fromkeys(names, "out")}
    both = {"covariate_p0": "categories", "covariate_p1": "categories"}
    crossed = {"product1_first": "p0", "product1_second": "p1"}
    yield base | {"covariate_p0": "categories"}
    yield base | dict.fromkeys(names, "categories")
    yield base | both | crossed | {"among1": "p2=no"}
    yield base | both | {"formula": "logit", "among1": "p2=no"}
    yield base | {"covariate_p1": "categories", "among1": "p0=c0"}
    yield base | {"covariate_p2": "categories", "among1": "p0=c0", "among2": "p1=no"}


RUN = {
    "min_support": "10",
    "min_confidence": "50",
    "max_size": "1",
    "estimator": "stratified",
    "mlxtend": "never",
    "standard_errors": "3",
}


def press_all(of: Design, codes: Codes, turn: int) -> Documents:
    """What the people who work on a survey see while they press each button, and then a reviewer decides."""
    mail.outbox.clear()
    desk = open_desk(of, codes, turn)
    run = desk.study.mine(Parameters(0.1, 0.5, max_size=1))
    models, decide = f"/app/runs/{run.pk}/models", f"/app/admin/reports/review/{run.pk}/models"
    numbers = range(1, 1 + len(list(model_forms(of))))
    pages = [models, *(f"{models}/{number}{more}" for number in numbers for more in ("", "/outcome"))]
    pages += [f"/app/runs/{run.pk}/", f"{desk.survey_address}/margins"]
    for number, form in enumerate(model_forms(of)):
        desk.send_form("owner" if number % 2 else "editor", models, form)
    press_others(desk)
    job_queue.attempt_waiting_jobs()
    desk.look_at_all_pages(*pages)
    for form in model_forms(of):
        desk.send_form("editor", models, form)
    for release in desk.releases:
        desk.send_form("owner", f"/app/releases/{release.pk}/stop", {})
        desk.send_form("owner", f"/app/releases/{release.pk}/discard", {})
    # What tells nobody more than was told is accepted, all else rejected.
    for number in numbers:
        verdict = "accept" if number == 1 else "reject"
        desk.send_form(
            "reviewer", f"{decide}/{number}/decide", {"verdict": verdict, "note": f"Note {number}."}
        )
    for release in desk.releases:
        if release.state != Release.State.DRAFT:
            desk.send_form("reviewer", f"/app/releases/{release.pk}/refuse", {"reason": "Not this one."})
    desk.look_at_all_pages(*pages)
    desk.study.publish(run)
    report = f"/app/reports/{run.pk}"
    shown = [
        f"{report}/{name}"
        for name in ("", "groups", "models", "rules?verdict=accept", "files/json", "files/csv")
    ]
    desk.look_at_all_pages(*pages, *shown)
    for form in model_forms(of):
        desk.send_form("owner", models, form)
    return desk.seen


def press_others(desk: Desk) -> None:
    choices = [[choice.name for choice in one.choices] for one in desk.study.design.questions[:3]]
    cells = [*product(*choices)]
    margins = "\n".join(["p0,p1,p2,share", *(f"{','.join(cell)},{1 / len(cells)}" for cell in cells)])
    file = SimpleUploadedFile("margins.csv", margins.encode(), "text/csv")
    desk.send_form("owner", f"{desk.survey_address}/margins", {"name": "Census", "file": file})
    (row,) = desk.study.survey.margins.all()
    desk.send_form("editor", f"{desk.survey_address}/runs", RUN | {"margins": str(row.pk)})
    desk.send_form("editor", f"{desk.survey_address}/runs/forecast?max_size=2&estimator=stratified")
    desk.send_form("owner", f"{desk.survey_address}/duplicate", {"kind": "rehearsal"})
    for k in (10, 50):
        desk.send_form("owner", f"{desk.survey_address}/releases", {"which": "plain"})
        release = desk.releases[-1]
        columns = [{"name": name, "kind": "category"} for name in ("p0", "p1", "p2")]
        said = {"format": "candor-release/1", "quasi_identifiers": columns, "k": k, "seconds": 0}
        save_specification.save_specification(release, desk.people["owner"], json.dumps(said), NOW)
        if k == 10:
            desk.send_form("owner", f"/app/releases/{release.pk}/compare", {})
        desk.send_form("editor", f"/app/releases/{release.pk}/start", {})
    desk.send_form("owner", f"{desk.survey_address}/records", {"kind": "csv"})


def assert_buttons_tell_nothing(seed: int) -> None:
    twins = draw_twins(seed)
    with taken_back():
        first = press_all(twins.design, twins.first, seed)
    with taken_back():
        second = press_all(twins.design, twins.second, seed)
    found = list(differences(first, second))
    assert not found, f"{len(found)} answers differ, such as\n" + "\n".join(found[:20])


@pytest.mark.at_push(1)
@pytest.mark.parametrize("seed", range(60))
def test_no_button_reveals_what_no_page_reveals(seed: int) -> None:
    assert_buttons_tell_nothing(seed)


def look_at_runs(of: Design, codes: Codes) -> Documents:
    """What a run that counts the table that nobody was told says of itself, and its repetition after a release was
    asked for, while no reviewer has decided on anything."""
    desk = open_desk(of, codes, 0)
    asked = RUN | {"min_support": "0.0001", "min_confidence": "1", "max_size": "3", "absences": "on"}
    run = desk.send_form("owner", f"{desk.survey_address}/runs", asked | {"mlxtend": "automatic"})
    job_queue.attempt_waiting_jobs()
    desk.seen.clear()
    for who in ("owner", "editor", "viewer"):
        desk.send_form(who, run)
    # A person has it checked again: by this button all records are searched, whatever that costs.
    desk.send_form("editor", f"{run}check", {})
    job_queue.attempt_waiting_jobs()
    checked = dict(desk.seen)
    desk.send_form("owner", f"{desk.survey_address}/releases", {"which": "plain"})
    (release,) = desk.releases
    columns = [{"name": name, "kind": "category"} for name in ("p0", "p1", "p2")]
    said = {"format": "candor-release/1", "quasi_identifiers": columns, "k": 10, "seconds": 0}
    save_specification.save_specification(release, desk.people["owner"], json.dumps(said), NOW)
    desk.send_form("editor", f"/app/releases/{release.pk}/start", {})
    job_queue.attempt_waiting_jobs()
    again = desk.send_form("editor", f"{run}repeat", {})
    job_queue.attempt_waiting_jobs()
    desk.seen.clear()
    for who in ("owner", "editor", "viewer"):
        for address in (
            run,
            again,
            f"{again}compare?other={run.split('/')[-2]}",
            f"{desk.survey_address}/runs",
        ):
            desk.send_form(who, address)
    return {f"checked {name}": shown for name, shown in checked.items()} | desk.seen


@pytest.mark.parametrize("most", [200_000, 28])
def test_run_pages_of_twin_surveys_whose_verdicts_differ_are_equal(
    most: int, monkeypatch: pytest.MonkeyPatch, broker: object
) -> None:
    """Of one twin three people give all three first answers, of the other more than ten; with `most` candidates only
    the second has too many."""
    stored = run_start.stored_parameters
    monkeypatch.setattr(run_start, "stored_parameters", lambda asked: {**stored(asked), "most": most})
    twins = draw_twins(1)
    with taken_back():
        first = look_at_runs(twins.design, twins.first)
    with taken_back():
        second = look_at_runs(twins.design, swap_answers(twins.first, 3, np.random.default_rng(5)))
    assert not list(differences(first, second))


@pytest.mark.parametrize("seed", range(3))
def test_twin_surveys_have_equal_tables_but_the_undisclosed_one(seed: int) -> None:
    twins = draw_twins(seed)
    for two in combinations(range(3), 2):
        assert table(twins.first, *two, 3) == table(twins.second, *two, 3)
    assert table(twins.first, 0, 1, 2) != table(twins.second, 0, 1, 2)
