"""How long a browser takes to throw the coins of 100 sensitive answers and disguise them.

python -m bench.disguise_browser [--pages 20]

Every page is fresh, so the first figure is a respondent's: a module just loaded, nothing compiled yet.
"""

import argparse
import json
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from playwright.sync_api import Route, sync_playwright

from bench.disguise import yes_no_design

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (ROOT / "privacy" / "static", ROOT / "intake" / "static")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
MEASURE = """async ([design, fingerprint]) => {
    const d = await import("/intake/device.js");
    const answers = design.sections.flatMap((section) => section.questions.map(() => 1));
    const once = () => {
        const began = performance.now();
        const coins = d.drawCoins(design, d.secureWords(crypto));
        d.disguise(design, fingerprint, coins, d.DISGUISED, answers);
        return performance.now() - began;
    };
    const first = once();
    const later = Array.from({length: 200}, once).sort((a, b) => a - b);
    return [first, later[100], later[199]];
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=20)
    asked = parser.parse_args()
    design = yes_no_design(100)
    runs: list[list[float]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for _ in range(asked.pages):
            page = browser.new_page()
            page.route("**/*", serve)
            page.goto("http://localhost/")
            runs.append(page.evaluate(MEASURE, [design.as_json(), design.fingerprint]))
            page.close()
        browser.close()
    figures = {
        "answers": 100,
        "pages": asked.pages,
        "first_call_milliseconds_median": round(median(run[0] for run in runs), 2),
        "first_call_milliseconds_worst": round(max(run[0] for run in runs), 2),
        "later_calls_milliseconds_median": round(median(run[1] for run in runs), 2),
        "later_calls_milliseconds_worst": round(max(run[2] for run in runs), 2),
    }
    print(json.dumps(figures, indent=1))


def serve(route: Route) -> None:
    path = urlsplit(route.request.url).path.lstrip("/")
    if path.endswith(".js"):
        module = next(room / path for room in ROOMS if (room / path).is_file())
        route.fulfill(body=module.read_text(), content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html><title>bench</title>", content_type="text/html")


if __name__ == "__main__":
    main()
