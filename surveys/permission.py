"""Table of the actions on a survey that each role permits."""

from enum import StrEnum


class Role(StrEnum):
    """Role of a person on a survey; a person can have several.

    Nobody who works on a survey is its reviewer, except the owner where ONE_PERSON_DOES_BOTH is set.
    """

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"
    REVIEWER = "reviewer"
    SUPERUSER = "superuser"


class Basis(StrEnum):
    """The reason why a person may review a survey; stored with each decision.

    ROLE: an administrator gave the role of reviewer. NAMED: the survey's owner chose the reviewer
    (OWNERS_NAME_REVIEWERS). OWNER: the owner reviews the survey too (ONE_PERSON_DOES_BOTH).
    """

    ROLE = "role"
    NAMED = "named"
    OWNER = "owner"


VIEWER, EDITOR, OWNER, REVIEWER, SUPERUSER = Role

TABLE: dict[str, frozenset[Role]] = {
    "see": frozenset(Role),
    "edit": frozenset({EDITOR, OWNER}),
    "invite": frozenset({EDITOR, OWNER}),
    "run": frozenset({EDITOR, OWNER}),
    # A check tells no more than the page with its button.
    "check": frozenset({EDITOR, OWNER, REVIEWER}),
    "open": frozenset({OWNER}),
    "close": frozenset({OWNER}),
    "finish": frozenset({OWNER}),
    "destroy": frozenset({OWNER, SUPERUSER}),
    "collaborators": frozenset({OWNER}),
    # Taking back that somebody was proposed as a reviewer, which administrators decide on.
    "proposals": frozenset({OWNER, SUPERUSER}),
    # Not collaborators: the fewer know what is expected, the fewer can tell respondents.
    "hypotheses": frozenset({OWNER, REVIEWER}),
    # Allowing weak settings and record files; unpublished numbers; decisions, publishing, approval.
    "review": frozenset({REVIEWER}),
    # Releases are decided on by reviewers with the role alone, which `Survey.may` asks too.
    "review-release": frozenset({REVIEWER}),
    # Only once a reviewer has allowed it, which `Survey.may` asks too.
    "download": frozenset({EDITOR, OWNER, REVIEWER}),
    # Records in a file that a repository publishes: allowed apart.
    "deposit": frozenset({OWNER}),
    "read": frozenset(Role),
    # All numbers of a run before anybody decided on them: of a rehearsal alone, which `Survey.may` asks too.
    "read-undecided": frozenset({VIEWER, EDITOR, OWNER}),
    # Everybody who begins a survey may then read its questionnaire, and nothing else of it.
    "library": frozenset({SUPERUSER}),
    # The public page of a report, which everybody with its address reads without signing in.
    "share": frozenset({OWNER}),
}


def is_action_allowed(roles: frozenset[Role], action: str) -> bool:
    """True if one of the roles permits the action; raises KeyError for an unknown action."""
    return bool(TABLE[action] & roles)
