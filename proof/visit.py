"""One visit of the survey in a real browser: every question is answered, and what leaves the browser is noted."""

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from privacy.blind_signatures.tokens import LONGEST_WAIT
from privacy.designs import Design
from privacy.kinds.number.number import NumberQuestion
from privacy.mechanisms.permanent import read_code, study_of
from privacy.records import parse_envelope
from proof.outcome import CheckFailed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request, Response

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
PATIENCE = 60_000
"""Milliseconds."""
MOST_SCREENS = 400
NOTE = """(() => {
  const real = crypto.getRandomValues.bind(crypto);
  window.__words = [];
  crypto.getRandomValues = (array) => {
    real(array);
    if (array instanceof Uint32Array) window.__words.push(...array);
    return array;
  };
  window.__complaints = [];
  addEventListener("securitypolicyviolation", (event) =>
    window.__complaints.push(`${event.effectiveDirective} stopped ${event.blockedURI}`));
})()"""
"""Notes the random words that the page draws, in the memory of the page; what blinds a token is drawn as bytes."""
ANSWER = """(numbers) => {
  const all = (query) => [...document.querySelectorAll(`#screen ${query}`)];
  const truth = {};
  const choice = document.getElementById("group-1");
  if (choice) choice.click();
  const radios = all("input[type=radio]").map((input) => input.id.match(/^answer-([0-9]+)-([0-9]+)$/)).filter(Boolean);
  for (const [, place, code] of radios) truth[place] = Math.max(truth[place] ?? 0, Number(code));
  for (const place of Object.keys(truth)) document.getElementById(`answer-${place}-${truth[place]}`).click();
  for (const id of ["understood-0-0", "understood-1-1"]) document.getElementById(id)?.click();
  const boxes = all("input[type=checkbox]").map((input) => input.id.match(/^answer-([0-9]+)-1$/)).filter(Boolean);
  boxes.forEach(([, place], i) => { truth[place] = i ? 0 : 1; });
  if (boxes.length) document.getElementById(boxes[0][0]).click();
  for (const input of all(".typed input")) {
    const place = input.id.replace("answer-", "");
    [input.value, truth[place]] = numbers[place];
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const onward = all(".onward .button.primary")[0];
  if (onward) onward.click();
  return [truth, Boolean(onward), all(".error-summary").length > 0];
}"""
"""Answers one screen: of each question the last choice, of a number the one in the middle, the check of understanding
rightly."""
LEFT_BEHIND = """async () => [
  ...Object.keys(localStorage), ...Object.keys(sessionStorage), ...document.cookie.split(";").filter(Boolean),
  ...(await indexedDB.databases()).map(({ name }) => name), ...(await caches.keys()),
  ...(await navigator.serviceWorker?.getRegistrations() ?? []).map(({ scope }) => scope)]"""


@dataclass(frozen=True, slots=True)
class SentRequest:
    method: str
    url: str
    body: str = ""


@dataclass(frozen=True)
class Visit:
    """`requests`: all of them; the first `loaded` came before the survey was begun. `scripts`: by path what the browser
    got. `words`: what the page has drawn since. `truth`: by question the answer that was chosen, None where nothing was
    asked. `left_behind`: what the browser stores afterwards. `canaries`: what may be found nowhere on the server.
    `code`: the person's, as it was shown where a disguise lasts."""

    requests: tuple[SentRequest, ...]
    loaded: int
    is_sent: bool
    scripts: dict[str, bytes]
    words: tuple[int, ...]
    truth: tuple[int | None, ...]
    left_behind: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()
    receipt: str = ""
    request_shown: str = ""
    canaries: tuple[str, ...] = ()
    code: str = ""


def missing_parts() -> str:
    """Why there is no browser, empty where there is one."""
    if importlib.util.find_spec("playwright") is None:
        return "the package playwright is not installed, so no browser was used"
    if program() is None:
        return "no Chromium was found, so no browser was used"
    return ""


def program() -> str | None:
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


@contextmanager
def chromium() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright  # late for cost

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def visit(browser: "Browser", address: str, path: str, design: Design, canary: str, *, sends: bool) -> Visit:
    """`path` may end in an invitation. `sends`: also press Send, which only a rehearsal may be asked for."""
    from playwright.sync_api import Error  # late for cost

    context = browser.new_context(user_agent=f"Mozilla/5.0 {canary}", locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        return _visited(page, address, path, design, canary, sends=sends)
    except Error as error:
        raise CheckFailed(
            f"the browser could not answer the survey: {error.message.splitlines()[0]}"
        ) from None
    finally:
        context.close()


def _visited(page: "Page", address: str, path: str, design: Design, canary: str, *, sends: bool) -> Visit:
    requests: list[SentRequest] = []
    scripts: dict[str, bytes] = {}
    complaints: list[str] = []
    responses: list[Response] = []

    def note(request: "Request") -> None:
        requests.append(SentRequest(request.method, request.url, request.post_data or ""))

    page.on("request", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.add_init_script(NOTE)
    if design.invitation_key:
        page.clock.install()
    page.on("response", lambda response: responses.append(response))  # noqa: PLW0108 - Playwright marks what it is given
    page.goto(f"{address}{path}", wait_until="networkidle")
    for response in responses:
        if response.request.resource_type == "script" and response.ok:
            scripts[urlsplit(response.url).path] = response.body()
    begin = page.locator("[data-agree]:visible")
    if not begin.count():
        raise CheckFailed("the page offers no way to begin")
    loaded, drawn = len(requests), page.evaluate("window.__words.length")
    begin.click()
    if design.invitation_key:
        page.locator("#screen .onward").wait_for()
    truth, code = _answered(page, design)
    if sends:
        page.locator("#screen .sending .button.primary").click()
        if design.invitation_key:
            # The wait that the device draws between the last answer and the sending.
            page.clock.fast_forward(1000 * LONGEST_WAIT)
        page.locator("#screen pre.bytes").nth(1).wait_for(state="attached")
        page.wait_for_load_state("networkidle")
    shown = [each or "" for each in page.locator("#screen pre.bytes").all_text_contents()] if sends else []
    canaries = [canary]
    if sent := next((request for request in requests[loaded:] if request.url.endswith("/record")), None):
        canaries.append(parse_envelope(sent.body).key)
    canaries += forms_of_code(code, design)
    complaints += page.evaluate("window.__complaints")
    words = page.evaluate("window.__words")[drawn:]
    left = page.evaluate(LEFT_BEHIND) if sends else []
    (receipt, request_shown) = (*shown, "", "")[:2]
    return Visit(
        tuple(requests),
        loaded,
        sends,
        scripts,
        tuple(words),
        tuple(truth.get(str(place)) for place in range(len(design.questions))),
        tuple(left),
        tuple(complaints),
        receipt,
        request_shown,
        tuple(canaries),
        code,
    )


def forms_of_code(code: str, design: Design) -> list[str]:
    """How a code could be told: as it is shown, without hyphens, and its bytes."""
    drawn = read_code(code, study_of(design)) if code else None
    return [code, code.replace("-", ""), drawn.hex()] if drawn else []


def _coded(page: "Page") -> str:
    """Make a code, as somebody does who has none, and type it back."""
    page.locator("#screen [aria-labelledby=no-code] .button").click()
    code = page.locator("#screen .person-code code").inner_text()
    page.fill("#code", code)
    page.locator("#screen .onward .button.primary").click()
    page.locator("#code").wait_for(state="detached")
    return code


def _answered(page: "Page", design: Design) -> tuple[dict[str, int], str]:
    """The true answers by the place of their question, and the person's code."""
    numbers: dict[str, tuple[str, int]] = {}
    for place, question in enumerate(design.questions):
        if isinstance(question, NumberQuestion):
            code = question.true_codes // 2
            numbers[str(place)] = (str(question.number(code)), code)
    truth: dict[str, int] = {} if design.understood is None else {str(design.understood): 0}
    own_code = ""
    for _screen in range(MOST_SCREENS):
        if design.lasting_sections and page.locator("#screen #code").count():
            own_code = _coded(page)
        more: Any
        more, goes_on, is_wrong = page.evaluate(ANSWER, numbers)
        truth |= more
        if is_wrong:
            raise CheckFailed("the page refused an answer that its design allows")
        if not goes_on:
            return truth, own_code
    raise CheckFailed("the survey asks on and on")
