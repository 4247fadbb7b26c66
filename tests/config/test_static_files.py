"""The respondents' scripts and styles as they are served: without comments, types and indentation."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings
from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

from config import lazy_static_file_serving
from config.lazy_static_file_serving import LateStaticFiles
from config.static_files import HashedFiles, compose_style, is_shortened, shorten_script
from intake.pages.survey_page import STYLE
from surveys.kinds.registry import KINDS
from tests.privacy.conftest import COMPOSER, ROOT

FILES = sorted(
    file
    for folder in (COMPOSER.parent, ROOT / "static" / "ui")
    for file in folder.iterdir()
    if is_shortened(f"{folder.name}/{file.name}")
)
TYPE = re.compile(r"/\*\* @type .*?\*/ ?")


def test_only_comments_types_and_indentation_are_removed(subtests: pytest.Subtests) -> None:
    assert len(FILES) > 20
    for file in FILES:
        with subtests.test(file.name):
            lines = shorten_script(file.read_bytes()).decode().splitlines()
            served = iter(lines)
            left, within = next(served, None), False
            for line in map(str.strip, file.read_text().splitlines()):
                if line and TYPE.sub("", line) == left and not within:
                    left = next(served, None)
                    continue
                assert not line or within or line.startswith(("/*", "//")), line
                within = (within or line.startswith("/*")) and "*/" not in line
            assert left is None
            assert not [line for line in lines if re.match(r"\s|/\*.*\*/$|\* (?!\{)|//", line)]


def test_disguising_modules_are_served_byte_for_byte() -> None:
    names = ("privacy/disguise.js", "vendor/htmx.min.js", "ui/look.js", "intake/answer.js", "ui/base.css")
    assert [name for name in names if is_shortened(name)] == ["intake/answer.js", "ui/base.css"]


def test_comment_beside_code_stays() -> None:
    for source, served in {
        "/** Says what. */\nconst a = 1;\n": "const a = 1;\n",
        "/**\n * Says **what**.\n * @param {A} a\n */\nf(a);\n": "f(a);\n",
        "  // why\n\n  f();\n": "f();\n",
        "f(/** @type {A} */ (a)); // why\n": "f((a)); // why\n",
        "f(/* why */ a);\n": "f(/* why */ a);\n",
        "/* Why. */\n@layer room {\n  .a {\n    b: c;\n  }\n}\n": "@layer room {\n.a {\nb: c;\n}\n}\n",
        'g("https://x", /[^/]*/);\n': 'g("https://x", /[^/]*/);\n',
        "/** @type {A} */ (a).b();\n": "(a).b();\n",
    }.items():
        assert shorten_script(source.encode()).decode() == served, source


# --- styles as one file

SHEETS = {"ui/a.css": b".a {}\n", "intake/b.css": b".b {}\n.c {}\n"}
IMPORTS = b'@import "../ui/a.css";\n@import "b.css";\n.d {}\n'


def test_style_imports_are_inlined_recursively() -> None:
    files = SHEETS | {"intake/page.css": IMPORTS, "intake/more.css": b'@import "page.css";\n.e {}\n'}
    whole = b".a {}\n.b {}\n.c {}\n.d {}\n"
    assert compose_style("intake/page.css", files.__getitem__) == whole
    assert compose_style("intake/more.css", files.__getitem__) == whole + b".e {}\n"


def source(name: str) -> bytes:
    found = finders.find(name)
    assert found, name
    return Path(found).read_bytes()


def test_page_styles_are_one_file_without_requests() -> None:
    for name in [STYLE, *(kind.style for kind in KINDS.values() if kind.style)]:
        whole = compose_style(name, source).decode()
        assert whole.count("@layer reset, base, ") == 1, name
        assert not re.search(r"@import|url\(", whole), name


def collect_files(folder: Path, files: dict[str, bytes]) -> dict[str, str]:
    """The text that each is served with, by its name in the sources."""
    storage = HashedFiles(location=folder)  # type: ignore[no-untyped-call]
    for name, data in files.items():
        storage.delete(name)
        storage.save(name, ContentFile(data))
    processed = storage.post_process(dict.fromkeys(files, ()))
    named = {name: hashed for name, hashed, _done in processed if not hashed.endswith((".br", ".gz"))}
    return {name: (folder / named[name]).read_text() for name in files}


def test_style_with_imports_is_renamed_when_they_change(tmp_path: Path) -> None:
    files = SHEETS | {"intake/page.css": b"/* Says what. */\n" + IMPORTS}
    assert collect_files(tmp_path, files)["intake/page.css"] == ".a {}\n.b {}\n.c {}\n.d {}\n"
    names = set(tmp_path.glob("intake/page.*.css"))
    changed = collect_files(tmp_path, files | {"ui/a.css": b"  .x {}\n"})
    assert changed["intake/page.css"] == ".x {}\n.b {}\n.c {}\n.d {}\n"
    assert len(set(tmp_path.glob("intake/page.*.css")) - names) == 1


# --- the script of a page as one file


def test_script_with_imports_is_renamed_when_they_change(tmp_path: Path) -> None:
    files = {
        "intake/answer-place.js": b'import "./places.js";\nimport { OPEN } from "./device.js";\nf(OPEN);\n',
        "intake/places.js": b"/** Says what. */\ng();\n",
        "intake/device.js": b"export const OPEN = 0;\n",
    }
    served = collect_files(tmp_path, files)
    assert re.fullmatch(
        r'import \* as \$device from "\./device\.[0-9a-f]{12}\.js";\n'
        r"\(\(\) => \{\ng\(\);\n\}\)\(\);\n"
        r"\(\(\) => \{\nconst \{ OPEN \} = \$device;\nf\(OPEN\);\n\}\)\(\);\n",
        served["intake/answer-place.js"],
    )
    assert served["intake/places.js"] == "g();\n"
    names = set(tmp_path.glob("intake/answer-place.*.js"))
    assert (
        "h();" in collect_files(tmp_path, files | {"intake/places.js": b"h();\n"})["intake/answer-place.js"]
    )
    assert len(set(tmp_path.glob("intake/answer-place.*.js")) - names) == 1


# --- static files are prepared when they are asked for


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


@pytest.mark.django_db
@pytest.mark.page
def test_static_file_is_prepared_once_on_demand(folder: Path) -> None:
    with patch.object(WhiteNoiseMiddleware, "get_static_file", autospec=True) as prepare:
        prepare.side_effect = lambda _self, path, _url: StaticFile(path, [])  # type: ignore[no-untyped-call]
        files = LateStaticFiles(not_static)
        assert prepare.call_count == 0
        for _time in range(2):
            assert body(files(RequestFactory().get("/static/ui/one.js"))) == SCRIPT
        assert prepare.call_count == 1


@pytest.mark.django_db
@pytest.mark.page
def test_static_files_are_answered_like_whitenoise(folder: Path) -> None:
    plain = WhiteNoiseMiddleware(not_static)  # type: ignore[no-untyped-call]
    for path in ("/static/ui/one.js", "/static/ui/two.js"):
        for encodings in ("", "gzip"):
            request = RequestFactory().get(path, headers={"Accept-Encoding": encodings})
            ours, theirs = LateStaticFiles(not_static)(request), plain(request)
            assert ours.status_code == theirs.status_code == 200
            assert dict(ours.headers) == dict(theirs.headers), (path, encodings)
            assert body(ours) == body(theirs), (path, encodings)
    # What was not collected is no static file.
    for path in ("/static/ui/one.js.gz", "/static/ui/../ui/one.js", "/static/none.js", "/app/"):
        assert LateStaticFiles(not_static)(RequestFactory().get(path)).content == b"a page", path


@pytest.mark.page
def test_static_manifest_is_read_at_start(folder: Path) -> None:
    storage = SimpleNamespace(hashed_files={"ui/one.js": "ui/one.0123456789ab.js"})
    with patch.object(lazy_static_file_serving, "staticfiles_storage", storage):
        assert LateStaticFiles(not_static).manifest == storage.hashed_files
