"""Who prepares a deposit, what the form asks, and what leaves without an approval of the records."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import History, Person
from deposits.views import _abstract_text
from intake.disclosure.models import Disclosure
from intake.hosted import check_page
from privacy.designs import Design
from releases.models import Release, Source
from reports.models import Review
from reports.review import public_page_switch
from surveys.lifecycle import reviewer_approvals
from surveys.models import PageFolder
from tests.cast import As
from tests.deposits.conftest import FORM, bytes_of, files_in, files_of
from tests.privacy.questionnaires import HALF, UNDERSTOOD, design, drawn_question, plain, question, sensitive
from tests.reports import made_nodes
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.page, pytest.mark.django_db]


def address(report: Review) -> str:
    return f"/app/reports/{report.pk}/deposit"


def test_only_the_owner_prepares_a_deposit(
    published_review: Review,
    owner: Person,
    viewer: Person,
    reviewer: Person,
    stranger: Person,
    signed_in_as: As,
) -> None:
    for person, status in ((owner, 200), (viewer, 403), (reviewer, 403)):
        client = signed_in_as(person)
        assert client.get(address(published_review)).status_code == status
        assert status == 200 or client.post(address(published_review), FORM).status_code == status
        has_link = address(published_review) in client.get(f"/app/reports/{published_review.pk}/files").text
        assert has_link is (person == owner)
    assert signed_in_as(owner).put(address(published_review)).status_code == 405
    assert signed_in_as(stranger).get(address(published_review)).status_code == 404
    answer = Client().get(address(published_review))
    assert answer.status_code == 302
    assert answer["Location"].startswith("/app/account/sign-in?next=")


def test_abstract_counts_questions_like_the_respondent_pages() -> None:
    """Not those that the device answers, and not the check of understanding."""
    asked = design(
        plain({"name": "age", "choices": ["young", "old"]}, drawn_question("version", "0.5", "0.5")),
        sensitive("0.8", question("theft", *HALF)),
        UNDERSTOOD,
        understanding=True,
    )
    report = made_nodes.page_about(asked, rehearsal=True)
    assert "4,100 records, 2 questions. Made with Candor. It is a rehearsal" in _abstract_text(report)
    # No space stands between two sentences in Chinese.
    with translation.override("zh-hans"):
        assert "。 " not in _abstract_text(report)


def test_unpublished_report_is_not_deposited(
    published_review: Review, owner: Person, signed_in_as: As
) -> None:
    Review.objects.update(state="withdrawn")
    assert signed_in_as(owner).post(address(published_review), FORM).status_code == 403


def test_records_are_not_deposited_without_an_approval(
    published_review: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    assert "a reviewer has not approved that record files leave" in client.get(address(published_review)).text
    reviewer_approvals.request_approval(
        published_review.survey, owner, "records", published_review.survey.design_id or "", "to share", NOW
    )
    before = Disclosure.objects.count()
    files = files_of(client.post(address(published_review), FORM | {"records": "on"}))
    assert "records.csv" not in files
    assert Disclosure.objects.count() == before
    assert "They are not in this deposit" in files["README.md"].decode()
    assert "The records are not here" in files["codebook.md"].decode()
    assert b"The records are not in this deposit" in files["codebook.xml"]


def test_deposit_of_records_needs_its_own_approval(
    published_review: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    survey, client, judge = published_review.survey, signed_in_as(owner), signed_in_as(reviewer)
    fingerprint = survey.design_id or ""
    reviewer_approvals.decide_approval(
        survey, reviewer, "records", fingerprint, allow=True, reason="", now=NOW
    )
    page = client.get(address(published_review)).text
    assert "a reviewer has not approved that they are published" in page
    assert "records.csv" not in files_of(client.post(address(published_review), FORM | {"records": "on"}))
    ask = reverse("surveys:ask", args=[survey.pk]) + "?matter=deposit"
    assert ask in page
    assert "to everybody in the world, for good" in client.get(ask).text
    client.post(ask, {"reason": "The journal wants it."})
    decide = reverse("surveys:review", args=[survey.pk]) + "?matter=deposit"
    assert decide in judge.get(reverse("surveys:queue")).text
    assert "May its records be published to the world?" in judge.get(decide).text
    given = {"matter": "records", "fingerprint": fingerprint, "allow": "yes"}
    assert "was changed while you read it" in judge.post(decide, given).text
    assert not survey.may(owner, "deposit")
    assert judge.post(decide, given | {"matter": "deposit"}).status_code == 302
    assert survey.may(owner, "deposit")
    assert 'name="records"' in client.get(address(published_review)).text


def test_where_a_host_served_the_page_its_deposit_compares_that_page_too(
    published_review: Review, owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in_as(owner)
    assert "check_page.py" not in files_of(client.post(address(published_review), FORM))
    monkeypatch.setattr(Design, "host", property(lambda _design: "https://ethics.example.edu"))
    PageFolder.objects.create(
        survey=published_review.run.survey, sums_sha256="5e" * 32, content=b"", frozen=NOW
    )
    files = files_of(client.post(address(published_review), FORM))
    assert files["check_page.py"] == Path(check_page.__file__).read_bytes()
    said = f"compares the page at https://ethics.example.edu with the SHA-256 of its SHA256SUMS, {'5e' * 32}"
    assert said in files["README.md"].decode()


def test_deposit_has_its_files_and_the_public_page_their_digest(
    published_review: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    public_page_switch.open_page(published_review, owner, NOW)
    published_review.refresh_from_db()
    page = reverse("public:page", args=[published_review.public_token])
    assert "SHA256SUMS" not in Client().get(page).text
    first = client.post(address(published_review), FORM)
    assert first["Content-Disposition"] == 'attachment; filename="work-health-deposit-1.zip"'
    content = bytes_of(first)
    assert bytes_of(client.post(address(published_review), FORM)) == content
    files = files_in(content)
    assert {
        *("README.md", "CITATION.cff", "datacite.json", "design.json", "report.json", "codebook.xml"),
        *("codebook.md", "analysis.R", "analysis.py", "check.py", "Makefile", "tables/shares.csv"),
        *("check.R", "r/R/shares.R", "r/DESCRIPTION", "library.zip", "requirements.txt"),
    } <= set(files)
    digests = [sha256(files["SHA256SUMS"]).hexdigest()]
    sums = files.pop("SHA256SUMS").decode()
    assert sums == "".join(f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    assert sha256(files["design.json"]).hexdigest() == json.loads(files["report.json"])["fingerprint"]
    other = files_of(client.post(address(published_review), FORM | {"title": "Work and health"}))
    digests.append(sha256(other["SHA256SUMS"]).hexdigest())
    assert History.objects.filter(what="deposits.downloaded", who=owner).count() == 3
    assert not History.objects.filter(note__contains="olga@example.org").exists()
    text = Client().get(page).text
    assert [text.count(digest) for digest in digests] == [1, 1]
    assert text.index(digests[1]) < text.index(digests[0])  # the last one first
    assert "SHA-256 ihrer Listen SHA256SUMS" in Client().get(f"{page}?lang=de").text


def test_readme_names_tables_of_plain_answers() -> None:
    releases = [Release(pk=pk, source=Source(with_sensitive=pk == 2)) for pk in (1, 2)]
    text = render_to_string("deposits/README.txt", {"releases": releases})
    assert "- `releases/1/`: an anonymised table of the plain answers, with its own README\n" in text
    assert "- `releases/2/`: an anonymised table, with its own README\n" in text


def test_deposit_form_names_errors(published_review: Review, owner: Person, signed_in_as: As) -> None:
    for field, value, error in (
        ("title", "", "This field is required"),
        ("creators", "Owner, Olga; 0000-0002-1825-0098", "Check the digits"),
        ("contact", "olga", "valid email"),
        ("doi", "zenodo", "A DOI begins with 10."),
        ("licence", "none", "Select a valid choice"),
        ("language", "de", "Select a valid choice"),
        ("year", "20", "greater than or equal to 2000"),
    ):
        answer = signed_in_as(owner).post(address(published_review), FORM | {field: value})
        assert answer.status_code == 422, field
        page = answer.text
        assert error in page, field
        assert f'<a href="{published_review.get_absolute_url()}">' in page
