"""Counts what `budget.toml` limits, prints what is left of each, and fails where something is above its limit.

`./run check` runs it. A line is a line of a file that git tracks or would track; `web` is HTML, CSS and JavaScript.
"""

import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APART = ("tests", "bench", "docs", "r", "locale", "deploy")
"""Folders that hold no product code to count."""
WEB = (".html", ".css", ".js")
TOP = "top"
"""What stands in no room."""


def listed_files(root: Path) -> list[str]:
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted(name for name in names if (root / name).is_file())


def count_lines(root: Path) -> dict[str, Counter[str]]:
    """Lines of Python and of web files, by room; `tests` by themselves."""
    lines: dict[str, Counter[str]] = {"python": Counter(), "web": Counter(), "tests": Counter()}
    for name in listed_files(root):
        room, *inside = Path(name).parts
        kind = "python" if name.endswith(".py") or name == "run" else "web" if name.endswith(WEB) else ""
        if not kind or "vendor" in inside:
            continue
        if room in ("templates", "static"):
            room = inside[0]
        number = len((root / name).read_bytes().splitlines())
        if room == "tests":
            lines["tests"][kind] += number
        elif room not in APART:
            lines[kind][room if (root / room / "__init__.py").is_file() else TOP] += number
    return lines


def count_dependencies(root: Path) -> int:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    lines = {*project["dependencies"], *project["optional-dependencies"]["server"]}
    return len({re.split(r"[^\w-]", line)[0].lower() for line in lines})


def rows_of_table(root: Path) -> list[tuple[str, float, float]]:
    """What is limited, how much there is of it, and its limit."""
    limits = tomllib.loads((root / "budget.toml").read_text())
    lines = count_lines(root)
    rows: list[tuple[str, float, float]] = []
    for kind in ("python", "web"):
        rooms = {**dict.fromkeys(lines[kind], 0), **limits[kind]}
        rows += [(f"{kind} of {room}", lines[kind][room], limit) for room, limit in sorted(rooms.items())]
    docs = sum(path.stat().st_size for path in (root / "docs").rglob("*") if path.suffix not in (".png", ""))
    whole = limits["whole"]
    product = lines["python"].total()
    rows.append(("python", product, whole["python"]))
    rows.append(("tests, lines a line of product", lines["tests"]["python"] / product, whole["tests"]))
    rows.append(("docs without pictures, kB", docs / 1000, whole["docs_kB"]))
    rows.append(("direct dependencies", count_dependencies(root), whole["dependencies"]))
    return rows


def main(root: Path = ROOT) -> int:
    rows = rows_of_table(root)
    for name, number, limit in rows:
        digits = 3 if limit < 1 else 0
        above = "  above" if number > limit else ""
        print(
            f"{name:32}{number:10,.{digits}f} of {limit:8,.{digits}f}, left {limit - number:8,.{digits}f}{above}"
        )
    names = [name for name, number, limit in rows if number > limit]
    if names:
        print(f"above budget.toml: {', '.join(names)}; name what goes instead, or move lines between rooms")
    return bool(names)


if __name__ == "__main__":
    sys.exit(main())
