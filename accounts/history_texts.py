"""Texts for the actions in the history; a row stores only the key of its action."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_words: dict[str, str | Promise] = {
    "accounts.created": _("created the account"),
    "accounts.invited": _("sent an invitation"),
    "accounts.username-changed": _("changed the username"),
    "accounts.name-changed": _("changed the name"),
    "accounts.email-changed": _("entered the email address, which counts as confirmed"),
    "accounts.email-asked": _("entered a new email address, which counts once a letter to it is answered"),
    "accounts.email-removed": _("removed the email address"),
    "accounts.email-confirmed": _("confirmed the email address by a letter"),
    "accounts.language-changed": _("changed the language"),
    "accounts.deactivated": _("deactivated the account"),
    "accounts.left-ended": _("ended what went on after the account was switched off"),
    "accounts.left-kept": _("let go on what an account left that was switched off"),
    "accounts.left-decided": _("decided on what the account left behind"),
    "accounts.reactivated": _("reactivated the account"),
    "accounts.made-researcher": _("gave the role of researcher"),
    "accounts.no-longer-researcher": _("took the role of researcher"),
    "accounts.made-reviewer": _("gave the role of reviewer"),
    "accounts.no-longer-reviewer": _("took the role of reviewer"),
    "accounts.made-superuser": _("gave all permissions"),
    "accounts.no-longer-superuser": _("took all permissions"),
    "accounts.created-by-invitation": _("made the account by an invitation to work on a survey or review it"),
    "accounts.created-by-provider": _("created the account at the first sign-in by a provider"),
    "accounts.provider-added": _(
        "joined the account with a provider’s by its email address, which ended its password, sessions, tokens, "
        "webhooks, second factors and other providers"
    ),
    "accounts.signed-in-by-provider": _("signed in by a provider"),
    "accounts.factor-added": _("added a second factor"),
    "accounts.factor-removed": _("removed a second factor"),
    "accounts.codes-made": _("made new recovery codes"),
    "accounts.session-ended": _("ended another session"),
    "accounts.password-changed": _("changed the password"),
    "accounts.password-reset": _("set a new password by email"),
    "accounts.password-set": _("set another person’s password"),
}


def register_action_texts(words: dict[str, str | Promise]) -> None:
    """Registers the texts of an app's actions, by keys of the form `room.action`."""
    _words.update(words)


def is_action_registered(action: str) -> bool:
    return action in _words


def action_text(action: str) -> str:
    """Returns the action's text in the reader's language; its key if the app that wrote it is gone."""
    return str(_words.get(action, action))


def action_choices() -> list[tuple[str, str]]:
    return sorted(((action, str(words)) for action, words in _words.items()), key=lambda pair: pair[1])
