"""Nobody can work out one person's open answer, or a plain cell below ten, from all that is published of a survey."""

from collections.abc import Sequence

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from mining.parameters import Parameters
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from tests.cast import unsaved_person
from tests.jobs.conftest import broker
from tests.mining.disclosure.random_surveys import LEAST, Published, Random, Study
from tests.privacy.questionnaires import HALF, classes, design, plain, question, sensitive

pytestmark = [pytest.mark.proof, pytest.mark.night(smaller="mining/disclosure/test_small_cells.py")]
__all__ = ["broker"]

SEEDS = (*range(32), 40, 68, 103)
"""A survey each. Without most of the rules of mining/disclosure, taken one by one, two or more of them give something
away: 40 and 68 where groups of eight open records count as large enough, 103 where *not applicable* may hide a class
beside it. test_small_cells.py holds some of the others."""

OF_NUMBERS = (*range(24), 44, 61)
"""20 gives a cell of eight away where only the counts of everybody decide about a number behind a rule, 44 and 61 where
a class shows how many of it were of such a number."""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("seeds", "of"),
    [
        *((SEEDS[first::5], {}) for first in range(5)),
        *((OF_NUMBERS[first::3], {"numbers": True}) for first in range(3)),
        *((range(first, 24, 3), {"places": True}) for first in range(3)),
        *((range(first, 12, 3), {"sets": True}) for first in range(3)),
    ],
)
def test_no_open_answer_or_small_cell_can_be_inferred(
    seeds: Sequence[int], of: dict[str, bool], owner: Person, reviewer: Person, client: Client
) -> None:
    """Each is sealed, mined and published three times and once more when it is finished, and read by somebody who may
    only view it."""
    viewer = unsaved_person("viewer")
    client.force_login(viewer)
    many = 0
    for seed in seeds:
        survey = Random(owner, reviewer, np.random.default_rng(seed), **of)
        survey.study.add_viewer(viewer)
        for least, most in ((150, 400), (20, 150), (20, 60)):
            survey.seal(int(survey.rng.integers(least, most)))
            survey.publish(client)
        survey.study.finish()
        survey.publish(client)
        attacker, said = survey.attacked(), (seed, survey.study.design.canonical)
        assert not [found for found in attacker.open_answers() if found[1] < LEAST], said
        assert not list(attacker.small_cells(LEAST)), said
        many += len(attacker.plain)
    assert many > 10 * len(seeds)


@pytest.mark.django_db
@pytest.mark.parametrize("hidden", [5, 15])
def test_open_answers_of_people_a_number_does_not_apply_to_cannot_be_inferred(
    hidden: int, owner: Person, reviewer: Person, client: Client
) -> None:
    """From s of all, s of those with a class of the number (in rules), and s of the disguised with p=b."""
    rng = np.random.default_rng(1)
    viewer = unsaved_person("viewer")
    client.force_login(viewer)
    survey = Random(owner, reviewer, rng)
    number = classes("n", "0.7", 0, 2, 4, cuts=1, high=5, show_if={"p": ["a"]})
    sections = plain({"name": "p", "choices": ["a", "b"]}), sensitive("0.7", question("s", *HALF)), number
    asks = design(*sections, least=20, title={"en": f"Attacked {hidden}"})
    survey.study = study = Study(owner, reviewer, asks)
    study.add_viewer(viewer)
    n = np.array([200, hidden, 400, 100])
    group, employed = np.repeat([OPEN, OPEN, DISGUISED, DISGUISED], n), np.repeat([0, 1, 0, 1], n)
    truth = np.array([employed, rng.random(n.sum()) < 0.6, rng.integers(0, 5, n.sum())], np.uint16)
    truth[2, employed == 1] = asks.questions[2].true_hidden_code
    study.seal(group.astype(np.uint8), disguise(asks, group.astype(np.uint8), truth, rng))
    study.finish()
    run = study.mine(Parameters(0.05, 0.05, absences=True))
    study.publish(run)
    content = study.download(client, run)
    survey.published.append(Published(content, 0))
    rules = [{*rule["antecedent"], *rule["consequent"]} for rule in content["rules"]]
    assert all({"s=yes", f"n=>={limit}"} in rules for limit in (2, 4))
    assert content["about"]["n_open"] == (200 + hidden if hidden >= LEAST else 0)
    found = {count for _items, count in survey.attacked().open_answers()}
    assert (hidden in found) is (hidden >= LEAST)
    assert not [count for count in found if count < LEAST]
