"""The privacy audit of a design: guarantees of each sensitive section, and of all answers of one person together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from privacy.designs import Design
from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import PARTS
from privacy.guarantee.amplification import GammaLimit, Guarantee, round_down, rounded_class_keep
from privacy.guarantee.leakage import Leakage, leakage
from privacy.guarantee.repeated_surveys import person_guarantee, repeated_guarantee
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.disguise_law_interface import Disguised, Protected
from privacy.kinds.grouped.law import LastingLaw, SectionLaw
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.kinds.number.classes.law import ClassesLaw
from privacy.kinds.section import Section

KEEP_PLACES = 4
ROUNDS, MOST_DEPARTURES = (1, 2, 5, None), 2
"""Numbers of rounds for which a lasting disguise's gamma is reported (None: any), and most changed answers."""
INSIDE_ONLY = " This holds for people inside the regions only; nothing is promised to anybody outside them."
DISGUISED_ONLY = (
    " This holds for the disguised arm only; nothing is promised to anybody who is asked directly."
)
PROBABILITY = re.compile(r"0?\.[0-9]{1,15}", re.ASCII)


def parse_probability(text: str) -> Fraction:
    """Parses a decimal strictly between 0 and 1 as an exact fraction."""
    if not PROBABILITY.fullmatch(text) or not (value := Fraction(text)):
        raise ValueError("not a decimal between 0 and 1")
    return value


@dataclass(frozen=True, slots=True)
class SectionAudit:
    """The guarantee of one sensitive section by itself; `index` is its index in the design.

    `admissible_keep`: the largest keep probability without a rho1-to-rho2 breach; None if there is none, and for
    places, windows and subsets. `admissible`: the section's own law has no breach. `leakage`: information of a record;
    None if it would take too long to compute, or some records send a bit instead of a class. `lasting`: the law of all
    rounds if the section's disguise lasts; then all else is about all rounds, however many.
    """

    index: int
    guarantee: Guarantee
    posterior: Decimal
    admissible_keep: Fraction | None
    admissible: bool
    leakage: Leakage | None = None
    lasting: LastingLaw | None = None

    @property
    def name(self) -> str:
        """Name of the section in error messages about the design."""
        return f"sections[{self.index}]"

    def as_json(self) -> dict[str, Any]:
        keep = self.admissible_keep
        return {
            **_amplification_json(self.guarantee),
            "posterior": float(self.posterior),
            "admissible_keep": None if keep is None else str(round_down(keep, KEEP_PLACES)),
            "admissible": self.admissible,
            "leakage": self.leakage.as_json() if self.leakage else None,
            **({"lasting": _lasting_json(self.lasting)} if self.lasting else {}),
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """The guarantees of a design for one person; `person` and `posterior` are None if no section is sensitive.

    `together`: gamma of all sections together is within the `limit`. A record reveals all sections at once, so sections
    that are each within the limit may exceed it together. `breaks`: the smallest groups of sections that exceed the
    limit: single sections, else pairs, else triples, and so on. `direct`: the share of devices that are asked directly,
    0 without arms; the guarantees are for the others. `chain`: the guarantee for people who also answer the earlier
    surveys, if earlier surveys were given.
    """

    person: Guarantee | None
    posterior: Decimal | None
    sections: tuple[SectionAudit, ...]
    plain: tuple[int, ...]
    limit: GammaLimit
    together: bool
    breaks: tuple[SectionAudit, ...]
    direct: Fraction = Fraction(0)
    chain: Guarantee | None = None

    @property
    def section_names(self) -> str:
        """The names of the audited sections, joined for a sentence; empty if the design has no plain sections."""
        return _join_names(self.sections) if self.plain else ""

    @property
    def exceeds_only_together(self) -> bool:
        """True if each section by itself is within the limit, but all together exceed it."""
        return not self.together and all(section.admissible for section in self.sections)

    def as_json(self) -> dict[str, Any]:
        """Returns the audit as JSON: gamma as an exact fraction, decimals rounded up at six places (docs/formats.md,
        audit)."""
        return {
            "person": self._person_json(),
            "together": {
                "limit": _fraction_text(self.limit.gamma),
                "breaks": [section.name for section in self.breaks],
                "says": self.in_words(),
            },
            "sections": [section.as_json() for section in self.sections],
            **({"arms": {"direct": _fraction_text(self.direct)}} if self.direct else {}),
            **({"chain": _amplification_json(self.chain)} if self.chain else {}),
        }

    def _person_json(self) -> dict[str, Any]:
        if self.person is None or self.posterior is None:
            return {"gamma": None, "epsilon": None, "posterior": None, "admissible": None}
        posterior = float(self.posterior)
        return {**_amplification_json(self.person), "posterior": posterior, "admissible": self.together}

    def in_words(self) -> str:
        """Returns a sentence that says whether all sections together keep the limit, and for whom."""
        if self.person is None:
            return "No section is sensitive, so nothing is disguised and nothing promised."
        inside = self.person.protected_people is Protected.INSIDE
        return (
            f"{self._limit_in_words()}{INSIDE_ONLY if inside else ''}{DISGUISED_ONLY if self.direct else ''}"
        )

    def _limit_in_words(self) -> str:
        if self.together:
            return "All sections together keep the limit."
        if self.exceeds_only_together:
            return (
                f"Each section keeps the limit by itself, but not these together: {_join_names(self.breaks)}."
            )
        return f"By itself, each of these breaks the limit: {_join_names(self.breaks)}."


def audit(
    design: Design, prior: Fraction, rho1: Fraction, rho2: Fraction, *, earlier: Sequence[Design] = ()
) -> Audit:
    """Audits a design: largest posteriors for a property with this `prior`, and breaches from rho1 to rho2.

    `earlier`: the surveys before this one that the same people answered, the latest first: each follows the next.
    """
    limit = GammaLimit.never_reaches(rho1, rho2)
    laws = {index: law for index, section in enumerate(design.sections) if (law := section.law)}
    plain = tuple(index for index in range(len(design.sections)) if index not in laws)
    direct = Fraction(design.direct_parts, PARTS)
    of_chain = repeated_guarantee([design, *earlier]) if earlier else None
    person = person_guarantee(design)
    if person is None:
        return Audit(None, None, (), plain, limit, together=True, breaks=(), direct=direct, chain=of_chain)
    sections = tuple(
        _audit_section(index, design.sections[index], law, prior, limit) for index, law in laws.items()
    )
    return Audit(
        person,
        person.posterior_rounded_up(prior),
        sections,
        plain,
        limit,
        together=limit.admits(person.gamma),
        breaks=_sections_in_smallest_breaking_groups(sections, limit),
        direct=direct,
        chain=of_chain,
    )


def _sections_in_smallest_breaking_groups(
    sections: Sequence[SectionAudit], limit: GammaLimit
) -> tuple[SectionAudit, ...]:
    """Returns all sections that belong to a smallest group of sections that together exceed the limit."""
    largest = Fraction(1)
    for least in sorted((section.guarantee.gamma for section in sections), reverse=True):
        if not limit.admits(largest * least):
            # A section is in such a group if it exceeds the limit with the largest others.
            return tuple(
                section
                for section in sections
                if not limit.admits(largest * min(section.guarantee.gamma, least))
            )
        largest *= least
    return ()


def _admissible_keep(section: Section, limit: GammaLimit) -> Fraction | None:
    """Returns a section's largest keep probability within the limit; None if there is none.

    Also None for places, windows and subsets.
    """
    law = section.law
    if isinstance(law, ClassesLaw):
        try:
            return rounded_class_keep(limit, law.cuts)
        except InputError:
            return None
    if isinstance(law, SectionLaw) and law == section.itemset_law:
        return admissible_keep(law.noise, law.asked, limit)
    return None


def _audit_section(
    index: int, section: Section, law: Disguised, prior: Fraction, limit: GammaLimit
) -> SectionAudit:
    lasting = section.lasting_law if isinstance(section, UnrelatedQuestionSection) else None
    of_all_rounds = lasting.permanent if lasting else law
    guarantee = Guarantee((of_all_rounds,))
    return SectionAudit(
        index,
        guarantee,
        guarantee.posterior_rounded_up(prior),
        _admissible_keep(section, limit),
        limit.admits(guarantee.gamma),
        leakage(of_all_rounds),
        lasting,
    )


def _lasting_json(law: LastingLaw) -> dict[str, Any]:
    """Returns the gammas of a lasting disguise as JSON: of one round with changed answers, and of many rounds
    with and without such rounds."""

    def gammas_by_departures(rounds: int | None) -> list[str]:
        most = 0 if rounds == 1 else MOST_DEPARTURES
        return [
            _fraction_text(law.max_gamma_over_rounds(rounds, departures)) for departures in range(most + 1)
        ]

    rounds = {"all" if many is None else f"{many}": gammas_by_departures(many) for many in ROUNDS}
    return {"one_departure": _fraction_text(law.departure_factor), "rounds": rounds}


def _amplification_json(guarantee: Guarantee) -> dict[str, Any]:
    bounds = {"gamma": _fraction_text(guarantee.gamma), "epsilon": float(guarantee.epsilon())}
    everybody = guarantee.protected_people is Protected.EVERYBODY
    return bounds if everybody else {**bounds, "protects": guarantee.protected_people.value}


def _fraction_text(value: Fraction) -> str:
    # Through Decimal: Python writes no integer of more than 4300 digits.
    numerator, denominator = map(Decimal, value.as_integer_ratio())
    return f"{numerator}/{denominator}"


def _join_names(sections: Sequence[SectionAudit]) -> str:
    return ", ".join(section.name for section in sections)
