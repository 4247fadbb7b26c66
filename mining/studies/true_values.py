"""What is true of a study's estimates in a rehearsal: of the arms, the corrected shares and the versions of a question.

The truth stands beside estimates alone. Simulated respondents answer alike in both arms, so that a true difference of
arms is by chance alone. A few answer at random: the truth of a corrected share is corrected for them.
"""

from dataclasses import replace

import numpy as np

from mining.document.names import Names
from mining.document.study import ArmDifference, Arms, Controls, Correction, Study, WordTest
from mining.finite_numbers import finite
from mining.studies.controls import careless_share, corrected_share
from mining.truth import RehearsalTruth


def beside_truth(found: Study, names: Names, known: RehearsalTruth | None) -> Study:
    if known is None:
        return found
    return replace(
        found,
        arms=_arms(found.arms, names, known) if found.arms else None,
        controls=_controls(found.controls, names, known) if found.controls else None,
    )


def _arms(found: Arms, names: Names, known: RehearsalTruth) -> Arms:
    return replace(
        found,
        items=tuple(_difference(one, names, known) for one in found.items),
        controls=tuple(_difference(one, names, known) for one in found.controls),
    )


def _difference(found: ArmDifference, names: Names, known: RehearsalTruth) -> ArmDifference:
    """Among those to whom the answer applies, as the estimates are."""
    if found.difference is None or known.direct is None:
        return found
    item = names.item(found.item)
    direct, disguised = (of.share((item,), shown=True) for of in (known.direct, known.disguised))
    return replace(
        found,
        truth_direct=finite(direct),
        truth_disguised=finite(disguised),
        truth=finite(disguised - direct),
    )


def _controls(found: Controls, names: Names, known: RehearsalTruth) -> Controls:
    items = found.items
    if found.item:
        items = tuple(_correction(one, found, names, known) for one in items)
    return replace(found, items=items, words=tuple(_words(one, names, known) for one in found.words))


def _correction(found: Correction, of: Controls, names: Names, known: RehearsalTruth) -> Correction:
    """What the correction would find if nothing were disguised."""
    if found.share is None or of.known is None:
        return found
    item, control = names.item(found.item), names.item(of.item)
    people = known.of(disguised_only=names.is_of_disguised((found.item, of.item)))
    share, seen = people.share_beside(item, control), people.share_beside(control, item)
    careless = careless_share(np.array(seen), of.known)
    choices = names.design.questions[item[0]].codes
    return replace(found, truth=finite(float(corrected_share(np.array(share), careless, choices))))


def _words(found: WordTest, names: Names, known: RehearsalTruth) -> WordTest:
    if found.difference is None:
        return found
    item = names.item(found.item)
    versions = [names.item(choice) for choice in names.choices(names.turned_by(found.item))]
    people = known.of(disguised_only=True)
    first, second = (people.share((version, item), (version,), shown=True) for version in versions)
    return replace(found, truth=finite(first - second))
