"""Classifies URL paths: the pages that may know the user; all others are treated as respondents' pages,
without cookie or log.
"""

import re

HOME = "/"
RESPONDENTS = "/a/"
FIELD = re.compile(r"/a/[-\w]+/field(?:[-/].*)?", re.ASCII)
"""Pages for field devices, which fetch each page once for everybody; it does not depend on the browser's language."""
PUBLIC = "/public/"
"""Published reports for everybody: like respondents, their readers get no cookie and are in no log."""
API = "/api/"
"""Start of the API's paths: programs send a token that names a person; no cookie is read or set."""
APP = "/app"
"""Start of the paths of all pages that may know the user; it is the path of our cookies, so browsers send them nowhere
else."""
INVITED = "/app/surveys/invited/"
"""Start of the address of an invitation; a secret follows, and anybody who reads it in a log could answer."""
ROOMS = frozenset(
    {"account", "admin", "documents", "jobs", "limits", "method"}
    | {"releases", "reports", "runs", "styleguide", "surveys"}
)
"""First parts of the addresses below `APP`."""
STATIC = "/static/"
HEALTH = "/healthz"
METRICS = "/metrics"
TAKES_FILES = re.compile(
    r"""/api/1/imports
    | /app/(
    surveys/own-tables/
    | releases/(new|\d+/attacks)
    | surveys/(import|\d+/margins|\d+/edit/(cells|logo|translations/import))
    )""",
    re.ASCII | re.VERBOSE,
)
NEUTRAL = (HOME, HEALTH)
# As our own pages are written. Whatever is not, such as //a/x or /app/../a/x, may mean a respondent's page
# to a proxy or to a person.
PLAIN = re.compile(r"(/(?!\.+(/|$))[\w.~:@+,=-]+)*/?", re.ASCII)


def carries_cookies(path: str) -> bool:
    """Returns True if browsers send our cookies to this path, so that the page may know the user."""
    return (path == APP or path.startswith(f"{APP}/")) and bool(PLAIN.fullmatch(path))


def takes_tokens(path: str) -> bool:
    """Returns True if this path belongs to the API, whose requests carry tokens."""
    return path.startswith(API) and bool(PLAIN.fullmatch(path))


def may_be_logged(path: str) -> bool:
    """Returns True if requests of this path may be logged.

    Requests of respondents, with secrets or with mistyped paths may not.
    """
    if path.startswith(INVITED):
        return False
    is_static = path.startswith(STATIC) and bool(PLAIN.fullmatch(path))
    return carries_cookies(path) or takes_tokens(path) or path in NEUTRAL or is_static
