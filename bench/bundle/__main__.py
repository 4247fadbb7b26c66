"""Makes candor-disguise.js: the modules that disguise as one ES module, for pages of one's own.

`./run bundle [FOLDER]` writes it, its types, `package.json` and `SHA256SUMS` into FOLDER (default `var/bundle`), and
prints the module's size and its digest for `integrity`. Each module becomes a function of its own, so that no two names
meet; comments and indents are left out.
"""

import json
import re
import sys
import tomllib
from base64 import b64encode
from gzip import compress
from hashlib import sha256, sha384
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "privacy/static/privacy"
HERE = Path(__file__).parent
NAME = "candor-disguise"
MOST = 15_000
"""Most bytes of the module as gzip."""
ORDER = (
    *("coins", "draws", "disguise", "envelope", "handed", "permanent"),
    *("kinds/crosswise", "kinds/grouped", "kinds/number", "kinds/place", "kinds/plain", "kinds/subset"),
)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const) (\w+))", re.MULTILINE)
IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
COMMENT = re.compile(
    r"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)[ \t]*\n|/\*\* @\w+ [^*\n]*\*/ ?", re.MULTILINE
)
INDENT = re.compile(r"^[ \t]+|\n(?=\n)", re.MULTILINE)


def bundle() -> dict[str, bytes]:
    """Returns the files of the package by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = project["version"]
    entry = (HERE / "entry.js").read_text("utf-8")
    head = f"/* {NAME} {version}: Candor's modules that disguise answers, joined by ./run bundle. */\n"
    module = (head + "".join(map(wrapped, ORDER)) + bare(IMPORT.sub("", entry))).encode()
    types = (HERE / f"{NAME}.d.ts").read_text("utf-8")
    device = (ROOT / "privacy/device.d.ts").read_text("utf-8")
    package = {
        "name": NAME,
        "version": version,
        "description": "Disguises sensitive answers in the respondent's browser by randomised response",
        "type": "module",
        "exports": {".": {"types": f"./{NAME}.d.ts", "default": f"./{NAME}.js"}},
        "files": [f"{NAME}.js", f"{NAME}.d.ts", "SHA256SUMS"],
        "sideEffects": False,
        "license": project["license"],
    }
    files = {
        f"{NAME}.js": module,
        f"{NAME}.d.ts": types.replace("/* device.d.ts */", of_types(device)).encode(),
        "package.json": (json.dumps(package, indent=2) + "\n").encode(),
    }
    sums = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    return {**files, "SHA256SUMS": sums.encode()}


def wrapped(name: str) -> str:
    """Returns a module as a function that is called once, and whose names are those that it exports."""
    text = (MODULES / f"{name}.js").read_text("utf-8")
    names = EXPORT.findall(text)
    if IMPORT.search(text):
        raise SystemExit(f"{name}.js imports something, which no module of the disguise does")
    body = f"(() => {{\n{bare(EXPORT.sub('', text))}return {{ {', '.join(names)} }};\n}})();\n"
    if name == "draws":
        return f"const draws = {body}"
    return f"export const {{ {', '.join(names)} }} = {body}"


def bare(text: str) -> str:
    """Returns a script without comments, indents and empty lines."""
    return INDENT.sub("", COMMENT.sub("", text)).lstrip()


def of_types(text: str) -> str:
    """Returns the types that the modules share, without those that name modules of the tree."""
    return "".join(
        line for line in text.splitlines(keepends=True) if "import(" not in line and "Functions" not in line
    )


def main(folder: Path) -> None:
    files = bundle()
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    module = files[f"{NAME}.js"]
    size = len(compress(module, mtime=0))
    print(f"{folder / NAME}.js: {len(module):,} bytes, {size:,} as gzip")
    print(f"integrity: sha384-{b64encode(sha384(module).digest()).decode()}")
    if size > MOST:
        raise SystemExit(f"more than {MOST:,} bytes as gzip")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "var/bundle")
