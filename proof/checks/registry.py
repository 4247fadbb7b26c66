"""All checks, in the order in which they are made, each with what it means for a respondent."""

from collections.abc import Callable
from dataclasses import dataclass

from proof.checks import law, page, requests, stored
from proof.context import ProofContext
from proof.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Check:
    """A named check; `means` tells a respondent what it means that it held."""

    name: str
    means: str
    look: Callable[[ProofContext], Outcome]


FIRST = Check(
    "address",
    "You see the survey that the operator says it is, and your record goes to it alone.",
    page.address,
)
"""If it fails, the others would look at something else."""

CHECKS = (
    FIRST,
    Check("clock", "The date of this proof is true.", page.clock),
    Check(
        "fingerprint",
        "Nobody has changed the questions or the chances since the survey was opened.",
        page.fingerprint,
    ),
    Check("page", "The promises on the start page are those of the frozen design.", page.same_page),
    Check("hash", "Everybody gets the program whose hash the start page shows.", page.module_hash),
    Check("composition", "The page runs that program and no other.", page.composition),
    Check("source", "That program is the published one, which others can read.", page.published_source),
    Check("one-request", "Your browser sends the record and nothing else.", page.one_request),
    Check(
        "headers",
        "Your browser refuses scripts and pictures from elsewhere, and keeps no cookie.",
        page.headers,
    ),
    Check("same-for-all", "Nobody gets another page because of who they are.", page.same_for_all),
    Check("coins", "The random numbers in your browser are fair.", law.coins),
    Check("law", "Your answers are replaced as often as the page says.", law.law),
    Check(
        "twin",
        "What your browser sends follows from your answers and from chance, and from nothing else.",
        requests.twin,
    ),
    Check("guarantee", "Nobody can become surer of your answers than the page says.", law.guarantee),
    Check("submission", "This was tried with a real browser.", requests.submission),
    Check("receipt", "Your receipt shows what was sent.", requests.receipt),
    Check("traces", "Your browser and your connection leave no trace on the server.", stored.traces),
    Check("logs", "No log says that you answered.", stored.logs),
    Check("triggers", "The database itself refuses to change what was promised.", stored.protecting_triggers),
    Check("storage", "Your record lies in the database without a time and without an order.", stored.storage),
    Check("ledger", "All that was published together gives no small group of people away.", stored.ledger),
    Check("engines", "What was published was found by a second program too.", stored.engines),
)
