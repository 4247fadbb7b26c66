"""A study with every part goes from the builder to its bundle of files by pages alone, through three people's hands."""

import csv
import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser import study_building as building
from tests.browser.conftest import Visit
from tests.product import Product

pytestmark = pytest.mark.browser

RESPONDENTS = 3000
CENSUS = b"q1,share\n1,0.6\n2,0.4\n"
HEADINGS = ("The plan", "Asked directly and in disguise", "Control items")


def follow(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_role("link", name=name, exact=True).first.click()


def drafted(page: Page) -> None:
    building.crosswise(page)
    expect(page.get_by_text("Nothing is missing")).to_be_visible()
    building.hypothesis(page)


def opened(page: Page) -> None:
    follow(page, "Overview")
    page.get_by_role("main").get_by_role("link", name="Open survey").click()
    page.get_by_role("button", name="Open the survey").click()
    expect(page.locator(".toast")).to_contain_text("The survey is open.")


def simulated(page: Page) -> None:
    """And closed, so that the last batch is sealed."""
    page.get_by_role("link", name="Simulate answers").click()
    page.get_by_label("How many?").fill(str(RESPONDENTS))
    page.get_by_role("button", name="Simulate answers").click()
    expect(page.get_by_text("Finished after")).to_be_visible()
    follow(page, "Overview", "Close survey")
    page.get_by_role("button", name="Close the survey").click()
    expect(page.locator("main")).to_contain_text(f"{RESPONDENTS:,} answers are sealed")


def run(page: Page) -> None:
    """With weights that are uploaded before."""
    follow(page, "Runs", "Upload weights")
    page.get_by_text("Names in this survey").click()
    expect(page.get_by_role("region", name="Names in this survey")).to_contain_text(
        "q1 1 Under 40, 2 40 or older"
    )
    page.get_by_label("Name", exact=True).fill("Census")
    page.set_input_files("input[type=file]", {"name": "census.csv", "mimeType": "text/csv", "buffer": CENSUS})
    page.get_by_role("button", name="Upload weights").click()
    page.get_by_role("main").get_by_role("link", name="Start a run").click()
    page.get_by_label("Minimum support (%)").fill("10")
    page.get_by_label("Minimum confidence (%)").fill("30")
    page.locator("select[name=margins]").select_option(label="Census")
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()


def specified(page: Page) -> None:
    follow(page, "Models")
    page.locator("select[name=item]").select_option("q2=yes")
    page.get_by_label(building.AGE, exact=True).select_option(label="by categories")
    page.get_by_role("button", name="Estimate the model").click()
    expect(page.get_by_text("A reviewer reads its numbers first")).to_be_visible()


def read(page: Page) -> None:
    """The tab of the study, with a row for each hypothesis and each sensitive answer."""
    follow(page, "Study")
    for heading in HEADINGS:
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    plan = page.get_by_role("region", name="The plan").locator("tbody tr")
    expect(plan).to_have_count(3)
    expect(plan.nth(0)).to_contain_text("is not 50 %")
    expect(plan.nth(0)).to_have_text(re.compile(r"\bmet\s*$"))
    expect(plan.nth(2)).to_contain_text(f"{building.AGE} 40 or older")
    expect(page.get_by_role("region", name="By arm", exact=True).locator("tbody tr")).to_have_count(7)
    expect(page.get_by_role("region", name="Corrected shares")).not_to_contain_text("cannot be estimated")
    expect(page.locator("main")).to_contain_text("Was one of the words “same” and “different” preferred?")
    expect(page.locator("main")).to_contain_text("Did a version make people leave?")


def judged(page: Page) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Reports").click()
    review = page.get_by_role("main").get_by_role("link", name="Review it Honesty at work")

    def is_listed() -> bool:
        """A finished run gets its report at the next tick of the worker."""
        page.reload()
        return review.count() == 1

    servers.wait(is_listed, "the report of the run", pause=1)
    review.click()
    follow(page, "Rules")
    # Of so few people hardly a rule shows an association.
    page.goto(f"{page.url}?association=any")
    page.locator(".judged").first.get_by_role("button", name="Accept").click()
    expect(page.locator("[data-said]")).to_contain_text("accepted")


def published(page: Page, models: str) -> None:
    """A reviewer reads models and specifies none."""
    report = page.url
    page.goto(models)
    expect(page.get_by_role("button", name="Estimate the model")).to_have_count(0)
    page.get_by_role("link", name="Read numbers").click()
    page.get_by_label("Accept", exact=True).check()
    page.get_by_role("button", name="Save decision").click()
    expect(page.get_by_text("This model is published with the report.")).to_be_visible()
    page.goto(report)
    follow(page, "Publish")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast")).to_contain_text("Published.")


def saved(page: Page, name: str) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    return Path(download.value.path()).read_bytes()


class Bundle:
    def __init__(self, content: bytes) -> None:
        self.files = zipfile.ZipFile(io.BytesIO(content))

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(self.files.read(f"{name}.csv").decode().splitlines()))

    def by_item(self, name: str, column: str) -> dict[str, float]:
        return {row["item"]: float(row[column]) for row in self.rows(name)}


def check_design(design: dict[str, Any]) -> None:
    """All that was written is in the questionnaire that respondents read."""
    age, options, battery, crosswise = (section["questions"] for section in design["sections"])
    assert (design["direct"], len(design["follows"]), design["rehearsal"]) == ("0.3000", 64, True)
    assert age[1]["shares"] == ["0.5000", "0.5000"]
    assert age[2]["known"] == "0.0000"
    assert age[3]["none"] == {"en": "None of these"}
    assert len(options) == 2
    assert battery[0]["of"] == battery[1]["of"]
    assert (design["sections"][2]["intro"], design["sections"][2]["order"]) == (
        {"en": building.INTRO},
        "random",
    )
    said = {key: crosswise[0][key] for key in ("share", "source", "turned_by")}
    assert said == {"share": "0.2500", "source": "Births by month, 2023", "turned_by": age[1]["name"]}


def check_bundle(bundle: Bundle, crosswise: str) -> None:
    """`crosswise`: the item that the crosswise question finds."""
    (left,) = bundle.rows("who_left")
    assert int(left["direct"]) + int(left["disguised"]) == RESPONDENTS
    arms = bundle.rows("arms")
    assert [row["control"] for row in arms].count("True") == 1
    for row in arms:
        found = float(row["disguised"]) - float(row["direct"])
        assert float(row["difference"]) == pytest.approx(found)
    (control,) = bundle.rows("control_item")
    assert (control["item"], float(control["known"])) == ("q4=yes", 0)
    careless = 2 * float(control["seen"])
    assert 0 < careless == pytest.approx(float(control["careless"]))
    shares = {row["items"]: float(row["support"]) for row in bundle.rows("shares")}
    corrected = bundle.by_item("corrected_shares", "corrected")
    assert len(corrected) == 7
    # Everybody is asked this one, so it is corrected by the control item of everybody.
    assert corrected[crosswise] == pytest.approx((shares[crosswise] - careless / 2) / (1 - careless))
    weighted = bundle.by_item("weighted", "share")
    assert all(abs(weighted[item] - shares[item]) < 0.05 for item in corrected)
    assert any(weighted[item] != shares[item] for item in corrected)
    share, _arms, coefficient = bundle.rows("plan")
    assert float(share["estimate"]) == pytest.approx(shares["q2=yes"])
    found_of = {row["of"]: float(row["b"]) for row in bundle.rows("model_coefficients")}
    assert set(found_of) == {"1", "q1=2"}
    assert float(coefficient["estimate"]) == pytest.approx(found_of["q1=2"])


def test_a_study_goes_from_the_builder_to_its_bundle(visit: Visit, product: Product) -> None:
    robin, ruth = visit("researcher"), visit("reviewer")
    page = robin.go(f"{building.begun(product).path}/edit")
    drafted(page)
    # A rehearsal needs nobody's approval; it says what the real survey will need.
    follow(page, "Overview")
    expect(page.locator("main")).to_contain_text("30 % of the devices ask directly")
    opened(page)
    simulated(page)
    follow(page, "Overview", "Hypotheses")
    plan = saved(page, "Download plan.json")
    run(page)
    judged(ruth.go("/account/home"))
    specified(page)
    published(ruth.page, re.sub(r"/\d+(#.*)?$", "", page.url))
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Reports").click()
    page.get_by_role("main").get_by_role("link", name="Honesty at work").click()
    expect(page.get_by_role("region", name="Weighted shares").locator("tbody tr")).to_have_count(7)
    read(page)
    follow(page, "Models")
    expect(page.get_by_role("main")).to_contain_text(f"{building.AGE} 40 or older")
    follow(page, "Files")
    bundle = Bundle(saved(page, "CSV"))
    whole = json.loads(saved(page, "JSON"))
    check_design(whole["design"])
    assert bundle.files.read("plan.json") == plan
    assert hashlib.sha256(plan).hexdigest() == whole["design"]["plan"]
    (crosswise,) = whole["design"]["sections"][-1]["questions"]
    check_bundle(bundle, f"{crosswise['name']}=yes")
