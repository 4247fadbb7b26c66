"""The questionnaires to start from: drafts in our own format, in files beside this one, and what the page says of them.

Their wording is ours. The descriptions name the published scales that their topics are modelled on.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from privacy.guarantee.presets import DEFAULT
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.kinds.presets import with_preset
from surveys.questionnaire.normal_form import normalized

FOLDER = Path(__file__).parent / "questionnaires"
LANGUAGES = ("en", "zh-hans")


@dataclass(frozen=True)
class Questionnaire:
    """`asks` and `model` are shown before it is chosen: what it asks, and what it is modelled on."""

    name: str
    asks: str | Promise
    model: str | Promise

    @property
    def draft(self) -> Draft:
        """In all of its languages, with the default protection."""
        return _read(self.name)

    def title(self, language: str) -> str:
        return drafts.text_in(self.draft, "title", language)

    @property
    def questions(self) -> int:
        return sum(len(section["questions"]) for section in self.draft["sections"])

    @property
    def sensitive(self) -> int:
        return sum(len(each["questions"]) for each in self.draft["sections"] if drafts.is_sensitive(each))

    @property
    def minutes(self) -> int:
        return drafts.number(self.draft, "minutes", drafts.MINUTES)


@cache
def _read(name: str) -> Draft:
    given = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return with_preset(normalized(given), DEFAULT)


def in_languages(draft: Draft, languages: Sequence[str]) -> Draft:
    """The draft with these of its languages only, in this order."""
    return normalized({**draft, "languages": list(languages)})


QUESTIONNAIRES = {
    each.name: each
    for each in (
        Questionnaire(
            "workplace-safety",
            _("Skipped safety rules, accidents that nobody reported, and pressure to keep quiet."),
            _(
                "Modelled on the safety compliance scale of Neal and Griffin, studies of accident under-reporting "
                "by Probst and colleagues, and the workplace deviance scale of Bennett and Robinson."
            ),
        ),
        Questionnaire(
            "substance-use",
            _("Heavy drinking, drugs, medicines without a prescription, and driving afterwards."),
            _(
                "Modelled on two screening tests: AUDIT of the World Health Organization for alcohol, and DAST by "
                "Skinner for drugs. It is no substitute for them."
            ),
        ),
        Questionnaire(
            "exam-honesty",
            _("Copying, forbidden aids, work written by others, and made-up sources."),
            _(
                "Modelled on the academic dishonesty surveys of McCabe and Treviño and on the Academic Dishonesty "
                "Scale of Bashir and Bala."
            ),
        ),
        Questionnaire(
            "health-stigma",
            _("Hidden illness, going without help, and how ill people are treated."),
            _(
                "Modelled on the Stigma Scale of King and colleagues, the ISMI scale of Ritsher and colleagues, and "
                "the social distance scale of Bogardus."
            ),
        ),
        Questionnaire(
            "tax-and-benefits",
            _("Undeclared work, income left out, wrongly claimed benefits, and how fair the rules seem."),
            _(
                "Modelled on the tax morale questions of the World Values Survey, the Eurobarometer surveys of "
                "undeclared work, and Dutch randomised response surveys of benefit fraud."
            ),
        ),
    )
}
