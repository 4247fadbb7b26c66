"""The promises as the page of limits states them; docs/promises.md has each in full, with the tests that
check it.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.utils.translation.trans_null import gettext_noop as _  # marks texts, and needs no settings

DOCUMENT = Path(__file__).parent.parent / "docs" / "promises.md"


@dataclass(frozen=True)
class Promise:
    """A promise to respondents; `title` is also its heading in docs/promises.md."""

    key: str
    title: str
    text: str

    @property
    def tests(self) -> list[str]:
        """Names of the tests that check the promise, with their paths below tests/."""
        return find_promise_tests()[self.title]


@cache
def find_promise_tests() -> dict[str, list[str]]:
    """Returns the names of the tests that docs/promises.md lists under each heading."""
    parts = DOCUMENT.read_text().split("\n## ")[1:]
    return {part.partition("\n")[0]: re.findall(r"^\* `tests/(.+)`$", part, re.MULTILINE) for part in parts}


PROMISES = [
    Promise(
        "nothing-but-the-record",
        _("Nothing but the record leaves the page"),
        _(
            "What you truly answered to a sensitive question never leaves your device. Only the record "
            "does, disguised by chance, and nothing on the device or the site keeps anything else of it. If you ask "
            "for it, or your invitation is exchanged for a token, the device keeps that record until it can be sent, "
            "and so shows that somebody took part."
        ),
    ),
    Promise(
        "exact-law",
        _("The disguise has exactly the stated law"),
        _(
            "The disguise has exactly the chances that the page of the survey states. They are checked "
            "coin by coin, in the browser’s program and in the server’s."
        ),
    ),
    Promise(
        "one-record-once",
        _("One record once"),
        _("Each answer counts once, however often it is sent and whatever crashes."),
    ),
    Promise(
        "nobody-is-tied",
        _("Nobody is tied to a sealed record"),
        _(
            "Once a batch is sealed, nothing in the database ties a record to a person, an invitation "
            "link or a time finer than its batch."
        ),
    ),
    Promise(
        "exchanged-invitations",
        _("An exchanged invitation cannot be tied to a record"),
        _(
            "Where a survey exchanges its invitation links, this site signs a token that it cannot see, and nothing "
            "that it gets or stores says which token came of which link."
        ),
    ),
    Promise(
        "no-small-batch",
        _("No batch is smaller than the minimum"),
        _("Only batches of at least the survey’s minimum are counted, mined or exported."),
    ),
    Promise(
        "opened-stays",
        _("What was opened stays as it was"),
        _("What a survey asks and promises does not change once it is open."),
    ),
    Promise(
        "guarantee",
        _("A guarantee is never better than the truth"),
        _("A stated protection is never better than the true one, checked against all possible answers."),
    ),
    Promise(
        "estimates",
        _("Estimates are unbiased and intervals cover"),
        _(
            "Estimates are right on average, and their intervals hold as often as stated, checked in "
            "simulated surveys."
        ),
    ),
    Promise(
        "repeatable",
        _("A run can be repeated to the digit"),
        _("The same records and settings give the same results, to the digit."),
    ),
    Promise(
        "nothing-fetched",
        _("Nothing is fetched from elsewhere"),
        _("Pages fetch nothing from other sites, and a respondent’s pages set no cookie."),
    ),
    Promise(
        "publications",
        _("Publications give away no open answer and no small cell"),
        _(
            "From everything that readers are told of a survey, nobody can work out a true answer of "
            "fewer than ten people, or a count of one to nine people with given answers."
        ),
    ),
    Promise(
        "releases-tell",
        _("A release tells no more than its criteria, beside all that was told"),
        _(
            "An anonymised table keeps its criteria together with everything that readers were told of "
            "the survey before."
        ),
    ),
    Promise(
        "uploads",
        _("No upload outlives its deletion date"),
        _(
            "A table that is uploaded to be anonymised is seen by its owner alone, is in no backup, and "
            "is deleted after seven days at the latest."
        ),
    ),
    Promise(
        "destroyed",
        _("What was destroyed stays destroyed"),
        _("Deleted answers are gone, and a restored backup does not bring them back."),
    ),
    Promise(
        "history",
        _("The history is only added to"),
        _("Who did what, and when, is written once and never changed."),
    ),
]
