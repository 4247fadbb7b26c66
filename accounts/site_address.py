"""The address of this site from the settings, never from a request.

The sender of a request chooses its Host header. A link made from that header could lead the reader of an
email or a poster to another site.
"""

from urllib.parse import urlsplit

from django.conf import settings


def site_url(path: str = "") -> str:
    """Returns the absolute URL of a path that begins with a slash."""
    return f"{settings.SITE_URL}{path}"


def site_host() -> str:
    """Returns the site's name for emails: its host, with the port unless it is the default."""
    return urlsplit(settings.SITE_URL).netloc
