"""What only a reviewer may allow: weak settings before opening, record files after.

Nothing new is stored: the history, which is only ever added to, holds who asked, who said yes or no, and to
which fingerprint. The last word counts, and for weak settings it counts for that very fingerprint alone.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from django.utils.translation import gettext as _

from people.history import record
from people.models import History
from privacy.designs import Refusal
from surveys import draft as drafts
from surveys.models import Survey
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

State = Survey.State
Matter = Literal["weak", "records"]
Word = Literal["asked", "allowed", "refused"]
MATTERS: tuple[Matter, ...] = ("weak", "records")
WORDS: tuple[Word, ...] = ("asked", "allowed", "refused")
KEYS: dict[str, tuple[Matter, Word]] = {
    f"surveys.{matter}-{word}": (matter, word) for matter in MATTERS for word in WORDS
}


@dataclass(frozen=True)
class Answer:
    """The last word on one matter; None: nobody has asked."""

    entry: History | None = None

    @property
    def word(self) -> Word | None:
        return KEYS[self.entry.what][1] if self.entry else None

    @property
    def asked(self) -> bool:
        return self.word == "asked"

    @property
    def allowed(self) -> bool:
        return self.word == "allowed"

    @property
    def refused(self) -> bool:
        return self.word == "refused"

    @property
    def fingerprint(self) -> str:
        return self.entry.note[:64] if self.entry else ""

    @property
    def note(self) -> str:
        """What was said with it; the note of an entry begins with the fingerprint."""
        return self.entry.note[64:].strip() if self.entry else ""


def answer(survey: Survey, matter: Matter, fingerprint: str) -> Answer:
    said = [f"surveys.{matter}-{word}" for word in WORDS]
    entries = History.objects.about(survey).filter(what__in=said, note__startswith=fingerprint)
    return Answer(entries.select_related("who").order_by("-pk").first() if fingerprint else None)


def records(survey: Survey) -> Answer:
    """Whether record files may leave: asked and answered of the design that was opened."""
    return answer(survey, "records", survey.design_id or "")


def ask(
    survey: Survey, person: "Person", matter: Matter, fingerprint: str, reason: str, now: datetime
) -> None:
    last = answer(survey, matter, fingerprint)
    if last.asked or last.allowed:
        raise Refused(_("A reviewer has been asked already."))
    record(person, f"surveys.{matter}-asked", survey, note=f"{fingerprint} {reason}".strip(), when=now)


def decide(
    survey: Survey,
    person: "Person",
    matter: Matter,
    fingerprint: str,
    *,
    allow: bool,
    reason: str,
    now: datetime,
) -> None:
    """A yes or a no of a reviewer, who said it of what they saw: this fingerprint."""
    if not survey.may(person, "review"):
        raise Refused(_("Nobody reviews a survey that they own or work on."))
    word = "allowed" if allow else "refused"
    if answer(survey, matter, fingerprint).word == word:
        raise Refused(_("That was said already."))
    record(person, f"surveys.{matter}-{word}", survey, note=f"{fingerprint} {reason}".strip(), when=now)


@dataclass(frozen=True)
class Waiting:
    survey: Survey
    matter: Matter
    answer: Answer


def waiting(person: "Person") -> list[Waiting]:
    """What this reviewer is asked to allow, the longest waiting first."""
    entries = History.objects.filter(what__in=KEYS, thing_app="surveys", thing_model="survey")
    last = {(entry.thing_id, KEYS[entry.what][0]): entry for entry in entries.order_by("pk")}
    asked = {key: entry for key, entry in last.items() if KEYS[entry.what][1] == "asked"}
    surveys = Survey.objects.visible_to(person).select_related("owner")
    rows = {str(survey.pk): survey for survey in surveys.filter(pk__in={thing for thing, _matter in asked})}
    found = [
        Waiting(rows[thing], matter, Answer(entry))
        for (thing, matter), entry in asked.items()
        if thing in rows and rows[thing].may(person, "review")
    ]
    return sorted(
        (one for one in found if one.answer.fingerprint == current(one.survey, one.matter)),
        key=lambda one: one.answer.entry.pk if one.answer.entry else 0,
    )


def current(survey: Survey, matter: Matter) -> str:
    """The fingerprint that a yes would be for now; empty where there is nothing to allow."""
    if matter == "records":
        opened = survey.state in (State.OPEN, State.CLOSED, State.ARCHIVED)
        return (survey.design_id or "") if opened else ""
    if survey.state != State.DRAFT:
        return ""
    try:
        return drafts.frozen(survey.draft).fingerprint
    except Refusal:
        return ""
