"""Firefox and WebKit, driven by the commands of W3C WebDriver, and their pages under the names that Playwright gives.

Firefox takes the commands from its own line, Marionette, WebKit over HTTP from its WebKitWebDriver; an engine more is a
subclass of `Driver`. A `Page` has of Playwright's page what the journeys of tests/browser ask of it, so that
these, `Respondent` above all, go through either.
"""

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests import servers

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""How WebDriver writes a reference to an element."""
PHONE = (390, 844)
TIMEOUTS = {"script": 200_000, "pageLoad": 200_000}
"""Milliseconds; the browser says that it waited before its driver gives it up."""


class Failure(Exception):
    """What the driver or the script of a page answers in the place of a result: WebDriver's code, and its words."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(f"{code}: {words}")
        self.code = code


# --- the engines ---


class Driver(ABC):
    """One browser with an empty profile in a folder of its own."""

    name: str
    patience = servers.PATIENCE
    """Seconds that the browser has to answer a command."""

    def __init__(self, folder: Path, language: str, size: tuple[int, int]) -> None:
        self.folder, self.language, self.size = folder, language, size
        self.folder.mkdir()
        self.processes: list[subprocess.Popen[bytes]] = []
        try:
            self.start()
        except BaseException:
            self.kill()
            raise

    @abstractmethod
    def start(self) -> None: ...

    @abstractmethod
    def end_browser(self) -> None:
        """As where a person closes the browser: it writes to the disk what it would."""

    @abstractmethod
    def send(self, name: str, values: dict[str, Any]) -> Any:
        """The command's result; no read waits for longer than `patience`."""

    def command(self, name: str, /, **values: Any) -> Any:
        """A command of WebDriver, by the name that Marionette has for it.

        A browser that does not answer is killed, so that what is asked of it next fails at once.
        """
        try:
            return self.send(name, values)
        except (OSError, http.client.HTTPException) as error:
            self.kill()
            raise Failure("no answer", f"{self.name} to {name}: {error!r}") from error

    @abstractmethod
    def watch_console(self) -> None:
        """Listen to what the page says that has just been loaded."""

    @abstractmethod
    def console_messages(self) -> list[str]:
        """Errors and warnings of the pages so far, and what a policy refused."""

    def run(self, *words: str, inherits: Sequence[int] = (), **env: str) -> None:
        """What it says stands in the folder, in a file called as the program. It is killed where the tests are."""
        home = {"HOME": str(self.folder), "LANGUAGE": self.language, "LANG": "C.UTF-8", **env}
        with (self.folder / words[0]).open("wb") as said:
            process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *words],
                env={**os.environ, **home},
                stdout=said,
                stderr=said,
                pass_fds=inherits,
                start_new_session=True,
            )
        self.processes.append(process)

    def quit(self) -> None:
        try:
            self.end_browser()
        finally:
            self.kill()

    def kill(self) -> None:
        """All that was started, with all that these have started."""
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes.clear()


CONSOLE = """
// It says of each page in a frame of another site that its storage is the frame's own, and of a script that runs while
// its page is left that it was ended.
const isOfAPage = each => each instanceof Ci.nsIScriptError && /^http:/.test(each.sourceName)
  && each.category !== "cookiePartitionedForeign" && !each.errorMessage.startsWith("Script terminated");
const storage = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage);
return [
  ...Services.console.getMessageArray().filter(isOfAPage).map(each => each.errorMessage),
  ...storage.getEvents().filter(each => /^http:/.test(each.filename)).map(each => each.arguments.join(" ")),
];
"""
RESIZE = """
const [width, height] = arguments, { style } = window.gBrowser.selectedBrowser;
Object.assign(style, { width: `${width}px`, height: `${height}px`, minWidth: 0, flex: "none", alignSelf: "start" });
"""
"""The window itself is never narrower than 450 pixels."""
FIREFOX_SETTINGS = {
    # Nothing is asked of another machine.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
}


class Firefox(Driver):
    name = "firefox"

    def start(self) -> None:
        self.ends = ExitStack()
        port = servers.free_port()
        settings = FIREFOX_SETTINGS | {"marionette.port": port, "intl.accept_languages": self.language}
        lines = (f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in settings.items())
        (self.folder / "user.js").write_text("\n".join(lines))
        words = ("--headless", "--no-remote", "--marionette", "--remote-allow-system-access")
        self.run("firefox-esr", *words, "--profile", str(self.folder))
        servers.wait(lambda: servers.is_port_listening(port), "Firefox listening")
        line = socket.create_connection(("127.0.0.1", port), timeout=self.patience)
        self.line = self.ends.enter_context(line)
        self.answers = self.ends.enter_context(line.makefile("rb"))
        self._answer()
        self.command("NewSession", timeouts=TIMEOUTS)
        self.inside_browser(RESIZE, *self.size)

    def _answer(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            if not (digit := self.answers.read(1)):
                raise ConnectionError("the line is closed")
            length += digit
        return json.loads(self.answers.read(int(length[:-1])))

    def send(self, name: str, values: dict[str, Any]) -> Any:
        if name == "SwitchToFrame" and values["id"]:
            values = {"element": values["id"][ELEMENT]}
        words = json.dumps([0, 1, name if ":" in name else f"WebDriver:{name}", values]).encode()
        self.line.settimeout(self.patience)
        self.line.sendall(b"%d:%s" % (len(words), words))
        _kind, _id, error, result = self._answer()
        if error:
            raise Failure(error["error"], error["message"])
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def inside_browser(self, script: str, *given: Any, command: str = "ExecuteScript") -> Any:
        """What this script of the browser itself returns."""
        self.command("Marionette:SetContext", value="chrome")
        result = self.command(command, script=script, args=given)
        self.command("Marionette:SetContext", value="content")
        return result

    def watch_console(self) -> None:
        """The browser itself listens."""

    def console_messages(self) -> list[str]:
        said: list[str] = self.inside_browser(CONSOLE)
        return said

    def end_browser(self) -> None:
        self.command("Marionette:Quit", flags=["eForceQuit"])
        self.processes[0].wait(servers.PATIENCE)

    def kill(self) -> None:
        super().kill()
        self.ends.close()


HTTP_COMMANDS = {
    "NewSession": ("POST", ""),
    "DeleteSession": ("DELETE", ""),
    "Navigate": ("POST", "/url"),
    "GetCurrentURL": ("GET", "/url"),
    "GetWindowHandle": ("GET", "/window"),
    "GetWindowHandles": ("GET", "/window/handles"),
    "SwitchToWindow": ("POST", "/window"),
    "CloseWindow": ("DELETE", "/window"),
    "FindElement": ("POST", "/element"),
    "SwitchToFrame": ("POST", "/frame"),
    "PerformActions": ("POST", "/actions"),
    "ExecuteAsyncScript": ("POST", "/execute/async"),
    "ElementClick": ("POST", "/element/{id}/click"),
    "ElementClear": ("POST", "/element/{id}/clear"),
    "ElementSendKeys": ("POST", "/element/{id}/value"),
    "GetCookies": ("GET", "/cookie"),
    "TakeScreenshot": ("GET", "/screenshot"),
}
"""Marionette's name of a command -> its method and address over HTTP."""


OPENER = """data:text/html,<button onclick="open('about:blank', '', 'width=%d,height=%d,toolbar=no,location=no')">"""
"""A window that a page opens is as small as it says; the first one is never narrower than its bar of tools."""
WATCH = """() => {
  const said = window.candorTestMessages = [];
  for (const kind of ["error", "warn"]) console[kind] = (...words) => said.push(words.join(" "));
  addEventListener("error", event => said.push(event.message));
  addEventListener("unhandledrejection", event => said.push(String(event.reason)));
  addEventListener("securitypolicyviolation", event => said.push(`${event.effectiveDirective} ${event.blockedURI}`));
}"""


class WebKit(Driver):
    """In a window of Xvfb: MiniBrowser has no mode without one.

    While it is driven it writes no console; what a page says is listened for once the page is loaded.
    """

    name = "webkit"
    session = ""
    """The beginning of its addresses."""

    def start(self) -> None:
        display = self.folder / "display"
        with display.open("wb") as number:
            words = ("-displayfd", str(number.fileno()), "-screen", "0", "1400x1100x24", "-nolisten", "tcp")
            self.run("Xvfb", *words, inherits=[number.fileno()])
        servers.wait(lambda: display.read_text().endswith("\n"), "Xvfb having a display")
        self.port = servers.free_port()
        screen = f":{display.read_text().strip()}"
        self.run("WebKitWebDriver", f"--port={self.port}", DISPLAY=screen, GDK_BACKEND="x11")
        servers.wait(lambda: servers.is_port_listening(self.port), "WebKitWebDriver listening")
        (browser,) = Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")
        options = {"webkitgtk:browserOptions": {"binary": str(browser), "args": ["--automation"]}}
        wishes = {"alwaysMatch": options | {"timeouts": TIMEOUTS}}
        self.session = f"/{self.command('NewSession', capabilities=wishes)['sessionId']}"
        self.command("Navigate", url=OPENER % self.size)
        button = self.command("FindElement", using="css selector", value="button")
        self.command("ElementClick", id=button[ELEMENT])
        first = self.command("GetWindowHandle")
        servers.wait(lambda: len(self.command("GetWindowHandles")) == 2, "the second window")
        self.command("CloseWindow")
        (second,) = {*self.command("GetWindowHandles")} - {first}
        self.command("SwitchToWindow", handle=second)

    def send(self, name: str, values: dict[str, Any]) -> Any:
        method, address = HTTP_COMMANDS[name]
        path = f"/session{self.session}{address.format_map(values)}"
        body = json.dumps({key: value for key, value in values.items() if f"{{{key}}}" not in address})
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.patience)) as connection:
            connection.request(method, path, body if method == "POST" else None)
            response = connection.getresponse()
            result = json.loads(response.read())["value"]
        if response.status != 200:
            raise Failure(result["error"], result["message"])
        return result

    def watch_console(self) -> None:
        self.command("ExecuteAsyncScript", script=f"({WATCH})(); arguments[0]()", args=[])

    def console_messages(self) -> list[str]:
        said: list[str] = self.command(
            "ExecuteAsyncScript", script="arguments[0](window.candorTestMessages ?? [])", args=[]
        )
        return said

    def end_browser(self) -> None:
        self.command("DeleteSession")


ENGINES: dict[str, type[Driver]] = {driver.name: driver for driver in (Firefox, WebKit)}


# --- a page, and what stands on it ---

EVALUATE = """
const [given, done] = arguments;
(async () => {
  const value = (%s);
  return await (typeof value === "function" ? value(given) : value);
})().then(value => done([value ?? null, null]), error => done([null, `${error} ${error.stack ?? ""}`]));
"""
"""The source stands in it: a page's policy forbids to evaluate a string."""
FIND = """steps => {
  const shown = e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
  const flat = text => (text ?? "").replace(/\\s+/g, " ").trim();
  const same = (text, { name, exact }) => name === null
    || (exact ? flat(text) === name : flat(text).toLowerCase().includes(name.toLowerCase()));
  const ROLES = {
    button: "button, summary, input[type=submit], [role=button]", link: "a[href]",
    heading: "h1, h2, h3, h4, h5, h6", radio: "input[type=radio]", checkbox: "input[type=checkbox]",
  };
  const named = e => e.getAttribute("aria-label") ?? (e.labels?.length ? e.labels[0].textContent : e.textContent);
  const inside = (all, query) => [...new Set(all.flatMap(e => [...e.querySelectorAll(query)]))];
  let all = [document];
  for (const step of steps) {
    if ("css" in step) {
      all = inside(all, step.css.replaceAll(":visible", ""));
      if (step.css.includes(":visible")) all = all.filter(shown);
    } else if ("role" in step)
      all = inside(all, ROLES[step.role]).filter(e => shown(e) && same(named(e), step));
    else if ("label" in step)
      all = inside(all, "input, select, textarea").filter(
        e => [...(e.labels ?? [])].some(label => same(label.textContent, { name: step.label, exact: step.exact })));
    else if ("text" in step) {
      const some = inside(all, "body *").filter(e => same(e.textContent, { name: step.text, exact: step.exact }));
      all = some.filter(e => !some.some(other => other !== e && e.contains(other)));
    } else all = all.slice(step.nth, step.nth + 1 || undefined);
  }
  return all;
}"""
STATE = f"""([steps]) => ({FIND})(steps).map(e => ({{
  shown: e.checkVisibility({{ visibilityProperty: true }}) && e.getClientRects().length > 0 }}))"""


class Place:
    """Where elements are looked for: the whole page, or what a locator finds."""

    page: "Page"
    steps: tuple[dict[str, Any], ...] = ()

    def _with_step(self, **step: Any) -> "Locator":
        return Locator(self.page, (*self.steps, step))

    def locator(self, css: str) -> "Locator":
        return self._with_step(css=css)

    def get_by_role(self, role: str, *, name: str | None = None, exact: bool = False) -> "Locator":
        return self._with_step(role=role, name=name, exact=exact)

    def get_by_text(self, text: str, *, exact: bool = False) -> "Locator":
        return self._with_step(text=text, exact=exact)

    def get_by_label(self, label: str, *, exact: bool = False) -> "Locator":
        return self._with_step(label=label, exact=exact)


BRIEF = {"element click intercepted", "element not interactable", "stale element reference"}
"""What passes where a page is just drawn."""


class Locator(Place):
    def __init__(self, page: "Page", steps: tuple[dict[str, Any], ...]) -> None:
        self.page, self.steps = page, steps

    def nth(self, place: int) -> "Locator":
        return self._with_step(nth=place)

    @property
    def first(self) -> "Locator":
        return self.nth(0)

    @property
    def last(self) -> "Locator":
        return self.nth(-1)

    def count(self) -> int:
        number: int = self.evaluate_all("all => all.length")
        return number

    def evaluate_all(self, function: str, given: Any = None) -> Any:
        return self.page.evaluate(
            f"([steps, given]) => ({function})(({FIND})(steps), given)", [list(self.steps), given]
        )

    def evaluate(self, function: str, given: Any = None) -> Any:
        """With the first of them, once it is there."""
        servers.wait(lambda: bool(self.count()), f"{self.steps}")
        return self.evaluate_all(f"([first], given) => ({function})(first, given)", given)

    def is_visible(self) -> bool:
        return any(each["shown"] for each in self.page.evaluate(STATE, [list(self.steps)]))

    def wait_for(self) -> None:
        servers.wait(self.is_visible, f"{self.steps} being shown")

    def text_content(self) -> str:
        return str(self.evaluate("e => e.textContent"))

    def inner_text(self) -> str:
        return str(self.evaluate("e => e.innerText"))

    def inner_html(self) -> str:
        return str(self.evaluate("e => e.innerHTML"))

    def reference(self) -> str:
        """In the middle of the window, where no bar covers it; a control that a label stands for is its label."""
        reference = self.evaluate("""e => {
          const all = [e, ...(e.labels ?? [])];
          const seen = all.find(e => e.getClientRects().length && getComputedStyle(e).opacity !== "0") ?? e;
          seen.scrollIntoView({ block: "center", behavior: "instant" });
          return seen;
        }""")
        return str(reference[ELEMENT])

    def click(self, *, delay: int = 0) -> None:
        """`delay`: milliseconds for which the button of the mouse is held."""
        if not delay:
            self.run_element_command("ElementClick")
            return
        self.wait_for()
        there = {"type": "pointerMove", "x": 0, "y": 0, "origin": {ELEMENT: self.reference()}}
        down, up = ({"type": f"pointer{way}", "button": 0} for way in ("Down", "Up"))
        acts = [there, down, {"type": "pause", "duration": delay}, up]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": acts}
        self.page.driver.command("PerformActions", actions=[mouse])

    def check(self) -> None:
        if not self.evaluate("e => e.checked"):
            self.run_element_command("ElementClick")

    def press_sequentially(self, text: str) -> None:
        self.run_element_command("ElementSendKeys", text=text)

    def fill(self, text: str) -> None:
        self.run_element_command("ElementClear")
        if text:
            self.press_sequentially(text)

    def run_element_command(self, name: str, **values: Any) -> None:
        """Once the element is there, and nothing lies over it."""

        def try_command() -> bool:
            try:
                self.page.driver.command(name, id=self.reference(), **values)
            except Failure as failure:
                if failure.code not in BRIEF:
                    raise
                return False
            return True

        servers.wait(try_command, f"{name} of {self.steps}")


UNLOADED = ("Document was unloaded", "Callback was not called before the unload event.")
"""Of a script whose page is left; at times Firefox answers nothing instead."""


class Page(Place):
    """The one window of a driver."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.page = driver, self

    def goto(self, url: str) -> None:
        self.driver.command("Navigate", url=url)
        self.driver.watch_console()

    @property
    def url(self) -> str:
        return str(self.driver.command("GetCurrentURL"))

    def evaluate(self, function: str, given: Any = None) -> Any:
        """The value of an expression, or of a function with what is given; in the next page where this one is left."""
        answer: list[Any] = []

        def try_script() -> bool:
            script = {"script": EVALUATE % function, "args": [given]}
            try:
                answer[:] = self.driver.command("ExecuteAsyncScript", **script) or []
            except Failure as failure:
                if not str(failure).endswith(UNLOADED):
                    raise
            return bool(answer)

        servers.wait(try_script, "a page that stays")
        value, error = answer
        if error:
            raise Failure("javascript error", error)
        return value

    def check(self, css: str) -> None:
        self.locator(css).check()

    def fill(self, css: str, text: str) -> None:
        self.locator(css).fill(text)

    def click(self, css: str) -> None:
        self.locator(css).click()

    @contextmanager
    def inside_frame(self, css: str) -> Iterator[None]:
        """All that is done with the page meanwhile is done in this frame of it."""
        self.driver.command("SwitchToFrame", id={ELEMENT: self.locator(css).reference()})
        try:
            yield
        finally:
            self.driver.command("SwitchToFrame", id=None)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.driver.command("TakeScreenshot")))
