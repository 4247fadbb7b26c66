"""Updates the message catalogues: gettext extracts, a person translates, Babel compiles.

The Chinese catalogue holds every text. Those of the other languages hold what everybody reads: the phrases of the
respondents' pages, Candor's own words in a survey, the sentences of reports, and the public page.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
CHINESE = "zh_Hans"
FOR_EVERYBODY = ("de", "fr", "es", "ar")
OF_SENTENCES = (
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "reports" / "sentences").glob("*.py")),
    *(
        "intake/pages/field_device_texts.py",
        "reports/answer_labels.py",
        "runs/mlxtend_check_sentence.py",
        "ui/number_format.py",
        "ui/quantity_format.py",
    ),
    *(
        "reports/pages/first_findings.py",
        "reports/pages/public/public_page_texts.py",
        "reports/kinds/place/map_fills.py",
    ),
)
"""Source files with the texts of report sentences, of their answer labels, and of the public page around them."""
SHIPPED_WORDS = "surveys/default_draft_texts.py"
KEYWORDS = DEFAULT_KEYWORDS | {"gettext_lazy": None, "gettext_noop": None}
"""Names of gettext functions, with Django's, which Babel does not know."""
NAMES = {
    CHINESE: "Simplified Chinese",
    "de": "German, for everybody",
    "fr": "French, for everybody",
    "es": "Spanish, for everybody",
    "ar": "Arabic, for everybody",
}
LEFT_OUT = {".venv*", "build", "var", "tests", "bench", "locale", "vendor", "node_modules", ".git"}


def extract_messages() -> Catalog:
    """Returns every string that is marked for translation, extracted from a copy of the sources."""
    with tempfile.TemporaryDirectory(prefix="candor-") as name:
        copy = Path(name) / "tree"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        (copy / "locale").mkdir()
        command = [sys.executable, "-m", "django", "makemessages", "--locale", CHINESE]
        command += ["--no-location", "--no-wrap"]
        env = {k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"}
        subprocess.run(command, cwd=copy, env=env, check=True, capture_output=True)
        file = copy / catalogue_path(CHINESE).relative_to(ROOT)
        # gettext writes two empty plural forms under a header that says one; Babel would warn about each.
        text = re.sub(rb"nplurals=1; plural=0;", b"nplurals=2; plural=(n != 1);", file.read_bytes())
        return read_po(io.BytesIO(text), locale="en")


def extract_public_messages() -> Catalog:
    """Returns the texts that everybody reads: phrases, Candor's own texts in a survey, and sentences of reports."""
    from reports.texts.design_sentences import PUBLIC, read_design_sentences  # late for Django
    from surveys.phrases.all_phrases import PHRASES  # late for Django

    catalog = Catalog(locale="en")
    for phrase in PHRASES.values():
        catalog.add(phrase.original_english)
    for sentence in read_design_sentences(PUBLIC):
        catalog.add(sentence.text)
    for module in (*OF_SENTENCES, SHIPPED_WORDS):
        for _line, texts, _comments, context in extract_from_file("python", ROOT / module, keywords=KEYWORDS):
            catalog.add(texts, context=context)
    return catalog


def catalogue_path(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def read_catalogue(language: str) -> Catalog:
    with catalogue_path(language).open("rb") as file:
        return read_po(file, locale=_locale(language))


def _locale(language: str) -> str:
    return "zh_Hans_CN" if language == CHINESE else language


def merge_translations(language: str, fresh: Iterable[Message]) -> Catalog:
    """Returns a language's catalogue without obsolete messages, and with new messages still untranslated."""
    known = read_catalogue(language) if catalogue_path(language).exists() else empty_catalogue(language)
    catalog = empty_catalogue(language)
    for message in fresh:
        if not message.id:
            continue
        before = known.get(message.id, message.context)
        untranslated = ("",) * catalog.num_plurals if isinstance(message.id, tuple) else ""
        translated = before.string if before and not before.fuzzy else untranslated
        catalog.add(message.id, translated, context=message.context, flags=set(message.flags) - {"fuzzy"})
    return catalog


def empty_catalogue(language: str) -> Catalog:
    """Returns a catalogue whose header has a fixed date and no names, so that it changes only with its messages."""
    day = datetime(2026, 1, 1, tzinfo=UTC)
    catalog = Catalog(locale=_locale(language), project="Candor", version="1", charset="utf-8", fuzzy=False)
    catalog.header_comment = f"# Candor in {NAMES[language]}."
    catalog.creation_date = catalog.revision_date = day
    catalog.msgid_bugs_address, catalog.last_translator, catalog.language_team = "", "", language
    return catalog


def save_catalogue(language: str, catalog: Catalog) -> None:
    catalogue_path(language).parent.mkdir(parents=True, exist_ok=True)
    with catalogue_path(language).open("wb") as file:
        write_po(file, catalog, width=0, sort_output=True)
    with catalogue_path(language).with_suffix(".mo").open("wb") as file:
        write_mo(file, read_catalogue(language))


def untranslated_messages(catalog: Catalog) -> Iterator[str]:
    for message in catalog:
        parts = message.string if isinstance(message.string, (list, tuple)) else [message.string]
        if message.id and (message.fuzzy or not all(parts)):
            yield str(message.id)


def renew_catalogue(language: str, fresh: Catalog) -> None:
    """Updates the catalogue of a language and prints its untranslated messages."""
    updated = merge_translations(language, fresh)
    save_catalogue(language, updated)
    left = list(untranslated_messages(updated))
    print(f"{NAMES[language]}: {len(updated)} messages, {len(left)} to translate")
    for line in left:
        print(f"  {line!r}")


if __name__ == "__main__":
    import django

    renew_catalogue(CHINESE, extract_messages())
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    for code in FOR_EVERYBODY:
        renew_catalogue(code, extract_public_messages())
