"""The report of a survey that asks numbers, in a real browser: simulated, mined, published and read."""

import csv
import io
import json
import re
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser.conftest import Visit, fits_a_phone, somebody
from tests.browser.profiles import Profiles
from tests.browser.roads import another_language
from tests.browser.test_reports import desk, drawings, look, run
from tests.product import Product
from tests.reports.made_numbers import DEBT, INCOME, MOOD, OVERTIME

pytestmark = pytest.mark.browser

CHOICES = {
    "age": ("How old are you?", ("18 to 39", "40 to 59", "60 or older")),
    "works": ("Do you work?", ("No", "Yes")),
}


def draft() -> dict[str, object]:
    plain = [
        {
            "name": name,
            "text": {"en": text},
            "form": "one",
            "choices": [
                {"name": f"{label.lower().replace(' ', '-')}", "label": {"en": label}} for label in labels
            ],
        }
        for name, (text, labels) in CHOICES.items()
    ]
    debt, overtime, mood, income = (
        {**of, "text": {"en": text}, "unit": {"en": unit}}
        for of, text, unit in (
            (DEBT, "How much do you owe?", "euros"),
            (OVERTIME, "Overtime last week", "hours"),
            (MOOD, "How are you, from 1 to 5?", "points"),
            (INCOME, "What do you earn in a month?", "euros"),
        )
    )
    said = {key: {"en": key} for key in ("asker", "why", "intro", "consent")}
    return {
        "format": "candor-design/1",
        "title": {"en": "Money"},
        "languages": ["en"],
        "contact": "robin@example.org",
        **said,
        "open_answers": True,
        "rehearsal": True,
        "least": 100,
        "minutes": 3,
        "expected": 4000,
        "retention": "2099-12-31",
        "sections": [
            {"kind": "plain", "questions": plain},
            {"kind": "number", "keep": "0.6", "keep_rest": "0.6", "questions": [debt]},
            {"kind": "number", "keep": "0.6", "questions": [overtime]},
            {"kind": "number", "keep": "0.6", "questions": [mood]},
            {"kind": "number", "questions": [{**income, "uniform": "0.5"}]},
        ],
    }


ANSWER = """
import json
from django.utils import timezone
from accounts.models import Person
from surveys.lifecycle import opening
from intake.rehearsal import simulating
from surveys.models import Survey
robin = Person.objects.get(username="demo-researcher")
survey = Survey.objects.create(owner=robin, draft=json.loads({draft!r}))
opening.open_now(survey, robin, timezone.now())
simulating.simulate(survey, 4000, seed=4)
print(survey.pk)
"""


@pytest.fixture(scope="module")
def survey(product: Product) -> str:
    """A rehearsal, which 4,000 simulated respondents have answered through the intake."""
    script = ANSWER.replace("{draft!r}", repr(json.dumps(draft())))
    return servers.manage(product.env, "shell", "--verbosity=0", "-c", script).strip()


@pytest.fixture(scope="module")
def report(product: Product, profiles: Profiles, survey: str) -> int:
    """One test publishes it, which changes nothing on the pages of a reviewer's desk that the others read."""
    with somebody(profiles, product, "researcher") as robin:
        return run(robin, survey)


PICTURES = 3
"""Of the one distribution everybody, by age and by work."""


def test_numbers_are_reviewed_published_read_and_taken_away(visit: Visit, report: int) -> None:
    ruth, robin = visit("reviewer"), visit("researcher")
    page = ruth.go(desk(report, "report"))
    expect(page.get_by_text("500 euros or more").first).to_be_visible()
    expect(page.get_by_text("debt=>=500")).to_have_count(0)
    fits_a_phone(ruth.page)
    page.get_by_role("link", name="Numbers", exact=True).click()
    expect(page.get_by_role("heading", name="Sensitive numbers")).to_be_visible()
    page.get_by_role("link", name="Publish", exact=True).click()
    expect(page.get_by_text("What is said of sensitive numbers is published").last).to_be_visible()
    ruth.shoot("reports-numbers-publish")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast")).to_contain_text("Published.")
    page = robin.go(f"/reports/{report}/numbers")
    drawings(page, PICTURES)
    robin.shoot("reports-numbers")
    expect(page.get_by_text(re.compile(r"The average lies between [\d,]+ and [\d,]+ euros"))).to_be_visible()
    assert taken_along(page) == {"debt", "overtime", "mood", "income"}


def taken_along(page: Page) -> set[str]:
    """The names of the numbers in the zip of CSV files."""
    page.goto(re.sub(r"/numbers$", "/files", page.url))
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    with ZipFile(download.value.path()) as files:
        text = files.read("numbers.csv").decode()
    return {row["question"] for row in csv.DictReader(io.StringIO(text))}


def test_the_page_of_numbers_is_accessible_and_each_picture_has_its_numbers_as_a_table(
    visit: Visit, report: int
) -> None:
    page = look(visit("reviewer"), desk(report, "numbers"), "numbers-desk", PICTURES)
    for heading in ("How much do you owe?", "Overtime last week", "What do you earn in a month?"):
        expect(page.get_by_role("heading", name=re.compile(f"^{re.escape(heading)}"))).to_be_visible()
    for words in ("Nothing can be said of everybody", "No band: too few records"):
        expect(page.get_by_text(words)).to_have_count(0)
    # The truth of a rehearsal stands beside the estimates.
    expect(page.get_by_text(re.compile(r"The true average \(simulated\): [\d,]+ euros"))).to_be_visible()
    titles = [figure.locator("h3").inner_text() for figure in page.locator("figure").all()]
    assert len(set(titles)) == PICTURES
    for figure, title in zip(page.locator("figure").all(), titles, strict=True):
        expect(figure.get_by_role("img")).to_have_accessible_name(title)
        figure.locator("summary").click()
        expect(figure.get_by_role("region", name=title)).to_be_visible()
    expect(page.get_by_role("columnheader", name="Truth").first).to_be_visible()


def test_shares_by_group_name_thresholds_in_words(visit: Visit, report: int) -> None:
    ruth = visit("reviewer")
    page = ruth.go(desk(report, "groups"))
    expect(page.get_by_text("500 euros or more").first).to_be_visible()
    expect(page.get_by_text("debt=>=500")).to_have_count(0)
    fits_a_phone(ruth.page)
    ruth.shoot("reports-numbers-groups")


def test_without_a_script_the_tables_say_it_all(visit: Visit, report: int) -> None:
    page = visit("reviewer", java_script_enabled=False).go(desk(report, "numbers"))
    expect(page.locator("noscript .notice")).to_be_visible()
    page.get_by_text("The numbers as a table").first.click()
    expect(page.locator("figure table").first).to_be_visible()


def test_numbers_are_read_in_chinese(visit: Visit, report: int) -> None:
    visitor = visit("reviewer")
    visitor.go("/limits").click("button[name=language][value=zh-hans]")
    page = visitor.go(desk(report, "numbers"))
    drawings(page, PICTURES)
    expect(page.get_by_text("平均值在").first).to_be_visible()
    another_language(page)
    visitor.shoot("reports-numbers-chinese")
