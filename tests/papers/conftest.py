from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from papers import pages_folder
from tests import servers


@pytest.fixture(scope="session")
def made_pages() -> Path:
    """The folder with all pages of the site, as the installation makes them; once for all processes of a run."""

    def make(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(pages_folder, "FOLDER", folder / "documents")
            call_command("reproduce", "all", stderr=StringIO())

    return servers.make_once("pages-of-documents", make) / "documents" / pages_folder.sources_digest()


@pytest.fixture
def folder_of_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the pages of the site lie in this test, which has none yet."""
    monkeypatch.setattr(pages_folder, "FOLDER", tmp_path / "build" / "documents")
    return pages_folder.site_folder()
