"""The address of this site from the settings, never from a request.

The sender of a request chooses its Host header. A link made from it could lead the reader of a letter or a poster to
another site.
"""

from urllib.parse import urlsplit

from django.conf import settings


def site_url(path: str = "") -> str:
    """Returns the absolute URL of a path that begins with a slash."""
    return f"{settings.SITE_URL}{path}"


def site_host() -> str:
    """Returns the site's name in letters: its host, with an unusual port."""
    return urlsplit(settings.SITE_URL).netloc
