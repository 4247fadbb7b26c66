from pathlib import Path

from django.core.checks import CheckMessage
from django.core.checks.registry import registry
from pytest_django.fixtures import Settings

from config import checks


def ids(messages: list[CheckMessage]) -> list[str | None]:
    assert all(message.hint for message in messages)
    return [message.id for message in messages]


def test_a_folder_that_cannot_be_written_is_named(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.VAR = tmp_path / "file" / "var"
    assert ids(checks.check_folder_is_writable(None)) == ["candor.E001"]


def test_a_writable_folder_passes(settings: Settings, tmp_path: Path) -> None:
    settings.VAR = tmp_path / "not yet made"
    assert checks.check_folder_is_writable(None) == []


def test_production_wants_mail_that_arrives(settings: Settings) -> None:
    settings.PRODUCTION = True
    for backend, found in {"console": ["candor.W003"], "smtp": []}.items():
        settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
        assert ids(checks.check_mail_is_sent(None)) == found


def test_production_without_https_is_warned_about(settings: Settings) -> None:
    settings.PRODUCTION, settings.HTTPS = True, False
    assert ids(checks.check_https(None)) == ["candor.W004"]
    settings.HTTPS = True
    assert checks.check_https(None) == []


def test_https_that_no_proxy_brings_is_warned_about(settings: Settings) -> None:
    for state in ((True, True, False), (True, True, True), (True, False, False), (False, True, False)):
        settings.PRODUCTION, settings.HTTPS, settings.BEHIND_PROXY = state
        assert ids(checks.check_https_proxy(None)) == ["candor.W006"] * (state == (True, True, False))


def test_every_check_is_registered() -> None:
    ours = {
        getattr(check, "__name__", "")
        for check in registry.get_checks()
        if check.__module__ == checks.__name__
    }
    written = {
        name for name, thing in vars(checks).items() if getattr(thing, "__module__", "") == checks.__name__
    }
    assert ours == written - {"register_all"}


def test_redis_beside_a_sqlite_file_is_warned_about(settings: Settings) -> None:
    settings.REDIS_URL = "redis://localhost/0"
    assert ids(checks.check_sqlite_without_redis(None)) == ["candor.W005"]
    settings.REDIS_URL = ""
    assert checks.check_sqlite_without_redis(None) == []
