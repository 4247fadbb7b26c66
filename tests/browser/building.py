"""Drafts of the running product, what is stored of them, and where their questions stand on the page."""

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
from tests.builder.written import options, plain, question, sensitive, stored
from tests.product import Product

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
        self.path = f"/surveys/{self.pk}"

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
