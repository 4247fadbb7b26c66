"""The pages *Study* and *Models* of a report and *Models* of a run: for everybody, at every size, in both languages."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser.building import tab_to
from tests.browser.conftest import Visit, somebody
from tests.browser.profiles import Profiles
from tests.browser.roads import another_language, walk
from tests.browser.test_reports import desk, reported
from tests.browser.test_runs import start
from tests.product import Product

pytestmark = pytest.mark.browser

STUDY = """
from accounts.models import Person
from tests.runs import studied
robin = Person.objects.get(username="demo-researcher")
print(studied.survey(robin, studied.design(plan=studied.PLAN), [1500, 1000]).pk)
"""
CUT_OFF = """() => [...document.querySelectorAll("main table")].filter(table => table.checkVisibility())
    .filter(table => { const frame = table.closest("[role=region]") ?? table.parentElement;
        return frame.scrollWidth > frame.clientWidth + 1; })
    .map(table => table.closest("[aria-label]")?.getAttribute("aria-label"))"""
UNDER_LABEL = """() => [...document.querySelectorAll("main [data-label] > span:only-child")]
    .filter(span => span.checkVisibility())
    .filter(span => span.getBoundingClientRect().top > span.parentElement.getBoundingClientRect().top + 8)
    .map(span => span.textContent.trim())"""


@dataclass(frozen=True)
class StudyReport:
    run: str
    number: int


@pytest.fixture(scope="module")
def study(product: Product, profiles: Profiles) -> StudyReport:
    """A run with one model, which no test decides on."""
    survey = servers.manage(product.env, "shell", "--verbosity=0", "-c", STUDY).strip()
    with somebody(profiles, product, "researcher") as robin:
        page = robin.go(f"/surveys/{survey}/runs")
        start(page, min_support="10", min_confidence="50")
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
        page.get_by_role("link", name="Models", exact=True).click()
        specify(page)
        found = re.search(r"(/runs/(\d+)/models)", page.url)
    assert found
    study = StudyReport(found[1], int(found[2]))
    with somebody(profiles, product, "reviewer") as ruth:
        reported(ruth, study.number, "models")
    return study


def specify(page: Page) -> None:
    page.locator("select[name=item]").select_option("theft=yes")
    for covariate in ("age", "arm"):
        page.locator(f"select[name=covariate_{covariate}]").select_option("categories")
    page.get_by_role("button", name="Estimate the model").click()
    expect(page.get_by_text("A reviewer reads its numbers first")).to_be_visible()


def fits(page: Page) -> None:
    """No table is cut off on a phone, and no value stands below its own name."""
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT_OFF) == []
        assert page.evaluate(UNDER_LABEL) == []
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("tab", ["study", "models"])
def test_a_page_of_the_report_holds_in_both_themes_and_languages_at_every_size(
    visit: Visit, study: StudyReport, tab: str
) -> None:
    ruth = visit("reviewer")
    page = ruth.go(desk(study.number, tab))
    page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")
    walk(ruth, f"study-{tab}")
    fits(page)
    page.click("button[name=language][value=zh-hans]")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    another_language(page)
    ruth.shoot(f"study-{tab}-chinese")
    fits(page)


def test_models_of_a_run_hold_in_both_languages(visit: Visit, study: StudyReport) -> None:
    robin = visit("researcher")
    page = robin.go(study.run)
    page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")
    walk(robin, "study-run-models")
    page.click("button[name=language][value=zh-hans]")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    another_language(page)
    robin.shoot("study-run-models-chinese")


def test_a_model_is_decided_on_with_the_keyboard_alone(visit: Visit, study: StudyReport) -> None:
    page = visit("reviewer").go(desk(study.number, "models"))
    tab_to(page, page.get_by_role("radio", name="Accept"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    tab_to(page, page.get_by_role("button", name="Save decision"))
    page.keyboard.press("Enter")
    expect(page.locator("#model-1 .badge")).to_have_text("needs more data")


def test_a_hypothesis_that_cannot_be_computed_says_why(visit: Visit, study: StudyReport) -> None:
    page = visit("reviewer").go(desk(study.number, "study"))
    row = page.get_by_role("region", name="The plan").locator("tbody tr").last
    expect(row).to_contain_text("cannot be computed, counts as p = 1")
    expect(row).to_contain_text("'age' is not drawn from two choices")
