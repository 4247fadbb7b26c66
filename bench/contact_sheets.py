"""Pictures of every page that a person can reach by links, side by side on contact sheets, and what is wrong with them.

python -m bench.contact_sheets [--folder var/contact-sheets] [--roles researcher ...] [--variants 390-dark-en ...]

Starts the demonstration survey and follows the links of nobody, a respondent, the researcher, the reviewer, a
collaborator and the operator; of addresses that differ in a number alone, the first. Each page is opened in each
variant (width, theme, language; Arabic where the page speaks it). Written on standard output: pages that are refused,
scroll sideways, weigh more than 120 kB (lists may), break axe's rules, or complain on the console. Exit status 1 if
there are any. To look at the sheets is left to a person.
"""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

from tests import servers
from tests.browser.visiting import FLAGS, HEADLESS, THEMES, Visitor, axe, profile
from tests.product import Product, is_well, product

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

WIDTHS, HEIGHT = (390, 768, 1280), 900
LANGUAGES = {"en": "en-GB", "zh": "zh-CN", "ar": "ar"}
VARIANTS = [
    *(f"{width}-{theme}-en" for width in WIDTHS for theme in ("light", "dark")),
    *(f"{width}-light-{language}" for width in WIDTHS for language in ("zh", "ar")),
]
MOST_BYTES, LISTS = 120_000, re.compile(r"/(surveys|runs|reports|releases|history|rules)/?$")
NO_PAGES = re.compile(
    r"/(static|healthz|sign-out)(/|$)|\.(csv|json|xlsx|svg|html|zip|txt|parquet|pdf|ics)$|/(export|files|download)/"
)
TILE, ROW, PER_SHEET, MOST_SCREENS = 300, 5, 20, 3
STARTS = {
    "nobody": ["/", "/app/limits"],
    "respondent": [],
    **{role: ["/app/account/home"] for role in ("researcher", "collaborator", "reviewer")},
    "superuser": ["/app/account/home", "/app/admin/"],
}
"""The first addresses of each role; a respondent's are those of the open surveys."""
PEOPLE = """
from accounts.models import RESEARCHERS, Person
from django.contrib.auth.models import Group
from surveys.models import Collaborator, Survey
Person.objects.create_superuser("superuser", "superuser@example.org", "a long password 1")
collaborator = Person.objects.create_user("collaborator", "collaborator@example.org", "a long password 1")
collaborator.groups.add(Group.objects.get(name=RESEARCHERS))
for survey in Survey.objects.all():
    Collaborator.objects.create(survey=survey, person=collaborator)
print(*Survey.objects.filter(state="open").values_list("slug", flat=True))
"""


@dataclass
class Walk:
    """One person's way through the product."""

    role: str
    running: Product
    browser: Browser
    folder: Path
    starts: list[str]
    wrong: list[str] = field(default_factory=list)

    def visitor(self, variant: str) -> Visitor:
        width, theme, language = variant.split("-")
        page = profile(
            self.browser,
            viewport={"width": int(width), "height": HEIGHT},
            color_scheme=theme,
            locale=LANGUAGES[language],
        ).new_page()
        visitor = Visitor(page, self.running)
        if self.role in self.running.passwords:
            visitor.be_signed_in(self.role)
        return visitor

    def paths(self) -> list[str]:
        """The addresses that links lead to, in the order in which they are met; one for each kind of address."""
        visitor = self.visitor("1280-light-en")
        waiting, kinds, found = [*self.starts], set[str](), []
        while waiting:
            path = waiting.pop(0)
            kind = re.sub(r"\d+", "0", path)
            if kind in kinds or NO_PAGES.search(path):
                continue
            kinds.add(kind)
            answer = visitor.page.goto(self.running.url + path)
            if answer is None or not answer.headers.get("content-type", "").startswith("text/html"):
                continue
            found.append(path)
            print(f"{self.role} {len(found)}: {path}", file=sys.stderr, flush=True)
            if answer.status != 200:
                self.wrong.append(f"{path}: answered with {answer.status}")
            if len(answer.body()) > MOST_BYTES and not LISTS.search(path):
                self.wrong.append(f"{path}: {len(answer.body()):,} bytes")
            for scheme, rules in THEMES.items():
                visitor.page.emulate_media(color_scheme=scheme)
                found_by_axe = axe(visitor.page, None, rules, scheme)
                self.wrong += [f"{path}: axe, {scheme}: {words}" for words in found_by_axe]
            links = visitor.page.eval_on_selector_all("a[href]", "links => links.map(a => a.href)")
            addresses = [urlsplit(link) for link in links if link.startswith(self.running.url)]
            waiting += [address.path for address in addresses if self._is_own(address.path)]
        self._end(visitor)
        return found

    def _end(self, visitor: Visitor) -> None:
        self.wrong += [f"complaint: {words}" for words in visitor.complaints]
        self.wrong += [f"asked elsewhere: {address}" for address in visitor.strangers]
        visitor.page.context.close()

    def _is_own(self, path: str) -> bool:
        """Respondents' pages are looked at as a respondent alone."""
        return path.startswith("/a/") == (self.role == "respondent")

    def pictures(self, paths: list[str], variant: str) -> Iterator[tuple[str, Path]]:
        visitor = self.visitor(variant)
        width, _theme, language = variant.split("-")
        for number, path in enumerate(paths):
            page = visitor.go(path)
            if language == "ar" and page.get_attribute("html", "lang") != "ar":
                continue
            if page.evaluate("document.documentElement.scrollWidth") > int(width):
                self.wrong.append(f"{path}: scrolls sideways at {variant}")
            file = self.folder / f"page-{number}.png"
            shoot(page, file, int(width))
            yield path, file
        self._end(visitor)


def shoot(page: Page, file: Path, width: int) -> None:
    """Takes a picture of the first screens of a page."""
    height = min(page.evaluate("document.documentElement.scrollHeight"), MOST_SCREENS * HEIGHT)
    page.set_viewport_size({"width": width, "height": height})
    page.screenshot(path=file)
    page.set_viewport_size({"width": width, "height": HEIGHT})


def sheets(pictures: list[tuple[str, Path]], name: Path) -> None:
    """Writes the pictures, made small, with their addresses above them, so many to a sheet."""
    for first in range(0, len(pictures), PER_SHEET):
        tiles = []
        for path, file in pictures[first : first + PER_SHEET]:
            with Image.open(file) as picture:
                tile = picture.convert("RGB").resize((TILE, picture.height * TILE // picture.width))
            tiles.append((path, tile))
        rows = [tiles[at : at + ROW] for at in range(0, len(tiles), ROW)]
        heights = [max(tile.height for _path, tile in row) + 24 for row in rows]
        sheet = Image.new("RGB", (ROW * (TILE + 8), sum(heights)), "#888")
        draw = ImageDraw.Draw(sheet)
        for index, row in enumerate(rows):
            top = sum(heights[:index])
            for column, (path, tile) in enumerate(row):
                draw.text((column * (TILE + 8) + 4, top + 6), path[-48:], "white")
                sheet.paste(tile, (column * (TILE + 8), top + 20))
        sheet.save(f"{name}-{first // PER_SHEET}.png")
    for _path, file in pictures:
        file.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench contact_sheets", description=__doc__)
    parser.add_argument("--folder", type=Path, default=servers.ROOT / "var" / "contact-sheets")
    parser.add_argument("--roles", nargs="*", choices=STARTS, default=[*STARTS])
    parser.add_argument("--variants", nargs="*", choices=VARIANTS, default=VARIANTS)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    with (
        tempfile.TemporaryDirectory() as home,
        sync_playwright() as playwright,
        product(Path(home) / "var", ["demo"]) as running,
    ):
        servers.wait(lambda: is_well(running), "the product being well")
        said = servers.manage(running.env, "shell", "--verbosity=0", "-c", PEOPLE)
        for name in ("superuser", "collaborator"):
            running.others[name] = (name, "a long password 1")
        starts = STARTS | {"respondent": [f"/a/{slug}" for slug in said.split()]}
        browser = playwright.chromium.launch(executable_path=HEADLESS, args=FLAGS)
        for role in asked.roles:
            walk = Walk(role, running, browser, asked.folder, starts[role])
            paths = walk.paths()
            for variant in asked.variants:
                sheets(list(walk.pictures(paths, variant)), asked.folder / f"{role}-{variant}")
            print(f"{role}: {len(paths)} pages", *walk.wrong, sep="\n  ", flush=True)
            wrong += len(walk.wrong)
    return min(wrong, 1)


if __name__ == "__main__":
    raise SystemExit(main())
