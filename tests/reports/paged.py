"""Where a report's pages are, and what they say without their markup."""

import json
import re
from typing import Any

from django.test import Client

from accounts.models import Person
from reports.models import Decision, Review
from reports.review import rule_decisions
from reports.review.rule_decisions import rules_with_verdicts
from tests.surveys.conftest import NOW

PAGES = ["", "groups", "itemsets", "rules", "rules/1", "pictures/error-keep.svg", "pictures/error-keep.csv"]
PUBLISHED = [*PAGES, "files", "files/json", "files/csv", "files/excel", "files/parquet", "print", "print.pdf"]
WHOLE = ["report", *PAGES[1:], "publish", "withdraw"]
POSTS = [
    "rules/decide",
    "rules/1/decide",
    "rules/1/judge",
    "rules/1/undo",
    "publish",
    "withdraw",
    "backtest",
    "front-test",
]


def reader(page: str, of: Review | None = None) -> str:
    """Of the one report that there is, if no other is named."""
    return f"/app/reports/{(of or Review.objects.get()).pk}/{page}"


def desk(page: str, of: Review | None = None) -> str:
    """Where a reviewer works."""
    return f"/app/admin/reports/review/{(of or Review.objects.get()).pk}/{page}"


def accept(review: Review, reviewer: Person, *numbers: int) -> None:
    rules = rules_with_verdicts(review.run).filter(place__in=[number - 1 for number in numbers])
    rule_decisions.decide_rules(review, reviewer, rules, Decision.Verdict.ACCEPT, "", NOW)


def shown(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return words(answer)


def words(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


BY_SCRIPT: Any = {"headers": {"HX-Request": "true", "Accept": "application/json"}}


class Desk:
    """A reviewer's pages of one report."""

    def __init__(self, client: Client, review: Review) -> None:
        self.client, self.review = client, review

    def address(self, page: str) -> str:
        return desk(page, self.review)

    def page(self, page: str = "rules") -> str:
        return self.client.get(self.address(page)).content.decode()

    def post(self, page: str, **data: Any) -> str:
        answer = self.client.post(self.address(page), data, follow=True)
        assert answer.status_code == 200
        return str(answer.content.decode())

    def listed(self, query: str = "") -> list[int]:
        return [int(number) for number in re.findall(r'data-rule="(\d+)"', self.page(f"rules{query}"))]

    def judge(self, page: str, **data: Any) -> tuple[int, dict[str, Any]]:
        """As the script does it: the status and the answer."""
        answer = self.client.post(self.address(page), data, **BY_SCRIPT)
        return answer.status_code, json.loads(answer.content)

    @property
    def verdicts(self) -> list[str | None]:
        return list(rules_with_verdicts(self.review.run).order_by("place").values_list("verdict", flat=True))
