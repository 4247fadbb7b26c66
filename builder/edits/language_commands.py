"""The commands of the buttons on the translation page."""

from django.utils.translation import gettext as _

from surveys.questionnaire import wording
from surveys.questionnaire.commands import Command, CommandResult, Sent
from surveys.questionnaire.questionnaire import Questionnaire


def language_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    code = sent.get("other", "").strip() or sent.get("code", "")
    after = wording.add_language(draft, code)
    return CommandResult(
        after, _("The language is added. What Candor knows is filled in."), key=after.languages[-1]
    )


def language_first(draft: Questionnaire, sent: Sent) -> CommandResult:
    return CommandResult(
        wording.put_first(draft, sent.get("code", "")), _("The others are translated from it now.")
    )


OF_LANGUAGES: dict[str, Command] = {"language-add": language_add, "language-first": language_first}
