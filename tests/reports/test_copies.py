"""What a report says of copied records, and of the check by mlxtend, and what a difference stops."""

import json
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Person
from mining.engines.row_comparison import Difference
from mining.json_codec import node_to_json
from reports.models import Publication, Review
from reports.review import public_page_switch, read_published_content, report_state_changes
from runs import copied_record_detection, mlxtend_check, row_check
from runs.mlxtend_check import CheckResult
from runs.mlxtend_check_sentence import CheckStatus
from runs.models import EngineCheck, Run
from runs.row_check import RowCheck
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.deposits.conftest import FORM, files_of
from tests.reports import made
from tests.reports.conftest import PUBLISHED, Sent, desk_page, page_text, reader
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def store_copy_count(review: Review, copies: int | None, disguised: int = 800) -> None:
    Run.objects.filter(pk=review.run_id).update(copies=copies, disguised=disguised)


def test_page_without_copies_states_what_the_check_excludes(
    published_review: Review, reading: Client, judging: Client
) -> None:
    store_copy_count(published_review, None)
    assert "identical than the disguise explains" not in page_text(judging, desk_page("report"))
    store_copy_count(published_review, 0)
    for text in (page_text(reading, reader("")), page_text(judging, desk_page("report"))):
        assert "explains. Some of them can still be copies. Invitation links prevent this" in text
        assert "Some answers look forged" not in text


def test_invitation_survey_is_not_advised_to_invite(published_review: Review) -> None:
    run = published_review.run
    run.survey.invited = True
    for run.copies in (0, 80):
        text = copied_record_detection.copies_sentence(run)
        assert "than the disguise explains" in text
        assert "Invitation links prevent this" not in text


WARNING = (
    "More disguised answers are identical than the disguise explains, so someone has probably sent copies. If they "
    "still arrive, pause the survey."
)
SENTENCES = {
    80: f"At least 10 % of the disguised answers are copies. {WARNING}",
    87: f"At least 10 % of the disguised answers are copies. {WARNING}",
    9: WARNING,
}


def test_the_whole_per_cent_is_told_and_no_number_below_ten(
    published_review: Review, reading: Client, judging: Client
) -> None:
    run = published_review.run.get_absolute_url()
    doors = ((judging, desk_page("report")), (judging, run), (reading, reader("")))
    for copies, (client, address) in zip(SENTENCES, doors, strict=True):
        store_copy_count(published_review, copies)
        text = page_text(client, address)
        assert f"Some answers look forged {SENTENCES[copies]}" in text
        # Who may not see the numbers of a run sees no word of it.
        assert "forged" not in page_text(reading, run)
    # Of very many a few are less than one per cent.
    store_copy_count(published_review, 12, disguised=40_000)
    assert f"Some answers look forged {WARNING}" in page_text(reading, reader(""))


def test_copies_are_mentioned_on_no_other_page_or_file(published_review: Review, reading: Client) -> None:

    def all_other_pages_and_files() -> dict[str, str]:
        binary = ("files/csv", "files/excel", "files/parquet", "print.pdf")
        kept = [page for page in PUBLISHED[1:] if page not in binary]
        return {page: page_text(reading, reader(page)) for page in kept}

    store_copy_count(published_review, 0)
    before = all_other_pages_and_files()
    store_copy_count(published_review, 123)
    assert all_other_pages_and_files() == before


EQUAL = CheckResult(1_000, False, 4, 0, "0.25.0", 0.4)
SUPPORT = replace(EQUAL, difference=Difference((made.THEFT,), (), 0.25, 0.5))
UNPUBLISHED = replace(EQUAL, difference=Difference((made.CASH,), (), 0.25, 0.5))
DOUBT = "mlxtend 0.25 finds something else than Candor, so one of them is wrong."


OVER = {"state": "done", "created": NOW, "finished": NOW}


def check(run: Run, result: CheckResult) -> EngineCheck:
    """With rows that are as they were compared."""
    digests = row_check.column_digests(*row_check.stored_columns(run))
    rows = RowCheck("0.25.0", 1_000, 4, 3, 0, 1, 0.4, (), digests)
    Run.objects.filter(pk=run.pk).update(row_check=node_to_json(rows))
    return EngineCheck.objects.create(run=run, **OVER, result=node_to_json(result))


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def public_page(review: Review, owner: Person, language: str = "en") -> str:
    if review.public_token is None:
        public_page_switch.open_page(review, owner, NOW)
    review.refresh_from_db()
    return page(Client(), f"/public/{review.public_token}?lang={language}")


def test_readers_read_the_counts(
    published_review: Review, owner: Person, reading: Client, judging: Client
) -> None:
    # A report waits for no check.
    for text in (page(reading, reader("")), public_page(published_review, owner)):
        assert "Not yet checked by mlxtend." in text
    check(published_review.run, EQUAL)
    publication = Publication.objects.get()
    assert (len(publication.content["itemsets"]), len(publication.rules)) == (3, 1)
    same = "equal means over all records and what mlxtend 0.25’s association_rules makes of these."
    search = "mlxtend’s apriori lists the same itemsets of all records."
    for text in (page(reading, reader("")), public_page(published_review, owner)):
        assert text.count(f"The numbers of 3 itemsets and 1 rule {same} {search}") == 1
        assert "confidence is above 100 %" not in text
    assert "3 个项集和 1 条规则的数字等于全部记录的平均值" in public_page(published_review, owner, "zh-hans")
    report = page(judging, reverse("admin:reports_review_shares", args=[published_review.pk]))
    assert (
        f"The numbers of 4 itemsets and 3 rules {same} {search} 1 confidence is above 100 %, by noise."
        in report
    )
    # What a check costs tells how many itemsets were candidates, and so does the size of an affordable sample.
    too_long, sample = (
        "The search was not checked by mlxtend: that would take",
        "The search was checked on a sample of",
    )
    desk = reverse("admin:reports_review_shares", args=[published_review.pk])
    for costly, said, said_to_reviewers in (
        (replace(EQUAL, minutes=37), f"{too_long} too long.", f"{too_long} about 37 min."),
        (replace(EQUAL, sample=True), f"{sample} the records.", f"{sample} 1,000 records."),
    ):
        check(published_review.run, costly)
        for text in (page(reading, reader("")), public_page(published_review, owner)):
            assert said in text
        assert said_to_reviewers in page(judging, desk)


def test_a_page_reads_the_last_result_once(published_review: Review, reading: Client) -> None:
    """And whether another check is on its way, for the button."""
    check(published_review.run, EQUAL)
    with CaptureQueriesContext(connection) as queries:
        page(reading, reader(""))
    assert sum('FROM "runs_enginecheck"' in query["sql"] for query in queries) == 2


def test_deposit_states_that_the_numbers_were_checked(
    published_review: Review, owner: Person, signed_in_as: As
) -> None:
    check(published_review.run, replace(EQUAL, sample=True))
    files = files_of(signed_in_as(owner).post(f"/app/reports/{published_review.pk}/deposit", FORM))
    said = "- Checked: The numbers of all itemsets and rules equal means over all records"
    (line,) = (line for line in files["README.md"].decode().splitlines() if line.startswith(said))
    assert "The search was checked on a sample of the records." in line
    assert json.loads(files["report.json"])["check"]["state"] == "sample"


CHECK = "Check again"
PAGES = ("", "itemsets", "rules", "files")


def test_report_pages_state_the_check_with_a_button(
    published_review: Review,
    owner: Person,
    viewer: Person,
    reading: Client,
    judging: Client,
    signed_in_as: As,
) -> None:
    check(published_review.run, EQUAL)
    desk = [
        reverse(f"admin:reports_review_{name}", args=[published_review.pk])
        for name in ("itemsets", "rules", "publish")
    ]
    pages = [(reading, reader(name)) for name in PAGES] + [(judging, address) for address in desk]
    for client, address in pages:
        text = page(client, address)
        assert "<strong>Checked.</strong>" in text, (address, text[text.find('class="check') :][:400])
        assert f'action="/app/runs/{published_review.pk}/check"' in text, address
    # Whoever may not have it checked is offered no button, and is refused.
    assert CHECK not in page(signed_in_as(viewer), reader("rules"))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runs_rule SET lift = 9.99")
    for client, address in pages:
        assert "<strong>Changed since it was checked.</strong>" in page(client, address), address
    assert judging.post(f"/app/runs/{published_review.pk}/check").status_code == 302
    assert EngineCheck.objects.filter(run=published_review.run, always=True, state="queued").count() == 1


def test_nothing_is_published_of_rows_that_changed_since(review: Review, reviewer: Person) -> None:
    check(review.run, EQUAL)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runs_rule SET lift_low = 9.0")
    with pytest.raises(NotAllowed, match="have changed since they were checked"):
        report_state_changes.publish(review, reviewer, [], "", NOW)


def test_a_publication_that_is_not_as_its_rows_is_said_to_have_changed(published_review: Review) -> None:
    check(published_review.run, EQUAL)
    itemsets, rules = row_check.stored_columns(published_review.run)
    assert not read_published_content.is_changed(published_review, itemsets, rules)
    other = {**rules, "lift": [9.99 for _lift in rules["lift"]]}
    assert read_published_content.is_changed(published_review, itemsets, other)
    assert read_published_content.is_changed(
        published_review, {**itemsets, "items": [" 0 "] * len(itemsets["items"])}, rules
    )


def test_a_difference_that_is_found_before_stops_the_publication(review: Review, reviewer: Person) -> None:
    check(review.run, SUPPORT)
    # One that waits or failed says nothing yet.
    for other in (
        {},
        {"state": "queued", "created": NOW},
        OVER | {"state": "cancelled"},
        OVER | {"state": "failed"},
    ):
        if other:
            EngineCheck.objects.create(run=review.run, **other)
        with pytest.raises(
            NotAllowed, match=r"^mlxtend finds something else than Candor in the same records"
        ):
            report_state_changes.publish(review, reviewer, [], "", NOW)
        run = Run.objects.get(pk=review.run_id)
        assert CheckStatus(run).sentence(None) == DOUBT
    assert not Publication.objects.exists()
    # A later check of all records, after somebody has found out why, counts.
    check(review.run, EQUAL)
    report_state_changes.publish(review, reviewer, [], "", NOW)
    assert Publication.objects.exists()


@pytest.mark.parametrize(
    ("result", "row"), [(SUPPORT, "theft=yes, 0.25 by Candor and 0.5 by mlxtend."), (UNPUBLISHED, "")]
)
def test_difference_found_later_marks_the_report_and_tells_its_owner(
    published_review: Review,
    owner: Person,
    signed_in_as: As,
    emails_sent_by: Sent,
    result: CheckResult,
    row: str,
) -> None:
    job = EngineCheck.objects.create(run=published_review.run, **OVER)
    (letter,) = emails_sent_by(lambda: mlxtend_check.store_result(job, result, None))
    assert letter.to == [owner.email]
    assert letter.subject == "A published report is in doubt: Work & health"
    assert "finds something else than Candor: one of them is wrong." in letter.body
    # No number of the run that is not published is for its owner.
    assert ("0.25" in letter.body) == bool(row)
    assert row in letter.body
    assert DOUBT in page(signed_in_as(owner), f"/app/reports/{published_review.pk}/")
    assert f"<strong>{DOUBT}</strong>" in public_page(published_review, owner)


def test_difference_in_a_waiting_report_is_mailed_to_nobody(review: Review, emails_sent_by: Sent) -> None:
    job = EngineCheck.objects.create(run=review.run, **OVER)
    assert emails_sent_by(lambda: mlxtend_check.store_result(job, SUPPORT, None)) == []
