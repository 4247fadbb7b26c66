"""A survey inside a tool: the tool's own field gets the record, the frame keeps nothing, and two messages are all there
are. In Chromium's full build, with third-party cookies blocked and allowed."""

import io
import json
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from zipfile import ZipFile

import pandas as pd
import pytest
from playwright.sync_api import Browser, Frame, Page, expect

import candor
from intake.invitations.tool_snippets import tool_snippets
from privacy.designs import Design, parse_design
from privacy.records.handed_record import read_handed_text
from tests import servers
from tests.browser.conftest import ANSWER, MAKE
from tests.browser.questionnaires import SHORT
from tests.browser.visiting import CHROMIUM, FLAGS, shell
from tests.product import Product

pytestmark = pytest.mark.browser
MODULES = servers.ROOT / "node_modules"
TRUTH = {"0": 0, "1": 1, "2": 0}
HEARD = "window.heard = []; addEventListener('message', ({data, origin}) => void heard.push([origin, data]))"
QUALTRICS = """
window.kept = {};
window.Qualtrics = { SurveyEngine: {
  addOnReady: (ready) => ready.call({ getQuestionContainer: () => document.getElementById("QID1") }),
  getJSEmbeddedData: (name) => kept["__js_" + name],
  setJSEmbeddedData: (name, text) => { kept["__js_" + name] = text; } } };
"""
"""The calls that Qualtrics documents for JavaScript in a question, and its store."""
OPEN_AND_READ = """
import base64
from surveys.lifecycle import asked_at, survey_creation
draft = {**drafts.bilingual(), "open_answers": False, "asked_at": %r}
survey = survey_creation.create_survey_from_draft(robin, draft, "surveys.created", timezone.now())
opening.open_survey_now(survey, robin, timezone.now())
print(base64.b64encode(bytes(asked_at.current_folder(survey).content)).decode())
"""


@dataclass
class Tool:
    """A tool on another host: its pages, its files, and what was sent to it."""

    port: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    got: list[dict[str, list[str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


@dataclass
class Inside:
    """A survey inside the tool."""

    tool: Tool
    address: str
    design: Design
    product: Product

    def snippet(self, name: str) -> str:
        return tool_snippets(self.address, self.design.fingerprint)[name]


@pytest.fixture(scope="module")
def tool() -> Iterator[Tool]:
    tool = Tool()

    class Handler(servers.HTTPHandler):
        def do_GET(self) -> None:
            at = urlsplit(self.path)
            if at.query:
                tool.got.append(parse_qs(at.query))
            body = tool.pages.get(at.path, "").encode()
            kind = "text/html; charset=utf-8"
            if at.path.startswith("/modules/"):
                body = (MODULES / at.path.removeprefix("/modules/")).read_bytes()
                kind = "text/css" if at.path.endswith(".css") else "text/javascript"
            self.send(body, Content_Type=kind)

    with servers.serve_http(Handler) as tool.port:
        yield tool


@pytest.fixture(scope="module")
def inside(product: Product, tool: Tool) -> Inside:
    return make_inside(product, tool, "https://www.example.org", tool.url)


def make_inside(product: Product, tool: Tool, *origins: str) -> Inside:
    of = SHORT | {"asked_at": {"inside": [*origins]}, "open_answers": False}
    ((address, _tokens),) = json.loads(shell(product, MAKE % json.dumps({"s": {"design": of}}))).values()
    survey = Inside(tool, f"{product.url}{address}", parse_design(json.dumps(of)), product)
    tool.pages["/form"] = (
        f'<!doctype html><meta charset="utf-8"><title>Tool</title><form action="/sent">{survey.snippet("html-form")}'
        '<input name="age" value="40"><button>Next</button></form>'
    )
    return survey


@contextmanager
def full_build(chromium: Browser, folder: Path, blocks: bool) -> Iterator[Page]:
    """Chromium's full build, which blocks or allows what other sites store."""
    preferences = {"profile": {"cookie_controls_mode": int(blocks), "block_third_party_cookies": blocks}}
    (folder / "Default").mkdir(parents=True)
    (folder / "Default/Preferences").write_text(json.dumps(preferences))
    # High enough for the frame: a browser drops clicks beside one that has just been scrolled.
    context = chromium.browser_type.launch_persistent_context(
        folder, executable_path=CHROMIUM, args=FLAGS, viewport={"width": 1280, "height": 1100}
    )
    page = context.new_page()
    page.add_init_script(HEARD)
    yield page
    context.close()


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    with full_build(chromium, tmp_path / "profile", blocks=True) as opened:
        yield opened


def survey_frame(page: Page) -> Frame:
    frame = page.wait_for_selector("iframe")
    assert frame is not None
    content = frame.content_frame()
    assert content is not None
    return content


def answer(page: Page) -> Frame:
    """From the start page to the check."""
    frame = survey_frame(page)
    frame.locator("[data-agree]:visible").click()
    frame.get_by_role("button", name="Continue").wait_for()
    frame.evaluate(ANSWER, [TRUTH, 1, 50])
    return frame


def hand_over(page: Page) -> Frame:
    frame = answer(page)
    frame.locator("[data-send]").click()
    expect(frame.get_by_role("heading", name="Handed over to")).to_be_visible()
    return frame


def fields(tool: Tool) -> list[str]:
    return [sent.get("candor", [""])[0] for sent in tool.got]


@pytest.mark.parametrize("blocks", [True, False], ids=["blocked", "allowed"])
def test_three_people_at_one_computer_give_three_records_and_the_frame_keeps_nothing(
    chromium: Browser, inside: Inside, tmp_path: Path, blocks: bool
) -> None:
    inside.tool.got.clear()
    with full_build(chromium, tmp_path / "profile", blocks) as page:
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        for _person in range(3):
            page.goto(f"{inside.tool.url}/form")
            frame = answer(page)
            requests.clear()
            frame.locator("[data-send]").click()
            expect(
                frame.get_by_role("heading", name="Handed over to www.example.org, localhost")
            ).to_be_visible()
            stored = "try { localStorage.length + sessionStorage.length } catch { 'blocked' }"
            assert frame.evaluate(stored) in ((0, "blocked") if blocks else (0,))
            assert frame.evaluate("indexedDB.databases ? document.cookie : ''") == ""
            assert requests == [], "nothing is asked of any site at Send"
            page.get_by_role("button", name="Next").click()
            page.wait_for_url("**/sent*")
    texts = fields(inside.tool)
    records = [read_handed_text(text) for text in texts]
    assert len({record.key for record in records if record}) == 3
    read = candor.read_export(pd.DataFrame({"candor": texts, "age": 40}), inside.design, ["age"])
    assert (len(read), dict(read.records.left_out)) == (3, {})


def test_the_page_inside_a_tool_may_come_from_another_host(
    page: Page, inside: Inside, tmp_path: Path, product: Product
) -> None:
    """From the folder that is stored when the survey opens, with no request to this site."""
    (folder := tmp_path / "host").mkdir()
    content = b64decode(shell(product, OPEN_AND_READ % {"inside": [inside.tool.url]}))
    with ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    design = parse_design((folder / "design.json").read_text())
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    with servers.serve_folder(folder) as port:
        snippet = tool_snippets(f"http://127.0.0.1:{port}/", design.fingerprint)["html-form"]
        inside.tool.pages["/elsewhere"] = f'<form action="/sent">{snippet}<button>Next</button></form>'
        page.goto(f"{inside.tool.url}/elsewhere#lang=zh-hans")
        expect(survey_frame(page).locator("html")).to_have_attribute("lang", "zh-hans")
        inside.tool.got.clear()
        page.goto("about:blank")
        page.goto(f"{inside.tool.url}/elsewhere")
        hand_over(page)
        page.get_by_role("button", name="Next").click()
        page.wait_for_url("**/sent*")
    assert [url for url in requests if url.startswith(product.url)] == []
    (text,) = fields(inside.tool)
    read = read_handed_text(text)
    assert read
    assert read.record.design == design.fingerprint


def test_two_messages_are_all_there_ever_are(page: Page, inside: Inside) -> None:
    page.goto(f"{inside.tool.url}/form")
    frame = answer(page)
    assert page.evaluate("heard") == []
    frame.locator("[data-send]").click()
    expect(frame.get_by_role("heading", name="Handed over to")).to_be_visible()
    ((origin, message),) = page.evaluate("heard")
    assert inside.address.startswith(origin)
    assert set(message) == {"candor", "fingerprint", "record"}
    assert message["fingerprint"] == inside.design.fingerprint
    assert page.evaluate("history.length") == 2
    page.goto(f"{inside.tool.url}/form")
    survey_frame(page).locator("[data-exit]:visible").first.click()
    expect(survey_frame(page).get_by_role("heading", name="You did not answer this part")).to_be_visible()
    assert page.evaluate("heard.map(([, data]) => data)") == [{"candor": 1, "left": True}]


def test_a_person_goes_on_without_answering(page: Page, inside: Inside) -> None:
    """The form waits until the person has answered, left, or says so beside the frame; no other window says so."""
    inside.tool.got.clear()
    page.goto(f"{inside.tool.url}/form")
    survey_frame(page)
    page.evaluate("postMessage({candor: 1, left: true}, '*')")
    page.get_by_role("button", name="Next").click()
    assert page.url == f"{inside.tool.url}/form"
    page.get_by_role("button", name="Go on without answering this part").click()
    page.get_by_role("button", name="Next").click()
    page.wait_for_url("**/sent*")
    assert fields(inside.tool) == [""]


def test_a_tool_that_does_not_take_the_record_gets_the_same_text_again(page: Page, inside: Inside) -> None:
    """It answers late: Try again after ten seconds, on the page's clock. Another window says nothing for it."""
    inside.tool.pages["/deaf"] = f'<!doctype html><iframe src="{inside.address}"></iframe><iframe></iframe>'
    page.goto(f"{inside.tool.url}/deaf")
    page.clock.install()
    page.goto(f"{inside.tool.url}/deaf")
    frame = answer(page)
    frame.locator("[data-send]").click()
    expect(frame.get_by_text("Sending …")).to_be_visible()
    page.clock.fast_forward(11_000)
    page.evaluate(
        """origin => frames[1].eval(`parent.frames[0].postMessage({candor: 1, taken: true}, "${origin}")`)""",
        inside.product.url,
    )
    frame.get_by_role("button", name="Try again").click()
    (_origin, first), (_again, second) = page.evaluate("heard")
    assert first == second
    forge = "origin => frames[0].postMessage({candor: 1, taken: true}, origin)"
    page.evaluate(forge, inside.product.url)
    expect(frame.get_by_role("heading", name="Handed over to")).to_be_visible()


def test_a_field_that_holds_a_record_is_not_asked_again(page: Page, inside: Inside) -> None:
    inside.tool.pages["/again"] = inside.tool.pages["/form"].replace(
        'id="candor">', 'id="candor" value="candor1.e30">'
    )
    page.goto(f"{inside.tool.url}/again")
    expect(page.get_by_text("You have answered this part.")).to_be_visible()
    assert page.locator("iframe").count() == 0


def test_a_trial_is_marked_on_each_screen_and_in_its_text(page: Page, inside: Inside) -> None:
    inside.tool.got.clear()
    page.goto(f"{inside.tool.url}/form#try&lang=en")
    trial = survey_frame(page).get_by_text("Trial: your answers are not used.")
    expect(trial).to_be_visible()
    hand_over(page)
    expect(trial).to_be_visible()
    page.get_by_role("button", name="Next").click()
    page.wait_for_url("**/sent*")
    (text,) = fields(inside.tool)
    assert text.startswith("candor1t.")


def test_a_page_alone_or_inside_another_site_asks_nothing(page: Page, inside: Inside) -> None:
    page.goto(inside.address)
    expect(page.get_by_text("Nothing can be answered here. This page belongs inside")).to_be_visible()
    assert page.locator("[data-agree]").count() == 0
    inside.tool.pages["/"] = inside.tool.pages["/form"]
    page.goto(f"http://127.0.0.1:{inside.tool.port}/")
    page.wait_for_timeout(500)
    assert inside.product.url not in page.frames[1].url


def test_the_start_page_says_what_the_tool_gets(page: Page, inside: Inside) -> None:
    page.goto(f"{inside.tool.url}/form")
    frame = survey_frame(page)
    expect(frame.get_by_text("This page stands inside www.example.org, localhost").first).to_be_visible()
    start = frame.locator("#start").text_content() or ""
    for said in (
        *("can see that you answered and when", "keeps your record beside your other answers"),
        *("Only the random disguise of this one record", "If you want your answers deleted, ask"),
        *("You may go on without answering", "Nothing of your answers stays on this computer"),
        "Answer this part once",
    ):
        assert said in start
    for unsaid in (
        "mixed with others",
        "cannot take your answers back",
        "private window",
        "Until your batch",
    ):
        assert unsaid not in start


def test_the_page_in_surveyjs(page: Page, inside: Inside) -> None:
    """The real package: the answer of a question is the record, and Next is never disabled."""
    assert_installed("survey-core", "survey-js-ui")
    json_of = {"pages": [{"elements": [{"type": "text", "name": "candor"}, {"type": "text", "name": "age"}]}]}
    inside.tool.pages["/surveyjs"] = f"""<!doctype html><meta charset="utf-8">
      <link rel="stylesheet" href="/modules/survey-core/survey-core.fontless.min.css">
      <script src="/modules/survey-core/survey.core.min.js"></script>
      <script src="/modules/survey-js-ui/survey-js-ui.min.js"></script><div id="tool"></div>
      <script>const survey = new Survey.Model({json.dumps(json_of)});
      {inside.snippet("surveyjs")}
      survey.onComplete.add((done) => void (window.result = done.data));
      survey.render(document.getElementById("tool"));</script>"""
    page.goto(f"{inside.tool.url}/surveyjs")
    hand_over(page)
    page.get_by_role("button", name="Complete").click()
    page.wait_for_function("window.result")
    read = candor.read_export(pd.DataFrame([page.evaluate("result")]), inside.design)
    assert len(read) == 1


def test_the_page_in_jspsych(page: Page, inside: Inside, tmp_path: Path) -> None:
    """The real package: the trial ends by its button, and the data have the record."""
    assert_installed("jspsych")
    inside.tool.pages["/jspsych"] = f"""<!doctype html><meta charset="utf-8"><body>
      <script src="/modules/jspsych/dist/index.browser.min.js"></script>
      <script>{inside.snippet("jspsych")}
      const jsPsych = initJsPsych({{ on_finish: () => void (window.result = jsPsych.data.get().csv()) }});
      jsPsych.run([{{ type: CandorPart }}]);</script>"""
    page.goto(f"{inside.tool.url}/jspsych")
    hand_over(page)
    assert page.evaluate("window.result") is None
    page.get_by_role("button", name="Continue").click()
    page.wait_for_function("window.result")
    (tmp_path / "data.csv").write_text(page.evaluate("result"))
    assert len(candor.read_export(tmp_path / "data.csv", inside.design)) == 1


def test_the_page_with_the_documented_calls_of_qualtrics(page: Page, inside: Inside) -> None:
    inside.tool.pages["/qualtrics"] = (
        '<!doctype html><meta charset="utf-8"><div id="QID1"></div>'
        f"<script>{QUALTRICS}{inside.snippet('qualtrics')}</script>"
    )
    page.goto(f"{inside.tool.url}/qualtrics")
    hand_over(page)
    kept = page.evaluate("kept")
    assert list(kept) == ["__js_candor"]
    assert len(candor.read_export(pd.DataFrame([kept]), inside.design)) == 1


def assert_installed(*packages: str) -> None:
    assert all((MODULES / package).is_dir() for package in packages), "package.json names these packages"
