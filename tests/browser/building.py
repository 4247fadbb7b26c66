"""Drafts of the running product, where their questions stand on the page, and the steps to a published report."""

import json
import re
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.visiting import Visitor
from tests.builder.written import options, plain, question, sensitive, stored
from tests.product import Product
from tests.servers import ROOT

MAKE = """
from accounts.models import Person
from surveys.models import Survey
print(Survey.objects.create(owner=Person.objects.get(username="demo-researcher")).pk)
"""
JOIN = "INSERT INTO surveys_involvement (survey_id, person_id) SELECT id, owner_id FROM surveys_survey WHERE id = ?"
TABS = 8
"""How often Tab goes down between two looks at the page."""
STAY = """element => {
    const isThere = element === document.activeElement;
    if (!("__wanted" in window)) addEventListener("keydown", event => {
        if (event.key !== "Tab" || document.activeElement !== window.__wanted) return;
        event.preventDefault();
        event.stopImmediatePropagation();
    }, true);
    window.__wanted = isThere ? undefined : element;
    return isThere;
}"""
"""Whether the element has the focus; if not, Tab leads no further once it does."""
_first: dict[Path, int] = {}


def first_survey(product: Product) -> int:
    """A survey of the demo's researcher, to copy: that takes a hundredth of making one by a command."""
    if product.var not in _first:
        _first[product.var] = int(servers.manage(product.env, "shell", "--verbosity=0", "-c", MAKE))
    return _first[product.var]


class Draft:
    """A survey of the demo's researcher, and what is stored of it."""

    def __init__(self, product: Product, stored: Any) -> None:
        first, self.database = first_survey(product), product.var / "candor.sqlite3"
        own = {"id": None, "slug": secrets.token_hex(8), "draft": json.dumps(stored)}
        with closing(sqlite3.connect(self.database, timeout=servers.PATIENCE)) as connection, connection:
            connection.row_factory = sqlite3.Row
            row = connection.execute("SELECT * FROM surveys_survey WHERE id = ?", [first]).fetchone()
            values = {**dict(row), **own}
            places = ", ".join(f":{name}" for name in values)
            insert = f"INSERT INTO surveys_survey ({', '.join(values)}) VALUES ({places})"
            self.pk = connection.execute(insert, values).lastrowid or 0
            connection.execute(JOIN, [self.pk])
        self.path = f"/app/surveys/{self.pk}"

    @property
    def stored(self) -> Any:
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            row = connection.execute("SELECT draft FROM surveys_survey WHERE id = ?", [self.pk]).fetchone()
        finally:
            connection.close()
        return json.loads(row[0])

    def store(self, draft: Any) -> None:
        """As somebody else may do meanwhile."""
        with closing(sqlite3.connect(self.database, timeout=servers.PATIENCE)) as connection, connection:
            connection.execute(
                "UPDATE surveys_survey SET draft = ? WHERE id = ?", [json.dumps(draft), self.pk]
            )

    @property
    def names(self) -> list[list[str]]:
        return [[each["name"] for each in section["questions"]] for section in self.stored["sections"]]


Make = Callable[..., Draft]


def maker(product: Product) -> Make:
    def made(*sections: Any, **more: Any) -> Draft:
        return Draft(product, stored(*sections, **more))

    return made


def usual() -> list[Any]:
    return [
        plain(
            question("age", "young", "old", role="quasi"),
            question("work", "employed", "none"),
            *options("use", "bus", "car"),
        ),
        sensitive(
            question("theft", "no", "yes", "prefer-not-to-say", show_if={"work": ["employed"]}),
            question("debt"),
            question("drink", "never", "weekly", "daily", form="scale"),
        ),
    ]


def saved(page: Page) -> None:
    """All that was typed is stored."""
    expect(page.locator("[data-saved][data-unsaved]")).to_have_count(0)
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d+:\d\d"))


def block(page: Page, words: str) -> Locator:
    """The closed question with these words."""
    return page.locator(".block", has=page.locator("h3", has_text=words))


def tab_to(page: Page, locator: Locator, most: int = 120) -> None:
    """Hold Tab until the element has the focus."""
    pressed = 0
    try:
        while not locator.evaluate(STAY):
            if pressed >= most:
                raise AssertionError(f"Tab never came to {locator}")
            pressed += TABS
            for _ in range(TABS):
                page.keyboard.down("Tab")
    finally:
        page.keyboard.up("Tab")


def press(page: Page, control: Locator) -> None:
    """Come to the control by Tab, and press Enter."""
    tab_to(page, control, most=300)
    page.keyboard.press("Enter")


# --- Counts what a person does for a task, beside the numbers in bench/figures/clicks.md


def told(task: str) -> int:
    """The clicks of a task as they stand in bench/figures/clicks.md beside the most that it allows."""
    lines = (ROOT / "bench/figures/clicks.md").read_text().splitlines()
    rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    (row,) = (row for row in rows if row and row[0] == task)
    clicks, most = int(row[2]), int(row[3])
    assert clicks <= most
    return clicks


class Hand:
    """What one person does on a page; `acts` of it so far."""

    def __init__(self, page: Page) -> None:
        self.page, self.acts = page, 0

    def click(self, on: Locator) -> None:
        self.acts += 1
        on.click()

    def tap(self, on: Locator) -> None:
        self.acts += 1
        on.tap()

    def press(self, key: str) -> None:
        self.acts += 1
        self.page.keyboard.press(key)

    def choose(self, of: Locator, label: str) -> None:
        self.acts += 1
        of.select_option(label=label)

    def follow(self, link: str) -> None:
        """A link in an email."""
        self.acts += 1
        self.page.goto(link)


# --- The steps from a draft to its published report, by keyboard or by touch

Act = Callable[[Page, Locator], None]
"""How a button is pressed: `press` or `tap`."""


def tap(_page: Page, control: Locator) -> None:
    control.tap()


def opened(robin: Visitor, draft: Draft, act: Act) -> str:
    """The address for respondents."""
    page = robin.go(f"{draft.path}/open")
    act(page, page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    with closing(sqlite3.connect(f"file:{draft.database}?mode=ro", uri=True)) as rows:
        (slug,) = rows.execute("SELECT slug FROM surveys_survey WHERE id = ?", [draft.pk]).fetchone()
    return f"/a/{slug}"


def rehearsed(robin: Visitor, draft: Draft, act: Act) -> None:
    page = robin.go(f"{draft.path}/rehearse")
    page.get_by_role("spinbutton").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1300")
    act(page, page.get_by_role("button", name="Simulate answers"))
    expect(page.get_by_role("button", name="Simulate answers")).to_have_count(0)
    page.wait_for_load_state()  # else this load and the next one may abort each other

    def told() -> bool:
        return "1,300" in robin.go(f"{draft.path}/rehearse").locator("dl.facts").inner_text()

    servers.wait(told, "the answers", pause=0.5)


def mined(robin: Visitor, draft: Draft, act: Act) -> int:
    """The number of the report, which waits."""
    page = robin.go(f"{draft.path}/runs")
    act(page, page.get_by_role("button", name="Start the run"))
    page.wait_for_url(re.compile(r"/app/runs/\d+/"))
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    found = re.search(r"/app/runs/(\d+)/", page.url)
    assert found
    robin.go("/app/reports/")
    return int(found[1])


def published(ruth: Visitor, report: int, act: Act) -> None:
    page = ruth.go(desk(report, "publish"))
    act(page, page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")


def desk(report: int, page: str) -> str:
    return f"/app/admin/reports/review/{report}/{page}"
