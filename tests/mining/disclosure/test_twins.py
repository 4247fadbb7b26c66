"""Whatever leaves a survey is a function of what may be told: twins with the same told cells leave the same bytes.

Twins are two sources of one design. Their told cells and their verdicts are equal by construction, and a withheld
cell, a withheld class or an open person differs.
"""

from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np
import pytest

from surveys.phrases.languages import SHIPPED
from tests.mining.disclosure.documents import PARTS, differences, documents, random_study
from tests.mining.disclosure.told_cells import twin
from tests.wake_ups import broker

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]

DRAWN_ANEW = 20
APART = 300
NIGHT = {*range(0, APART, 3), 29, 148}
"""Of the last two the first publication is refused."""
SHOWN = 20


def assert_alike(
    seed: int,
    *,
    languages: Sequence[str],
    every_door: bool,
    own: Sequence[str] = (),
    most_rules: int | None = None,
) -> None:
    """Of the first study drawn that has a twin."""
    for anew in range(DRAWN_ANEW):
        study = random_study(seed + anew * APART)
        make = partial(
            documents, study, languages=languages, every_door=every_door, own=own, most_rules=most_rules
        )
        first = make(study.records)
        # A publication that was refused has told nothing.
        told = [
            publication
            for number, publication in enumerate(study.publications, 1)
            if f"Run {number}, refused.txt" not in first
        ]
        most = max(parameters.max_size for parameters in study.parameters)
        other = twin(study.records, told, most, np.random.default_rng(seed))
        if other is not None:
            found = [*islice(differences(first, make(other)), SHOWN)]
            assert not found, f"{study.part}, drawn anew {anew} times, differs in\n" + "\n".join(found)
            return
    raise AssertionError(f"no twin in {DRAWN_ANEW} studies of {PARTS[seed % len(PARTS)]}")


SMALL = (14, 7)
"""A small study of classes, at night also one of arms; the night draws all parts."""
PAGES_OF_THEIR_OWN = {"window": ["numbers"], "model": ["models"], "wave": ["study/waves.csv"]}


@pytest.mark.at_push(1)
@pytest.mark.parametrize("seed", SMALL, ids=lambda seed: PARTS[seed % len(PARTS)])
def test_twins_leave_the_same_bytes(seed: int) -> None:
    """Each in one of the languages; those of a place through every door."""
    part, languages = PARTS[seed % len(PARTS)], [SHIPPED[seed % len(SHIPPED)]]
    own = PAGES_OF_THEIR_OWN.get(part, ())
    assert_alike(seed, languages=languages, every_door=part == "place", own=own, most_rules=2)


@pytest.mark.night
@pytest.mark.parametrize("seed", sorted(NIGHT - {*SMALL}))
def test_twins_of_many_surveys_leave_the_same_bytes_through_every_door(seed: int) -> None:
    assert_alike(seed, languages=SHIPPED, every_door=True)
