"""Updates the message catalogue: gettext extracts, a person translates, Babel compiles."""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
CHINESE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
LEFT_OUT = {".venv", "var", "tests", "bench", "locale", "vendor", "node_modules", ".git"}


def extract() -> Catalog:
    """Every marked string of the tree, from a copy, so that nothing is written beside the sources."""
    with tempfile.TemporaryDirectory(prefix="candor-") as name:
        copy = Path(name) / "tree"
        shutil.copytree(ROOT, copy, ignore=lambda folder, names: LEFT_OUT & set(names))
        (copy / "locale").mkdir()
        command = [sys.executable, "-m", "django", "makemessages", "--locale", "zh_Hans"]
        command += ["--no-location", "--no-wrap"]
        env = {k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"}
        subprocess.run(command, cwd=copy, env=env, check=True, capture_output=True)
        found = copy / CHINESE.relative_to(ROOT)
        # gettext writes two empty plural forms under a header that says one; Babel would warn about each.
        text = re.sub(rb"nplurals=1; plural=0;", b"nplurals=2; plural=(n != 1);", found.read_bytes())
        return read_po(io.BytesIO(text), locale="en")


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale="zh_Hans_CN")


def update(fresh: Catalog) -> Catalog:
    """The committed translations, with what is new left to translate and what is gone left out."""
    known = read(CHINESE) if CHINESE.exists() else empty()
    catalog = empty()
    for message in fresh:
        if not message.id:
            continue
        before = known.get(message.id, message.context)
        untranslated = ("",) * catalog.num_plurals if isinstance(message.id, tuple) else ""
        translated = before.string if before and not before.fuzzy else untranslated
        catalog.add(message.id, translated, context=message.context, flags=set(message.flags) - {"fuzzy"})
    return catalog


def empty() -> Catalog:
    """No address, no name and a fixed date in the header: the file changes only when a message does."""
    day = datetime(2026, 1, 1, tzinfo=UTC)
    catalog = Catalog(locale="zh_Hans_CN", project="Candor", version="1", charset="utf-8", fuzzy=False)
    catalog.header_comment = "# Candor in Simplified Chinese."
    catalog.creation_date = catalog.revision_date = day
    catalog.msgid_bugs_address, catalog.last_translator, catalog.language_team = "", "", "zh_Hans"
    return catalog


def save(catalog: Catalog) -> None:
    CHINESE.parent.mkdir(parents=True, exist_ok=True)
    with CHINESE.open("wb") as file:
        write_po(file, catalog, width=0, sort_output=True)
    with CHINESE.with_suffix(".mo").open("wb") as file:
        write_mo(file, read(CHINESE))


def missing(catalog: Catalog) -> Iterator[str]:
    for message in catalog:
        parts = message.string if isinstance(message.string, (list, tuple)) else [message.string]
        if message.id and (message.fuzzy or not all(parts)):
            yield str(message.id)


if __name__ == "__main__":
    updated = update(extract())
    save(updated)
    left = list(missing(updated))
    print(f"{len(updated)} messages, {len(left)} to translate")
    for line in left:
        print(f"  {line!r}")
