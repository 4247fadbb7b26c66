"""Serves the collected static files; each is prepared when it is first asked for."""

from functools import cached_property
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from whitenoise.middleware import WhiteNoiseMiddleware


class LateStaticFiles(WhiteNoiseMiddleware):
    """Middleware: serves static files (WhiteNoise), and prepares each at its first request.

    To prepare all 600 at the start takes a tenth of the start; pages ask for some 40.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)  # type: ignore[no-untyped-call]
        # Read now: an update may replace the manifest while this process still renders its own templates.
        self.manifest = getattr(staticfiles_storage, "hashed_files", {})

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> Any:
        if stat_cache:
            return LateFile(self, path, url)
        return super().get_static_file(path, url)  # type: ignore[no-untyped-call]


class LateFile:
    """A static file that is prepared when it is first requested."""

    def __init__(self, files: LateStaticFiles, path: str, url: str) -> None:
        self.files, self.path, self.url = files, path, url

    @cached_property
    def prepared(self) -> Any:
        return self.files.get_static_file(self.path, self.url)

    def get_response(self, method: str, headers: Any) -> Any:
        return self.prepared.get_response(method, headers)
