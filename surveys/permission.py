"""Who may do what with a survey, in one table."""

from enum import StrEnum


class Role(StrEnum):
    """What a person is to one survey; several at once add up. Reviewers are none of one they work on."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"
    REVIEWER = "reviewer"
    SUPERUSER = "superuser"


VIEWER, EDITOR, OWNER, REVIEWER, SUPERUSER = Role

TABLE: dict[str, frozenset[Role]] = {
    "see": frozenset(Role),
    "edit": frozenset({EDITOR, OWNER}),
    "invite": frozenset({EDITOR, OWNER}),
    "run": frozenset({EDITOR, OWNER}),
    "open": frozenset({OWNER}),
    "close": frozenset({OWNER}),
    "archive": frozenset({OWNER}),
    "destroy": frozenset({OWNER, SUPERUSER}),
    "collaborators": frozenset({OWNER}),
    # Allowing weak settings and record files; unpublished numbers; decisions, publishing, approval.
    "review": frozenset({REVIEWER}),
    # Only once a reviewer has allowed it, which `Survey.may` asks too.
    "download": frozenset({EDITOR, OWNER, REVIEWER}),
    "read": frozenset(Role),
}


def allowed(roles: frozenset[Role], action: str) -> bool:
    """KeyError for a word that is no action."""
    return bool(TABLE[action] & roles)
