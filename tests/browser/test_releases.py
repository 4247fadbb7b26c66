"""A release: from an uploaded table over its attacks to an approved download, by two people."""

import csv
import re
import zipfile
from collections import Counter
from random import Random

import pandas as pd
import pytest
from playwright.sync_api import Page, expect
from pycanon import anonymity

from tests.browser.conftest import Visit
from tests.browser.visiting import Visitor, attach, download, shell
from tests.product import Product
from tests.releases.conftest import patients_table

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
ROLES = {"age": "number", "education": "ordered", "town": "category", "illness": "sensitive"}
GROUPS = "North\n  Kiel\n  Rostock\nSouth\n  Munich\n  Augsburg"
QUARTERS = r"\d{4}-Q[1-4](\.\.\d{4}-Q[1-4])?"
SURVEY = """
from tests.runs import sealed
print(sealed.survey(robin, sealed.small_design(), [600]).pk)
"""
QUICKLY = """
from releases.models import Release
from tests.releases.conftest import without_search
without_search(Release.objects.get(pk={release}), robin)
"""


def upload(page: Page, records: int = 400) -> None:
    attach(page, "patients.csv", patients_table(records))
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Upload table").click()
    page.wait_for_url(re.compile(r"/app/releases/\d+/reading"))
    page.get_by_role("button", name="Use these settings").click()
    page.wait_for_url(re.compile(r"/app/releases/\d+/columns"))


def overview(page: Page) -> str:
    """The address of the release's first page."""
    return str(re.findall(r".*/app/releases/\d+/", page.url)[0])


def without_search(product: Product, address: str) -> None:
    """The tree's first result is taken, instead of the best of a second for each number of k."""
    shell(product, QUICKLY.format(release=address.split("/")[-2]))


def choose_columns(robin: Visitor, page: Page) -> None:
    for column, role in ROLES.items():
        page.get_by_label(f"Role of {column}", exact=True).select_option(role)
    page.get_by_role("button", name="Save columns").click()
    robin.check()
    page.get_by_role("link", name="Order education").click()
    page.get_by_role("button", name="Down degree").click()
    expect(page.locator(".moves li").first).to_contain_text("school")
    robin.check()
    page.get_by_role("link", name="Back to the columns").click()
    page.get_by_role("link", name="Groups town").click()
    page.get_by_label("My own groups").check()
    page.get_by_role("textbox", name="Groups").fill("North\n   Kiel\n Rostock")
    page.get_by_role("button", name="Save groups").click()
    expect(page.get_by_text("Line 3").first).to_be_visible()
    page.get_by_role("textbox", name="Groups").fill(GROUPS)
    robin.check()
    page.get_by_role("button", name="Save groups").click()
    page.get_by_role("button", name="Save and go on to the criteria").click()


def choose_criteria(robin: Visitor, page: Page) -> None:
    page.get_by_label("Minimum class size (k)").fill("1")
    page.get_by_role("button", name="Save criteria").click()
    expect(page.locator(".error-summary")).to_be_focused()
    page.get_by_label("Minimum class size (k)").fill("8")
    page.get_by_text("More about sensitive values").click()
    page.get_by_text("More about the search").click()
    robin.check()
    page.get_by_role("button", name="Save and compare choices").click()
    page.wait_for_url("**/compare")


def approve(ruth: Visitor, product: Product, address: str) -> Page:
    theirs = ruth.go("/app/releases/")
    expect(theirs.get_by_role("heading", name="Waits for you")).to_be_visible()
    ruth.check()
    region = theirs.get_by_role("region", name="Releases that wait for your review")
    region.locator(f"a[href='{address.removeprefix(product.url)}report']").click()
    ruth.check()
    theirs.get_by_role("link", name="Table").click()
    expect(theirs.get_by_role("region", name="Rows of your file")).to_have_count(0)
    theirs.goto(address)
    ruth.check()
    theirs.get_by_role("link", name="Approve release").click()
    ruth.check()
    theirs.get_by_role("button", name="Approve release").click()
    expect(theirs.get_by_role("button", name="Download CSV")).to_be_visible()
    return theirs


def real_table(records: int) -> bytes:
    """Semicolons, Latin-1, a decimal comma, missing ages and dates, an index without a name, and an odd cell."""
    rng = Random(34)
    lines = [";alter;einkommen;geboren;größe"]
    for at in range(records):
        age = "NA" if at % 9 == 0 else "about 40" if at == 7 else rng.randint(20, 70)
        born = "" if at % 8 == 0 else f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.{rng.randint(1950, 2001)}"
        lines.append(f"{at};{age};{rng.randint(8, 60)},5;{born};{rng.choice(['groß', 'mittel', 'klein'])}")
    return "\n".join(lines).encode("latin-1")


def confirm_layout(robin: Visitor, page: Page) -> None:
    rows = page.get_by_role("region", name="First rows of your file")
    expect(rows).to_contain_text("größe")
    expect(page.get_by_label("Between two cells")).to_have_value(";")
    expect(page.get_by_label("Encoding")).to_have_value("windows-1252")
    expect(page.get_by_label("Decimal sign")).to_have_value(",")
    robin.check()
    page.get_by_label("Between two cells").select_option("|")
    page.get_by_role("button", name="Use these settings").click()
    expect(rows).to_contain_text(";alter;einkommen")
    page.get_by_label("Between two cells").select_option(";")
    page.get_by_role("button", name="Use these settings").click()
    expect(rows).not_to_contain_text(";alter")
    page.get_by_role("button", name="Use these settings").click()


def describe_columns(robin: Visitor, page: Page) -> None:
    page.wait_for_url(re.compile(r"/app/releases/\d+/columns"))
    expect(page.get_by_text("1 cell is no number: line 9 “about 40”")).to_be_visible()
    expect(page.get_by_label("Role of column 1")).to_have_value("identifier")
    robin.check()
    page.get_by_role("link", name="Ends and missing values alter").click()
    expect(page.get_by_label("Codes of missing values")).to_have_value("NA")
    page.get_by_label("Codes of missing values").fill("NA\nabout 40")
    robin.check()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Dates geboren").click()
    expect(page.get_by_label("How are dates written?")).to_have_value("dmy")
    page.get_by_label("How exact may a date be shown?").select_option("quarter")
    robin.check()
    page.get_by_role("button", name="Save").click()
    # Its name proposes the income as sensitive; here it is something that others may know.
    expect(page.get_by_label("Role of einkommen", exact=True)).to_have_value("sensitive")
    page.get_by_label("Role of einkommen", exact=True).select_option("number")
    page.get_by_label("Role of größe", exact=True).select_option("sensitive")
    page.get_by_role("button", name="Save and go on to the criteria").click()
    page.wait_for_url("**/criteria")


def choose_by_the_chart(robin: Visitor, page: Page, product: Product, address: str) -> None:
    page.get_by_role("button", name="Save and compare choices").click()
    page.wait_for_url("**/compare")
    without_search(product, address)
    page.get_by_role("button", name="Compare choices").click()
    expect(page.get_by_role("img", name="Risk against loss of every method")).to_be_visible()
    front = page.get_by_role("region", name="Choices that nothing beats")
    expect(front.get_by_role("row").nth(1)).to_contain_text("1")
    robin.check()
    button = front.get_by_role("button", name=re.compile(r"^Use this.*Tree, k = 5$"))
    expect(button).to_have_count(1)
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(address)
    expect(page.get_by_text("This draft uses Tree with k = 5.")).to_be_visible()


@pytest.mark.page
def test_a_real_table_with_gaps_is_published(visit: Visit, robin: Visitor, product: Product) -> None:
    page = robin.go("/app/releases/new")
    attach(page, "umfrage.csv", real_table(600))
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Upload table").click()
    confirm_layout(robin, page)
    describe_columns(robin, page)
    address = overview(page)
    choose_by_the_chart(robin, page, product, address)
    page.get_by_role("button", name="Make table").click()
    expect(page.get_by_text("A reviewer decides next")).to_be_visible()
    page.goto(f"{address}table")
    robin.check()
    approve(visit("reviewer"), product, address).goto(address)
    page.goto(address)
    with zipfile.ZipFile(download(page.get_by_role("button", name="Download CSV"))) as zipped:
        header, *rows_out = csv.reader(zipped.read("release.csv").decode().splitlines())
    assert header == ["alter", "einkommen", "geboren", "größe"]
    ages, _incomes, births, _sizes = map(set, zip(*rows_out, strict=True))
    assert ages & {"missing", "*"}
    assert births <= {"missing", "*"} | {cell for cell in births if re.fullmatch(QUARTERS, cell)}
    published = pd.DataFrame(rows_out, columns=header)
    smallest = min(Counter(tuple(row[:3]) for row in rows_out).values())
    assert anonymity.k_anonymity(published, header[:3]) == smallest >= 5
    assert anonymity.l_diversity(published, header[:3], header[3:]) >= 2


@pytest.mark.page
def test_a_survey_is_released_to_a_reviewer_first(robin: Visitor, ruth: Visitor, product: Product) -> None:
    pk = shell(product, SURVEY)
    page = robin.go_and_check(f"/app/surveys/{pk}/releases")
    page.get_by_role("button", name="Start a release").click()
    page.wait_for_url(re.compile(r"/app/releases/\d+/columns"))
    address = overview(page)
    without_search(product, address)
    page.goto(address)
    page.get_by_role("button", name="Make table").click()
    expect(page.get_by_text("A reviewer decides next")).to_be_visible()
    expect(page.get_by_role("link", name="Table", exact=True)).to_have_count(0)
    ruth.go(address.removeprefix(product.url) + "table")
    expect(ruth.page.get_by_role("heading", name="Numbers by column")).to_be_visible()
    ruth.check()
    ruth.go_and_check(address.removeprefix(product.url) + "refuse")
    ruth.page.get_by_label("Reason").fill("Not now.")
    ruth.page.get_by_role("button", name="Refuse release").click()
    page.goto(address)
    expect(page.get_by_text("Not now.")).to_be_visible()
    robin.check()
    page.get_by_role("link", name="Discard release").click()
    robin.check()
    page.get_by_role("button", name="Discard release").click()
    robin.go(f"/app/surveys/{pk}/releases")
    expect(page.get_by_role("region", name="Releases of this survey")).to_have_count(0)


SPECIFIED = """
from releases.specification import save_specification
from releases.models import Release
release = Release.objects.get(pk={release})
said = {{
    "format": "candor-release/1", "k": 8, "seconds": 0, "identifiers": ["name"], "sensitive": ["illness"],
    "quasi_identifiers": [
        {{"name": "age", "kind": "number"}},
        {{"name": "education", "kind": "category"}},
        {{"name": "town", "kind": "category"}},
    ],
}}
save_specification.save_specification(release, robin, json.dumps(said), timezone.now())
"""


def attack(visitor: Visitor, register: bytes) -> Page:
    page = visitor.page
    attach(page, "register.csv", register)
    page.get_by_role("button", name="Attack this table").click()
    return page


@pytest.mark.page
def test_register_people_are_found_before_a_release(visit: Visit, product: Product) -> None:
    register = b"".join(line.rsplit(b",", 1)[0] + b"\n" for line in patients_table(40).splitlines())
    robin, ruth = visit("researcher"), visit("reviewer")
    page = robin.go("/app/releases/new")
    # The same table as another test's would count as released before.
    upload(page, 420)
    address = overview(page)
    shell(product, SPECIFIED.format(release=address.split("/")[-2]))
    page.goto(f"{address}attacks")
    expect(page.get_by_role("heading", name="as it is?")).to_be_visible()
    robin.check()
    attack(robin, register)
    expect(page.get_by_text("of the 40 people in the register are found: person")).to_be_visible()
    robin.check()
    page.goto(address)
    page.get_by_role("button", name="Make table").click()
    expect(page.get_by_text("A reviewer decides next")).to_be_visible()
    theirs = ruth.go(f"{address.removeprefix(product.url)}attacks")
    expect(theirs.get_by_text("classes keep the criteria.")).to_be_visible()
    ruth.check()
    attack(ruth, b"name,age\nAda,thirty\n")
    expect(theirs.get_by_text("register.csv:2: age: this cannot be read.")).to_be_visible()
    ruth.check()
    attack(ruth, register)
    expect(theirs.get_by_text("None of the 40 people in the register is found.")).to_be_visible()
    ruth.check()
