"""A release that comes before its kernels are compiled says what it waits for."""

import threading
from pathlib import Path

import pytest

from mining import table_file_anonymisation
from privacy import machine_code_cache
from privacy.anonymity.table_anonymisation import DEFAULT_KERNELS
from tests import servers


def test_compiling_the_search_is_announced_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load_default_kernels() -> None:
        asked.wait(servers.PATIENCE)
        with machine_code_cache.compile_once(DEFAULT_KERNELS):
            pass

    monkeypatch.setattr(machine_code_cache, "cache_folder", lambda: tmp_path)
    asked = threading.Event()
    monkeypatch.setattr(table_file_anonymisation, "load_default_kernels", load_default_kernels)
    table_file_anonymisation.load_kernels(asked.set)
    assert asked.is_set()
    told: list[str] = []
    table_file_anonymisation.load_kernels(lambda: told.append("again"))
    assert told == []
