from pathlib import Path

import pytest

from tests import made_once, servers


@pytest.fixture(autouse=True)
def another_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(made_once.FOLDER, str(tmp_path))


def test_a_name_is_given_once() -> None:
    assert made_once.is_first("port-1")
    assert not made_once.is_first("port-1")
    assert made_once.is_first("port-2")


def test_no_port_is_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "PORTS", range(12_000, 12_008))
    ports = [servers.free_port() for _ in range(4)]
    assert len(set(ports)) == 4
