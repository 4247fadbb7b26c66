"""Measures the page of a report in a browser: where its first finding stands, how high a share's row is, its size.

    .venv/bin/python -m bench.report_page ADDRESS [--sign-in NAME PASSWORD]

ADDRESS is that of a public page, of the page to print, or of a report, for which somebody signs in. Wanted: the first
finding at most 330 pixels below the top at a width of 1280, 640 at 390; a row at most 44 pixels high at 1280; at most
120 kB. Exit status 1 where one of these fails.
"""

import argparse
import json
from urllib.parse import urljoin

from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
HIGHEST_FINDING = {1280: 330, 390: 640}
HIGHEST_ROW, MOST_BYTES = 44, 120_000
MEASURE = """() => ({
    finding: Math.round(document.querySelector('ol.findings li').getBoundingClientRect().top + scrollY),
    row: Math.round(Math.max(...[...document.querySelectorAll('table.shares tbody tr:not(.part)')]
        .map((row) => row.getBoundingClientRect().height))),
    sideways: document.documentElement.scrollWidth > innerWidth,
    words: document.querySelector('main').innerText.split(/\\s+/).length,
})"""


def sign_in(page: Page, address: str, name: str, password: str) -> None:
    page.goto(urljoin(address, "/app/account/sign-in"))
    page.fill("[name=username]", name)
    page.fill("[name=password]", password)
    page.locator("[name=password]").press("Enter")
    page.wait_for_url(lambda url: "/app/account/sign-in" not in url)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address")
    parser.add_argument("--sign-in", nargs=2, metavar=("NAME", "PASSWORD"))
    asked = parser.parse_args()
    measured, failed = {}, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for width, highest in HIGHEST_FINDING.items():
            page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
            if asked.sign_in:
                sign_in(page, asked.address, *asked.sign_in)
            response = page.goto(asked.address)
            assert response is not None
            found = page.evaluate(MEASURE) | {"bytes": len(response.body())}
            measured[width] = found
            limits = {"finding": highest, "bytes": MOST_BYTES} | (
                {"row": HIGHEST_ROW} if width == 1280 else {}
            )
            failed += [f"{name} at {width}" for name, limit in limits.items() if found[name] > limit]
            failed += [f"scrolls sideways at {width}"] if found["sideways"] else []
        browser.close()
    print(json.dumps({"measured": measured, "failed": failed}, indent=2))
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
