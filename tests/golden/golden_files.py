"""Golden files: what the product makes of fixed input, to compare before and after a change that must change nothing.

A stored file holds the files of one folder as texts: each begins with a line `=== name`. Of one longer than LONGEST
there is the beginning and the SHA-256 of the whole.
"""

import difflib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "files"
LONGEST = 5_000
SHOWN = 40
"""Lines of a difference that are printed."""


def joined(files: Mapping[str, bytes]) -> dict[str, str]:
    """The stored files by name."""
    found: dict[str, str] = {}
    for name, data in sorted(files.items()):
        folder, _slash, inner = name.rpartition("/") if name.count("/") < 2 else name.partition("/")
        stored = f"{folder or name.partition('.')[0]}.txt".replace(" ", "-")
        text = data.decode()
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}\n… SHA-256 of the whole: {hashlib.sha256(data).hexdigest()}"
        found[stored] = found.get(stored, "") + f"=== {inner or name}\n{text.rstrip()}\n"
    return found


def differences(made: Mapping[str, str]) -> Iterator[str]:
    """For each stored file that is not as it is made now: its name and how it differs."""
    there = {path.name: path.read_text() for path in FOLDER.glob("*.txt")}
    for name in sorted({*there, *made}):
        before, after = (text.get(name, "").splitlines() for text in (there, made))
        if before != after:
            lines = [*difflib.unified_diff(before, after, "stored", "made now", lineterm="", n=1)]
            yield "\n".join([f"{name} differs:", *(line[:200] for line in lines[:SHOWN])])


def store(made: Mapping[str, str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text)
