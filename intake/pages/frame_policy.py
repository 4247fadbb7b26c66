"""Content-Security-Policy headers that say which other sites may show a survey's pages in a frame.

A browser refuses every other site. The server does not check who shows the page: its content is the same for
everybody.
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
"""Policy of a respondents' page: it sends no form, and no text can become markup or a script, since Trusted
Types refuse strings where the DOM would parse them and no policy can be made that lets some through."""
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
"""Policy of a field device's page: it starts workers, and shows the interview in a frame."""
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
"""Policy of the form without JavaScript: it runs no script and sends the form to this server only."""


def hosted_policy(script_sha256: str, record: str) -> str:
    """Returns the policy of a page that another host serves, for its `<meta>`: it runs its own files and the one script
    with this SHA-256 (base64), and sends to the address of the records alone.

    A `<meta>` cannot say who may show the page in a frame: the host's headers do.
    """
    own = {"script-src": f"'self' 'sha256-{script_sha256}'", "connect-src": record, "frame-ancestors": ""}
    directives = (directive.partition(" ") for directive in PAGE.split("; "))
    words = ((name, own.get(name, value)) for name, _space, value in directives)
    return "; ".join(f"{name} {value}" for name, value in words if value)


def policy_for_sites(policy: str, sites: Sequence[str] = ()) -> str:
    """Returns the Content-Security-Policy `policy` (`PAGE` or `FORM`), extended by the sites that may show the page in
    a frame."""
    return policy % (" ".join(sites) or "'none'")


def allow_framing(response: HttpResponse, policy: str, sites: Sequence[str]) -> None:
    """Lets these sites show the response in a frame.

    X-Frame-Options, which allows no list of sites, is left out only then.
    """
    response["Content-Security-Policy"] = policy_for_sites(policy, sites)
    if sites:
        response.xframe_options_exempt = True
