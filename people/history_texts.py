"""The texts of the history's actions; a row stores only the key of its action."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_words: dict[str, str | Promise] = {}


def announce(words: dict[str, str | Promise]) -> None:
    """Make a room's actions known: `room.action` and what its reader sees. Called from AppConfig.ready."""
    _words.update(words)


def known(action: str) -> bool:
    return action in _words


def words_of(action: str) -> str:
    """In the reader's language; an action whose room has gone is shown by its key."""
    return str(_words.get(action, action))


def choices() -> list[tuple[str, str]]:
    return sorted(((action, str(words)) for action, words in _words.items()), key=lambda pair: pair[1])


announce(
    {
        "people.created": _("created the account"),
        "people.invited": _("sent an invitation"),
        "people.username-changed": _("changed the username"),
        "people.name-changed": _("changed the name"),
        "people.email-changed": _("changed the email address"),
        "people.language-changed": _("changed the language"),
        "people.deactivated": _("deactivated the account"),
        "people.reactivated": _("reactivated the account"),
        "people.made-researcher": _("gave the role of researcher"),
        "people.no-longer-researcher": _("took the role of researcher"),
        "people.made-reviewer": _("gave the role of reviewer"),
        "people.no-longer-reviewer": _("took the role of reviewer"),
        "people.made-superuser": _("gave all permissions"),
        "people.no-longer-superuser": _("took all permissions"),
        "people.created-by-provider": _("created the account at the first sign-in by a provider"),
        "people.provider-added": _("joined the account with a provider’s by its email address"),
        "people.signed-in-by-provider": _("signed in by a provider"),
        "people.factor-added": _("added a second factor"),
        "people.factor-removed": _("removed a second factor"),
        "people.codes-made": _("made new recovery codes"),
        "people.session-ended": _("ended another session"),
        "people.password-changed": _("changed the password"),
        "people.password-reset": _("set a new password by email"),
        "people.password-set": _("set another person’s password"),
    }
)
