"""Static files are prepared when they are asked for, and answered as WhiteNoise does."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

from config import lazy_static_files
from config.lazy_static_files import LateStaticFiles

pytestmark = [pytest.mark.page, pytest.mark.django_db]

SCRIPT = b"console.log('only this');"


def not_static(request: HttpRequest) -> HttpResponse:
    return HttpResponse("a page")


def body(answer: Any) -> bytes:
    content = b"".join(answer)
    answer.close()
    return content


@pytest.fixture
def folder(tmp_path: Path, settings: LazySettings) -> Path:
    (tmp_path / "ui").mkdir()
    for name in ("one.js", "two.js"):
        (tmp_path / "ui" / name).write_bytes(SCRIPT)
    (tmp_path / "ui" / "one.js.gz").write_bytes(b"packed")
    settings.STATIC_ROOT, settings.WHITENOISE_AUTOREFRESH = tmp_path, False
    return tmp_path


def test_a_file_is_prepared_once_when_it_is_asked_for(folder: Path) -> None:
    with patch.object(WhiteNoiseMiddleware, "get_static_file", autospec=True) as prepare:
        prepare.side_effect = lambda _self, path, _url: StaticFile(path, [])  # type: ignore[no-untyped-call]
        files = LateStaticFiles(not_static)
        assert prepare.call_count == 0
        for _time in range(2):
            assert body(files(RequestFactory().get("/static/ui/one.js"))) == SCRIPT
        assert prepare.call_count == 1


@pytest.mark.parametrize("encodings", ["", "gzip"])
@pytest.mark.parametrize("path", ["/static/ui/one.js", "/static/ui/two.js"])
def test_it_answers_as_whitenoise_does(folder: Path, path: str, encodings: str) -> None:
    request = RequestFactory().get(path, headers={"Accept-Encoding": encodings})
    plain = WhiteNoiseMiddleware(not_static)  # type: ignore[no-untyped-call]
    ours, theirs = LateStaticFiles(not_static)(request), plain(request)
    assert ours.status_code == theirs.status_code == 200
    assert dict(ours.headers) == dict(theirs.headers)
    assert body(ours) == body(theirs)


@pytest.mark.parametrize(
    "path", ["/static/ui/one.js.gz", "/static/ui/../ui/one.js", "/static/none.js", "/app/"]
)
def test_what_was_not_collected_is_no_static_file(folder: Path, path: str) -> None:
    assert LateStaticFiles(not_static)(RequestFactory().get(path)).content == b"a page"


def test_the_manifest_is_read_at_the_start(folder: Path) -> None:
    class Storage:
        hashed_files = {"ui/one.js": "ui/one.0123456789ab.js"}

    with patch.object(lazy_static_files, "staticfiles_storage", Storage()):
        assert LateStaticFiles(not_static).manifest == Storage.hashed_files
