"""Drafts of the running product, what is stored of them, and where their questions stand on the page."""

import json
import re
import sqlite3
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.product import Product
from tests.surveys.builder.written import draft as written, options, plain, question, sensitive

MAKE = """
import json, sys
from people.models import Person
from surveys.models import Survey
robin = Person.objects.get(username="demo-researcher")
print(Survey.objects.create(owner=robin, draft=json.loads({draft!r})).pk)
"""


class Draft:
    """A survey of the demo's researcher, and what is stored of it."""

    def __init__(self, product: Product, stored: Any) -> None:
        number = servers.manage(
            product.env, "shell", "--verbosity=0", "-c", MAKE.format(draft=json.dumps(stored))
        )
        self.path, self.database = f"/surveys/{number.strip()}", product.var / "candor.sqlite3"
        self.pk = int(number)

    @property
    def stored(self) -> Any:
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            row = connection.execute("SELECT draft FROM surveys_survey WHERE id = ?", [self.pk]).fetchone()
        finally:
            connection.close()
        return json.loads(row[0])

    @property
    def names(self) -> list[list[str]]:
        return [[each["name"] for each in section["questions"]] for section in self.stored["sections"]]


Make = Callable[..., Draft]


def maker(product: Product) -> Make:
    def made(*sections: Any, **more: Any) -> Draft:
        return Draft(product, written(*sections, **more))

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
    for _ in range(most):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {locator}")
