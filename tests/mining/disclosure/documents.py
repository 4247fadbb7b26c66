"""Everything that leaves a survey, made in this process by the product itself, and where two such sets differ."""

import io
import json
import re
import secrets
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from math import prod
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.core.cache import cache
from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.utils import timezone
from numpy.typing import NDArray

from accounts.models import RESEARCHERS, REVIEWERS, Person
from api import tokens
from api.models import Event, EventKind, Scope, Webhook
from api.webhooks import outbox
from mining.disclosure import open_record_tables
from mining.disclosure.plain_table_counts import Questions
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from privacy.records import OPEN
from privacy.records.mined_code_conversion import mined_codes
from reports.kinds.place import maps
from reports.kinds.place.shown_place import shown_places
from reports.models import Review
from reports.pages import named_pictures
from reports.review import (
    public_page_switch,
    regression_decisions as judging,
    report_emails,
    report_state_changes,
)
from reports.review.report_page_data import ReportPage
from runs import regression_job, run_start
from runs.models import Margins, Model, Run
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import unsaved_person, with_role
from tests.deposits.conftest import FORM
from tests.mining.disclosure.random_surveys import Study, any_place, people
from tests.privacy.questionnaires import (
    HALF,
    UNDERSTOOD,
    classes,
    crosswise,
    drawn_question,
    plain,
    question,
    sensitive,
    subset,
    window,
)
from tests.runs import sealed
from tests.surveys.conftest import NOW

# Studies drawn at random, each with a part of its own: a kind of question, arms, weights, a model, a wave before.

KINDS = "rotating classes window place subset crosswise arms weights model wave understanding"
PARTS = ("two sections", *KINDS.split())
IN_MARCH, NOT_IN_MARCH = {"en": "Were you born in March?"}, {"en": "Were you born in another month?"}

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Records:
    """`codes`: questions x records, as the design has them; `stage`: how often the survey was sealed before."""

    design: Design
    group: NDArray[np.uint8]
    codes: NDArray[np.uint16]
    stage: NDArray[np.intp]

    @cached_property
    def states(self) -> Integers:
        """By question as mining sees it; the last state is *not applicable*."""
        codes = mined_codes(self.design, self.codes).astype(np.int64)
        most = np.array([question.codes for question in self.design.mined.questions])
        states: Integers = np.minimum(codes, most[:, None])
        return states

    @cached_property
    def patterns(self) -> list[tuple[bool, ...]]:
        """Which conditions of the rules of sensitive questions each record meets."""
        rules = open_record_tables.sensitive_question_conditions(self.design.mined)
        met = [np.isin(self.states[rule.place], sorted(rule.codes)) for rule in rules]
        return list(zip(*(column.tolist() for column in met), strict=True)) if met else [()] * len(self.group)

    @cached_property
    def kept_patterns(self) -> frozenset[tuple[bool, ...]]:
        """The patterns of the open records that are used once the survey is finished."""
        told = zip(self.patterns, self.group, strict=True)
        sizes = Counter(pattern for pattern, group in told if group == OPEN)
        named = {str(pattern): size for pattern, size in sizes.items()}
        kept = open_record_tables.patterns_safe_to_count(named)
        return frozenset(pattern for pattern in sizes if str(pattern) in kept)

    def table(self, questions: Questions, chosen: NDArray[np.bool_]) -> Integers:
        design = self.design.mined
        shape = [design.questions[index].codes + bool(design.questions[index].show_if) for index in questions]
        rows = self.states[list(questions)][:, chosen]
        cells = np.ravel_multi_index(tuple(np.minimum(rows, np.array(shape)[:, None] - 1)), shape)
        return np.bincount(cells, minlength=prod(shape)).astype(np.int64).reshape(shape)


@dataclass(frozen=True)
class RandomStudy:
    """`parameters`: of the run of each publication, the last one after finishing where `finishes`. `earlier`: the
    design that it repeats."""

    part: str
    records: Records
    parameters: tuple[Parameters, ...]
    finishes: bool
    margins: str = ""
    model: dict[str, Any] = field(default_factory=dict)
    earlier: Design | None = None

    @property
    def design(self) -> Design:
        return self.records.design

    @property
    def stage_count(self) -> int:
        return len(self.parameters) - self.finishes

    @property
    def publications(self) -> list[tuple[int, bool]]:
        """The last stage of each, and whether it uses open records."""
        uses_open = self.design.has_group_open
        told = [(stage, False) for stage in range(self.stage_count)]
        return [*told, (self.stage_count - 1, uses_open)] if self.finishes else told


def random_study(seed: int) -> RandomStudy:
    rng = np.random.default_rng(seed)
    part = PARTS[seed % len(PARTS)]
    design = random_design(part, rng)
    earlier = None
    if part == "wave":
        earlier = design
        design = parse_design(json.dumps({**json.loads(design.canonical), "follows": design.fingerprint}))
    least_open = 0.5 if part == "arms" else float(rng.choice([0.05, 0.2]))
    sizes = [int(rng.integers(150, 300)), *([int(rng.integers(20, 120))] if rng.random() < 0.5 else [])]
    drawn_people = [people(design, n, least_open, rng) for n in sizes]
    group = np.concatenate([groups for groups, _codes in drawn_people])
    codes = np.concatenate([sent for _groups, sent in drawn_people], axis=1).astype(np.uint16)
    records = Records(design, group.astype(np.uint8), codes, np.repeat(np.arange(len(sizes)), sizes))
    finishes = part == "arms" or bool(rng.random() < 0.5)
    absences = bool(rng.random() < 0.25)
    parameters = tuple(
        Parameters(float(rng.choice([0.05, 0.1])), 0.2, absences=absences, max_size=size)
        for size in [int(rng.choice([2, 3])), *([2] * (len(sizes) - 1 + finishes))]
    )
    first = [choice.name for choice in design.questions[0].choices]
    margins = "p0,share\n" + "".join(f"{name},{1 / len(first)}\n" for name in first)
    margins = margins if part == "weights" else ""
    model = {"item": "s0=yes", "on": ["p1"]} if part == "model" else {}
    return RandomStudy(part, records, parameters, finishes, margins, model, earlier)


def random_design(part: str, rng: np.random.Generator) -> Design:
    """Three plain questions with rare classes, one perhaps behind another; a section of two questions, one perhaps
    behind a rule, and the part."""
    many = [int(rng.integers(2, 4 + (number == 0))) for number in range(3)]
    choices = [[f"c{code}" for code in range(of)] for of in many]
    asked: list[dict[str, Any]] = [{"name": f"p{at}", "choices": of} for at, of in enumerate(choices)]
    some = choices[0][: int(rng.integers(1, many[0]))]
    rule = {"show_if": {"p0": some}}
    if rng.random() < 0.4:
        asked[2] |= rule
    ruled = rule if rng.random() < 0.4 else {}
    control = [{"name": "moon", "choices": ["no", "yes"], "known": "0.0000"}] if part == "arms" else []
    turned = [drawn_question("version", *HALF)] if part == "crosswise" else []
    rest: dict[str, list[dict[str, Any]]] = {
        "two sections": [sensitive("0.8", question("t0", "0.4", "0.6", **ruled))],
        "rotating": [sensitive("0.8", *(question(f"t{number}", *HALF) for number in range(3)), asked=2)],
        "classes": [classes("n", "0.7", 0, 2, 4, 7, **ruled)],
        "window": [window("n", 7, 1, "0.4", **ruled)],
        "place": [any_place(rng, choices[0])],
        "subset": [subset(5, 2, "0.7", **ruled)],
        "crosswise": [crosswise("x", "0.2500", secret=IN_MARCH, turned=NOT_IN_MARCH, turned_by="version")],
        "arms": [sensitive("0.7", question("mars", *HALF, known="0.0000"))],
        "understanding": [UNDERSTOOD],
    }
    sections = [
        plain(*asked, *control, *turned),
        sensitive("0.7", question("s0", *HALF), question("s1", *HALF, **ruled)),
        *rest.get(part, []),
    ]
    arms = {"open_answers": False, "direct": "0.5"} if part == "arms" else {"open_answers": True}
    more = {"understanding": True} if part == "understanding" else {}
    said = {"format": "candor-design/1", "least": 40, "title": {"en": f"Study of {part}"}, **arms, **more}
    return parse_design(json.dumps({**said, "sections": sections}))


Documents = dict[str, bytes]
PAGES = ("", "study", "numbers", "places", "groups", "itemsets", "models", "files", "study/waves.csv")
FILES = ("json", "csv", "excel", "parquet", "geojson")
RULE = re.compile(r"/app/reports/\d+/rules/\d+")
ANSWER = re.compile(rb"\d{3}\n[A-Z]")
"""How an answer begins, with its status and its headers."""
NO_RULE, FIRST_WAVE = 100_000, 7


@contextmanager
def same_clock_and_secrets() -> Iterator[None]:
    """Random draws repeat, and no time passes, so that what differs differs by the records."""
    random = Random(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: NOW)
        patch.setattr("django.utils.cache.time", SimpleNamespace(time=NOW.timestamp))
        patch.setattr(secrets, "choice", random.choice)
        patch.setattr(secrets, "token_hex", lambda n=16: random.randbytes(n).hex())
        patch.setattr(secrets, "token_urlsafe", lambda n=16: random.randbytes(n).hex())
        patch.setattr(secrets, "token_bytes", lambda n=32: random.randbytes(n))
        yield


class Undone(Exception):
    """Ends a transaction whose rows are not needed any more."""


@contextmanager
def taken_back() -> Iterator[None]:
    """What is stored is not kept, so that ids are the same each time."""
    cache.clear()
    with same_clock_and_secrets(), suppress(Undone), transaction.atomic():
        yield
        raise Undone


def documents(study: RandomStudy, records: Records, **wanted: Any) -> Documents:
    with taken_back():
        return publish_study(study, records, **wanted)


def publish_study(
    study: RandomStudy,
    records: Records,
    *,
    languages: Sequence[str] = SHIPPED,
    every_door: bool = True,
    own: Sequence[str] = (),
    most_rules: int | None = None,
) -> Documents:
    """Each report.json, and all of the last report; not of `every_door`: files of JSON and CSV, the list of rules, the
    public page, and the pages `own` alone. `most_rules`: whose pages are read, None: all that the list names."""
    owner, reviewer = with_role(RESEARCHERS, "owner"), with_role(REVIEWERS, "reviewer")
    viewer = unsaved_person("viewer")
    if study.earlier:
        first = Study(owner, reviewer, study.earlier)
        first.add_viewer(viewer)
        first.seal(*people(study.earlier, 200, 0.1, np.random.default_rng(FIRST_WAVE)))
        first.publish(first.mine(Parameters(0.1, 0.2, max_size=1)))
    lived = Study(owner, reviewer, study.design)
    lived.add_viewer(viewer)
    reader = signed_in(viewer)
    margins = None
    if study.margins:
        margins = Margins.objects.create(survey=lived.survey, name="Census", csv=study.margins)
    made: Documents = {}
    last: Run | None = None
    for number, parameters in enumerate(study.parameters):
        if number < study.stage_count:
            chosen = records.stage == number
            lived.seal(records.group[chosen], records.codes[:, chosen])
        else:
            lived.finish()
        run = run_start.start_mining_run(lived.survey, owner, parameters, NOW, margins, mlxtend="never")
        sealed.work(run)
        report_state_changes.create_reviews_of_finished_runs(NOW)
        try:
            if study.model:
                decide_model(run, study.model, owner, reviewer)
            lived.publish(run)
        except NotAllowed as refusal:
            made[f"{run}, refused.txt"] = str(refusal).encode()
        else:
            last = run
            made[f"{run}, report.json"] = content_of(reader.get(f"/app/reports/{run.pk}/files/json"))
    if last is None:
        return made
    review = Review.objects.with_surveys().get(run=last)
    public_page_switch.open_page(review, owner, NOW)
    review.refresh_from_db()
    here, kinds = f"/app/reports/{review.pk}/", FILES if every_door else FILES[:2]
    made |= {f"file {kind}": answer_of(reader, f"{here}files/{kind}") for kind in kinds}
    made |= {f"own page {name}": answer_of(reader, here + name) for name in own}
    made["page rules"] = answer_of(reader, f"{here}rules")
    for language in languages:
        address = f"/public/{review.public_token}"
        made[f"public page {language}"] = answer_of(Client(), f"{address}?lang={language}")
        made[f"card {language}"] = answer_of(Client(), f"{address}/card.png?lang={language}")
        if every_door:
            made[f"paper {language}"] = answer_of(reader, f"{here}print?lang={language}")
    if every_door:
        made |= pages(reader, review, most_rules) | deposit_report(owner, review)
        made |= answers_to_programs(viewer, last) | messages(viewer, review)
    return made


def decide_model(run: Run, specification: Mapping[str, Any], owner: Person, reviewer: Person) -> None:
    job = regression_job.start_model_job(run, owner, specification, NOW)
    sealed.perform_one(job)
    model = Model.objects.filter(job=job).first()
    if model:
        verdict = judging.Verdict.REJECT if model.problem else judging.Verdict.ACCEPT
        judging.decide_model(Review.objects.get(run=run), reviewer, model, verdict, "", NOW)


def signed_in(person: Person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def pages(reader: Client, review: Review, most_rules: int | None) -> Documents:
    """With the pages of rules that the list names and of one that is none, the pictures, and lists of runs."""
    here, report = f"/app/reports/{review.pk}/", ReportPage(review, whole=False)
    made = {f"page {name or 'shares'}": answer_of(reader, here + name) for name in PAGES}
    rules = RULE.findall(answer_of(reader, f"{here}rules").decode())
    for number, address in enumerate([*[*dict.fromkeys(rules)][:most_rules], f"{here}rules/{NO_RULE}"], 1):
        made[f"page of rule {number}"] = answer_of(reader, address)
    drawn = [f"pictures/{name}" for name in named_pictures.picture_makers(report)]
    drawn += [f"maps/{name}" for name in maps.map_makers(shown_places(report))]
    files = [f"{name}.{kind}" for name in drawn for kind in ("svg", "csv")]
    made |= {name: answer_of(reader, here + name) for name in files}
    return made | {
        "page of the run": answer_of(reader, f"/app/runs/{review.pk}"),
        "list of runs": answer_of(reader, f"/app/surveys/{review.survey.pk}/runs"),
        "list of reports": answer_of(reader, "/app/reports/"),
    }


def deposit_report(owner: Person, review: Review) -> Documents:
    """With the codebooks."""
    depositor, address = signed_in(owner), f"/app/reports/{review.pk}/deposit"
    form, sent = answer_of(depositor, address), content_of(depositor.post(address, FORM))
    return {"form of the deposit": form, "deposit": sent}


def answers_to_programs(person: Person, run: Run) -> Documents:
    _token, secret = tokens.create_token(person, "Nightly report", tuple(Scope), NOW + timedelta(days=1), NOW)
    program, survey = Client(headers={"Authorization": f"Bearer {secret}"}), f"surveys/{run.survey_id}"
    addresses = "reports", f"reports/{run.pk}", f"runs/{run.pk}", survey, f"{survey}/runs", f"{survey}/counts"
    return {f"api {address}": answer_of(program, f"/api/1/{address}") for address in addresses}


def messages(person: Person, review: Review) -> Documents:
    """What webhooks and e-mails say of all events."""
    made: Documents = {}
    of = {"person": person, "address": "https://example.org/", "events": [*EventKind], "created": NOW}
    webhook = Webhook.objects.create(secret=outbox.new_webhook_secret(), **of)
    for event in Event.objects.order_by("pk"):
        delivery = outbox.new_delivery(event, webhook, NOW)
        delivery.save()
        if letter := outbox.build_request_or_drop(delivery, NOW):
            _delivery, headers, body = letter
            made[f"webhook {event.kind}"] = json.dumps(headers).encode() + body
    for recipient in report_emails.report_readers(review.survey):
        letter_to = report_emails.build_email("published", review, recipient, "https://example.org/")
        made[f"email to {recipient.username}"] = letter_to.message().as_bytes().partition(b"\n\n")[2]
    return made


def answer_of(client: Client, address: str) -> bytes:
    """Status, headers and content; of a redirect where it leads."""
    answer = client.get(address)
    headers = "".join(f"{name}: {value}\n" for name, value in sorted(answer.headers.items()))
    content = content_of(answer)
    head = f"{answer.status_code}\n{headers}\n".encode()
    return content if answer.status_code == 200 and is_archive(content) else head + content


def content_of(answer: HttpResponseBase) -> bytes:
    assert answer.status_code < 500, answer.status_code
    return b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]


def is_archive(data: bytes) -> bool:
    return data[:2] == b"PK"


# --- where they differ -------------------------------------------------------------------------------------


def differences(first: Any, second: Any, name: str = "") -> Iterator[str]:
    """Each member that differs, by its place: document, file of a zip, path in JSON, line or cell, and both values."""
    if first == second:
        return
    if isinstance(first, dict) and isinstance(second, dict):
        for key in dict.fromkeys([*first, *second]):
            if key not in first or key not in second:
                yield f"{name}/{key}: only in the {'first' if key in first else 'second'}"
            else:
                yield from differences(first[key], second[key], f"{name}/{key}")
    elif isinstance(first, list) and isinstance(second, list):
        if len(first) != len(second):
            yield f"{name}: {len(first)} and {len(second)} entries"
        for number, (left, right) in enumerate(zip(first, second, strict=False)):
            yield from differences(left, right, f"{name}[{number}]")
    elif isinstance(first, bytes) and isinstance(second, bytes):
        yield from differences_of_bytes(first, second, name)
    else:
        yield f"{name}: {first!r:.80} and {second!r:.80}"


def differences_of_bytes(first: bytes, second: bytes, name: str) -> Iterator[str]:
    left, right = (parts_of(data) for data in (first, second))
    if type(left) is type(right) and not isinstance(left, bytes) and left != right:
        yield from differences(left, right, name)
    else:
        yield f"{name}: {len(first)} and {len(second)} bytes"


def parts_of(data: bytes) -> Any:
    """Of an answer its head and its content; the members of an archive, the values of JSON, the cells of a table, or
    the lines of a text."""
    if ANSWER.match(data):
        head, _blank, content = data.partition(b"\n\n")
        return {"headers": head.decode().splitlines(), "content": content}
    if is_archive(data):
        archive = zipfile.ZipFile(io.BytesIO(data))
        return {member: archive.read(member) for member in archive.namelist()}
    if data[:4] == b"PAR1":
        return json.loads(pd.read_parquet(io.BytesIO(data)).to_json(orient="columns"))
    with suppress(ValueError):
        return json.loads(data)
    with suppress(UnicodeDecodeError):
        return data.decode().splitlines()
    return data
