"""Takes a survey in a real browser: answers every question and records all requests that
the browser sends."""

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from privacy.blind_signatures.tokens import LONGEST_WAIT
from privacy.designs import Design
from privacy.kinds.number.number_question import NumberQuestion
from privacy.mechanisms.permanent_draws import read_person_code, study_fingerprint
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
"""Timeout of browser actions in milliseconds."""
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
"""JavaScript that records the random words that the page draws; random bytes for blinding a token are left out."""
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
"""JavaScript that answers one screen: the last choice of each question, a number in the middle of its range,
and the right answer to the check of understanding."""
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
    """What a browser sent, received and stored during one visit of a survey.

    `requests`: all of them, of which the first `loaded` came before the survey was begun. `scripts`: by path, as the
    browser got them. `words`: random words that the page drew since the begin. `truth`: the answer chosen for each
    question, None if it was not asked. `left_behind`: what the browser stores afterwards. `canaries`: texts that may be
    found nowhere on the server. `code`: the person's, as it was shown if a disguise lasts.
    """

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


def browser_problem() -> str:
    """Returns the reason why no browser can be started; empty if one can."""
    if importlib.util.find_spec("playwright") is None:
        return "the package playwright is not installed, so no browser was used"
    if chromium_path() is None:
        return "no Chromium was found, so no browser was used"
    return ""


def chromium_path() -> str | None:
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


@contextmanager
def start_chromium(hash_of_key: str = "") -> Iterator["Browser"]:
    """`hash_of_key`: of a certificate that is trusted besides, as `HttpSite.hash_of_key` returns it."""
    from playwright.sync_api import sync_playwright  # late for cost

    with sync_playwright() as playwright:
        flags = [*FLAGS, *([f"--ignore-certificate-errors-spki-list={hash_of_key}"] if hash_of_key else [])]
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=flags)
        try:
            yield browser
        finally:
            browser.close()


def visit_survey(
    browser: "Browser", address: str, path: str, design: Design, canary: str, *, sends: bool
) -> Visit:
    """Answers the survey in a browser; returns what was observed.

    `path` may end in an invitation. `sends`: also press Send, which only a rehearsal allows.
    """
    from playwright.sync_api import Error  # late for cost

    context = browser.new_context(user_agent=f"Mozilla/5.0 {canary}", locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        return _visit(page, address + path, design, canary, sends=sends)
    except Error as error:
        reason = error.message.splitlines()[0]
        raise CheckFailed(f"the browser could not answer the survey: {reason}") from None
    finally:
        context.close()


def _visit(page: "Page", url: str, design: Design, canary: str, *, sends: bool) -> Visit:
    requests: list[SentRequest] = []
    complaints: list[str] = []
    responses: list[Response] = []

    def note_request(request: "Request") -> None:
        requests.append(SentRequest(request.method, request.url, request.post_data or ""))

    page.on("request", note_request)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.add_init_script(NOTE)
    if design.invitation_key:
        page.clock.install()
    page.on("response", lambda response: responses.append(response))  # noqa: PLW0108 - Playwright marks what it is given
    page.goto(url, wait_until="networkidle")
    scripts = {
        urlsplit(response.url).path: response.body()
        for response in responses
        if response.request.resource_type == "script" and response.ok
    }
    begin = page.locator("[data-agree]:visible")
    if not begin.count():
        raise CheckFailed("the page offers no way to begin")
    loaded, first_word = len(requests), page.evaluate("window.__words.length")
    begin.click()
    if design.invitation_key:
        page.locator("#screen .onward").wait_for()
    truth, code = _answer_all_and_read_code(page, design)
    receipt, request_shown = "", ""
    if sends:
        page.locator("#screen .sending .button.primary").click()
        if design.invitation_key:
            # The wait that the device draws between the last answer and the sending.
            page.clock.fast_forward(1000 * LONGEST_WAIT)
        page.locator("#screen pre.bytes").nth(1).wait_for(state="attached")
        page.wait_for_load_state("networkidle")
        receipt, request_shown = page.locator("#screen pre.bytes").all_text_contents()[:2]
    canaries = [canary]
    if record := next((request for request in requests[loaded:] if request.url.endswith("/record")), None):
        canaries.append(parse_envelope(record.body).key)
    return Visit(
        requests=tuple(requests),
        loaded=loaded,
        is_sent=sends,
        scripts=scripts,
        words=tuple(page.evaluate("window.__words")[first_word:]),
        truth=tuple(truth.get(str(index)) for index in range(len(design.questions))),
        left_behind=tuple(page.evaluate(LEFT_BEHIND) if sends else []),
        complaints=(*complaints, *page.evaluate("window.__complaints")),
        receipt=receipt,
        request_shown=request_shown,
        canaries=(*canaries, *person_code_texts(code, design)),
        code=code,
    )


def person_code_texts(code: str, design: Design) -> list[str]:
    """Returns the texts that a person's code would have in a request: as shown, without hyphens, and
    as hexadecimal bytes."""
    code_bytes = read_person_code(code, study_fingerprint(design)) if code else None
    return [code, code.replace("-", ""), code_bytes.hex()] if code_bytes else []


def _answer_all_and_read_code(page: "Page", design: Design) -> tuple[dict[str, int], str]:
    """Answers the survey screen by screen; returns the true answers by question index, and the person's code."""
    numbers: dict[str, tuple[str, int]] = {}
    for index, question in enumerate(design.questions):
        if isinstance(question, NumberQuestion):
            true_code = question.true_codes // 2
            numbers[str(index)] = (str(question.number(true_code)), true_code)
    truth: dict[str, int] = {} if design.understanding_index is None else {str(design.understanding_index): 0}
    code = ""
    for _screen in range(MOST_SCREENS):
        if design.lasting_sections and page.locator("#screen #code").count():
            # As somebody who has no code yet: have one made, and type it back.
            page.locator("#screen [aria-labelledby=no-code] .button").click()
            code = page.locator("#screen .person-code code").inner_text()
            page.fill("#code", code)
            page.locator("#screen .onward .button.primary").click()
            page.locator("#code").wait_for(state="detached")
        answers: dict[str, int]
        answers, goes_on, is_wrong = page.evaluate(ANSWER, numbers)
        truth |= answers
        if is_wrong:
            raise CheckFailed("the page refused an answer that its design allows")
        if not goes_on:
            return truth, code
    raise CheckFailed("the survey asks on and on")
