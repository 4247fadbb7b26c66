"""What a report says of the check by mlxtend, and what a difference stops."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from mining.engines.comparison import Difference
from mining.report.json_codec import dump
from reports.models import Publication, Review
from reports.review import public_page_switch, publishing
from runs import mlxtend_check
from runs.mlxtend_check import CheckResult
from runs.models import EngineCheck, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.deposits.filled import FORM, files_of
from tests.reports import made
from tests.reports.conftest import Letters
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
Capture = Callable[..., Any]
EQUAL = CheckResult(1_000, False, 4, 3, 0, "0.25.0", 0.4)
SUPPORT = replace(EQUAL, difference=Difference((made.THEFT,), (), 0.25, 0.5))
UNPUBLISHED = replace(EQUAL, difference=Difference((made.CASH,), (), 0.25, 0.5))
DOUBT = "mlxtend 0.25 finds something else than Candor, so one of them is wrong."


def check(run: Run, result: CheckResult) -> EngineCheck:
    return EngineCheck.objects.create(run=run, state="done", created=NOW, finished=NOW, result=dump(result))


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def public_page(review: Review, owner: Person, language: str = "en") -> str:
    if review.public_token is None:
        public_page_switch.open_page(review, owner, NOW)
    review.refresh_from_db()
    return page(Client(), f"/public/{review.public_token}?lang={language}")


def test_a_report_waits_for_no_check(published: Review, owner: Person, signed_in_as: As) -> None:
    assert "Not yet checked by mlxtend." in page(signed_in_as(owner), f"/app/reports/{published.pk}/")
    assert "Not yet checked by mlxtend." in public_page(published, owner)


def test_a_reviewer_reads_the_counts_of_the_run(review: Review, reviewer: Person, signed_in_as: As) -> None:
    check(review.run, EQUAL)
    said = "mlxtend 0.25’s apriori and association_rules found the same 4 itemsets and 3 rules."
    assert said in page(signed_in_as(reviewer), reverse("admin:reports_review_shares", args=[review.pk]))


def test_readers_read_the_counts_of_what_is_published(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    check(published.run, EQUAL)
    content = Publication.objects.get().content
    assert (len(content["itemsets"]), len(Publication.objects.get().rules)) == (3, 1)
    said = "mlxtend 0.25’s apriori and association_rules found the same 3 itemsets and 1 rule."
    assert said in page(signed_in_as(owner), f"/app/reports/{published.pk}/")
    assert said in public_page(published, owner)
    chinese = "mlxtend 0.25 的 apriori 和 association_rules 找到了相同的 3 个项集和 1 条规则。"
    assert chinese in public_page(published, owner, "zh-hans")


def test_the_deposit_says_it_too(published: Review, owner: Person, signed_in_as: As) -> None:
    check(published.run, replace(EQUAL, sample=True))
    files = files_of(signed_in_as(owner).post(f"/app/reports/{published.pk}/deposit", FORM))
    said = "- Checked: Mined by mlxtend 0.25 too: equal on a sample of 1,000 records."
    assert said in files["README.md"].decode()


def test_a_difference_that_is_found_before_stops_the_publication(review: Review, reviewer: Person) -> None:
    check(review.run, SUPPORT)
    with pytest.raises(NotAllowed, match=r"^mlxtend finds something else than Candor in the same records"):
        publishing.publish(review, reviewer, [], "", NOW)
    assert not Publication.objects.exists()
    # A later check of all records, after somebody has found out why, counts.
    check(review.run, EQUAL)
    publishing.publish(review, reviewer, [], "", NOW)
    assert Publication.objects.exists()


@pytest.mark.parametrize(
    ("result", "row"), [(SUPPORT, "theft=yes, 0.25 by Candor and 0.5 by mlxtend."), (UNPUBLISHED, "")]
)
def test_one_that_is_found_later_marks_the_report_and_is_told_its_owner(
    published: Review,
    owner: Person,
    signed_in_as: As,
    letters: Letters,
    django_capture_on_commit_callbacks: Capture,
    result: CheckResult,
    row: str,
) -> None:
    job = EngineCheck.objects.create(run=published.run, state="done", created=NOW, finished=NOW)
    before = len(letters())
    with django_capture_on_commit_callbacks(execute=True):
        mlxtend_check.store_result(job, result)
    (letter,) = letters()[before:]
    assert letter.to == [owner.email]
    assert letter.subject == "A published report is in doubt: Work & health"
    assert "finds something else than Candor: one of them is wrong." in letter.body
    # No number of the run that is not published is for its owner.
    assert ("0.25" in letter.body) == bool(row)
    assert row in letter.body
    assert DOUBT in page(signed_in_as(owner), f"/app/reports/{published.pk}/")
    assert f"<strong>{DOUBT}</strong>" in public_page(published, owner)


def test_one_of_a_report_that_waits_is_told_nobody_by_mail(
    review: Review, letters: Letters, django_capture_on_commit_callbacks: Capture
) -> None:
    job = EngineCheck.objects.create(run=review.run, state="done", created=NOW, finished=NOW)
    before = len(letters())
    with django_capture_on_commit_callbacks(execute=True):
        mlxtend_check.store_result(job, SUPPORT)
    assert len(letters()) == before
