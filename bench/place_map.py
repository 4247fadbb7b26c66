"""How long a browser on a slow processor takes to show a question for a place: its list and its map.

python -m bench.place_map [--cells 1024] [--slower 4] [--pages 10]

Every page is fresh, so nothing is compiled yet. `drawn` is what the scripts take to build the elements, `painted` the
same until the next frame is on the screen.
"""

import argparse
import json
from math import ceil, sqrt
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from bench.disguise_browser import FLAGS, serve

MEASURE = """async ([question, words]) => {
    const map = await import("/intake/place_map.js");
    const { kindOf } = await import("/intake/kinds.js");
    const { groupsOf } = await import("/intake/places.js");
    const { voiceOf } = await import("/intake/voice.js");
    const design = { languages: ["en"], sections: [{ kind: "place", questions: [question] }] };
    const page = { languages: [{ code: "en", interface: "en" }], words: { en: words } };
    const scene = { design, page: { chances: { [question.name]: [[[1, 2, .5], [1, 2, .5]]] } },
        voice: voiceOf(page, design, "en"), answer: () => {}, back: () => {}, goOn: () => {},
        journey: { group: 1, answers: [null], typed: {}, coins: { modulus: 10000, values: [0] } } };
    const framed = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    await framed();
    const alone = performance.now();
    const { element, see, frame } = map.drawing(question, groupsOf(question));
    see(frame.whole);
    document.body.replaceChildren(element);
    element.getBoundingClientRect();
    const drawing = performance.now() - alone;
    await framed();
    const paintedMap = performance.now() - alone;
    const began = performance.now();
    document.body.replaceChildren(...kindOf(design.sections[0]).screen(scene, [0], question, []).filter(Boolean));
    const built = performance.now() - began;
    await framed();
    return [drawing, paintedMap, built, performance.now() - began];
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", type=int, default=1024)
    parser.add_argument("--slower", type=float, default=4)
    parser.add_argument("--pages", type=int, default=10)
    asked = parser.parse_args()
    runs = measured(grid(asked.cells), asked.slower, asked.pages)
    names = ("map_drawn", "map_painted", "screen_built", "screen_painted")
    figures: dict[str, Any] = {"cells": asked.cells, "slower": asked.slower, "pages": asked.pages}
    for index, name in enumerate(names):
        figures[f"{name}_milliseconds_median"] = round(median(run[index] for run in runs), 1)
        figures[f"{name}_milliseconds_worst"] = round(max(run[index] for run in runs), 1)
    print(json.dumps(figures, indent=1))


def measured(question: dict[str, Any], slower: float, pages: int) -> list[list[float]]:
    words = {key: key for key in WORDS}
    runs: list[list[float]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for _ in range(pages):
            page = browser.new_page()
            page.route("**/*", serve)
            page.goto("http://localhost/")
            line = page.context.new_cdp_session(page)
            line.send("Emulation.setCPUThrottlingRate", {"rate": slower})
            runs.append(page.evaluate(MEASURE, [question, words]))
            page.close()
        browser.close()
    return runs


def grid(cells: int) -> dict[str, Any]:
    """A square grid, a quarter of it in sixteen regions."""
    columns = ceil(sqrt(cells))
    names = [f"cell {number}" for number in range(cells)]
    step = max(1, cells // 64)
    return {
        "name": "home",
        "text": {"en": "Where?"},
        "help": {},
        "show_if": {},
        "near": 1,
        "odds": "7.38",
        "cells": [square(name, number % columns, number // columns) for number, name in enumerate(names)],
        "regions": [
            {"name": f"region {index}", "label": {}, "cells": names[index * step : (index + 1) * step]}
            for index in range(min(16, cells // step))
        ],
    }


def square(name: str, column: int, row: int) -> dict[str, Any]:
    left, below = 2 * column, 2 * row
    corners = [left, below, left + 2, below, left + 2, below + 2, left, below + 2]
    return {"name": name, "label": {}, "at": [left + 1, below + 1], "shape": [corners]}


WORDS = (
    "about_times",
    "back",
    "choose_place",
    "continue",
    "disguised",
    "map",
    "map_help",
    "map_none",
    "place_chosen",
    "place_inside",
    "place_level",
    "place_outside",
    "places_more",
    "places_none",
    "places_outside",
    "places_shown",
    "question_number",
    "search",
    "zoom_in",
    "zoom_out",
)
"""Of the texts of the page those that this screen needs."""


if __name__ == "__main__":
    main()
