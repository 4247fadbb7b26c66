"""Permissions on releases in one table: the people who may take each action, and the states that allow it."""

from typing import NamedTuple

DRAFT, RUNNING, CHECKED, APPROVED, WITHDRAWN, REFUSED = (
    "draft",
    "running",
    "checked",
    "approved",
    "withdrawn",
    "refused",
)
UNMADE = "unmade"
"""Stage of a survey's release whose table Candor did not make, until a reviewer refuses it (`Release.stage`)."""
EVERY = frozenset({DRAFT, RUNNING, CHECKED, UNMADE, APPROVED, WITHDRAWN, REFUSED})
MADE = frozenset({CHECKED, APPROVED, WITHDRAWN})
"""States of a release that has a published table."""


class ReleaseRule(NamedTuple):
    """One rule of who may take an action on a release; several rules may allow the same action.

    `survey`: the permission needed on the release's survey (surveys/permission.py); None: the rule is not for
    surveys. `owner`, `reviewer`: whether the owner and a reviewer of an upload may; a reviewer is never its
    owner. `stages`: allowed stages of the release (`Release.stage`).
    """

    survey: str | None
    owner: bool
    reviewer: bool
    stages: frozenset[str]


TABLE: dict[str, tuple[ReleaseRule, ...]] = {
    "see": (ReleaseRule("see", True, False, EVERY), ReleaseRule(None, False, True, MADE)),
    # Columns, criteria, method; start, compare.
    "configure": (ReleaseRule("run", True, False, frozenset({DRAFT})),),
    # End a search with the best result so far.
    "stop": (ReleaseRule("run", True, False, frozenset({DRAFT, RUNNING})),),
    # Every attempt at a table of a survey ends before a reviewer: nobody cancels it, or discards what it made.
    "cancel": (
        ReleaseRule("run", True, False, frozenset({DRAFT})),
        ReleaseRule(None, True, False, frozenset({RUNNING})),
    ),
    "discard": (
        ReleaseRule("run", True, False, frozenset({DRAFT, REFUSED})),
        ReleaseRule(None, True, False, frozenset({CHECKED})),
    ),
    # The records of an upload. Nobody reads records of a survey here.
    "raw": (ReleaseRule(None, True, False, EVERY),),
    # The report and the table: before the approval those of a survey are for reviewers.
    "numbers": (
        ReleaseRule("review-release", True, False, EVERY),
        ReleaseRule(None, False, True, MADE),
        ReleaseRule("read", False, False, frozenset({APPROVED})),
    ),
    # What the report says of the source: before and left out.
    "source": (ReleaseRule("review-release", True, False, EVERY), ReleaseRule(None, False, True, MADE)),
    # What attacks find in the table, or in an upload before there is one.
    "attack": (
        ReleaseRule("review-release", True, True, MADE),
        ReleaseRule(None, True, False, frozenset({DRAFT})),
    ),
    # What each column of a survey holds, with numbers of records: unpublished results.
    "counts": (ReleaseRule("review-release", False, False, MADE),),
    "review": (ReleaseRule("review-release", False, True, frozenset({CHECKED})),),
    # Also by who reviews a survey without the role, and may not approve its releases. What Candor could not make is
    # refused like a made table: that it could not, and why, says something about the records.
    "refuse": (ReleaseRule("review", False, True, frozenset({CHECKED, UNMADE})),),
    "withdraw": (ReleaseRule("review-release", False, True, frozenset({APPROVED})),),
    "download": (
        ReleaseRule("review-release", False, True, frozenset({CHECKED})),
        ReleaseRule("read", True, True, frozenset({APPROVED})),
    ),
}
