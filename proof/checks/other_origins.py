"""Checks from which pages records may come: this site's own, or where a host serves the page, that host's alone."""

from intake.hosted.check_page import Answer
from proof.outcome import Outcome, outcome_failed, outcome_held
from proof.proof_context import ProofContext
from proof.site_client import StartPage

PREFLIGHT = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "content-type"}
ALLOW_ORIGIN = "access-control-allow-origin"


def check_other_origins(context: ProofContext) -> Outcome:
    """Checks that browsers let pages of the design's host send records, and no page of a near name."""
    host, record = context.design.host, f"{context.path}/record"
    allowed = host or None
    for origin in (*([host] if host else []), *near_origins(host or context.site.address), "null"):
        headers = {"Origin": origin, "Sec_Fetch_Site": "cross-site"}
        preflight = context.site.options(record, **headers, **PREFLIGHT)
        for answer in (preflight, context.site.post(record, b"{}", **headers)):
            if (
                answer.headers.get(ALLOW_ORIGIN) != allowed
                or "access-control-allow-credentials" in answer.headers
            ):
                return outcome_failed(
                    f"to {origin} the address of records allows {answer.headers.get(ALLOW_ORIGIN)}"
                )
        if host and not _is_allowed(preflight):
            return outcome_failed(f"the address of records does not let {host} send")
    page = context.site.get(context.path, Origin=host or "null")
    if ALLOW_ORIGIN in page.headers:
        return outcome_failed("another site may read the page of the survey")
    if not host:
        return outcome_held("no page of another site may send a record or read an answer")
    own = StartPage(page, context.path)
    if own.scripts or own.data or own.inline_scripts or host not in page.body.decode(errors="replace"):
        return outcome_failed(
            f"{context.site.address}{context.path} asks the survey itself, or does not name {host}"
        )
    return outcome_held(f"records come from pages of {host} alone, and {context.site.address} asks nothing")


def near_origins(origin: str) -> list[str]:
    """Returns origins that a careless comparison takes for this one."""
    scheme, _separator, name = origin.partition("://")
    bare = name.partition(":")[0]
    other = "http" if scheme == "https" else "https"
    return [
        f"{scheme}://{bare}.example.org",
        f"{scheme}://x.{name}",
        f"{other}://{name}",
        f"{scheme}://{bare}:8444",
    ]


def _is_allowed(preflight: Answer) -> bool:
    names = preflight.headers.get("access-control-allow-headers", "").lower()
    return 200 <= preflight.status < 300 and "content-type" in names
