"""The reports of surveys that ask numbers and places, and of studies."""

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Visit, somebody
from tests.browser.test_reports import drawings, look, reported, run
from tests.browser.test_runs import start
from tests.browser.visiting import Profiles, Visitor, another_language, desk, fits_a_phone, tab_to, walk
from tests.product import Product
from tests.reports.made_numbers import DEBT, INCOME, MOOD, OVERTIME
from tests.runs import studied

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
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
opening.open_survey_now(survey, robin, timezone.now())
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
    page.get_by_text("All numbers, by group and as pictures").click()
    expect(page.get_by_role("heading", name="Sensitive numbers")).to_be_visible()
    page.get_by_role("link", name="Publish", exact=True).click()
    expect(page.get_by_text("What is said of sensitive numbers is published").last).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast")).to_contain_text("Published.")
    page = robin.go(f"/app/reports/{report}/numbers")
    drawings(page, PICTURES)
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
    page = look(visit("reviewer"), desk(report, "numbers"), PICTURES)
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


def test_without_a_script_pictures_are_drawn_and_their_tables_unfold(visit: Visit, report: int) -> None:
    page = visit("reviewer", java_script_enabled=False).go(desk(report, "numbers"))
    for figure in drawings(page, PICTURES).all():
        expect(figure.locator("svg.plot").first).to_be_visible()
        expect(figure.locator("table")).to_be_hidden()
        figure.get_by_text("The numbers as a table").click()
        expect(figure.locator("table")).to_be_visible()


def test_numbers_are_read_in_chinese(visit: Visit, report: int) -> None:
    visitor = visit("reviewer")
    visitor.go("/app/limits").click("button[name=language][value=zh-hans]")
    page = visitor.go(desk(report, "numbers"))
    drawings(page, PICTURES)
    expect(page.get_by_text("平均值在").first).to_be_visible()
    another_language(page)


# --- The report of a survey that asks a place, in a real browser

MADE = """
from reports.review import publishing
from reports.models import Review
from accounts.models import Person
from tests.reports import made_places
from tests.surveys.conftest import NOW
run = made_places.run(made_places.survey(Person.objects.get(username="demo-researcher")))
publishing.create_reviews_of_finished_runs(NOW)
print(f"report={Review.objects.get(run=run).pk}.")
"""
MAP = "svg.map[viewBox][role=img]"
MAPS = 5
"""Drawings of the page: shares, as received, the illustration, and a panel for each of two classes."""


def made_of_places(product: Product) -> int:
    """The number of a report that waits: of a run made by hand."""
    said = servers.manage(product.env, "shell", "--verbosity=0", "-c", MADE)
    found = re.search(r"report=(\d+)\.", said)  # a letter is printed too
    assert found, said
    return int(found[1])


@pytest.fixture(scope="module")
def waiting(product: Product) -> int:
    """One that no test decides on."""
    return made_of_places(product)


def look_at_maps(visitor: Visitor, path: str) -> Page:
    page = visitor.go(path)
    expect(page.locator(MAP)).to_have_count(MAPS)
    visitor.check()
    return page


def first_map(page: Page) -> tuple[Locator, Locator]:
    """The group that takes the keys, and its drawing."""
    figure = page.locator("figure[data-map]").first
    return figure.locator("[data-panels]"), figure.locator("svg[role=img]")


def width(drawing: Locator) -> float:
    return float((drawing.get_attribute("viewBox") or "").split()[2])


def left(drawing: Locator) -> float:
    return float((drawing.get_attribute("viewBox") or "").split()[0])


def test_maps_are_reviewed_published_read_taken_away_and_withdrawn(visit: Visit, product: Product) -> None:
    report = made_of_places(product)
    ruth, robin = visit("reviewer"), visit("researcher")
    page = ruth.go(desk(report, "report"))
    tabs = page.get_by_role("navigation", name="Report", exact=True)
    page.get_by_text("All maps, by group and as tables").click()
    expect(page.get_by_role("heading", name="Sensitive places")).to_be_visible()
    tabs.get_by_role("link", name="Publish").click()
    expect(page.get_by_text("The maps of sensitive places are published with them.")).to_be_visible()
    page.get_by_label("How old are you?").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast")).to_contain_text("Published.")

    page = robin.go(f"/app/reports/{report}/places")
    expect(page.locator(MAP)).to_have_count(MAPS)
    expect(page.get_by_role("region", name="Where do you live?", exact=True)).to_contain_text("The north")
    page.goto(re.sub(r"/places$", "/files", page.url))
    with page.expect_download() as download:
        page.get_by_role("link", name="GeoJSON").click()
    with ZipFile(download.value.path()) as files:
        regions = json.loads(files.read("1-home-regions.geojson"))["features"]
    assert [one["properties"]["name"] for one in regions] == ["north", "south", "elsewhere"]

    page = ruth.go(desk(report, "withdraw"))
    page.get_by_role("textbox").fill("The map was wrong.")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(".toast")).to_contain_text("Withdrawn.")
    answer = robin.page.goto(f"{product.url}/app/reports/{report}/places")
    assert answer
    assert answer.status == 403


def test_the_page_of_places_is_accessible_and_fits_a_phone_and_paper(visit: Visit, waiting: int) -> None:
    visitor = visit("reviewer")
    page = look_at_maps(visitor, desk(waiting, "places"))
    for name in ("Shares of regions", "Observed (disguised)", "Illustration"):
        drawing = page.get_by_role("img", name=f"{name} · Where do you live?", exact=True)
        expect(drawing).to_be_visible()
    enlarge = page.locator(".place-map").get_by_role("button", name=re.compile("^Enlarge"))
    expect(enlarge.first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_role("list", name="Legend").first).to_be_visible()
    expect(enlarge).to_have_count(0)
    sizes = page.locator(".table :is(th, td > div, strong, .beside)").evaluate_all(
        "all => all.map(e => getComputedStyle(e).fontSize)"
    )
    assert len(set(sizes)) == 1


def test_a_map_has_areas_with_lines_around_them_and_a_legend_below(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    _keys, drawing = first_map(page)
    regions = drawing.locator(".region")
    expect(regions).to_have_count(2)
    style = "e => [getComputedStyle(e).paintOrder, getComputedStyle(e).strokeWidth]"
    assert [one.evaluate(style) for one in regions.all()] == [["stroke", "4px"]] * 2
    boxes = (
        page.locator(".tint-legend")
        .first.locator("li")
        .evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
    )
    assert boxes[0] == boxes[1]
    box = drawing.bounding_box()
    assert box
    assert boxes[0] >= box["y"] + box["height"] + 12


def test_a_map_is_enlarged_and_moved_by_keys(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    keys, drawing = first_map(page)
    whole = width(drawing)
    keys.focus()
    page.keyboard.press("+")
    assert width(drawing) == pytest.approx(whole / 1.5)
    before = left(drawing)
    page.keyboard.press("ArrowRight")
    assert left(drawing) > before
    for _press in range(9):
        page.keyboard.press("ArrowRight")
    assert left(drawing) + width(drawing) == pytest.approx(whole)
    page.keyboard.press("0")
    assert (left(drawing), width(drawing)) == (0, whole)


def test_a_map_is_enlarged_by_controls_and_dragged(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    _keys, drawing = first_map(page)
    whole = width(drawing)
    figure = page.locator("figure[data-map]").first
    figure.get_by_role("button", name=re.compile("^Enlarge")).click()
    assert width(drawing) < whole
    drawing.scroll_into_view_if_needed()
    box, before = drawing.bounding_box(), left(drawing)
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 40, box["y"] + 50, steps=4)
    page.mouse.up()
    assert left(drawing) > before
    figure.get_by_role("button", name=re.compile("^Reduce")).click()
    assert (left(drawing), width(drawing)) == (0, whole)
    # All panels of a map show the same part.
    figure = page.locator("figure[data-map]").last
    expect(figure.locator("svg[role=img]")).to_have_count(2)
    figure.get_by_role("button", name=re.compile("^Enlarge")).click()
    one, other = (width(drawing) for drawing in figure.locator("svg[role=img]").all())
    assert one == other


def test_a_map_is_enlarged_where_somebody_points(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    _keys, drawing = first_map(page)
    whole = width(drawing)
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    assert box
    # A double click a quarter from the left leaves what lies there where it is.
    page.mouse.dblclick(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    assert width(drawing) == pytest.approx(whole / 1.5)
    assert left(drawing) + width(drawing) / 4 == pytest.approx(whole / 4)
    # A wheel alone scrolls the page; with Control it zooms.
    before, scrolled = width(drawing), page.evaluate("scrollY")
    page.mouse.wheel(0, 60)
    page.wait_for_function("before => scrollY !== before", arg=scrolled)
    assert width(drawing) == before
    page.keyboard.down("Control")
    page.mouse.wheel(0, 60)
    page.keyboard.up("Control")
    page.wait_for_function(
        "whole => document.querySelector('[data-panels] svg').viewBox.baseVal.width === whole", arg=whole
    )


def test_the_controls_lie_on_the_map_and_are_large_enough(visit: Visit, waiting: int) -> None:
    least = {"": 24, "phone": 44}
    for device, pixels in least.items():
        phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True} if device else {}
        page = visit("reviewer", **phone).go(desk(waiting, "places"))
        _keys, drawing = first_map(page)
        around = drawing.bounding_box()
        assert around
        for name in ("Enlarge", "Reduce"):
            control = page.get_by_role(
                "button", name=f"{name}: Shares of regions · Where do you live?", exact=True
            )
            box = control.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= pixels
            assert around["x"] <= box["x"] <= around["x"] + around["width"] - box["width"]
            assert around["y"] <= box["y"] <= around["y"] + around["height"] - box["height"]


def test_the_keys_of_a_map_are_said_where_they_work(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    keys, _drawing = first_map(page)
    said = page.locator(".map-keys").first
    expect(said).to_be_hidden()
    keys.press("Shift")
    expect(said).to_be_visible()


def test_without_a_script_maps_are_drawn_and_their_controls_are_not(visit: Visit, waiting: int) -> None:
    page = visit("reviewer", java_script_enabled=False).go(desk(waiting, "places"))
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Enlarge"))).to_have_count(0)
    page.get_by_text("The numbers as a table").first.click()
    expect(page.locator("figure table").first).to_be_visible()


def test_places_are_read_in_chinese(visit: Visit, waiting: int) -> None:
    visitor = visit("reviewer")
    page = visitor.go(desk(waiting, "places"))
    page.click("button[name=language][value=zh-hans]")
    expect(page.get_by_role("heading", name=re.compile("您住在哪里"), level=2)).to_be_visible()
    another_language(page)


# --- The pages *Study* and *Models* of a report and *Models* of a run

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
        page = robin.go(f"/app/surveys/{survey}/runs")
        start(page, min_support="10", min_confidence="50")
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
        page.get_by_role("link", name="Models", exact=True).click()
        specify(page)
        found = re.search(r"(/app/runs/(\d+)/models)", page.url)
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
    walk(ruth)
    fits(page)
    page.click("button[name=language][value=zh-hans]")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    another_language(page)
    fits(page)


def test_models_of_a_run_hold_in_both_languages(visit: Visit, study: StudyReport) -> None:
    robin = visit("researcher")
    page = robin.go(study.run)
    page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")
    walk(robin)
    page.click("button[name=language][value=zh-hans]")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    another_language(page)


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


# --- The report of a rehearsal with arms, control items, two versions and models, in a real bro

SHARES = [[1 - studied.YES[name], studied.YES[name]] for name in studied.YES]
ANSWER_STUDY = """
import json
from django.utils import timezone
from mining.parameters import Parameters
from reports.review import publishing
from runs import run_start
from accounts.models import Person
from privacy.designs import parse
from privacy.simulation.population import Independent, Population
from surveys.lifecycle import opening
from intake.rehearsal import simulating
from surveys.models import Survey
from tests import servers
from tests.runs import modelled, working
robin = Person.objects.get(username="demo-researcher")
design = parse({design!r})
draft = json.loads(design.canonical)
survey = Survey.objects.create(owner=robin, draft=draft, design=opening.store_design(design), state="open")
people = Population(Independent(tuple(map(tuple, {shares!r}))))
simulating.simulate(survey, 3000, population=people, seed=4)
run = working.work(run_start.start(survey, robin, Parameters(min_support=0.3, min_confidence=0.5), timezone.now()))
# The product's own worker may have been faster.
servers.wait(lambda: run.refresh_from_db() or run.state == "done", "the end of the run")
modelled.model(run, robin, item="theft=yes", on=["age", "version"])
publishing.create_reviews_of_finished_runs(timezone.now())
print(f"report {run.pk}.")
"""
TEXTS = {
    "version": "Which wording",
    "lying": "Have you lied to a colleague?",
    "mars": "Have you been to Mars?",
    "drugs": "Have you taken drugs at work?",
}


def asked(question: dict[str, Any]) -> dict[str, Any]:
    """With the words that respondents read."""
    labels = [{"name": name, "label": {"en": name.title()}} for name in question["choices"]]
    return {"text": {"en": TEXTS.get(question["name"], "")}, **question, "choices": labels}


def study_design() -> dict[str, Any]:
    of = studied.written(rehearsal=True)
    return {
        **of,
        "sections": [{**part, "questions": list(map(asked, part["questions"]))} for part in of["sections"]],
    }


@pytest.fixture(scope="module")
def study_report(product: Product) -> int:
    """It waits for its reviewer, with a model."""
    script = ANSWER_STUDY.replace("{design!r}", repr(json.dumps(study_design()))).replace(
        "{shares!r}", repr(SHARES)
    )
    said = servers.manage(product.env, "shell", "--verbosity=0", "-c", script)
    number = re.search(r"report (\d+)\.", said)  # beside the email to the reviewer
    assert number, said
    return int(number[1])


def test_the_page_of_a_study_holds_the_truth_of_a_rehearsal_and_fits_a_phone(
    visit: Visit, study_report: int
) -> None:
    page = look(visit("reviewer"), desk(study_report, "study"))
    by_arm = page.get_by_role("region", name="By arm", exact=True).get_by_role("row").nth(1)
    expect(by_arm.locator(".mark.truth")).to_have_count(3)
    expect(by_arm).to_contain_text(re.compile(r"Truth\s*[\d.]+\s*%"))
    corrected = page.get_by_role("region", name="Corrected shares")
    expect(corrected.locator(".mark.truth")).to_have_count(4)
    words = page.get_by_role("region", name="Was one of the words “same” and “different” preferred?")
    expect(words.get_by_role("columnheader", name="Truth")).to_be_visible()


def test_the_page_of_models_holds_the_true_coefficients(visit: Visit, study_report: int) -> None:
    visitor = visit("reviewer")
    page = visitor.go(desk(study_report, "models"))
    expect(page.get_by_role("columnheader", name="Truth")).to_be_visible()
    fits_a_phone(visitor.page)


def test_both_are_read_in_chinese(visit: Visit, study_report: int) -> None:
    visitor = visit("reviewer")
    page = visitor.go(desk(study_report, "study"))
    page.click("button[name=language][value=zh-hans]")
    expect(page.get_by_text("菱形标出每一组模拟受访者的真实回答。")).to_be_visible()
    another_language(page)
    visitor.go(desk(study_report, "models"))
    expect(page.get_by_text("菱形标出由模拟受访者的真实回答所估计的同一模型的系数。")).to_be_visible()
