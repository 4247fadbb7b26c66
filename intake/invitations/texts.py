"""Texts of invitation emails and posters, in each language of a survey; they promise no more than the
survey's design."""

from intake.invitations.emails import LINK, EmailText
from privacy.designs import Texts
from surveys import draft_json
from surveys.kinds.phrase_selection import draft_features, invitation_promise
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from surveys.phrases.phrase_rendering import PhraseRenderer, read_own_phrases


def proposed_email(survey: Survey, *, reminder: bool) -> EmailText:
    """Returns a default email text in all languages of the survey, one after the other."""
    subjects, messages = [], []
    for language in survey.languages:
        words = InvitingWords(survey, language)
        speaker = words.speaker
        hello = speaker.say_phrase("invite_hello", asker=words.asker, title=words.title)
        parts = [words.rehearsed, hello, words.why, words.disguised]
        if reminder:
            parts.insert(0, speaker.say_phrase("invite_everybody"))
        if reminder and survey.invited:
            parts.append(speaker.say_phrase("invite_first_email"))
        else:
            parts += [speaker.say_phrase("invite_own_link" if survey.invited else "invite_same_link"), LINK]
        if contact := draft_json.read_text(survey.questionnaire, "contact"):
            parts.append(speaker.say_phrase("invite_contact", contact=contact))
        messages.append("\n\n".join(part for part in parts if part))
        subject = speaker.say_phrase("invite_again", title=words.title) if reminder else words.title
        subjects.append(" ".join(subject.split()))
    return EmailText(" / ".join(dict.fromkeys(subjects)), "\n\n— — —\n\n".join(messages), reminder)


def poster_sheet_texts(survey: Survey) -> list[list["InvitingWords"]]:
    """Returns the texts of a poster for each of its sheets; a sheet has room for two languages."""
    words = [InvitingWords(survey, language) for language in survey.languages]
    return [words[first : first + 2] for first in range(0, len(words), 2)]


class InvitingWords:
    """Texts that invite to a survey in one language; `speaker` translates the fixed phrases.

    `rehearsed` is a text for rehearsals only, `disguised` one for surveys with disguised answers only; else empty.
    """

    def __init__(self, survey: Survey, language: str) -> None:
        stored = survey.questionnaire
        # By the researcher's translations where Candor ships none.
        own = read_own_phrases(stored.get("phrases"), survey.languages)
        self.speaker = PhraseRenderer(
            language, {key: Texts(tuple(texts.items())) for key, texts in own.items()}
        )
        self.language = language
        self.title, self.asker, self.why = (
            draft_json.read_text_with_fallback(stored, key, language) for key in ("title", "asker", "why")
        )
        self.rehearsed = ""
        if survey.is_rehearsal:
            self.rehearsed = (
                f"{self.speaker.say_phrase('rehearsal_title')} {self.speaker.say_phrase('rehearsal_about')}"
            )
        kinds = [section.kind for section in read_questionnaire(stored).sections]
        promise = invitation_promise(kinds, draft_features(stored))
        self.disguised = "".join(map(self.speaker.say_phrase, promise))
