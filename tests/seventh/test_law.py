"""The law of the seventh kind: both devices over all coins, gamma by brute force, the inverse, the simulation."""

import json
import shutil
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privacy.designs import Design, InputError, parse_design
from privacy.guarantee.amplification import Guarantee
from privacy.mechanisms.disguise_by_given_coins import disguised_codes
from privacy.mechanisms.random_draws import Coins
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from tests.intake.asked import make_design
from tests.privacy.conftest import Node, running_node
from tests.privacy.questionnaires import plain
from tests.seventh.conftest import HERE, forced_section
from tests.seventh.forced import ForcedSection, forced_law

pytestmark = [pytest.mark.usefixtures("kind"), pytest.mark.proof]

F = Fraction
LAW = [[F(8, 10), F(2, 10)], [F(2, 10), F(8, 10)]]
"""P(sent|true) with keep .6: .6 + .4/2 and .4/2."""


@pytest.fixture
def forced_design() -> Design:
    return make_design(forced_section(), open_answers=True)


@pytest.fixture
def disguise_js() -> Iterator[Node]:
    with running_node() as node:
        shutil.copytree(HERE / "static", node.module.parents[1], dirs_exist_ok=True)
        yield node


def test_forced_question_survives_reading_and_writing_a_design(design_of_kind: Design) -> None:
    again = parse_design(design_of_kind.canonical)
    assert again.fingerprint == design_of_kind.fingerprint
    section = again.sections[1]
    assert isinstance(section, ForcedSection)
    assert section.as_json()["keep"] == "0.6000"
    assert "noise" not in section.as_json()["questions"][0]


@pytest.mark.parametrize(
    ("section", "place"),
    [
        (forced_section(keep="1.0"), "keep"),
        (forced_section(choices=["yes", "no"]), "choices"),
        (forced_section() | {"questions": [{"name": "a"}, {"name": "b"}]}, "questions"),
        (forced_section(noise=["0.5", "0.5"]), "noise"),
    ],
)
def test_forced_question_refuses_unknown_members_by_place(section: dict[str, object], place: str) -> None:
    with pytest.raises(InputError, match=place):
        make_design(plain({"name": "work", "choices": ["a", "b"]}), section)


def test_python_device_has_the_forced_law_over_all_coins(forced_design: Design) -> None:
    for true in (0, 1):
        sent = [
            disguised_codes(forced_design, Coins(values, 10), DISGUISED, [true])[0]
            for values in product(range(10), range(2))
        ]
        assert [F(sent.count(code), 20) for code in (0, 1)] == LAW[true]
        assert disguised_codes(forced_design, Coins((9, 1 - true), 10), OPEN, [true]) == [true]


def test_both_devices_agree_over_all_coins_and_the_browser_keeps_the_law_after_a_reload(
    forced_design: Design, disguise_js: Node
) -> None:
    design = json.loads(forced_design.canonical)
    for group, true, values in product((OPEN, DISGUISED), (0, 1), product(range(10), range(2))):
        sent = disguise_js.ask(
            "disguised", design=design, coins={"modulus": 10, "values": values}, group=group, answers=[true]
        )
        assert sent == disguised_codes(forced_design, Coins(values, 10), group, [true])
    people = [{"group": DISGUISED, "answers": [true]} for true in (0, 1)]
    asked = {"design": design, "bits": 4, "modulus": 10, "people": people, "sides": [10, 2], "shuffles": []}
    counts = disguise_js.ask("reloaded", **asked)["counts"]
    assert [[F(each[str(code)], 20) for code in (0, 1)] for each in counts] == LAW


@pytest.mark.parametrize("keep", [F(1, 10_000), F(1, 2), F(6, 10), F(9_999, 10_000)])
def test_gamma_is_the_largest_ratio_of_the_law(keep: Fraction) -> None:
    law = forced_law(keep)
    rows = [[law.probability((x,), (y,)) for y in (0, 1)] for x in (0, 1)]
    assert rows == [[(1 + keep) / 2, (1 - keep) / 2], [(1 - keep) / 2, (1 + keep) / 2]]
    assert rows[1][1] / rows[0][1] == Guarantee((law,)).gamma


def test_simulated_people_follow_the_law(design_of_kind: Design) -> None:
    """Three of four are employed and asked of drugs; one in five is open."""
    n = 40_000
    drugs = design_of_kind.questions[2]
    work, group = np.arange(n) % 4 == 0, (np.arange(n) % 5 > 0).astype(np.uint8)
    true = np.stack([work, np.arange(n) % 3 == 0, np.where(work, drugs.true_hidden_code, 1)]).astype(np.uint8)
    sent = disguise(design_of_kind, group, true, np.random.default_rng(1))
    assert (sent[1:, group == OPEN] == true[1:, group == OPEN])[0].all()
    assert (sent[2][work] == drugs.not_applicable).all()
    disguised = group == DISGUISED
    for x in (0, 1):
        chosen = disguised & (true[1] == x)
        assert (sent[1][chosen] == 1).mean() == pytest.approx(float(LAW[x][1]), abs=0.015)
    assert (sent[2][disguised & ~work] == 1).mean() == pytest.approx(0.75, abs=0.015)
