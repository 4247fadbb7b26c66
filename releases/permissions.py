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
EVERY = frozenset({DRAFT, RUNNING, CHECKED, APPROVED, WITHDRAWN, REFUSED})
MADE = frozenset({CHECKED, APPROVED, WITHDRAWN})
"""States of a release that has a published table."""


class ReleaseRule(NamedTuple):
    """One rule of who may take an action on a release; several rules may allow the same action.

    `survey`: the permission needed on the release's survey (surveys/permission.py); None: the rule is not for
    surveys. `owner`, `reviewer`: whether the owner and a reviewer of an upload may; a reviewer is never its
    owner. `states`: allowed states of the release.
    """

    survey: str | None
    owner: bool
    reviewer: bool
    states: frozenset[str]


TABLE: dict[str, tuple[ReleaseRule, ...]] = {
    "see": (ReleaseRule("see", True, False, EVERY), ReleaseRule(None, False, True, MADE)),
    # Columns, criteria, method; start, compare.
    "configure": (ReleaseRule("run", True, False, frozenset({DRAFT})),),
    "cancel": (ReleaseRule("run", True, False, frozenset({DRAFT, RUNNING})),),
    "discard": (ReleaseRule("run", True, False, frozenset({DRAFT, CHECKED, REFUSED})),),
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
    "withdraw": (ReleaseRule("review-release", False, True, frozenset({APPROVED})),),
    "download": (
        ReleaseRule("review-release", False, True, frozenset({CHECKED})),
        ReleaseRule("read", True, True, frozenset({APPROVED})),
    ),
}
