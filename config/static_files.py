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


class HashedFiles(CompressedManifestStaticFilesStorage):
    """A module's imports carry hashes too: after an update no old part of the disguise meets a new one.

    The respondents' scripts lose the comments that stand on lines of their own, a fifth of the bytes of their start
    page. The modules that disguise (`privacy/`) are served as published, comments included.
    """

    support_js_module_import_aggregation = True

    def post_process(self, paths: dict[str, Any], *more: Any, **options: Any) -> Iterator[Any]:
        # Django hashes the sources; these scripts it takes as `save` wrote them.
        ours = {name: (self, name) for name in paths if is_respondents_script(name)}
        yield from super().post_process(paths | ours, *more, **options)  # type: ignore[no-untyped-call]

    def save(self, name: str | None, content: IO[Any], max_length: int | None = None) -> str:
        if name and is_respondents_script(name):
            content = ContentFile(without_comment_lines(content.read()))
        return str(super().save(name, content, max_length))


def is_respondents_script(name: str) -> bool:
    return name.startswith("intake/") and name.endswith(".js")


def without_comment_lines(script: bytes) -> bytes:
    return COMMENT_LINES.sub("", script.decode()).encode()
