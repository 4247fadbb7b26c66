"""A report: reviewed, decided on, published, read, taken away and withdrawn."""

import io
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Visit, open_visitor
from tests.browser.test_runs import start
from tests.browser.visiting import Profiles, Visitor, desk, download, fits_a_phone, open_fold, shell
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
ANSWER = """
from intake.rehearsal import respondent_simulation
from tests.surveys.drafts import WORK_HEALTH_HONESTY
survey = opened(draft=json.loads(WORK_HEALTH_HONESTY.read_text()))
respondent_simulation.simulate(survey, 4000, seed=4)
print(survey.pk)
"""


@pytest.fixture(scope="session")
def survey(product: Product) -> str:
    """One of work, health and honesty, which 4,000 simulated respondents have answered through the intake."""
    return shell(product, ANSWER)


def run(robin: Visitor, survey: str) -> int:
    """Started with the button; the number of its report, which waits."""
    page = robin.go(f"/app/surveys/{survey}/runs")
    number = start(page, min_support="15", min_confidence="50")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    robin.go("/app/reports/")
    return number


@pytest.fixture(scope="session")
def waiting_report_run(product: Product, profiles: Profiles, survey: str) -> int:
    """One that no test decides on."""
    with open_visitor(profiles, product, "researcher") as robin:
        return run(robin, survey)


def wait_for_report(ruth: Visitor, report: int, page: str) -> Page:
    """A finished run gets its report at the next tick of the worker."""
    address = ruth.product.url + desk(report, page)

    def is_there() -> bool:
        response = ruth.page.goto(address)
        return response is not None and response.ok

    servers.wait(is_there, "the report of the run")
    return ruth.page


def drawings(page: Page, count: int) -> Locator:
    """All pictures of a page."""
    found = page.locator("figure.drawn:has(svg.plot)")
    expect(found).to_have_count(count)
    return found


def visit_and_check_drawings(visitor: Visitor, path: str, pictures: int = 0) -> Page:
    page = visitor.go(path)
    drawings(page, pictures)
    visitor.check()
    drawings(page, pictures)
    return page


# --- a reviewer's way and a researcher's ----------------------------------------------------------------


def accept_two(ruth: Visitor) -> None:
    """By ticking them; a change of the filter exchanges the list."""
    page = ruth.go(urlsplit(ruth.page.url).path + "?association=any")
    for box in page.locator("input[name=rule]").all()[:2]:
        box.check()
    many = page.locator("#many")
    many.get_by_label("Accept").check()
    page.fill("textarea[name=note]", "Plausible, and clear of chance.")
    many.get_by_role("button", name="Save decision").click()
    expect(page.locator(".toast")).to_contain_text("Decision saved for 2 rules.")
    open_fold(page, "Filter")
    page.select_option("select[name=verdict]", "accept")
    page.wait_for_url(re.compile("verdict=accept"))
    expect(page.get_by_role("button", name="Accept", pressed=True)).to_have_count(2)
    page.select_option("select[name=item]", label="I am employed")
    page.wait_for_url(re.compile(r"item=\d"))
    page.select_option("select[name=verdict]", "reject")
    page.wait_for_url(re.compile("verdict=reject"))
    expect(page.get_by_role("heading", name="No rule matches")).to_be_visible()
    ruth.check()


def test_a_report_is_decided_on_published_and_withdrawn(ruth: Visitor, robin: Visitor, survey: str) -> None:
    report = run(robin, survey)
    page = visit_and_check_drawings(robin, f"/app/reports/{report}/")
    # Whoever rehearses a survey reads its report before the reviewer.
    expect(page.get_by_text("Nobody has published it.")).to_be_visible()

    page = ruth.go_and_check("/app/reports/")
    link = page.locator(f'main a[href^="{desk(report, "")}"]')
    expect(link).to_have_accessible_name(re.compile(r"Review it Work, health and honesty, Run \d+"))
    link.click()
    page.wait_for_url("**/rules")
    page.get_by_role("link", name="Combinations (itemsets)", exact=True).click()
    expect(page.get_by_text("Not published.")).to_be_visible()
    page.get_by_role("link", name="Rules", exact=True).click()
    page.wait_for_url("**/rules")
    accept_two(ruth)
    page.get_by_role("link", name="Publish", exact=True).click()
    expect(page.get_by_text("Some rules are undecided")).to_be_visible()
    ruth.check()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast")).to_contain_text("Published.")

    page = visit_and_check_drawings(robin, f"/app/reports/{report}/")
    page = visit_and_check_drawings(robin, f"/app/reports/{report}/rules")
    expect(page.locator("#rules [role=status]")).to_have_text("2 rules")
    visit_and_check_drawings(robin, f"/app/reports/{report}/itemsets", 2)
    page = visit_and_check_drawings(robin, f"/app/reports/{report}/files")
    book = load_workbook(io.BytesIO(download(page.get_by_role("link", name="Excel")).read_bytes()))
    assert book["Data rules"].max_row == 3

    page = ruth.go(desk(report, "withdraw"))
    page.get_by_role("button", name="Withdraw it").click()
    expect(page.locator(".error-summary")).to_be_focused()
    ruth.check()
    page.fill("textarea[name=reason]", "Forged records were found.")
    page.get_by_role("button", name="Withdraw it").click()
    expect(page.locator(".toast")).to_contain_text("Withdrawn.")
    visit_and_check_drawings(ruth, desk(report, "publish"))
    page = visit_and_check_drawings(robin, f"/app/reports/{report}/")
    expect(page.get_by_text("Forged records were found.")).to_be_visible()
    page = robin.go(f"/app/surveys/{survey}/history")
    expect(page.get_by_role("row", name="withdrew a report")).to_be_visible()


# --- a reviewer's desk ----------------------------------------------------------------------------------


def test_shares_by_group_and_many_itemsets_fit_a_phone(ruth: Visitor, waiting_report_run: int) -> None:
    visit_and_check_drawings(ruth, desk(waiting_report_run, "groups"))
    page = ruth.go(desk(waiting_report_run, "itemsets"))
    expect(page.locator("main tbody tr").nth(40)).to_be_visible()  # how many there are is up to the coins
    fits_a_phone(ruth.page)


def test_open_tab_is_visible_on_a_phone(ruth: Visitor, waiting_report_run: int) -> None:
    page = ruth.go_and_check("/app/admin/reports/review/", within="body")
    link = page.locator(f'a[href^="{desk(waiting_report_run, "")}"]')
    expect(link).to_have_accessible_name(re.compile(r"Run \d+"))
    link.click()
    expect(page.locator("[data-left]")).to_contain_text("left to decide")
    # The phone is turned.
    for width in (600, 390):
        page.set_viewport_size({"width": width, "height": 844})
        if width == 600:
            ruth.go(desk(waiting_report_run, "publish"))
        tabs = page.locator(".tabs")
        tabs.scroll_into_view_if_needed()  # what stands above them may fill a phone
        expect(tabs.get_by_role("link", name="Publish")).to_be_in_viewport(ratio=0.9)


def test_filter_replaces_the_list_and_keeps_the_focus(visit: Visit, waiting_report_run: int) -> None:
    page = visit("reviewer").go(desk(waiting_report_run, "rules?association=any"))
    page.evaluate("window.same = true")
    open_fold(page, "Filter")
    heights = "all => new Set(all.map(label => label.getBoundingClientRect().height)).size"
    assert page.locator(".filter label").evaluate_all(heights) == 1
    status = page.locator("#rules > [role=status]")
    before = status.inner_text()
    # By keys: `fill` says by itself that the field has changed, and a second list would come later.
    page.locator("input[name=lift]").press_sequentially("2")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("lift=2"))
    expect(status).not_to_have_text(before)
    expect(page.locator("input[name=lift]")).to_be_focused()
    page.select_option("select[name=association]", "none")
    page.wait_for_url(re.compile("association=none"))
    assert "lift=2" in page.url
    assert page.evaluate("window.same")


def test_charts_are_accessible_named_tabled_and_printed(visit: Visit, waiting_report_run: int) -> None:
    page = visit_and_check_drawings(visit("reviewer"), desk(waiting_report_run, "itemsets"), 2)
    expect(page.locator("td.heat").first).to_be_visible()
    widths = page.locator(".table").evaluate_all("all => all.map(one => one.scrollWidth)")
    assert max(widths) <= 1168, widths
    for figure in page.locator("figure").all():
        picture = figure.get_by_role("img")
        title = figure.locator("h3").inner_text()
        expect(picture).to_have_accessible_name(title)
        expect(picture).to_have_accessible_description(re.compile(r"\w{3,}"))
        expect(figure.get_by_role("region", name=title)).to_be_hidden()
        figure.locator("summary").click()
        expect(figure.get_by_role("region", name=title)).to_be_visible()
    assert_fits_paper(page)
    expect(page.locator("figure .buttons").first).to_be_hidden()
    expect(page.locator("figure svg").first).to_be_visible()


def assert_fits_paper(page: Page) -> None:
    """As wide as paper."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") <= 680


def test_intervals_keep_their_width_on_paper(visit: Visit, waiting_report_run: int) -> None:
    page = visit("reviewer").go(desk(waiting_report_run, "report"))
    assert_fits_paper(page)
    pictures = page.locator(".shares td.pic .iv:visible")
    assert min(pictures.evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")) >= 128
    axis = page.locator(".shares thead .iv").first.locator("text")
    edges = axis.evaluate_all("all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])")
    assert len(edges) > 1
    assert all(end < start for (_left, end), (start, _right) in pairwise(edges))


def test_chart_follows_the_theme_and_is_downloaded_in_the_light_one(
    visit: Visit, waiting_report_run: int
) -> None:
    page = visit("reviewer").go(desk(waiting_report_run, "itemsets"))
    drawings(page, 2)
    dot = "getComputedStyle(document.querySelector('figure svg .dot')).fill"
    colours = []
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        colours.append(page.evaluate(dot))
    assert colours == ["rgb(21, 35, 59)", "rgb(239, 233, 219)"]
    figure = page.locator("figure").first
    svg = save_figure(figure, "SVG").decode()
    assert svg.startswith("<svg")
    assert "var(" not in svg
    assert 'id="stipple"' in svg
    assert "<title>Margin of error by probability of sending the true answers (p)</title>" in svg
    assert save_figure(figure, "CSV").decode().startswith("of,keep,half_width\n")


def save_figure(figure: Locator, name: str) -> bytes:
    with figure.page.expect_download() as download:
        figure.get_by_role("link", name=re.compile(f"^{name}")).click()
    assert download.value.suggested_filename.endswith(f".{name.lower()}")
    return Path(download.value.path()).read_bytes()


def test_a_report_is_read_in_chinese(ruth: Visitor, waiting_report_run: int) -> None:
    page = ruth.go(desk(waiting_report_run, "itemsets"))
    page.click("button[name=language][value=zh-hans]")
    drawings(page, 2)
    expect(page.locator("main p").get_by_text("工作、健康与诚实", exact=True)).to_be_visible()
    figure = page.locator("figure").first
    expect(figure.get_by_role("img").locator(".axis").first).to_contain_text("误差")
    assert "误差" in save_figure(figure, "SVG").decode()
    ruth.check()
    page.click("button[name=language][value=en]")
