"""The scripts of the respondents' pages as they are served: each with all that it imports, as one file."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from config.javascript_bundler import ComposingError, composed_script
from config.static_files import shorten_script
from intake.pages.page_scripts import page_scripts_by_name
from tests.config.test_script_checks import NODE
from tests.privacy.conftest import COMPOSER

pytestmark = pytest.mark.page
FOLDER = COMPOSER.parent
WRITTEN = page_scripts_by_name()
PAGES = sorted(Path(name).stem for name in ["intake/answer.js", *WRITTEN])
PAGE = """import { open } from "./state.js";
import "./kinds.js";
import { OPEN } from "./device.js";
import { add, has } from "./elements.js";
const name = "page";
console.log(name, OPEN, open(), has("kind"), add("page"), has("page"));
"""
KINDS = """import { add } from "./elements.js";
import { open } from "./state.js";
const name = "kinds";
add("kind");
console.log(name, open());
"""
ELEMENTS = """const known = [];
const name = "elements";
export const add = (one) => known.push(one);
export function has(one) {
return known.includes(one);
}
export async function later() {}
console.log(name, this === undefined);
"""
STATE = """let times = 0;
export const open = () => (times += 1);
console.log("state", typeof name);
"""
MODULES = {"page": PAGE, "kinds": KINDS, "elements": ELEMENTS, "state": STATE}


def compose(modules: dict[str, str]) -> str:
    files = {f"intake/{one}.js": code.encode() for one, code in modules.items()}
    return composed_script("intake/page.js", files.__getitem__).decode()


def node(*words: str, folder: Path) -> str:
    return subprocess.run([NODE, *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def console_output(folder: Path, modules: dict[str, str]) -> list[str]:
    """What a browser's console would show of these."""
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "device.js").write_text('console.log("device");\nexport const OPEN = 0;\n')
    for name, code in modules.items():
        (folder / f"{name}.js").write_text(code)
    return node("page.js", folder=folder).splitlines()


def test_composed_script_does_what_its_modules_do(tmp_path: Path) -> None:
    """They keep names of their own, have one state together and run in the same order."""
    together = console_output(tmp_path / "composed", {"page": compose(MODULES)})
    apart = console_output(tmp_path / "modules", MODULES)
    ours = [line for line in apart if line != "device"]
    assert [line for line in together if line != "device"] == ours
    assert ours == ["state undefined", "elements true", "kinds 1", "page 0 2 true 2 true"]


def test_device_script_exports_all_that_its_modules_export(tmp_path: Path) -> None:
    files = {
        "intake/device.js": 'import * as draws from "../privacy/draws.js";\n'
        'import { number } from "../privacy/kinds/number.js";\n'
        'export * from "../privacy/coins.js";\n'
        "let state = draws.PARTS;\nexport const has = () => [state, number];\n",
        "privacy/draws.js": "export const PARTS = 10;\n",
        "privacy/coins.js": "export function below() { return 3; }\nexport async function* words() { yield 4; }\n",
        "privacy/kinds/number.js": "export const number = 7;\nexport const unused = 8;\n",
    }
    code = composed_script("intake/device.js", lambda name: files[name].encode()).decode()
    assert "import" not in code
    assert "unused };" not in code
    (tmp_path / "device.mjs").write_text(code)
    asking = (
        'import * as m from "./device.mjs"; const words = []; for await (const w of m.words()) words.push(w);'
        "console.log(JSON.stringify([Object.keys(m), m.has(), m.below(), words]));"
    )
    shown = node("--input-type=module", "-e", asking, folder=tmp_path)
    assert json.loads(shown) == [["below", "has", "words"], [10, 7], 3, [4]]


def test_composed_module_returns_only_what_others_import() -> None:
    script = compose(MODULES)
    assert re.findall(r"^(?:return \{.+|import .+|const \$\w+)", script, re.MULTILINE) == [
        'import * as $device from "./device.js";',
        "const $state",
        "return { open };",
        "const $elements",
        "return { add, has };",
    ]


NOT_UNDERSTOOD = [
    "export default function () {}",
    "export let other = 1;",
    "export { name };",
    'export * from "./state.js";',
    'export { open } from "./state.js";',
    "export const { other } = {};",
    "export class Other {}",
    'import * as state from "./state.js";',
    'import * as draws from "../privacy/draws.js";',
    'import state from "./state.js";',
    'import { open as other } from "./state.js";',
    'import { open } from "../ui/state.js";',
    'import { open as other } from "../privacy/kinds/state.js";',
    'import { open } from "./state.js"; // why',
    'import {\nopen,\n} from "./state.js";',
    'const other = import("./state.js");',
    "const other = import.meta.url;",
    "const $state = 1;",
]


def test_unreadable_script_line_is_refused_and_named() -> None:
    for line in NOT_UNDERSTOOD:
        first, *_rest = (part for part in line.split("\n") if re.search(r"import|export|\$", part))
        words = re.escape(f"elements.js has a line that cannot be composed: {first}")
        with pytest.raises(ComposingError, match=words):
            compose(MODULES | {"elements": f"{ELEMENTS}{line}\n"})


def test_circular_or_missing_imports_are_refused() -> None:
    modules = MODULES | {"elements": f'import {{ open }} from "./state.js";\n{ELEMENTS}'}
    for importer, line in (
        ("elements", 'import "./page.js";'),
        ("state", 'import { add } from "./elements.js";'),
    ):
        with pytest.raises(ComposingError, match="these import each other: "):
            compose(modules | {importer: f"{line}\n{modules[importer]}"})
    words = r"kinds\.js imports what state\.js does not export: \['times'\]"
    with pytest.raises(ComposingError, match=words):
        compose(MODULES | {"kinds": f'import {{ times }} from "./state.js";\n{KINDS}'})


# --- the pages' own


def compose_for_page(page: str) -> str:
    def read(name: str) -> bytes:
        written = WRITTEN[name].encode() if name in WRITTEN else (FOLDER.parent / name).read_bytes()
        return shorten_script(written)

    return composed_script(f"intake/{page}.js", read).decode()


def test_every_script_is_used_by_a_page() -> None:
    texts = {file.name: file.read_text() for file in FOLDER.glob("*.js")} | WRITTEN
    imports = {Path(name).stem: set(re.findall(r'"\./(.+)\.js"', text)) for name, text in texts.items()}
    # An invitation leaves the address before any module is loaded, and the modules of codes, of exchanged invitations,
    # of the check of understanding, of frames and of tools are loaded before a page's; a page of another host holds the
    # script that says where it belongs.
    assert set(imports) == set(PAGES).union(
        *imports.values(),
        ["elsewhere", "exchange", "framed", "handing", "invitation", "lasting", "understanding"],
    )
    assert not set(PAGES) & set().union(*(imports[name] for name in set(imports) - set(PAGES)))


@pytest.mark.at_push(5)
@pytest.mark.parametrize("page", PAGES)
def test_page_script_holds_each_line_once_and_loads_one_file(tmp_path: Path, page: str) -> None:
    file, script = tmp_path / "page.mjs", compose_for_page(page)
    file.write_text(script)
    node("--check", str(file), folder=tmp_path)
    imports = re.findall(r"^.*\bimport\b.*$", script, re.MULTILINE)
    assert imports == ['import * as $device from "./device.js";']
    modules = {
        "answer" if page.startswith("answer") else "check_receipt",
        *re.findall(r"^const \$(\w+) = \(", script, re.MULTILINE),
    }
    assert {"elements", "journey", "kinds", "questions", "receipt", "voice"} <= modules
    for module in modules:
        code = shorten_script((FOLDER / f"{module}.js").read_bytes()).decode()
        own = [line.removeprefix("export ") for line in code.splitlines() if not line.startswith("import ")]
        whole = "\n".join(own)
        assert script.count(f"\n{whole}\n") == 1, module
    assert all(script.splitlines())
