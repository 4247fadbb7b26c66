"""What the settings of the sensitive sections guarantee: the numbers of the protection page."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit, Guarantee
from privacy.guarantee.decimals import down, up
from privacy.guarantee.error import LEAST_BASE
from privacy.kinds.mined_law import Disguised, Protected
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import count, percent

PRIOR = Fraction(1, 20)
"""How likely somebody thought an answer before, where nobody says otherwise."""
NEARLY = 0.999
USUAL = GammaLimit(Fraction(148), strict=False)
"""The largest whole gamma whose epsilon, rounded up, is not above 5: ln 148 = 4.9973."""


@dataclass(frozen=True)
class Protection:
    """The guarantee of one section, or of all together."""

    laws: tuple[Disguised, ...]
    respondents: int
    prior: Fraction

    @cached_property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.laws)

    @cached_property
    def gamma(self) -> Decimal:
        return up(self.guarantee.gamma, 2)

    @cached_property
    def epsilon(self) -> Decimal:
        return self.guarantee.epsilon(2)

    @cached_property
    def posterior(self) -> float:
        """Rounded up to a tenth of a per cent, like everything that is promised."""
        return float(self.guarantee.posterior_up(self.prior, 3))

    @property
    def enough(self) -> bool:
        """Whether anything is estimated of a question that everybody is asked."""
        return self.respondents >= LEAST_BASE

    @property
    def share_margins(self) -> Sequence[float]:
        """Half the widths of the 95 % intervals of its shares; none where too few are asked, or none are promised."""
        return ()

    @property
    def inside_only(self) -> bool:
        """Whether it promises nothing to people outside the regions of a place."""
        return self.guarantee.protects is Protected.INSIDE

    @property
    def gamma_words(self) -> str:
        return gamma_text(self.gamma)

    @property
    def posterior_words(self) -> str:
        """Never rounded into a promise: what is nearly certain is called so."""
        if self.posterior <= NEARLY:
            return percent(self.posterior).replace(" ", "\u00a0")
        return _("nearly %(share)s") % {"share": percent(1, 0).replace(" ", "\u00a0")}


def gamma_text(gamma: Decimal | Fraction) -> str:
    """Rounded up."""
    exact = gamma if isinstance(gamma, Decimal) else up(gamma, 2)
    return count(ceil(gamma)) if gamma >= 100 else str(number_format(exact, 2))


def person_protection(draft: Questionnaire, prior: Fraction) -> Protection | None:
    """All that one person's disguised answers tell together; None where nothing is disguised yet."""
    combined = tuple(law for section in draft.sections if (law := section.person_law()))
    return Protection(combined, draft.respondents, prior) if combined else None


def combinations(questions: Sequence[DraftQuestion]) -> int:
    """How many different answers these questions can get together, if all of them are asked of everybody."""
    made = 1
    for question in questions:
        made *= max(1, len(question.choices))
    return made


def unique(respondents: int, possible: int) -> float:
    """How many of `respondents` are expected to be alone with their combination, if all are equally likely.

    Real answers crowd together, which makes some more unique and others less: it is an order of magnitude.
    """
    if respondents <= 1 or possible <= 1:
        return float(respondents) if respondents == 1 else 0.0
    return float(respondents * (1 - 1 / possible) ** (respondents - 1))


def plain_questions(draft: Questionnaire) -> list[DraftQuestion]:
    return [each for section in draft.sections if not section.sensitive for each in section.questions]


def keep_text(keep: Fraction) -> str:
    return str(down(keep, 4))
