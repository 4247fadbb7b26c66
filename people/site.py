"""Where this site is, as its operator has written it down, and never as a request calls it.

Whoever sends a request chooses its Host header. A link made from it would lead the reader of a letter, or of a poster,
wherever the sender likes.
"""

from urllib.parse import urlsplit

from django.conf import settings


def address(path: str = "") -> str:
    """The whole address of a path that begins with a slash."""
    return f"{settings.SITE_URL}{path}"


def name() -> str:
    """How a letter calls the site: its host, and its port where that is not the usual one."""
    return urlsplit(settings.SITE_URL).netloc
