"""What of questionnaires of each format comes in, and what of who is asked what is lost without a row that says so.

python -m bench.imports [FOLDER] [--why 10] [--write]

Each file is read as an upload is, and by an independent reader of its format (tests/importing/flow). A condition is
kept if the draft asks the same people, by brute force of their answers; it is said if a row of the read-through tells
of its loss. Without a folder: the files of tests/importing/flow, made by hand; `--write` puts the table into
docs/formats.md. With a folder, losses and reasons are listed, too.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import bench.load  # noqa: F401 - it sets Django up
from bench.markdown import show, table
from importing import questionnaire_file
from importing.faults import Fault, FileRefused
from importing.import_result import LEFT, MOST_BYTES
from tests import servers
from tests.importing.flow.comparison import Comparison, compare
from tests.importing.flow.formats import FORMATS

DOCUMENT = servers.ROOT / "docs/formats.md"
HEADS = (
    *("format", "files", "refused", "questions kept", "changed", "left out"),
    *("conditions kept", "said", "silent", "other losses"),
)
NAMED = re.compile(r"\$\{[^}]*\}|“[^”]*”|\d+|\b[a-z0-9]+_\w+")
"""Names and numbers in a reason: without them the same reason is counted once."""
CAUSE = re.compile(r"is left out, so everybody is asked: it (\w+)")
"""The verb of the reason why a condition is left out, such as names, joins or cannot."""


@dataclass
class Figures:
    """Of the files of a format. `unread`: those that the independent reader cannot read."""

    files: int = 0
    total: Comparison = field(default_factory=Comparison)
    refused: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    unread: list[str] = field(default_factory=list)

    def cells(self) -> Iterator[int]:
        questions, conditions = self.total.questions, self.total.conditions
        yield from (self.files, self.refused.total())
        yield from (questions[each] for each in ("kept", "changed", "left out"))
        yield from (
            conditions["kept"],
            conditions["said"] + conditions["of questions left out"],
            conditions["silent"],
        )
        yield len(self.total.losses) - conditions["silent"]


def figures(name: str, files: Mapping[str, bytes]) -> Figures:
    made = Figures(len(files))
    for file, data in files.items():
        try:
            if len(data) > MOST_BYTES:
                raise FileRefused([Fault(file, "is larger than an upload may be")])
            result = questionnaire_file.read(data)
        except FileRefused as refusal:
            made.refused[NAMED.sub("…", refusal.faults[0].reason)] += 1
            continue
        reasons = (line.remarks[0] for line in result.lines if line.outcome == LEFT and line.remarks)
        made.left.update(NAMED.sub("…", reason) for reason in reasons)
        for remark in (each for line in result.lines for each in line.remarks):
            made.causes.update(CAUSE.findall(NAMED.sub("…", remark)))
        try:
            found = compare(FORMATS[name].read(data), result)
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            made.unread.append(f"{file}: {error!r}")
            continue
        made.total.questions += found.questions
        made.total.conditions += found.conditions
        made.total.losses += [f"{file}: {loss}" for loss in found.losses]
    return made


def lines(found: Mapping[str, Figures]) -> Iterator[str]:
    yield from table(HEADS, ([name, *each.cells()] for name, each in found.items() if each.files))


def by_hand() -> dict[str, Figures]:
    return {name: figures(name, each.files) for name, each in FORMATS.items()}


def causes(found: Mapping[str, Figures]) -> Iterator[str]:
    """A table of the conditions that rows name as left out, by the verb of the reason."""
    total = sum((each.causes for each in found.values()), Counter[str]())
    yield from table(("cause", "conditions"), total.most_common())


def of_folder(folder: Path) -> dict[str, Figures]:
    files: dict[str, dict[str, bytes]] = {name: {} for name in FORMATS}
    for path in sorted(filter(Path.is_file, folder.rglob("*"))):
        data = path.read_bytes()
        if name := format_of(path.suffix.lower().replace(".tsv", ".txt"), data):
            files[name][str(path.relative_to(folder))] = data
    return {name: figures(name, each) for name, each in files.items()}


def format_of(ending: str, data: bytes) -> str:
    if ending == ".csv":
        return "REDCap" if b"field" in data[:300].lower() else "XLSForm, CSV"
    return next((name for name, each in FORMATS.items() if each.ending == ending), "")


def details(found: Mapping[str, Figures], why: int) -> Iterator[str]:
    for name, each in found.items():
        yield from (f"{name}: lost of {loss}" for loss in each.total.losses)
        yield from (f"{name}: not compared, {file}" for file in each.unread)
        yield from (f"{name}: {count} refused, {reason}" for reason, count in each.refused.most_common(why))
        yield from (f"{name}: {count} left out, {reason}" for reason, count in each.left.most_common(why))


def with_figures(document: str, made: Iterable[str]) -> str:
    """The document with this table in the place of the one with the same heads."""
    heads, *others = made
    before, _heads, after = document.partition(heads)
    return before + "\n".join([heads, *others]) + after[after.index("\n\n") :]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--why", type=int, default=10, help="how many reasons are listed (default: 10)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/formats.md")
    asked = parser.parse_args()
    found = of_folder(asked.folder) if asked.folder else by_hand()
    show(lines(found))
    show(causes(found))
    if asked.folder:
        show(details(found, asked.why))
    elif asked.write:
        DOCUMENT.write_text(with_figures(DOCUMENT.read_text("utf-8"), lines(found)), "utf-8")


if __name__ == "__main__":
    main()
