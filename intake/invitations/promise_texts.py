"""What emails and posters may promise: no more than the survey's design guarantees."""

from privacy.designs import Texts
from surveys.kinds.reading import read_questionnaire
from surveys.models import Survey
from surveys.phrases.speaker import Speaker, own_phrases


def speaker_of(survey: Survey, language: str) -> Speaker:
    """Says the survey's phrases in this language, by the researcher's translations where Candor ships none."""
    own = own_phrases(survey.questionnaire.get("phrases"), survey.languages)
    return Speaker(language, {key: Texts(tuple(said.items())) for key, said in own.items()})


def disguised(survey: Survey, speaker: Speaker) -> str:
    """Empty where no answer is disguised."""
    asked = read_questionnaire(survey.questionnaire)
    if not asked.is_sensitive:
        return ""
    return speaker.say("invite_may_open" if asked.open_answers else "invite_disguised")


def rehearsed(survey: Survey, speaker: Speaker) -> str:
    """Empty where the survey is no rehearsal."""
    if not survey.is_rehearsal:
        return ""
    return " ".join([speaker.say("rehearsal_title"), speaker.say("rehearsal_about")])
