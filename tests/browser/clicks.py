"""Counts what a person does for a task, beside the numbers in bench/figures/clicks.md."""

from playwright.sync_api import Locator, Page

from tests.servers import ROOT


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
