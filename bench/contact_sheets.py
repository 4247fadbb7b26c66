"""Pictures of every page that a person can reach by links, side by side on contact sheets, and what is wrong with them.

python -m bench.contact_sheets [--folder var/contact-sheets] [--roles researcher ...] [--variants 390-dark-en ...]

Starts the demonstration survey and follows the links of nobody, a respondent, the researcher, the reviewer, a
collaborator and the operator; of addresses that differ in a number alone, the first, but of surveys one that is open,
one that is finished and a draft, with a question of each section open. Each page is opened in each variant (width,
theme, language; Arabic where the page speaks it), and respondents' questions are answered up to the last one. Written
on standard output: pages that are refused, scroll sideways, weigh more than 120 kB (lists may), break axe's rules, or
complain on the console. Exit status 1 if there are any. To look at the sheets is left to a person.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

from tests import servers
from tests.browser.conftest import MAKE, database
from tests.browser.questionnaires import SURVEYS
from tests.browser.visiting import FLAGS, HEADLESS, THEMES, Visitor, axe_violations, profile, shell
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
    r"/(static|healthz|sign-out)(/|$)|\.(csv|json|xlsx|svg|html|zip|txt|parquet|pdf|ics)$|/(export|files|download)/|/download$"
)
TILES = {390: 300, 768: 380, 1280: 505}
"""Width of a picture on a sheet by that of the window: in each the words can be read."""
SHEET, ROWS, MOST_SCREENS, MOST_QUESTIONS = 1540, 4, 3, 30
STARTS = {
    "nobody": ["/", "/app/limits"],
    "respondent": [],
    **{role: ["/app/account/home"] for role in ("researcher", "collaborator", "reviewer")},
    "superuser": ["/app/account/home", "/app/admin/"],
}
"""The first addresses of each role; a respondent's are those of open surveys, a researcher's also those of three."""
ASKED = ("arabic", "mixture")
"""Surveys of the tests that a respondent answers besides the demonstration: from right to left, and of each kind."""
PEOPLE = """
from accounts.models import RESEARCHERS, Person
from django.contrib.auth.models import Group
from surveys.models import Collaborator, Survey
Person.objects.create_superuser("superuser", "superuser@example.org", "a long password 1")
collaborator = Person.objects.create_user("collaborator", "collaborator@example.org", "a long password 1")
collaborator.groups.add(Group.objects.get(name=RESEARCHERS))
for survey in Survey.objects.all():
    Collaborator.objects.create(survey=survey, person=collaborator)
opened, finished = (Survey.objects.get(state=state) for state in ("open", "finished"))
draft = Survey.objects.create(owner=opened.owner, draft={**opened.draft, "rehearsal": False})
first = ["=start", *(section["questions"][0]["name"] for section in draft.draft["sections"])]
editing = [f"/app/surveys/{draft.pk}/edit{more}" for more in ("", *(f"?open={name}" for name in first))]
print(opened.slug, f"/app/surveys/{opened.pk}/", f"/app/surveys/{finished.pk}/", *editing)
"""
ANSWER = """() => {
  const seen = [...document.querySelectorAll("#screen input")].filter(input => input.checkVisibility());
  for (const name of new Set(seen.filter(input => input.type === "radio").map(input => input.name)))
    seen.find(input => input.name === name).click();
  for (const input of seen.filter(input => input.type === "text" && input.id.startsWith("answer-"))) {
    input.value = "1";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""
"""Chooses the first answer to each question of the screen."""


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
            place = path.partition("?")[0]
            kind = re.sub(r"\d+", "0", place)
            is_known = path in found or (kind in kinds and path not in self.starts)
            if is_known or NO_PAGES.search(place):
                continue
            kinds.add(kind)
            answer = visitor.page.goto(self.running.url + path)
            if answer is None or not answer.headers.get("content-type", "").startswith("text/html"):
                continue
            found.append(path)
            print(f"{self.role} {len(found)}: {path}", file=sys.stderr, flush=True)
            if answer.status != 200:
                self.wrong.append(f"{path}: answered with {answer.status}")
            if len(answer.body()) > MOST_BYTES and not LISTS.search(place):
                self.wrong.append(f"{path}: {len(answer.body()):,} bytes")
            for scheme, rules in THEMES.items():
                visitor.page.emulate_media(color_scheme=scheme)
                found_by_axe = axe_violations(visitor.page, None, rules, scheme)
                self.wrong += [f"{path}: axe, {scheme}: {words}" for words in found_by_axe]
            links = visitor.page.eval_on_selector_all("a[href]", "links => links.map(a => a.href)")
            addresses = [urlsplit(link) for link in links if link.startswith(self.running.url)]
            own = [address for address in addresses if self._is_own(address.path)]
            waiting += [urlunsplit(("", "", address.path, address.query, "")) for address in own]
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
            if page.locator("[data-agree]:visible").count():
                yield from self.questions(page, path, file, int(width))
        self._end(visitor)

    def questions(self, page: Page, path: str, start: Path, width: int) -> Iterator[tuple[str, Path]]:
        """Pictures of a survey's screens from its start page to the check of the answers, which are not sent."""
        page.locator("[data-agree]:visible").click()
        for number in range(1, MOST_QUESTIONS):
            if page.evaluate("document.documentElement.scrollWidth") > width:
                self.wrong.append(f"{path}: screen {number} scrolls sideways at {width}")
            file = start.with_stem(f"{start.stem}-{number}")
            shoot(page, file, width)
            yield f"{path} {number}", file
            if page.locator("#screen .sending").count():
                return
            page.evaluate(ANSWER)
            page.locator("#screen .button.primary:visible").last.click()
        raise AssertionError(f"{path} does not come to an end")


def shoot(page: Page, file: Path, width: int) -> None:
    """Takes a picture of the first screens of a page."""
    height = min(page.evaluate("document.documentElement.scrollHeight"), MOST_SCREENS * HEIGHT)
    page.set_viewport_size({"width": width, "height": height})
    page.screenshot(path=file)
    page.set_viewport_size({"width": width, "height": HEIGHT})


def sheets(pictures: list[tuple[str, Path]], name: Path, width: int) -> None:
    """Writes the pictures, made small, with their addresses above them, so many to a sheet."""
    in_row = SHEET // (width + 8)
    per_sheet = ROWS * in_row
    for first in range(0, len(pictures), per_sheet):
        tiles = []
        for path, file in pictures[first : first + per_sheet]:
            with Image.open(file) as picture:
                tile = picture.convert("RGB").resize((width, picture.height * width // picture.width))
            tiles.append((path, tile))
        rows = [tiles[at : at + in_row] for at in range(0, len(tiles), in_row)]
        heights = [max(tile.height for _path, tile in row) + 24 for row in rows]
        sheet = Image.new("RGB", (SHEET, sum(heights)), "#888")
        draw = ImageDraw.Draw(sheet)
        for index, row in enumerate(rows):
            top = sum(heights[:index])
            for column, (path, tile) in enumerate(row):
                draw.text((column * (width + 8) + 4, top + 6), path[-48:], "white")
                sheet.paste(tile, (column * (width + 8), top + 20))
        sheet.save(f"{name}-{first // per_sheet}.png")
    for _path, file in pictures:
        file.unlink()


def is_demonstrated(running: Product) -> bool:
    """Whether the steps of the demonstration have ended: the last one makes a release."""
    with database(running) as rows:
        made = rows.execute("SELECT count(*) FROM releases_release WHERE state = 'checked'").fetchone()[0]
    return bool(made)


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
        servers.wait(lambda: is_demonstrated(running), "the end of the demonstration", pause=1)
        servers.manage(running.env, "reproduce", "all")
        slug, *shown = servers.manage(running.env, "shell", "--verbosity=0", "-c", PEOPLE).split()
        wanted = json.dumps({name: SURVEYS[name] for name in ASKED})
        made = json.loads(shell(running, MAKE % wanted))
        for name in ("superuser", "collaborator"):
            running.others[name] = (name, "a long password 1")
        starts = STARTS | {"respondent": [f"/a/{slug}", *(address for address, _tokens in made.values())]}
        starts["researcher"] = [*STARTS["researcher"], *shown]
        browser = playwright.chromium.launch(executable_path=HEADLESS, args=FLAGS)
        for role in asked.roles:
            walk = Walk(role, running, browser, asked.folder, starts[role])
            paths = walk.paths()
            for variant in asked.variants:
                tile = TILES[int(variant.split("-")[0])]
                sheets(list(walk.pictures(paths, variant)), asked.folder / f"{role}-{variant}", tile)
            print(f"{role}: {len(paths)} pages", *walk.wrong, sep="\n  ", flush=True)
            wrong += len(walk.wrong)
    return min(wrong, 1)


if __name__ == "__main__":
    raise SystemExit(main())
