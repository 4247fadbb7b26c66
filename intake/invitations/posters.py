"""The open link of a survey as a QR code and as what a poster says, language by language."""

import io
from dataclasses import dataclass

import segno
from django.utils.safestring import SafeString, mark_safe

from intake.invitations import promise_texts as promises
from surveys import draft as drafts
from surveys.models import Survey
from surveys.phrases.speaker import Speaker

QUIET = 4
"""Modules of white around the code, as its standard asks."""


def qr_inline(link: str) -> SafeString:
    """For a page: sized by its style sheet, black on white in every theme."""
    code = segno.make_qr(link, error="m")
    drawn = code.svg_inline(omitsize=True, border=QUIET, light="#fff", svgclass="qr", lineclass=None)
    return mark_safe(drawn)  # noqa: S308 - squares and nothing else


def qr_file(link: str) -> bytes:
    """For a designer: a drawing of its own."""
    file = io.BytesIO()
    segno.make_qr(link, error="m").save(file, kind="svg", scale=10, border=QUIET, light="#fff", svgclass=None)
    return file.getvalue()


@dataclass(frozen=True, slots=True)
class PosterText:
    """The texts of a poster in one language; `speaker` says the fixed ones."""

    language: str
    speaker: Speaker
    title: str
    asker: str
    why: str
    rehearsed: str
    disguised: str


def poster_text(survey: Survey, language: str) -> PosterText:
    asked, speaker = survey.questionnaire, promises.speaker_of(survey, language)
    title, asker, why = (drafts.text_in(asked, key, language) for key in ("title", "asker", "why"))
    rehearsed, disguised = promises.rehearsed(survey, speaker), promises.disguised(survey, speaker)
    return PosterText(language, speaker, title, asker, why, rehearsed, disguised)


def sheets(survey: Survey) -> list[list[PosterText]]:
    """Two languages fit on a sheet."""
    posters = [poster_text(survey, language) for language in survey.languages]
    return [posters[first : first + 2] for first in range(0, len(posters), 2)]
