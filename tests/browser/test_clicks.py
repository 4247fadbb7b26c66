"""How many clicks frequent tasks take; the figures stand in bench/figures/clicks.md."""

import csv
import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Visit
from tests.product import Product
from tests.surveys.drafts import complete

pytestmark = pytest.mark.browser

TABLE = Path(__file__).parents[2] / "bench" / "figures" / "clicks.md"
OPENED = """
import json
from django.utils import timezone
from accounts.models import Person
from surveys.lifecycle import opening
from surveys.models import Survey
robin = Person.objects.get(username="demo-researcher")
survey = Survey.objects.create(owner=robin, draft=json.loads({draft!r}), invited=True)
opening.open_now(survey, robin, timezone.now())
print(survey.pk)
"""


def stated(task: str) -> tuple[int, int]:
    """The clicks of this task, and how many are allowed, as the table says."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.read_text().splitlines()]
    row = next(row for row in rows if row and row[0] == task)
    return int(row[2]), int(row[3])


class Clicks:
    def __init__(self) -> None:
        self.made = 0

    def on(self, what: Locator) -> None:
        what.click()
        self.made += 1


def test_a_new_survey_has_its_first_question_focused(visit: Visit) -> None:
    page, clicks = visit("researcher").go("/surveys/"), Clicks()
    clicks.on(page.get_by_role("link", name="New survey"))
    page.keyboard.type("Work and worry")
    clicks.on(page.get_by_role("button", name="Create survey"))
    expect(page.locator("#section-0 textarea[name=text]")).to_be_focused()
    page.keyboard.type("How old are you?")
    expect(page.locator("#section-0 textarea[name=text]")).to_have_value("How old are you?")
    expect(page.locator("#section-0 .block.open")).not_to_contain_text("Required")
    made, most = stated("New survey with its first question focused")
    assert clicks.made == made <= most


def downloaded(page: Page, clicks: Clicks) -> list[str]:
    with page.expect_download() as download:
        clicks.on(page.get_by_role("button", name="Make and download"))
    return [row[0] for row in csv.reader(download.value.path().read_text().splitlines())]


def test_120_invitations_are_made(visit: Visit, product: Product) -> None:
    program = OPENED.format(draft=json.dumps(complete()))
    survey = servers.manage(product.env, "shell", "--verbosity=0", "-c", program).strip()
    page, clicks = visit("researcher").go("/surveys/"), Clicks()
    row = page.locator("tr", has=page.locator(f"a[href='/surveys/{survey}/']"))
    clicks.on(row.get_by_role("link", name="Send invitations"))
    clicks.on(page.get_by_label("How many?"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("120")
    lines = downloaded(page, clicks)
    assert (lines[0], len(set(lines[1:]))) == ("link", 120)
    made, most = stated("120 invitation links in a file")
    assert clicks.made == made <= most
    page.reload()
    expect(page.get_by_text("120 invitation links made.")).to_be_visible()
    page.goto(f"{product.url}/surveys/")
    expect(row.get_by_role("link", name="Wait for answers")).to_be_visible()
