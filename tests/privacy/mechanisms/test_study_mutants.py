"""Mistakes in the code of studies, made on purpose, are seen by the exhaustive tests."""

from math import prod
from pathlib import Path
from types import ModuleType

import pytest

from privacy.kinds.crosswise.section import CrosswiseSection
from tests.privacy.conftest import Mutation, Node, NodeError
from tests.privacy.mechanisms.test_studies import STUDIES, javascript_reply, study_javascript_laws, study_laws

pytestmark = [pytest.mark.proof, pytest.mark.night(smaller="privacy/mechanisms/test_studies.py")]
FEW_COINS_FIRST = sorted(STUDIES.values(), key=lambda studies: len(studies) * prod(studies[0].coin_sides))
"""So a mutant is caught soon."""
DRAWS, DISGUISE = "privacy/mechanisms/random_draws.py", "privacy/mechanisms/disguise_by_given_coins.py"
SIMULATED, DEVICE = "privacy/mechanisms/simulated_device.py", "privacy/kinds/crosswise/section.py"
SCRIPT, SCRIPT_DRAWS = "privacy/static/privacy/disguise.js", "privacy/static/privacy/draws.js"
CROSSWISE = "privacy/static/privacy/kinds/crosswise.js"

DRAWING = {
    "direct + .1": ("< design.direct_parts *", "< (design.direct_parts + 1000) *"),
    "the other arm": ("return OPEN if coins[0] *", "return DISGUISED if not coins[0] *"),
    "the first choice a little more": ("coin * PARTS // modulus)", "coin * PARTS // modulus * 9 // 10)"),
    "always the first choice": ("return bisect_right(", "return 0 * bisect_right("),
}
ASKING = {
    "an open answer is taken for a word": ("true if is_open else", "true if False else"),
    "a word is taken for the answer": ("true if is_open else", "true if True else"),
    "never turned": ("self.question.is_turned(earlier)", "False"),
    "always turned": ("self.question.is_turned(earlier)", "True"),
}


def device_with_module(disguise: ModuleType) -> ModuleType:
    """The simulated device with this module."""
    simulated = Mutation(SIMULATED, ()).python()
    for name in ("arm_from_coins", "drawn_choices_from_coins", "disguised_codes"):
        setattr(simulated, name, vars(disguise)[name])
    return simulated


def is_caught(simulated: ModuleType) -> bool:
    studies = (study for found in FEW_COINS_FIRST for study in found)
    return any(study_laws([study], simulated) != [study.stated_law] for study in studies)


@pytest.mark.parametrize("name", DRAWING)
def test_the_mutant_of_the_draws_is_caught_in_python(name: str) -> None:
    disguise = Mutation(DISGUISE, ()).python()
    vars(disguise)["random_draws"] = Mutation(DRAWS, (DRAWING[name],)).python()
    assert is_caught(device_with_module(disguise))


def test_a_group_against_the_arm_and_an_answer_by_hand_are_caught_in_python() -> None:
    simulated = Mutation(SIMULATED, (("sent = group if arm is None else arm", "sent = group"),)).python()
    with pytest.raises(ValueError, match="the random draws chose the other arm"):
        is_caught(simulated)
    takes_any = Mutation(DISGUISE, (("if group != arm and", "if False and"),)).python()
    vars(simulated).update(disguised_codes=takes_any.disguised_codes)
    assert is_caught(simulated)
    by_hand = Mutation(DISGUISE, (("choices.get(index, answer)", "answer or 0"),))
    assert is_caught(device_with_module(by_hand.python()))


@pytest.mark.parametrize("name", ASKING)
def test_the_mutant_of_a_crosswise_device_is_caught_in_python(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Mutation(DEVICE, (ASKING[name],)).patch(monkeypatch, CrosswiseSection)
    assert is_caught(device_with_module(Mutation(DISGUISE, ()).python()))


IN_JAVASCRIPT = {
    "direct + .1": (SCRIPT_DRAWS, "abs(pick(coins[0], [direct]))", "abs(pick(coins[0] - 1, [direct]))"),
    "the other arm": (SCRIPT_DRAWS, "Math.abs(pick(coins[0], [direct]))", "1 + pick(coins[0], [direct])"),
    "always the first choice": (SCRIPT_DRAWS, "pick(coins[at++], question", "pick(0, question"),
    "the coin of the arm draws choices": (
        SCRIPT_DRAWS,
        "let at = design.direct === undefined ? 0 : 1;",
        "let at = 0;",
    ),
    "a drawn question is answered by hand": (
        SCRIPT,
        "question, chosen.get(place) ?? answers[place])",
        "question, answers[place] ?? 0)",
    ),
    "an open answer is taken for a word": (CROSSWISE, "isOpen ? given", "false ? given"),
    "a word is taken for the answer": (CROSSWISE, "isOpen ? given", "true ? given"),
    "never turned": (CROSSWISE, "codeOf(question.turned_by) === 1", "false"),
    "always turned": (CROSSWISE, "codeOf(question.turned_by) === 1", "true"),
    "a frequent secret as a rare one": (CROSSWISE, 'share < "0.5000" !== isTurned', "true !== isTurned"),
}
ORDERS_IN_JAVASCRIPT = {
    "swaps with any block": ("const j = i + coins[at + i];", "const j = coins[at + i];"),
    "one coin for all": ("const j = i + coins[at + i];", "const j = i + (coins[at] % (things.length - i));"),
    "never swapped": ("[things[i], things[j]] = [things[j], things[i]];", ""),
}


@pytest.mark.parametrize("name", IN_JAVASCRIPT)
def test_study_mutant_is_detected_in_javascript(name: str, disguise_js: Node, tmp_path: Path) -> None:
    file, old, new = IN_JAVASCRIPT[name]
    mutant = Mutation(file, ((old, new),)).javascript(tmp_path)
    laws = ((study_javascript_laws(studies, disguise_js, mutant), studies) for studies in FEW_COINS_FIRST)
    assert any(found != [study.stated_law for study in studies] for found, studies in laws)


@pytest.mark.parametrize("name", ORDERS_IN_JAVASCRIPT)
def test_the_mutant_of_an_order_is_caught_in_javascript(name: str, disguise_js: Node, tmp_path: Path) -> None:
    mutant = Mutation(SCRIPT_DRAWS, (ORDERS_IN_JAVASCRIPT[name],)).javascript(tmp_path)
    (study,) = STUDIES["ordered"]
    expected = javascript_reply([study], disguise_js)["orders"]
    assert javascript_reply([study], disguise_js, mutant)["orders"] != expected


def test_splitting_a_table_takes_too_many_coins_in_javascript(disguise_js: Node, tmp_path: Path) -> None:
    mutant = Mutation(SCRIPT_DRAWS, (("if (j && of && questions[j - 1].of === of)", "if (false)"),))
    with pytest.raises(NodeError):
        javascript_reply(STUDIES["ordered"], disguise_js, mutant.javascript(tmp_path))
