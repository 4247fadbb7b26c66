"""Each plausible mistake, made on purpose in the real source, is seen by the exhaustive tests."""

from math import prod
from pathlib import Path
from random import Random

import pytest

from privacy.designs import UnrelatedQuestionSection
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.section import OneQuestionSection
from privacy.mechanisms.draws import RandomWords
from tests.privacy.mechanisms.exhaustive import (
    NUMBERS,
    PLACES,
    QUICK,
    RELOADED,
    Case,
    javascript_laws,
    python_laws,
    reloaded_laws,
)
from tests.privacy.node import Mutation, Node

pytestmark = [pytest.mark.proof, pytest.mark.night(smaller="privacy/mechanisms/test_exact_law.py")]
COINS = "privacy/mechanisms/draws.py"
DISGUISE = "privacy/mechanisms/disguise.py"
DEVICE = "privacy/kinds/grouped/section.py"
SCRIPT = "privacy/static/privacy/disguise.js"
SCRIPT_COINS = "privacy/static/privacy/coins.js"
GROUPED = "privacy/static/privacy/kinds/grouped.js"
NUMBER = "privacy/static/privacy/kinds/number.js"
PLACE = "privacy/static/privacy/kinds/place.js"
PLACE_DEVICE = "privacy/kinds/place/section.py"
WINDOW_DEVICE = "privacy/kinds/number/window/section.py"
CLASSES_DEVICE = "privacy/kinds/number/classes/section.py"


def tuples(case: Case) -> int:
    return prod(case.sides)


# In an order by which a mutant is caught soon: few coins first, and all designs before all truths of one.
FEW_COINS_FIRST = sorted(QUICK, key=tuples)
SHUFFLED_NUMBERS = sorted(Random(1).sample(NUMBERS, len(NUMBERS)), key=tuples)
SHUFFLED_PLACES = sorted(Random(1).sample(PLACES, len(PLACES)), key=tuples)


NUDGED = "min(PARTS - 1, coin * PARTS // modulus + 100)"
PYTHON = {
    "p + .01": Mutation(DEVICE, (("< self.keep_parts * modulus", "< (self.keep_parts + 100) * modulus"),)),
    "theta + .01": Mutation(DEVICE, (("coin * PARTS // modulus", NUDGED),)),
    "one coin for all questions": Mutation(
        DEVICE, (("noise = coins[-len(self.questions) :]", "noise = [coins[-1]] * len(self.questions)"),)
    ),
    "one question never randomised": Mutation(
        DEVICE, (("true if kept else", "true if kept or question is self.questions[-1] else"),)
    ),
    "the group ignored": Mutation(DEVICE, (("kept = is_open or keep", "kept = keep"),)),
    "not applicable wins over not asked": Mutation(
        DEVICE, (("if not asked:", "if not asked and question.applies(codes):"),)
    ),
}
JAVASCRIPT = {
    "p + .01": Mutation(GROUPED, (("[section.keep]) === 0", '["0.0100", section.keep]) !== -1'),)),
    "theta + .01": Mutation(
        GROUPED,
        (
            ("const noise = pick(", "const noise = -1 + Math.max(1, pick("),
            ("section.questions[j].noise);", '["0.0100", ...section.questions[j].noise]));'),
        ),
    ),
    "one coin for all questions": Mutation(
        GROUPED, (("shuffles(section) + 1 + j]", "shuffles(section) + 1]"),)
    ),
    "one question never randomised": Mutation(
        GROUPED, (("return isOpen ||", "return isOpen || j === section.questions.length - 1 ||"),)
    ),
    "the keep coin ignored": Mutation(GROUPED, (("=== 0,", "=== 0 || true,"),)),
    "the group ignored": Mutation(GROUPED, (("return isOpen || grouped", "return grouped"),)),
    "not applicable wins over not asked": Mutation(
        SCRIPT, (("if (!asked[place]) codes", "if (!asked[place] && shows(rules[place], codes)) codes"),)
    ),
}


@pytest.mark.parametrize("name", PYTHON)
def test_the_exhaustive_test_catches_the_mutant_in_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PYTHON[name].patch(monkeypatch, UnrelatedQuestionSection)
    assert any(python_laws([case]) != [case.stated] for case in FEW_COINS_FIRST)


@pytest.mark.parametrize("name", JAVASCRIPT)
def test_the_exhaustive_test_catches_the_mutant_in_javascript(name: str, twin: Node, tmp_path: Path) -> None:
    mutant = JAVASCRIPT[name].javascript(tmp_path)
    assert any(javascript_laws([case], twin, mutant) != [case.stated] for case in FEW_COINS_FIRST)


RELOADING = {
    "the keep coin always keeps": (
        "coins.values[thrown + i] = coin",
        "(coins.values[thrown + i] = coin), (coins.values[thrown + places.length] = 0)",
    ),
    "the first noise coin follows the shuffle": (
        "coins.values[thrown + i] = coin",
        "coins.values[thrown + i] = coins.values[thrown + places.length + 1] = coin",
    ),
}


@pytest.mark.parametrize("name", RELOADING)
def test_the_exhaustive_test_catches_the_mutant_of_a_reload(name: str, twin: Node, tmp_path: Path) -> None:
    mutant = Mutation(SCRIPT, (RELOADING[name],)).javascript(tmp_path)
    assert any(reloaded_laws([case], twin, mutant) != [case.stated] for case in RELOADED)


NUMBERS_IN_PYTHON = {
    "the shift one too far": (WindowSection, WINDOW_DEVICE, "true + shift -", "true + shift + 1 -"),
    "the shift not modulo V": (
        WindowSection,
        WINDOW_DEVICE,
        "(true + shift - question.half) % question.values",
        "max(0, min(true + shift - question.half, question.values - 1))",
    ),
    "never any number": (WindowSection, WINDOW_DEVICE, "sent = anywhere", "sent = true"),
    "an open number is blurred": (WindowSection, WINDOW_DEVICE, "true if is_open else sent", "sent"),
    "a limit drawn holds no number": (ClassesSection, CLASSES_DEVICE, "limit <= own", "limit < own"),
    "the class coin ignored": (ClassesSection, CLASSES_DEVICE, "if kept else other", "if kept else 0"),
    "the same limits always": (ClassesSection, CLASSES_DEVICE, "index + coins[index]", "index"),
    "the bit the wrong way": (ClassesSection, CLASSES_DEVICE, "move < number", "move >= number"),
    "the distance from the lowest number": (ClassesSection, CLASSES_DEVICE, "starts[own]", "starts[0]"),
    "never a bit": (ClassesSection, CLASSES_DEVICE, "rest[0] < question.rest", "rest[0] < 0"),
    "the noise of the bit ignored": (
        ClassesSection,
        CLASSES_DEVICE,
        "if kept else noise)",
        "if kept else 0)",
    ),
    "an open class is disguised": (ClassesSection, CLASSES_DEVICE, "if is_open:", "if False:"),
}
NUMBERS_IN_JAVASCRIPT = {
    "the shift one too far": ("truth + coins[1] -", "truth + coins[1] + 1 -"),
    "the shift not modulo V": (
        "(truth + coins[1] - question.window + question.values) % question.values",
        "Math.max(0, Math.min(truth + coins[1] - question.window, question.values - 1))",
    ),
    "never any number": ("near : coins[2]", "near : truth"),
    "a window always kept": ("!== 0,", "!== 2,"),
    "an open number is blurred": ("isOpen ? truth : disguised", "disguised"),
    "a limit drawn holds no number": ("filter((limit) => limit <= own)", "filter((limit) => limit < own)"),
    "a limit holds no number": ("filter((limit) => limit <= number)", "filter((limit) => limit < number)"),
    "the class coin ignored": (".length : other", ".length : 0"),
    "the same limits always": ("place + coins[place]", "place"),
    "the keep coin ignored": ("isOpen || classesLaw", "isOpen || true || classesLaw"),
    "the group ignored": ("if (isOpen) return", "if (false) return"),
    "the bit the wrong way": ("move < number", "move >= number"),
    "never a bit": ("kind < rest", "kind < 0"),
    "the noise of the bit ignored": ("[own]) : noise", "[own]) : 0"),
    "the distance from the lowest number": ("starts(question)[own]", "starts(question)[0]"),
    "the lowest number is not 0": ("ends(question)[0] + question.step", "question.step"),
    "steps ignored": ("question.step * truth", "truth"),
}


@pytest.mark.parametrize("name", NUMBERS_IN_PYTHON)
def test_the_exhaustive_test_catches_the_mutant_of_a_number_in_python(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    section, file, old, new = NUMBERS_IN_PYTHON[name]
    Mutation(file, ((old, new),)).patch(monkeypatch, section)
    assert any(python_laws([case]) != [case.stated] for case in SHUFFLED_NUMBERS)


@pytest.mark.parametrize("name", NUMBERS_IN_JAVASCRIPT)
def test_the_exhaustive_test_catches_the_mutant_of_a_number_in_javascript(
    name: str, twin: Node, tmp_path: Path
) -> None:
    mutant = Mutation(NUMBER, (NUMBERS_IN_JAVASCRIPT[name],)).javascript(tmp_path)
    assert any(javascript_laws([case], twin, mutant) != [case.stated] for case in SHUFFLED_NUMBERS)


LAW_OF_PLACES = "privacy/kinds/place/law.py"
PLACES_IN_THE_LAW = {
    "the own cell is never sent": ("key=distance)[: self", "key=distance)[1 : 1 + self"),
    "near cells of all regions": ("sorted(self.regions[number], key", "sorted(self.inside, key"),
    "ties by the largest number": ("+ (y - y2) ** 2, other", "+ (y - y2) ** 2, -other"),
    "one axis ignored": ("+ (y - y2) ** 2, other", "+ 0, other"),
    "near cells once more": ("if other not in is_near]", "]"),
    "one side too few": ("if coin < len(near) * weight:", "if coin < len(near) * weight - 1:"),
    "the level of the first region": (
        "weight = self.levels[self.region_of[cell]].odds\n        if",
        "weight = self.levels[0].odds\n        if",
    ),
    "outside is always kept": ("return cell if coin < self.excess", "return cell if coin >= 0"),
    "outside as often as W": ("return cell if coin < self.excess else", "return cell if coin < V else"),
}
PLACES_IN_PYTHON = {
    "an open place is disguised": (PlaceSection, PLACE_DEVICE, "true if is_open else self", "self"),
    "never disguised": (PlaceSection, PLACE_DEVICE, "true if is_open else", "true if True else"),
    "a place that does not apply is sent": (
        OneQuestionSection,
        "privacy/kinds/section.py",
        "if question.applies(codes):",
        "if True:",
    ),
}
PLACES_IN_JAVASCRIPT = {
    "the own cell is never sent": ("truth).slice(0, home.near)", "truth).slice(1, 1 + home.near)"),
    "near cells of all regions": ("nearest(question, home.cells, truth)", "nearest(question, inside, truth)"),
    "ties by the largest number": ("|| a - b);", "|| b - a);"),
    "one axis ignored": ("+ (all[cell].at[1] - y) ** 2", ""),
    "near cells once more": ("!isNear.has(cell)", "true"),
    "one side too few": ("if (coin < sides)", "if (coin < sides - 1)"),
    "the near cells of the question": ("region.near ?? near", "near"),
    "the odds of the question": ("region.odds ?? odds", "odds"),
    "outside is always kept": ("return coin < excess(question) ? truth", "return coin >= 0 ? truth"),
    "an open place is disguised": ("(isOpen ? truth : disguised", "(false ? truth : disguised"),
    "never disguised": ("(isOpen ? truth : disguised", "(true ? truth : disguised"),
}


@pytest.mark.parametrize("name", PLACES_IN_THE_LAW)
def test_the_exhaustive_test_catches_the_mutant_of_the_law_of_a_place(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant = Mutation(LAW_OF_PLACES, (PLACES_IN_THE_LAW[name],)).python()
    monkeypatch.setattr("privacy.kinds.place.section.PlaceLaw", mutant.PlaceLaw)
    assert any(refused_or_not_stated(case) for case in SHUFFLED_PLACES)


def refused_or_not_stated(case: Case) -> bool:
    try:
        return python_laws([case]) != [case.stated]
    except IndexError:
        return True


@pytest.mark.parametrize("name", PLACES_IN_PYTHON)
def test_the_exhaustive_test_catches_the_mutant_of_a_place_in_python(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    section, file, old, new = PLACES_IN_PYTHON[name]
    Mutation(file, ((old, new),)).patch(monkeypatch, section)
    assert any(python_laws([case]) != [case.stated] for case in SHUFFLED_PLACES)


@pytest.mark.parametrize("name", PLACES_IN_JAVASCRIPT)
def test_the_exhaustive_test_catches_the_mutant_of_a_place_in_javascript(
    name: str, twin: Node, tmp_path: Path
) -> None:
    mutant = Mutation(PLACE, (PLACES_IN_JAVASCRIPT[name],)).javascript(tmp_path)
    assert any(javascript_laws([case], twin, mutant) != [case.stated] for case in SHUFFLED_PLACES)


def test_all_words_catch_modulo_instead_of_rejection_in_python() -> None:
    mutant = Mutation(COINS, (("(word := words.draw()) >= limit", "(word := words.draw()) < 0"),)).python()
    counts = [0] * 10_000
    for word in range(1 << 16):
        counts[mutant.below(10_000, RandomWords(16, iter([word]).__next__))] += 1
    assert len(set(counts)) > 1


def test_all_words_catch_modulo_instead_of_rejection_in_javascript(twin: Node, tmp_path: Path) -> None:
    patch = ("while (word >= limit) word = words.draw();", "")
    mutant = Mutation(SCRIPT_COINS, (patch,)).javascript(tmp_path)
    assert len(set(twin.ask("below", mutant, n=10_000, bits=16)["counts"])) > 1


def test_a_patch_that_no_longer_applies_is_noticed() -> None:
    with pytest.raises(AssertionError, match="has no single"):
        Mutation(COINS, (("what nobody wrote", ""),)).source()
