"""The package of R, installed."""

import subprocess
from pathlib import Path

import pytest

from tests import servers


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of R with the package."""
    folder = tmp_path_factory.mktemp("library")
    words = ["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", f"--library={folder}", "r"]
    subprocess.run(words, cwd=servers.ROOT, check=True, capture_output=True)
    return folder
