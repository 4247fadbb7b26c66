"""Machine code is kept where nobody but the account can write, and belongs to exactly one state of the sources."""

import os
import threading
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from privacy import machine_code_cache
from privacy.numba_compilation import compile_cached

DAY = 86_400


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An account's home, and the server's folder beside it as the second choice."""
    own = tmp_path / "home"
    own.mkdir(0o755)
    (tmp_path / "var").mkdir(0o700)
    for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(own))
    monkeypatch.setattr(machine_code_cache, "_fallback", [tmp_path / "var"])
    machine_code_cache.cache_folder.cache_clear()
    yield own
    machine_code_cache.cache_folder.cache_clear()


def fresh_folder() -> Path:
    machine_code_cache.cache_folder.cache_clear()
    return machine_code_cache.cache_folder()


def file_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def in_var(found: Path, tmp_path: Path) -> bool:
    return found.parent == tmp_path / "var" / "numba" and file_mode(found) == 0o700


def test_compiled_code_is_in_the_accounts_cache_or_a_chosen_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = fresh_folder()
    assert found.parent == home / ".cache" / "candor"
    assert [file_mode(path) for path in (found, *found.parents[:2])] == [0o700] * 3
    assert fresh_folder() == found
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert fresh_folder().is_relative_to(home)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert fresh_folder().parent == tmp_path / "elsewhere" / "candor"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "requested"))
    assert fresh_folder().parent == tmp_path / "requested"


def test_compiled_code_without_a_home_is_in_the_servers_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given in ("", "/nonexistent/home", "relative"):
        monkeypatch.setenv("HOME", given)
        assert in_var(fresh_folder(), tmp_path), given


def test_cache_folder_writable_by_others_is_not_used(home: Path, tmp_path: Path) -> None:
    home.chmod(0o777)
    assert in_var(fresh_folder(), tmp_path)
    assert not (home / ".cache").exists()
    home.chmod(0o755)
    deepest = home / ".cache/candor" / machine_code_cache._source_and_compiler_digest()
    deepest.mkdir(parents=True)
    folders = (deepest, *deepest.parents[:2])
    for path, writable in product(folders, (0o775, 0o757, 0o1777)):
        before = path.stat().st_mode
        path.chmod(writable)
        assert in_var(fresh_folder(), tmp_path), (path, writable)
        path.chmod(before)


@pytest.mark.parametrize("which", [".cache/candor", ".cache/candor/digest"])
def test_cache_folder_behind_a_link_is_not_used(which: str, home: Path, tmp_path: Path) -> None:
    path = home / which.replace("digest", machine_code_cache._source_and_compiler_digest())
    (planted := tmp_path / "planted").mkdir(0o700)
    path.parent.mkdir(parents=True)
    path.symlink_to(planted)
    assert in_var(fresh_folder(), tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("which", ["", ".cache", ".cache/candor", ".cache/candor/digest"])
def test_cache_folder_of_another_account_is_not_used(which: str, home: Path, tmp_path: Path) -> None:
    path = home / which.replace("digest", machine_code_cache._source_and_compiler_digest())
    path.mkdir(parents=True, exist_ok=True)
    os.chown(path, 65_534, 65_534)
    before = {*home.rglob("*")}
    assert in_var(fresh_folder(), tmp_path)
    assert {*home.rglob("*")} == before, "root leaves nothing in the home of another account"


def test_compiled_code_without_a_safe_folder_is_temporary(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.chmod(0o777)
    monkeypatch.setattr(machine_code_cache, "_fallback", [])
    found = fresh_folder()
    assert not found.is_relative_to(home)
    assert file_mode(found) == 0o700


def test_cache_folder_depends_on_sources_compiler_and_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    sources, found = machine_code_cache.SOURCES, [fresh_folder()]
    for source in sources:
        rest = tuple(other for other in sources if other != source)
        monkeypatch.setattr(machine_code_cache, "SOURCES", rest)
        found.append(fresh_folder())
        assert list(machine_code_cache.ROOT.glob(source)), "no source has this name"
    for changed in ("numba", "numpy"):
        versions = {changed: "0"}
        monkeypatch.setattr("importlib.metadata.version", lambda name, of=versions: of.get(name, "1"))
        found.append(fresh_folder())
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: "i386")
    found.append(fresh_folder())
    assert len({*found}) == len(sources) + 4


@pytest.fixture
def installed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with machine code of this processor, which everybody may read."""
    monkeypatch.setattr(machine_code_cache, "INSTALLED", tmp_path / "installed")
    made = tmp_path / "installed" / machine_code_cache._source_and_compiler_digest()
    made.mkdir(0o755, parents=True)
    (made / "counting.done").touch()
    return made


def test_account_starts_with_installed_compiled_code(installed_folder: Path) -> None:
    own = fresh_folder()
    assert (file_mode(own), own != installed_folder) == (0o700, True)
    assert machine_code_cache.has_compiled("counting")
    assert not machine_code_cache.has_compiled("releases")
    assert [path.name for path in own.parent.iterdir()] == [own.name], "nothing else stays"


def test_accounts_own_compiled_code_is_kept(installed_folder: Path) -> None:
    own = installed_folder.parent.parent / "home/.cache/candor" / installed_folder.name
    own.mkdir(parents=True)
    (own / "releases.done").touch()
    assert [path.name for path in fresh_folder().iterdir()] == ["releases.done"]


def test_machine_code_of_another_processor_is_not_copied(
    installed_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: "i386")
    assert list(fresh_folder().iterdir()) == []


def test_machine_code_that_nobody_has_used_for_sixty_days_is_deleted() -> None:
    base, now = fresh_folder().parent, time.time()
    for name, days in {"a" * 32: 59, "b" * 32: 61, "notes": 61}.items():
        (base / name).mkdir()
        (base / name / "file").touch()
        os.utime(base / name, (now - days * DAY,) * 2)
    os.utime(fresh_folder(), (now - 61 * DAY,) * 2)
    own = fresh_folder()
    assert {path.name for path in base.iterdir()} == {"a" * 32, "notes", own.name}
    assert own.stat().st_mtime > now - DAY, "its use is remembered"


def test_compiled_function_is_cached_here_without_changing_numba() -> None:
    import numba

    before = numba.config.CACHE_LOCATOR_CLASSES  # type: ignore[attr-defined]
    double: Any = compile_cached(_double)
    assert double(21) == 42
    assert before == numba.config.CACHE_LOCATOR_CLASSES  # type: ignore[attr-defined]
    assert sorted(path.suffix for path in machine_code_cache.cache_folder().iterdir()) == [".nbc", ".nbi"]


def test_cached_code_loads_without_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compile_cached(_double)(21) == 42
    loaded = compile_cached(_double)
    costly = ("cpu.CPUContext.refresh", "runtime.nrt.rtsys.initialize", "entrypoints.init_all")
    with monkeypatch.context() as patch:
        for name in costly:
            patch.setattr(f"numba.core.{name}", lambda *_of, name=name: pytest.fail(name))
        assert loaded(21) == 42
    assert loaded(1.5) == 3.0, "numbers of another type are compiled"


def _double(number: float) -> float:
    return 2 * number


def test_one_process_compiles_at_a_time_and_a_killed_one_releases() -> None:
    inside, order = threading.Event(), list[str]()

    def compile_and_exit() -> None:
        with machine_code_cache.compile_once("some"):
            inside.set()
            waiting.join(0.2)
            order.append("first")
            raise SystemExit

    def compile_second() -> None:
        inside.wait(60)
        with machine_code_cache.compile_once("some"):
            order.append("second")

    waiting = threading.Thread(target=compile_second)
    waiting.start()
    with pytest.raises(SystemExit):
        compile_and_exit()
    assert not machine_code_cache.has_compiled("others")
    waiting.join(60)
    assert order == ["first", "second"]
    assert machine_code_cache.has_compiled("some")
