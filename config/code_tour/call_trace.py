"""Traces calls of the product's functions, and reduces them to one step for each folder that a stage enters."""

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
BEGINNINGS = tuple(f"{ROOT}/{room}/" for room in IMPORTS["root_packages"])
LAYERS = {
    room: number
    for number, layer in enumerate(IMPORTS["contracts"][0]["layers"])
    for room in layer.split(" | ")
}
"""Layer of each top-level folder; the highest layer is 0."""


@dataclass(frozen=True)
class Step:
    """A folder of source code that a traced stage enters, with the first public function called there.

    `caller`: the calling folder; "" if a framework calls, or a decorator calls what it decorates.
    """

    folder: str
    function: str
    file: str
    line: int
    caller: str = ""

    @property
    def is_public(self) -> bool:
        return not any(part.startswith(("_", "<")) for part in self.function.split("."))

    @property
    def is_called_by_lower_layer(self) -> bool:
        """True if a lower layer calls a higher one, through a function registered with it or passed to it."""
        caller, room = (LAYERS.get(folder.partition("/")[0], 0) for folder in (self.caller, self.folder))
        return bool(self.caller) and caller > room

    def __str__(self) -> str:
        up = f"   ↑ from {self.caller}" if self.is_called_by_lower_layer else ""
        return f"{self.function:<38} {self.file}:{self.line}{up}"


class Trace:
    """The traced calls of one stage, reduced to one step for each folder: its first call."""

    def __init__(self) -> None:
        self._steps: dict[str, Step] = {}
        self._imports = 0

    @property
    def steps(self) -> list[Step]:
        return list(self._steps.values())

    def add(self, folder: str, step: Step) -> None:
        """Adds a step unless its folder has one; a public function replaces a private one."""
        known = self._steps.setdefault(folder, step)
        if step.is_public and not known.is_public:
            self._steps[folder] = replace(step, caller=known.caller)

    @contextmanager
    def record_calls(self) -> Iterator[None]:
        """Context manager: records this thread's calls of the product's functions in the block."""
        sys.setprofile(self._on_event)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _on_event(self, frame: FrameType, event: str, _arg: Any) -> None:
        code, caller = frame.f_code, frame.f_back
        if event not in ("call", "return") or not is_traced(frame):
            return
        if code.co_name == "<module>":
            # What a module calls while it is imported happens once in a process, and is no part of the path.
            self._imports += 1 if event == "call" else -1
        elif event == "call" and not self._imports:
            folder = folder_of(frame)
            known = self._steps.get(folder)
            if not known or not known.is_public:
                by = (
                    folder_of(caller)
                    if caller and is_traced(caller) and not is_wrapper_of(caller, code)
                    else ""
                )
                file = Path(code.co_filename).relative_to(ROOT)
                self.add(folder, Step(folder, code.co_qualname, str(file), code.co_firstlineno, by))


def is_traced(frame: FrameType) -> bool:
    """Returns True if the frame runs a function of the product."""
    name = frame.f_code.co_filename
    return name.startswith(BEGINNINGS) and not name.startswith(str(Path(__file__).parent))


def is_wrapper_of(frame: FrameType, code: CodeType) -> bool:
    """Returns True if this frame is the wrapper of a decorator around the function with this code."""
    enclosed = (frame.f_locals.get(name) for name in frame.f_code.co_freevars)
    return any(getattr(value, "__code__", None) is code for value in enclosed)


def folder_of(frame: FrameType) -> str:
    return str(Path(frame.f_code.co_filename).relative_to(ROOT).parent)
