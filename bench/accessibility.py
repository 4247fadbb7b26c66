"""What axe finds on the pages of the demonstration, in each language that a page has, at 320, 390 and 1280 pixels.

./run bench accessibility [--at SURVEY --researcher PASSWORD --reviewer PASSWORD]

Follows every link of the site, as nobody, as the researcher and as the reviewer; of addresses that differ in numbers or
keys alone it visits the first. Also counted: pages that scroll sideways. Without `--at` it starts a demonstration.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from bench.demo import RESEARCHER, REVIEWER, Ready, demo
from tests.browser.conftest import axe

WIDTHS = (320, 390, 1280)
OFFICE, EVERYBODY = ("en", "zh-hans"), ("en", "zh-hans", "de", "fr", "es", "ar")
NAMES = {"en": "en", "zh-hans": "zh-CN", "de": "de", "fr": "fr", "es": "es", "ar": "ar"}
FILES = re.compile(r"\.(csv|json|svg|png|pdf|zip|xlsx|parquet|html)$|/files/|/sign-out|/export")
LINKS = "() => [...document.querySelectorAll('a[href]:not([download])')].map(a => a.href)"
SIDEWAYS = "() => document.documentElement.scrollWidth > innerWidth"
KEY = re.compile(r"(?<=/)(\d+|[\w-]{8,}[A-Z0-9_][\w-]*)(?=/|$)")


@dataclass
class Walk:
    """One person in one language; `seen`: the forms of the addresses that were visited."""

    site: str
    who: str
    language: str
    seen: set[str] = field(default_factory=set)
    checked: int = 0
    faults: list[str] = field(default_factory=list)

    def all_pages(self, page: Page, *first: str) -> None:
        waiting = list(first)
        while waiting:
            address = waiting.pop(0)
            form = KEY.sub("*", urlsplit(address).path)
            if form in self.seen or FILES.search(form):
                continue
            self.seen.add(form)
            waiting += self.links_of(page, address)

    def links_of(self, page: Page, address: str) -> list[str]:
        answer = page.goto(address)
        if answer is None or "text/html" not in answer.headers.get("content-type", ""):
            return []
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            self.checked += 1
            where = f"{self.who}, {self.language}, {width} px: {address}"
            self.faults += [f"{where}: {one}" for one in axe(page)]
            if page.evaluate(SIDEWAYS):
                self.faults.append(f"{where}: scrolls sideways")
        links: list[str] = page.evaluate(LINKS)
        return [link.partition("#")[0].partition("?")[0] for link in links if link.startswith(self.site)]


def walks(browser: Browser, ready: Ready) -> Iterator[Walk]:
    for who, languages in (("", EVERYBODY), (RESEARCHER, OFFICE), (REVIEWER, OFFICE)):
        for language in languages:
            context = browser.new_context(locale=NAMES[language])
            page = context.new_page()
            if who:
                ready.sign_in(page, who)
            walk = Walk(ready.site, who or "nobody", language)
            walk.all_pages(page, f"{ready.site}/", ready.survey)
            context.close()
            yield walk


@contextmanager
def site(asked: argparse.Namespace) -> Iterator[Ready | None]:
    if asked.at:
        yield Ready(0, asked.at, asked.at, {RESEARCHER: asked.researcher, REVIEWER: asked.reviewer})
    else:
        with tempfile.TemporaryDirectory(prefix="candor-demo-") as folder, demo(folder) as ready:
            yield ready


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench accessibility", description=__doc__)
    parser.add_argument("--at", help="where the survey of a demonstration that runs is answered")
    parser.add_argument("--researcher", help="the password of its researcher")
    parser.add_argument("--reviewer", help="the password of its reviewer")
    asked, checked, faults = parser.parse_args(), 0, 0
    with site(asked) as ready, sync_playwright() as playwright:
        if ready is None:
            print("the demonstration ended before its report was published", file=sys.stderr)
            return 1
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for walk in walks(browser, ready):
            checked, faults = checked + walk.checked, faults + len(walk.faults)
            print(
                f"{walk.who}, {walk.language}: {len(walk.seen)} pages", *walk.faults, sep="\n  ", flush=True
            )
        browser.close()
    print(f"{checked} pages checked, {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
