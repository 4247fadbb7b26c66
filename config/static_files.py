"""How static files are named and packed."""

import re
from collections.abc import Iterator
from typing import IO, Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

COMMENT_LINES = re.compile(
    r"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)[ \t]*\n",
    re.MULTILINE,
)


TYPES = re.compile(r"/\*\* @type \{[^*\n]*\*/ ?")
SHORTENED = re.compile(r"intake/[^/]+\.(?:js|css)|look/[^/]+\.css")
INDENTATION = re.compile(r"^[ \t\n]+", re.MULTILINE)


class HashedFiles(CompressedManifestStaticFilesStorage):
    """A module's imports carry hashes too: after an update no old part of the disguise meets a new one.

    The respondents' scripts and styles lose what only their authors read, a fifth of the bytes of their start page:
    comments that stand on lines of their own, types and indentation. The modules that disguise (`privacy/`) are served
    as published, comments included.
    """

    support_js_module_import_aggregation = True

    def post_process(self, paths: dict[str, Any], *more: Any, **options: Any) -> Iterator[Any]:
        # Django hashes the sources; these scripts it takes as `save` wrote them.
        ours = {name: (self, name) for name in paths if is_shortened(name)}
        yield from super().post_process(paths | ours, *more, **options)  # type: ignore[no-untyped-call]

    def save(self, name: str | None, content: IO[Any], max_length: int | None = None) -> str:
        if name and is_shortened(name):
            content = ContentFile(shortened(content.read()))
        return str(super().save(name, content, max_length))


def is_shortened(name: str) -> bool:
    return SHORTENED.fullmatch(name) is not None


def shortened(source: bytes) -> bytes:
    return INDENTATION.sub("", TYPES.sub("", COMMENT_LINES.sub("", source.decode()))).encode()
