"""Lists every file that a page loads, with its SHA-256, so that a device can fetch the page completely and
verify it.

Static files are read as they are served: with hashes in their names in production, from their sources in
development. Content at other addresses is taken from its view.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage, staticfiles_storage
from django.core.handlers.wsgi import WSGIRequest
from django.urls import resolve

MARKUP = b"<!doctype html>"
LOADED = re.compile(rb'<(?:script|img)\b[^>]*? src="(/[^"]+)"|<link\b[^>]*? href="(/[^"]+)"')
"""Pattern of the addresses that a page loads by itself, without the targets of its links."""
IMPORTED = re.compile(rb'^(?:@import|import|export)\b[^"\';]*?"(\.?\.?/[^"]+)"', re.MULTILINE)
"""Pattern of the addresses that a script or a style sheet imports."""


def loaded_file_hashes(page: bytes, address: str, others: Iterable[str] = ()) -> dict[str, str]:
    """Returns the SHA-256 of each of the `loaded_files`, by address."""
    files = loaded_files(page, address, others)
    return {path: sha256(content).hexdigest() for path, content in files.items()}


def loaded_files(page: bytes, address: str, others: Iterable[str] = ()) -> dict[str, bytes]:
    """Returns, by address, each file that the page at `address` loads, directly or through imports.

    `others`: more addresses to include, with the files that they load.
    """
    waiting = [*_referenced_addresses(page, address), *others]
    files: dict[str, bytes] = {}
    while waiting:
        path = waiting.pop()
        if path not in files:
            files[path] = served_content(path)
            waiting += _referenced_addresses(files[path], path)
    return dict(sorted(files.items()))


def served_content(path: str) -> bytes:
    """Returns the content that a browser gets from an address of this server."""
    if not path.startswith(settings.STATIC_URL):
        view, words, named = resolve(path)
        asked = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "wsgi.input": BytesIO()}
        return bytes(view(WSGIRequest(asked), *words, **named).content)
    name = path.removeprefix(settings.STATIC_URL)
    if isinstance(staticfiles_storage, ManifestStaticFilesStorage):
        with staticfiles_storage.open(name) as file:
            return bytes(file.read())
    found = finders.find(name)
    if not isinstance(found, str):
        raise FileNotFoundError(name)
    return Path(found).read_bytes()


def _referenced_addresses(content: bytes, address: str) -> list[str]:
    if content.startswith(MARKUP):
        found = [script or link for script, link in LOADED.findall(content)]
    else:
        found = IMPORTED.findall(content)
    return [urljoin(address, reference.decode()) for reference in found]
