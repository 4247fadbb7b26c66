"""Adding a crosswise question, and what is said once its secret is turned."""

from django.utils.translation import gettext as _

from surveys.kinds.crosswise.draft import CrosswiseDraft, CrosswiseDraftQuestion
from surveys.questionnaire.blocks import find, new_name
from surveys.questionnaire.commands import Command, CommandResult, Sent
from surveys.questionnaire.draft_question import Given
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import block_id


def new_crosswise(draft: Questionnaire) -> CrosswiseDraft:
    """A section with a crosswise question without words."""
    question = CrosswiseDraft.read_question(Given({}, {"name": new_name(draft)}, draft.languages))
    return CrosswiseDraft(questions=(question,))


def turned_words(draft: Questionnaire, key: str) -> str:
    """What turning has done, in words."""
    _place, (question,) = find(draft, key)
    if isinstance(question, CrosswiseDraftQuestion) and question.turned_by:
        return _("Write the opposite secret.")
    return _("The secret is the same for everybody.")


def turn(draft: Questionnaire, sent: Sent) -> CommandResult:
    """After the form is saved with the drawn question that turns the secret."""
    key = sent.get("key", "")
    words = turned_words(draft, key)
    return CommandResult(draft, words, key, True, f"{block_id(key)}-turned_by")


OF_CROSSWISE: dict[str, Command] = {"turn": turn}
