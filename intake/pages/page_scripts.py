"""Scripts of the respondents' pages: the modules that disguise, and the script and settings that a page
loads.

A page's script imports the modules of its question kinds, as the registry lists them. There is one script for
each set of kinds that have a module, so that a page loads only the modules it needs, in one file.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.files.storage import FileSystemStorage
from django.utils.safestring import SafeString, mark_safe

from surveys.kinds.registry import KINDS

RECEIPT_PAGE = "intake/receipt-page.js"
"""Script of the page that checks a receipt, the same for all surveys."""

BANDS = "bands"
"""Name that stands for the script of plain numbers, which a page loads only where it asks one."""

DEVICE = (
    "privacy/disguise.js",
    "privacy/coins.js",
    "privacy/draws.js",
    "privacy/envelope.js",
    "privacy/permanent.js",
)
"""Modules that disguise, without those of the question kinds."""


def disguise_module_names() -> tuple[str, ...]:
    """Returns the names of all JavaScript modules that disguise answers, in the order in which they are hashed.

    The start page lists them, and `device.js` is composed of them.
    """
    return (*DEVICE, *(kind.device for kind in KINDS.values()))


@lru_cache(maxsize=1)
def disguise_hash() -> str:
    """Returns the SHA-256 of the concatenated JavaScript modules that disguise answers, as every browser gets them."""
    digest = sha256()
    for module in disguise_module_names():
        path = finders.find(module)
        assert isinstance(path, str), module
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()


def page_script_name(kinds: Collection[str]) -> str:
    """Returns the file name of the script for a page that asks questions of these kinds; `BANDS` counts as a kind."""
    modules = (*kind_script_modules(), BANDS)
    return "-".join(["intake/answer", *(name for name in modules if name in kinds)]) + ".js"


def page_scripts_by_name() -> dict[str, str]:
    """Returns the text of each generated page script, by static file name; `answer.js` itself is a file of
    the repository."""
    modules = {**kind_script_modules(), BANDS: BANDS}
    sets = [kinds for size in range(1, len(modules) + 1) for kinds in combinations(modules, size)]
    imports = {page_script_name(kinds): [*map(modules.__getitem__, kinds), "answer"] for kinds in sets}
    imports[RECEIPT_PAGE] = [*kind_script_modules().values(), "check_receipt"]
    return {
        name: "".join(f'import "./{module}.js";\n' for module in imported)
        for name, imported in imports.items()
    }


def kind_script_modules() -> dict[str, str]:
    return {name: kind.module for name, kind in KINDS.items() if kind.module}


def page_settings_json(page: Mapping[str, Any]) -> SafeString:
    """Returns the settings of a page as JSON for its scripts.

    Keys of texts are stored once, which saves 1 kB in six languages.
    """
    keys = list(dict.fromkeys(key for words in page["words"].values() for key in words))
    words = {language: [words.get(key) for key in keys] for language, words in page["words"].items()}
    data = {**page, "keys": keys, "words": words}
    return escape_script_json(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def escape_script_json(text: str) -> SafeString:
    """Returns JSON escaped for an HTML script element that holds data and is never run."""
    return mark_safe(text.replace("<", "\\u003c"))  # noqa: S308 - without < nothing ends the element


class PageScripts(finders.BaseFinder):
    """Staticfiles finder for the generated page scripts; writes a script to disk when Django first looks for it."""

    storage = FileSystemStorage(settings.VAR / "page-scripts")

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path not in (texts := page_scripts_by_name()):
            return []
        file = self._write(path, texts[path])
        return [file] if find_all else file

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[Any]:
        for path, text in page_scripts_by_name().items():
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
