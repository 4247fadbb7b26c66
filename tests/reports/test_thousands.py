"""No page shows a number of a thousand or more without separators."""

import json
import re
from html import unescape

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import Person
from runs.models import Run
from surveys.models import Survey
from tests.kept_rows import kept_row
from tests.reports import made
from tests.reports.paged import PAGES, desk, reader
from tests.runs.sealed import seal

MANY = 12_345
HIDDEN = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)
OF_SURVEY = [
    "",
    "settings",
    "history",
    "invitations",
    "runs",
    "runs/forecast",
    "rehearse",
    "records",
    "export",
]


@pytest.fixture
def many(owner: Person) -> Run:
    """12,345 records, as many per batch, and as many of everything else."""

    def make() -> Run:
        survey = made.survey(owner)
        Survey.objects.filter(pk=survey.pk).update(cap=MANY, invitations_made=MANY, invitations_sent=MANY)
        seal(survey, MANY)
        run = made.run(survey)
        found = json.loads(re.sub(r"\b1000\b", str(MANY), json.dumps(run.findings)))
        Run.objects.filter(pk=run.pk).update(findings=found, records=MANY)
        return Run.objects.get(pk=run.pk)

    return kept_row(("many of everything",), make)


def words(page: str) -> str:
    return unescape(HIDDEN.sub(" ", page))


def bare(page: str) -> list[str]:
    return re.findall(rf".{{0,60}}\b{MANY}\b.{{0,60}}", words(page))


@pytest.mark.at_push(1)
@pytest.mark.page
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_pages_of_a_survey_separate_thousands(many: Run, language: str, reading: Client) -> None:
    reading.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    pages = {page: reading.get(f"/app/surveys/{many.survey_id}/{page}") for page in OF_SURVEY}
    said = {page: answer.content.decode() for page, answer in pages.items() if answer.status_code == 200}
    assert {page: found for page, text in said.items() if (found := bare(text))} == {}
    assert len(said) > 6
    assert "12,345" in words(said[""])


@pytest.mark.page
def test_the_pages_of_a_report_separate_thousands(
    many: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    review = made.waiting(many)
    pages = ["report", *(page for page in PAGES[1:] if "." not in page), "publish"]
    said = {page: judging.get(desk(page)).content.decode() for page in pages}
    made.publish(review, reviewer, ["age"], 1)
    read = reading
    said |= {f"read {page}": read.get(reader(page)).content.decode() for page in PAGES if "." not in page}
    said["run"] = read.get(f"/app/runs/{many.pk}/").content.decode()
    assert {page: found for page, text in said.items() if (found := bare(text))} == {}
    assert "12,345" in words(said["report"])
