"""Quick fixes: a word and numbers such as "asked 1 3", applied to the draft as it is by then."""

from fractions import Fraction
from math import exp, log

from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from surveys.builder.blocks import section_at, with_section
from surveys.builder.laws import grouped_laws
from surveys.builder.normal_values import Node, probability
from surveys.builder.protection import keep_text
from surveys.builder.section_kinds import GROUPED
from surveys.draft import Draft
from surveys.refused import Refused

USUAL = GammaLimit(Fraction(148), strict=False)
"""The largest whole gamma whose epsilon, rounded up, is not above 5: ln 148 = 4.9973."""
MOST_EXPECTED = 10**9


def fixed(draft: Draft, do: str) -> Draft:
    """The draft with a quick fix applied; refused where the word is unknown or the section is gone."""
    word, *numbers = do.split() or [""]
    if word == "closed":
        return {**draft, "open_answers": False}
    if word == "share":
        return shared(draft, USUAL)
    try:
        if word == "expect":
            return {**draft, "expected": min(max(1, int(numbers[0])), MOST_EXPECTED)}
        number, settings = int(numbers[0]), _settings(word, numbers[1:])
    except (ValueError, IndexError, KeyError):
        raise Refused(_("That could not be understood. Reload the page and try again.")) from None
    section = section_at(draft, number)
    if section.get("kind") != GROUPED:
        raise Refused(_("This section is not disguised any more."))
    return with_section(draft, number, {**section, **settings})


def _settings(word: str, numbers: list[str]) -> Node:
    keys = {"asked": ["asked"], "keep": ["keep"], "both": ["asked", "keep"]}[word]
    found = dict(zip(keys, numbers, strict=True))
    settings: Node = {"asked": int(found["asked"])} if "asked" in found else {}
    if "keep" in found:
        settings["keep"] = probability(found["keep"])
        if settings["keep"] is None:
            raise ValueError(found["keep"])
    return settings


def shared(draft: Draft, limit: GammaLimit) -> Draft:
    """Every section keeps less, its share of the person's epsilon unchanged, until the limit admits them all."""
    found = list(grouped_laws(draft))
    if not found:
        raise Refused(_("Nothing is disguised yet."))
    budget = min(1.0, log(limit.gamma) / sum(law.epsilon for _number, law in found))
    for number, law in found:
        # Rounded down, so that the product of all stays within the limit.
        allowed = Fraction(int(exp(law.epsilon * budget) * 10**6), 10**6)
        keep = admissible_keep(law.noise, law.asked, GammaLimit(min(allowed, law.gamma), strict=False))
        if keep is None:
            raise Refused(
                _("So little can be kept that nothing could be learnt. Ask each person fewer questions.")
            )
        draft = with_section(
            draft, number, {**draft["sections"][number], "keep": keep_text(min(keep, law.keep))}
        )
    return draft
