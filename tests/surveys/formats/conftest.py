from pathlib import Path

import pytest
from django.conf import settings

from surveys.formats import isolated
from tests import servers


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this test alone, since others read files at the same time; these take long on a busy machine."""
    monkeypatch.setattr(settings, "VAR", tmp_path)
    monkeypatch.setattr(isolated, "PATIENCE", servers.PATIENCE)
