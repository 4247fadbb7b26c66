"""The denominator of a share: all who were asked, those who were shown the question, or those who chose disguise."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from look.numbers import count
from mining.document.report import Estimate, ReportedRule


@dataclass(frozen=True)
class Among:
    """A share and its denominator in `words`; `shown`: those who were shown all of it.

    `words` are empty where no rule hid it from anybody, so that there is only one share.
    """

    share: Estimate
    shown: bool
    words: str


def with_denominators(share: Estimate) -> list[Among]:
    """The share of all who were asked, and, where a rule hid it from some, the share of those shown."""
    if share.shown is None or share.shown == share.base:
        return [Among(share, False, "")]
    return [
        Among(share, False, _("of all asked")),
        Among(of_shown(share, share.shown), True, _("of those shown")),
    ]


def of_shown(share: Estimate, shown: int) -> Estimate:
    """The same answers among those who were shown all of them; estimates linear in the records are rescaled."""
    factor = (share.base or 0) / shown if shown else 0.0
    pooled = share.pooled if share.share_shown is not None else None
    return replace(
        share,
        base=shown,
        observed=None if share.observed is None else share.observed * factor,
        support=share.share_shown,
        low=share.low_shown,
        high=share.high_shown,
        pooled=None if pooled is None else pooled * factor,
        truth=share.truth_shown,
    )


def of_rule(rule: ReportedRule) -> str:
    """The denominator of a rule's confidence and lift."""
    words = (
        _("among the %(eligible)s who chose disguise and could give all these answers")
        if rule.disguised_alone
        else _("among the %(eligible)s who could give all these answers")
    )
    return words % {"eligible": count(rule.eligible)}
