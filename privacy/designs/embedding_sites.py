"""The sites that may embed the pages of a survey, each as a source of `frame-ancestors` (CSP).

They are part of the design, and so frozen when the survey opens: without them no other site can see
that somebody takes part, and with them the named ones can see when a page loads and when somebody
finishes. Respondents and an ethics board are told which sites these are, and the fingerprint covers
what they were told.
"""

import re
from contextlib import suppress

from privacy.grammar.input_error import InputError, mark_for_translation as _

MOST_SITES = 20
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1"})
"""The only hosts that may use http: their pages come from the reader's own machine."""
SITE = re.compile(r"(https?)://(\*\.)?([^/?#@:*\[\]\s]+)(?::([0-9]{1,5}))?/?", re.IGNORECASE)
HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII
)
AMBIGUOUS = frozenset("\u00df\u1e9e\u03c2\u200c\u200d")
"""Letters for which browsers and Python's IDNA of 2003 give different host names."""
DEFAULT_PORTS = {"https": 443, "http": 80}


def normalise_site(written: str, path: str = "sites") -> str:
    """Returns the normal form of a site, `https://host[:port]`: lower case, punycode, no default port.

    One leading `*.` stands for all hosts below. Raises `InputError` at `path` for anything else.
    """
    match = SITE.fullmatch(written.strip())
    if match is None:
        raise InputError(
            path,
            _(
                "must be a site alone, such as https://www.example.org, without a path; one * may stand at its "
                "beginning, as in https://*.example.org"
            ),
        )
    scheme, below, port = match[1].lower(), match[2] or "", int(match[4] or 0)
    host = _ascii_host(match[3], path)
    is_local = host in LOCAL_HOSTS
    if scheme == "http" and not is_local:
        raise InputError(
            path,
            _("must begin with https://, so that nobody on the way can change the page around the survey"),
        )
    is_named = "." in host and not host.rpartition(".")[2].isdecimal()
    if not (is_local or is_named) or (is_local and below):
        raise InputError(path, _("must have the name of a host, such as www.example.org"))
    if port > 65535 or match[4] == "0":
        raise InputError(path, _("must have a port from 1 to 65535"))
    return f"{scheme}://{below}{host}" + (f":{port}" if port and port != DEFAULT_PORTS[scheme] else "")


def _ascii_host(written: str, path: str) -> str:
    """Returns the host name in lower case and punycode; refuses an invalid name."""
    host = written.lower()
    if AMBIGUOUS.isdisjoint(host):
        # Python's codec refuses empty and long labels by this error.
        with suppress(UnicodeError):
            host = host.encode("idna").decode().lower()
    if len(host) > 253 or HOST.fullmatch(host) is None:
        raise InputError(path, _("must have a host that browsers understand; write other letters as xn--…"))
    return host
