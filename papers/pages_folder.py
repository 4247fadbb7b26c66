"""Where the pages of the documents lie: in a folder that git ignores, one for each state of their sources.

Standard library only: `./run` looks here whether the pages must be made, before it starts anything.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "documents"
LANGUAGES = {"en": "English", "zh-hans": "简体中文"}
INDEX = "index"
SOURCES = (
    *(
        "papers/**/*.py",
        "papers/**/*.json",
        "papers/**/*.gz",
        "papers/quotes.toml",
        "templates/papers/*.html",
    ),
    *("mining/**/*.py", "privacy/**/*.py", "ui/*.py", "docs/references.md"),
    *("locale/zh_Hans/LC_MESSAGES/django.mo", "requirements.lock", "pyproject.toml"),
)
"""Files of which the pages are made: experiments, mathematics, words and packages."""


@cache
def sources_digest() -> str:
    paths = (path for pattern in SOURCES for path in sorted(ROOT.glob(pattern)))
    return sha256(b"".join(sha256(path.read_bytes()).digest() for path in paths)).hexdigest()[:32]


def site_folder() -> Path:
    """Returns the folder of the pages of these sources, which may not be there yet."""
    return FOLDER / sources_digest()


def page_path(name: str, language: str) -> Path:
    return site_folder() / f"{name}.{language}.html"


def are_all_pages_made() -> bool:
    """Returns True if the pages of these sources are there: the lists of documents are written last."""
    return all(page_path(INDEX, language).is_file() for language in LANGUAGES)
