from pathlib import Path

import pytest
from django.conf import settings


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this test alone, since others read files at the same time."""
    monkeypatch.setattr(settings, "VAR", tmp_path)
