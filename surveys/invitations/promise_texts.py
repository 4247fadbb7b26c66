"""What letters and posters may promise: no more than the survey's design guarantees."""

from django.utils.translation import gettext as _

from surveys import draft as drafts
from surveys.models import Survey


def disguised(survey: Survey) -> str:
    """Empty where no answer is disguised."""
    asked = survey.questionnaire
    if not any(drafts.is_sensitive(section) for section in drafts.sections(asked)):
        return ""
    if asked.get("open_answers") is True:
        return _(
            "Sensitive answers are disguised on your own device before anything is sent, unless "
            "you choose to answer without disguise."
        )
    return _("Sensitive answers are disguised on your own device before anything is sent.")


def rehearsed(survey: Survey) -> str:
    """Empty where the survey is no rehearsal."""
    if not survey.is_rehearsal:
        return ""
    about = _(
        "The survey is being tried out. Simulated respondents take part in it, and nobody's results come from it. "
        "Do not answer as yourself."
    )
    return " ".join([_("This is a rehearsal."), about])
