"""Static file storage: names files with hashes, and joins and compresses them."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from posixpath import dirname, join, normpath
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.javascript_bundler import composed_script

COMMENT_LINES = re.compile(
    r"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)[ \t]*\n",
    re.MULTILINE,
)


IMPORTS = re.compile(r'^@import "([^"\n]+)";$', re.MULTILINE)
TYPES = re.compile(r"/\*\* @type \{[^*\n]*\*/ ?")
SHORTENED = re.compile(r"intake/[^/]+\.(?:js|css)|ui/[^/]+\.css")
PAGE_SCRIPTS = re.compile(r"intake/(?:answer[\w-]*|receipt-page|device)\.js")
INDENTATION = re.compile(r"^[ \t\n]+", re.MULTILINE)


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Static file storage with hashes in file names and in modules' imports, so that after an update no old
    module of the disguise is combined with a new one.

    The respondents' scripts and styles are served without comment lines, type comments and indentation, a
    fifth of the bytes of their start page. A style is served as one file with all that it imports, and so are
    the script of a page and the program that disguises. The modules of that program (`privacy/`) are also
    served as published, comments included, for people who want to read them.
    """

    support_js_module_import_aggregation = True
    uses_brotli = True
    """False in a demo, which its own machine reads, so gzip alone is enough."""

    def post_process(self, paths: dict[str, Any], *more: Any, **options: Any) -> Iterator[Any]:
        """Yields each static file with its hashed name; scripts and styles are shortened and joined first."""
        # Django hashes the sources; these scripts it takes as `save` wrote them.
        served = BundledFiles(self)
        ours = {name: (served, name) for name in paths if is_shortened(name)}
        yield from super().post_process(paths | ours, *more, **options)  # type: ignore[no-untyped-call]

    def create_compressor(self, **options: Any) -> Compressor:
        """Returns a compressor that compresses equal content once, since most files exist under a plain and a
        hashed name."""
        compressor: Compressor = super().create_compressor(**options, use_brotli=self.uses_brotli)  # type: ignore[no-untyped-call]
        for method in ("compress_brotli", "compress_gzip"):
            setattr(compressor, method, cache(getattr(compressor, method)))
        return compressor

    def save(self, name: str | None, content: IO[Any], max_length: int | None = None) -> str:
        if name and is_shortened(name):
            content = ContentFile(shorten_script(content.read()))
        return str(super().save(name, content, max_length))


class BundledFiles:
    """Opens static files; a style or a page's script is one file with all that it imports.

    Each is read and composed once, since Django opens it again for each of its passes.
    """

    def __init__(self, files: Storage) -> None:
        self.files = files
        self._read = cache(self._read_shortened)
        self._compose = cache(self._compose_file)

    def open(self, name: str) -> "ContentFile[bytes]":
        return ContentFile(self._compose(name))

    def _compose_file(self, name: str) -> bytes:
        if name.endswith(".css"):
            return compose_style(name, self._read)
        return composed_script(name, self._read) if is_page_script(name) else self._read(name)

    def _read_shortened(self, name: str) -> bytes:
        with self.files.open(name) as file:
            return shorten_script(bytes(file.read()))


def compose_style(name: str, read: Callable[[str], bytes]) -> bytes:
    """Returns a style sheet with its import lines replaced by the imported style sheets."""

    def compose_import(match: re.Match[str]) -> str:
        return compose_style(normpath(join(dirname(name), match[1])), read).decode().rstrip("\n")

    return IMPORTS.sub(compose_import, read(name).decode()).encode()


def is_page_script(name: str) -> bool:
    """Returns True for a script that is served together with its modules, False for a single module."""
    return PAGE_SCRIPTS.fullmatch(name) is not None


def is_shortened(name: str) -> bool:
    """Returns True for a script or style that is served without comments and indentation."""
    return SHORTENED.fullmatch(name) is not None


def shorten_script(source: bytes) -> bytes:
    """Removes comment lines, type comments and indentation from a script or style."""
    return INDENTATION.sub("", TYPES.sub("", COMMENT_LINES.sub("", source.decode()))).encode()
