"""Ready questionnaires from which a researcher can start: drafts in JSON files beside this module, with
descriptions.

The wording is Candor's own; the descriptions name the published scales whose topics they follow.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from privacy.guarantee.presets import DEFAULT
from surveys.draft_json import MINUTES
from surveys.kinds.apply_protection_presets import set_preset
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.question_count import count_plain_and_sensitive_questions
from surveys.questionnaire.questionnaire import Questionnaire

FOLDER = Path(__file__).parent / "questionnaires"
LANGUAGES = ("en", "zh-hans")


@dataclass(frozen=True)
class StartingQuestionnaire:
    """A ready questionnaire, with two texts for the page: `asks`, its topics, and `model`, the published
    scales that it follows."""

    name: str
    asks: str | Promise
    model: str | Promise

    @property
    def draft(self) -> Questionnaire:
        """The draft in all of its languages, with the default protection."""
        return _load_draft(self.name)

    def title(self, language: str) -> str:
        return self.draft.text_with_fallback(self.draft.title, language)

    @property
    def question_count(self) -> int:
        return sum(count_plain_and_sensitive_questions(self.draft.sections))

    @property
    def sensitive_count(self) -> int:
        return count_plain_and_sensitive_questions(self.draft.sections)[1]

    @property
    def minutes(self) -> int:
        return self.draft.minutes or MINUTES


@cache
def _load_draft(name: str) -> Questionnaire:
    given = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return set_preset(read_questionnaire(given), DEFAULT)


QUESTIONNAIRES = {
    each.name: each
    for each in (
        StartingQuestionnaire(
            "workplace-safety",
            _("Skipped safety rules, accidents that nobody reported, and pressure to keep quiet."),
            _(
                "Modelled on the safety compliance scale of Neal and Griffin, studies of accident under-reporting "
                "by Probst and colleagues, and the workplace deviance scale of Bennett and Robinson."
            ),
        ),
        StartingQuestionnaire(
            "substance-use",
            _("Heavy drinking, drugs, medicines without a prescription, and driving afterwards."),
            _(
                "Modelled on two screening tests: AUDIT of the World Health Organization for alcohol, and DAST by "
                "Skinner for drugs. It is no substitute for them."
            ),
        ),
        StartingQuestionnaire(
            "exam-honesty",
            _("Copying, forbidden aids, work written by others, and made-up sources."),
            _(
                "Modelled on the academic dishonesty surveys of McCabe and Treviño and on the Academic Dishonesty "
                "Scale of Bashir and Bala."
            ),
        ),
        StartingQuestionnaire(
            "health-stigma",
            _("Hidden illness, going without help, and how ill people are treated."),
            _(
                "Modelled on the Stigma Scale of King and colleagues, the ISMI scale of Ritsher and colleagues, and "
                "the social distance scale of Bogardus."
            ),
        ),
        StartingQuestionnaire(
            "tax-and-benefits",
            _("Undeclared work, income left out, wrongly claimed benefits, and how fair the rules seem."),
            _(
                "Modelled on the tax morale questions of the World Values Survey, the Eurobarometer surveys of "
                "undeclared work, and Dutch randomised response surveys of benefit fraud."
            ),
        ),
    )
}
