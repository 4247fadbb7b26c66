"""Counts what a person does for a task, beside the number that docs/clicks.md tells."""

import re

from playwright.sync_api import Locator, Page

from tests.servers import ROOT

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| (\d+) \|", re.MULTILINE)


def told(task: str, begins_at: str) -> int:
    """The clicks of a task by docs/clicks.md."""
    rows = {(row[1], row[2]): int(row[3]) for row in ROW.finditer((ROOT / "docs/clicks.md").read_text())}
    return rows[task, begins_at]


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
