"""Which sites may show the pages of a survey inside their own, as their headers say it.

A browser refuses every other site. Who shows the page is not asked: its content is the same for everybody.
"""

from collections.abc import Sequence

from django.http import HttpResponse

PAGE = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors %s",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
"""Under /a/ no form is sent, and no text can become markup or a script: the DOM refuses strings where it would parse
them, and no policy of Trusted Types can be made that would let some through."""
KEEPER = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "frame-src 'self'",
        "manifest-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types field",
    ]
)
"""The page of a field device: it starts workers, and shows the interview in a frame."""
FORM = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self' data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors %s",
    ]
)
"""No script; the form goes to us."""


def policy_for_sites(policy: str, sites: Sequence[str] = ()) -> str:
    """Returns the Content-Security-Policy `PAGE` or `FORM` of a survey that these sites may show."""
    return policy % (" ".join(sites) or "'none'")


def allow_framing(response: HttpResponse, policy: str, sites: Sequence[str]) -> None:
    """Lets these sites show the response. X-Frame-Options, which knows no list, is left out only for them."""
    response["Content-Security-Policy"] = policy_for_sites(policy, sites)
    if sites:
        response.xframe_options_exempt = True
