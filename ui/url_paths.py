"""Classifies URL paths: which pages may know the user. All others are treated as respondents': no cookie, no log."""

import re

HOME = "/"
RESPONDENTS = "/a/"
FIELD = re.compile(r"/a/[-\w]+/field(?:[-/].*)?", re.ASCII)
"""Pages of field devices, which fetch them once for everybody: they are the same in each language of a browser."""
PUBLIC = "/public/"
"""Published reports for everybody: like respondents, their readers get no cookie and are in no log."""
API = "/api/"
"""Programs ask here, each with a token that says for whom: no cookie comes or goes."""
APP = "/app"
"""Below it stand all pages that may know the user. It is the path of our cookies: browsers send them nowhere else."""
INVITED = "/app/surveys/invited/"
"""What follows is the secret of a letter: whoever reads it in a log could answer the invitation."""
ROOMS = frozenset(
    {"account", "admin", "documents", "jobs", "limits", "method"}
    | {"releases", "reports", "runs", "styleguide", "surveys"}
)
"""The first part of an address below `APP`."""
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
    return bool(PLAIN.fullmatch(path)) and (path == APP or path.startswith(f"{APP}/"))


def takes_tokens(path: str) -> bool:
    """Returns True if this path belongs to the API, whose requests carry tokens."""
    return bool(PLAIN.fullmatch(path)) and path.startswith(API)


def may_be_logged(path: str) -> bool:
    """True if requests of this path may be logged; those of respondents, those with secrets and mistyped ones may
    not."""
    if path.startswith(INVITED):
        return False
    is_static = bool(PLAIN.fullmatch(path)) and path.startswith(STATIC)
    return carries_cookies(path) or takes_tokens(path) or path in NEUTRAL or is_static
