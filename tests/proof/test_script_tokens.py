"""A proof finds the imports of a script that a browser would load, all of them and no others, or refuses the script."""

import json
import subprocess
from collections.abc import Sequence
from random import Random

import pytest

from config.javascript_bundler import composed_script
from config.static_files import is_page_script, shorten_script
from intake.hosted.check_page import Answer
from intake.pages.page_scripts import page_scripts_by_name
from proof.outcome import CheckFailed
from proof.script_tokens import imported_addresses, read_tokens, without_comments
from proof.site_client import FolderSite, StartPage, fetch_scripts
from tests import servers
from tests.intake.conftest import NODE
from tests.proof.random_scripts import RandomScript

pytestmark = pytest.mark.proof
PARSE = """
import { SourceTextModule } from "node:vm";
import { readFileSync } from "node:fs";
function imports(code) {
  const module = new SourceTextModule(code);
  return module.moduleRequests?.map(({ specifier }) => specifier) ?? module.dependencySpecifiers;
}
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(imports)));
"""


def imports_by_node(scripts: Sequence[str]) -> list[list[str]]:
    """Of each script; node refuses what is no valid module."""
    words = [NODE, "--experimental-vm-modules", "--no-warnings", "--input-type=module", "--eval", PARSE]
    done = subprocess.run(words, input=json.dumps(scripts), capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


# --- by hand ---

A = 'import "./a.js";'
IMPORTS = {
    # every form
    "import'./a.js'": ["./a.js"],
    "import/**/'./a.js'": ["./a.js"],
    "import a from './a.js'; import * as b from './b.js'": ["./a.js", "./b.js"],
    "import a, { b as c } from '/a.js' with { type: 'json' };": ["/a.js"],
    'import {"from" as a}from"../a.js"': ["../a.js"],
    "import from from './a.js'": ["./a.js"],
    "export*from'./a.js'; export { a } from // b\n './b.js'": ["./a.js", "./b.js"],
    "const a = 1; export { a };": [],
    # comments
    "/*/*/import './a.js';": ["./a.js"],
    f"// '\r{A}": ["./a.js"],
    f"// '\u2028{A}": ["./a.js"],
    f"/* // */{A}": ["./a.js"],
    f"// {A}\n/* {A} */": [],
    'let y; /** @type {import("./a.js").A} */ (y);': [],
    # texts
    f'"/*"; {A} "*/"': ["./a.js"],
    f"'\\''; {A} '\\\n'": ["./a.js"],
    f"`/*${{`'${{'}}'}}`}}'`; {A} '*/'": ["./a.js"],
    f"'{A}'; `{A}${{`{A}`}}{A}`": [],
    # regular expressions
    f"/[/*'\"`]/; {A} '*/'": ["./a.js"],
    f"/\\/'/; {A} '/'": ["./a.js"],
    "/import 'a'/": [],
    f"[...typeof /'/]; {A} /'/": ["./a.js"],
    f"if (x) /'/.test(x); {A} /'/": ["./a.js"],
    f"do x(); while (x) /'/; {A} /'/": ["./a.js"],
    f"(() => /'/); {A} /'/": ["./a.js"],
    # divisions
    f"(x) / 2; {A} x / 2": ["./a.js"],
    f"x[0] / 2; {A} x / 2": ["./a.js"],
    f"1. / 2; {A} x / 2": ["./a.js"],
    f"`` / 2; {A} x / 2": ["./a.js"],
    f"'' / 2; {A} x / 2": ["./a.js"],
    f"/a/ / 2; {A} x / 2": ["./a.js"],
    f"x.return / 2; {A} x / 2": ["./a.js"],
    f"x?.typeof / 2; {A} x / 2": ["./a.js"],
    f"x.if(x) / 2; {A} x / 2": ["./a.js"],
    f"this / 2; {A} x / 2": ["./a.js"],
    f"łé / 2; {A} x / 2": ["./a.js"],
}
SLASH, BEGINS = "a slash may divide or begin", "it is unclear what begins"
REFUSED = {
    # a slash that may divide or begin a regular expression
    f"x = {{}} / 2; {A} x / 2": SLASH,
    f"function f() {{}} /'/; {A} '/'": SLASH,
    f"x++ / 2; {A} x / 2": SLASH,
    f"++ /'/.a; {A} '/'": SLASH,
    f"await /'/; {A} '/'": SLASH,
    f"for (const a of /'/) {A}": SLASH,
    f"function* f() {{ yield /'/ }} {A} '/'": SLASH,
    f"for await (const a of x) /'/; {A} '/'": SLASH,
    f"await (x) / 2; {A} x / 2": SLASH,
    # a line break may end a statement before it
    f"import './b.js'\n/'/; {A} '/'": SLASH,
    f"let a\n/'/; {A} '/'": SLASH,
    f"a: {{ break a//\r/'/ }} {A} '/'": SLASH,
    f"let a/*\u2028*//'/; {A} '/'": SLASH,
    # what scripts of different kinds mean differently, or is spelled to be overlooked
    "<!-- /*\nimport('./a.js') // */": BEGINS,
    "--> /*\nimport('./a.js') // */": BEGINS,
    f"\\u0069mport './a.js'; {A}": BEGINS,
    "import './\\x61.js'": "no plain path on this site",
    # what never ends
    f"/* {A}": BEGINS,
    f"'{A}": BEGINS,
    f"`{A}": BEGINS,
    f"`${{x}} {A}": BEGINS,
    f"/ {A}\n": BEGINS,
    # other addresses
    "import 'a.js'": "no plain path on this site",
    "import 'https://a.example/a.js'": "no plain path on this site",
    "import '//a.example/a.js'": "no plain path on this site",
    "import './b//a.js'": "no plain path on this site",
    "import './%2e%2e/a.js'": "no plain path on this site",
    "export * from ' /a.js'": "no plain path on this site",
    "import('./a.js')": "holds import(",
    "import/**/(x)": "holds import(",
    "[...import('./a.js')]": "holds import(",
    "import.source('./a.js')": "holds import.",
}


@pytest.mark.parametrize("script", IMPORTS)
def test_imports_are_found_in_code_alone(script: str) -> None:
    assert imported_addresses("/a.js", script) == IMPORTS[script]
    assert "".join(text for _kind, text in read_tokens("/a.js", script)) == script


def test_node_finds_the_same_imports() -> None:
    assert imports_by_node(list(IMPORTS)) == list(IMPORTS.values())


@pytest.mark.parametrize("script", REFUSED)
def test_a_script_that_cannot_be_read_for_certain_is_refused(script: str) -> None:
    with pytest.raises(CheckFailed) as refused:
        imported_addresses("/a.js", script)
    assert REFUSED[script] in str(refused.value)


def test_a_refusal_names_script_line_and_place() -> None:
    with pytest.raises(CheckFailed) as refused:
        imported_addresses("/static/a.js", "x = 1;\ny = {} / 2;")
    assert str(refused.value) == (
        "/static/a.js cannot be read: in line 2 a slash may divide or begin a regular expression at '/ 2;'"
    )


def test_script_comments_become_spaces() -> None:
    code = "a/* b */(c) // d\n/* e\n */ f = '/* g */' / /[/*]/; // h"
    assert without_comments("/a.js", code) == "a (c)  \n  f = '/* g */' / /[/*]/;  "


def test_a_script_whose_import_stands_behind_a_comment_is_fetched() -> None:
    page = StartPage(Answer(200, {}, b'<script type="module" src="/static/a/a.js"></script>'), "/a/x")
    site = FolderSite(
        {"static/a/a.js": b"/*/*/import '../b.js';", "static/b.js": b"import '/c.js'", "c.js": b""}
    )
    assert set(fetch_scripts(site, page)) == {f"/{name}" for name in site.files}


# --- the product's own scripts ---


def scripts_of_the_product() -> dict[str, str]:
    """By name those that are served: as written, and those of pages also with all that they import."""
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for root in (servers.ROOT / folder for folder in ("static", "intake/static", "privacy/static"))
        for path in root.rglob("*.js")
    }
    files |= {name: text.encode() for name, text in page_scripts_by_name().items()}
    scripts = {name: body.decode() for name, body in files.items()}
    for name in filter(is_page_script, files):
        scripts[f"{name}, composed"] = composed_script(
            name, lambda part: shorten_script(files[part])
        ).decode()
    return scripts


def test_no_script_of_the_product_is_refused_and_node_finds_the_same_imports() -> None:
    scripts = scripts_of_the_product()
    assert {"intake/answer.js", "intake/answer.js, composed", "privacy/draws.js"} <= set(scripts)
    by_node = dict(zip(scripts, imports_by_node(list(scripts.values())), strict=True))
    assert sum(map(len, by_node.values())) > 100
    # Node names each address once.
    found = {name: list(dict.fromkeys(imported_addresses(name, code))) for name, code in scripts.items()}
    assert found == by_node


# --- scripts made at random ---

AT_ONCE = 2_000


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.night)])
def test_no_import_hides_in_scripts_made_at_random(count: int) -> None:
    random, refusals = Random(count), []
    for begin in range(0, count, AT_ONCE):
        scripts = [RandomScript(random) for _ in range(min(AT_ONCE, count - begin))]
        # The pieces are valid, and the imports those that were meant.
        assert imports_by_node([script.code for script in scripts]) == [script.imports for script in scripts]
        for script in scripts:
            try:
                found = imported_addresses("/a.js", script.code)
            except CheckFailed as error:
                refusals.append(str(error))
            else:
                assert found == script.imports, script.code
    assert all(SLASH in refusal for refusal in refusals)
    # Pieces with such a slash are among those that are put together.
    assert 0.1 < len(refusals) / count < 0.3
