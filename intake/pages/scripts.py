"""The scripts of the respondents' pages: each imports the modules of its kinds of questions, as the registry has them.

There is one for each set of kinds that have a module, so that a page loads the modules of its own kinds, in one file.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

from surveys.kinds.registry import KINDS

ANSWER, CHECK_RECEIPT = "answer", "check_receipt"
"""The modules that begin a page, after those of its kinds."""
RECEIPT_PAGE = "intake/receipt-page.js"
"""The script of the page that checks a receipt, of whatever survey."""


def script_of(kinds: Collection[str]) -> str:
    """The script of a page that asks questions of these kinds."""
    return "-".join(["intake/answer", *(name for name in _modules() if name in kinds)]) + ".js"


def page_scripts() -> dict[str, str]:
    """The text of each, by its name among the static files; `answer.js` itself is a file."""
    modules = _modules()
    sets = [kinds for size in range(1, len(modules) + 1) for kinds in combinations(modules, size)]
    texts = {script_of(kinds): _importing([*map(modules.get, kinds), ANSWER]) for kinds in sets}
    return texts | {RECEIPT_PAGE: _importing([*modules.values(), CHECK_RECEIPT])}


def _modules() -> dict[str, str]:
    return {name: kind.module for name, kind in KINDS.items() if kind.module}


def _importing(modules: Iterable[str | None]) -> str:
    return "".join(f'import "./{module}.js";\n' for module in modules)


class PageScripts(BaseFinder):
    """Finds them for Django, which collects and serves files: each is written where it is not yet."""

    storage = FileSystemStorage(settings.VAR / "page-scripts")

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path not in (texts := page_scripts()):
            return []
        file = self._write(path, texts[path])
        return [file] if find_all else file

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[Any]:
        for path, text in page_scripts().items():
            self._write(path, text)
            yield path, self.storage

    def _write(self, path: str, text: str) -> str:
        file = Path(self.storage.path(path))
        if not file.is_file() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            whole = file.with_name(f"{file.name}.{os.getpid()}")
            whole.write_text(text)
            whole.replace(file)
        return str(file)
