"""The fixed cast around one survey with one run that is done; a report's pages and files, as other programs read them.

Where its pages are, what they say without their markup, and what a reviewer does at the desk.
"""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any
from zipfile import ZipFile

import pytest
from django.core import mail as outgoing
from django.core.mail import EmailMessage
from django.test import Client
from openpyxl import Workbook, load_workbook
from pyarrow import Table, parquet

from accounts import mail
from accounts.models import Person
from reports.models import Decision, Review
from reports.review import public_page_switch as links, rule_decisions
from reports.review.rule_decisions import rules_with_verdicts
from runs.models import Run
from surveys.models import Survey
from tests.cast import (
    cast,
    client,
    db,
    judging,
    make_once,
    owner,
    partial,
    reading,
    reviewer,
    signed_in_as,
    stranger,
    superuser,
    viewer,
)
from tests.jobs.conftest import broker
from tests.reports import made
from tests.runs.conftest import folder
from tests.runs.sealed import group_tests_once
from tests.surveys.conftest import NOW

__all__ = ["broker", "cast", "client", "db", "folder", "group_tests_once", "judging", "owner", "partial"]
__all__ += ["reading", "reviewer", "signed_in_as", "stranger", "superuser", "viewer"]

Letters = Callable[[], list[EmailMessage]]
Sent = Callable[[Callable[[], object]], list[EmailMessage]]
SITE = "https://candor.example.org"


# --- pages ---


PAGES = ["", "groups", "itemsets", "rules", "rules/1", "pictures/error-keep.svg", "pictures/error-keep.csv"]
PUBLISHED = [*PAGES, "files", "files/json", "files/csv", "files/excel", "files/parquet", "print", "print.pdf"]
WHOLE = ["report", *PAGES[1:], "publish", "withdraw"]
POSTS = [f"rules/{page}" for page in ("decide", "1/decide", "1/judge", "1/undo")]
POSTS += ["publish", "withdraw", "front-test"]
BY_SCRIPT: Any = {"headers": {"HX-Request": "true", "Accept": "application/json"}}


def reader(page: str, of: Review | None = None) -> str:
    """Of the one report that there is, if no other is named."""
    return f"/app/reports/{(of or Review.objects.get()).pk}/{page}"


def desk_page(page: str, of: Review | None = None) -> str:
    """Where a reviewer works."""
    return f"/app/admin/reports/review/{(of or Review.objects.get()).pk}/{page}"


def accept(review: Review, reviewer: Person, *numbers: int) -> None:
    decide(review, reviewer, Decision.Verdict.ACCEPT, *numbers)


def decide(
    review: Review, person: Person, verdict: str, *numbers: int, note: str = "", direction: str = ""
) -> int:
    rules = rules_with_verdicts(review.run).filter(place__in=[number - 1 for number in numbers])
    told = Decision.Verdict(verdict)
    return rule_decisions.decide_rules(review, person, rules, told, note, NOW, direction)


def page_text(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return words(answer)


def words(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def answers(client: Client, pages: list[str], address: Any = reader, **post: Any) -> dict[str, int]:
    """Each page's status, to a GET or, where there is something to post, to a POST."""
    return {
        page: (client.post(address(page), post) if post else client.get(address(page))).status_code
        for page in pages
    }


def all_say(status: int, found: dict[str, int]) -> bool:
    return set(found.values()) == {status}


class Desk:
    """A reviewer's pages of one report."""

    def __init__(self, client: Client, review: Review) -> None:
        self.client, self.review = client, review

    def address(self, page: str) -> str:
        return desk_page(page, self.review)

    def page(self, page: str = "rules") -> str:
        return self.client.get(self.address(page)).content.decode()

    def post(self, page: str, **data: Any) -> str:
        answer = self.client.post(self.address(page), data, follow=True)
        assert answer.status_code == 200
        return str(answer.content.decode())

    def listed_rule_numbers(self, query: str = "") -> list[int]:
        return [int(number) for number in re.findall(r'data-rule="(\d+)"', self.page(f"rules{query}"))]

    def judge(self, page: str, **data: Any) -> tuple[int, dict[str, Any]]:
        """As the script does it: the status and the answer."""
        answer = self.client.post(self.address(page), data, **BY_SCRIPT)
        return answer.status_code, json.loads(answer.content)

    @property
    def verdicts(self) -> list[str | None]:
        return list(rules_with_verdicts(self.review.run).order_by("place").values_list("verdict", flat=True))


# --- files, read back by other programs ---


def fetch_file(client: Client, kind: str, of: Review | None = None) -> bytes:
    answer = client.get(reader(f"files/{kind}", of))
    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    return bytes(answer.content)


def bundle(client: Client, kind: str, of: Review | None = None) -> ZipFile:
    return ZipFile(io.BytesIO(fetch_file(client, kind, of)))


def from_json(client: Client, of: Review | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(fetch_file(client, "json", of))
    return found


def from_csv(client: Client, table: str, of: Review | None = None) -> list[dict[str, Any]]:
    text = bundle(client, "csv", of).read(f"{table}.csv").decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def workbook(client: Client, of: Review | None = None) -> Workbook:
    return load_workbook(io.BytesIO(fetch_file(client, "excel", of)))


def from_excel(client: Client, table: str, of: Review | None = None) -> list[dict[str, Any]]:
    names, *rows = workbook(client, of)[f"Data {table}"].iter_rows(values_only=True)
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def parquet_table(client: Client, table: str, of: Review | None = None) -> Table:
    return parquet.read_table(io.BytesIO(bundle(client, "parquet", of).read(f"{table}.parquet")))


def from_parquet(client: Client, table: str, of: Review | None = None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet_table(client, table, of).to_pylist()
    return rows


READERS = (from_csv, from_excel, from_parquet)


# --- fixtures ---


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made.survey(owner, title={"en": "Work & health", "zh-hans": "工作与健康"})


@pytest.fixture
def run(survey: Survey) -> Run:
    return made.run(survey)


@pytest.fixture
def review(run: Run) -> Review:
    """It waits."""
    return made.waiting_review(run)


@pytest.fixture
def desk(review: Review, judging: Client) -> Desk:
    return Desk(judging, review)


@pytest.fixture
def published_review(review: Review, reviewer: Person) -> Review:
    """With rule 1 and the shares within the classes of age."""
    made.publish(review, reviewer, ["age"], 1)
    return review


@pytest.fixture
def of_owner(review: Review, reviewer: Person, reading: Client) -> Client:
    """The owner, who may read the report and its shares within the classes of age."""
    made.publish(review, reviewer, ["age"])
    return reading


@pytest.fixture
def shared_review(published_review: Review, owner: Person) -> Review:
    """Its public page is open."""

    def make() -> Review:
        links.open_page(published_review, owner, NOW)
        published_review.refresh_from_db()
        return published_review

    return make_once(
        ("shared",), make, lambda _first: Review.objects.with_surveys().get(pk=published_review.pk)
    )


@pytest.fixture
def sent_emails() -> Letters:
    """What has been sent so far, once the post office has nothing left to do."""

    def read() -> list[EmailMessage]:
        mail.mail_thread.submit(int).result()
        return list(outgoing.outbox)

    return read


@pytest.fixture
def emails_sent_by(sent_emails: Letters, django_capture_on_commit_callbacks: Any) -> Sent:
    """What is sent when this is done."""

    def emails_sent_while(act: Callable[[], object]) -> list[EmailMessage]:
        before = len(sent_emails())
        with django_capture_on_commit_callbacks(execute=True):
            act()
        return sent_emails()[before:]

    return emails_sent_while
