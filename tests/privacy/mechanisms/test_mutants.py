"""Each plausible mistake, made on purpose in the real source, is seen by the exhaustive tests."""

from contextlib import suppress
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest

from privacy.designs import UnrelatedQuestionSection
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.section import OneQuestionSection
from privacy.mechanisms.random_draws import RandomWords
from tests.privacy.conftest import Mutation, Node
from tests.privacy.mechanisms import test_exact_law as exact

pytestmark = pytest.mark.proof
night = pytest.mark.night(smaller="privacy/mechanisms/test_exact_law.py")
SCRIPTS = "privacy/static/privacy"

# In an order by which a mutant is caught soon: few coins first, and all designs before all truths of one.
FEW_COINS_FIRST, SHUFFLED_NUMBERS, SHUFFLED_PLACES = (
    sorted(Random(1).sample(cases, len(cases)), key=lambda case: prod(case.coin_sides))
    for cases in (exact.QUICK, exact.NUMBERS, exact.PLACES)
)
Patches = dict[str, tuple[str, ...]]
"""By the mistake what stands in the source and what in its place, one piece after the other."""


def mutation_cases(*tables: tuple[Any, ...]) -> list[Any]:
    """A case for each mistake; the last of a table are its mistakes, the first its file."""
    return [
        pytest.param(Mutation(file, tuple(pairs)), *between, id=f"{file}: {name}")
        for file, *between, mistakes in tables
        for name, pieces in mistakes.items()
        for pairs in [zip(pieces[::2], pieces[1::2], strict=True)]
    ]


IN_GROUPED: Patches = {
    "p + .01": ("< self.keep_parts * modulus", "< (self.keep_parts + 100) * modulus"),
    "theta + .01": ("coin * PARTS // modulus", "min(PARTS - 1, coin * PARTS // modulus + 100)"),
    "one coin for all questions": ("= coins[-len(self.questions) :]", "= [coins[-1]] * len(self.questions)"),
    "one question never randomised": ("if kept else", "if kept or question is self.questions[-1] else"),
    "the group ignored": ("kept = is_open or keep", "kept = keep"),
    "not applicable wins over not asked": ("if not asked:", "if not asked and question.applies(codes):"),
}
IN_WINDOWS: Patches = {
    "the shift one too far": ("true + shift -", "true + shift + 1 -"),
    "the shift not modulo V": (
        "(true + shift - question.half) % question.values",
        "max(0, min(true + shift - question.half, question.values - 1))",
    ),
    "never any number": ("sent = anywhere", "sent = true"),
    "an open number is blurred": ("true if is_open else sent", "sent"),
}
IN_CLASSES: Patches = {
    "a limit drawn holds no number": ("limit <= own", "limit < own"),
    "the class coin ignored": ("if kept else other", "if kept else 0"),
    "the same limits always": ("index + coins[index]", "index"),
    "the bit the wrong way": ("move < number", "move >= number"),
    "the distance from the lowest number": ("starts[own]", "starts[0]"),
    "never a bit": ("rest[0] < question.rest", "rest[0] < 0"),
    "the noise of the bit ignored": ("if kept else noise)", "if kept else 0)"),
    "an open class is disguised": ("if is_open:", "if False:"),
}
IN_PLACES: Patches = {
    "an open place is disguised": ("true if is_open else self", "self"),
    "never disguised": ("true if is_open else", "true if True else"),
}
IN_ANY: Patches = {"a place that does not apply is sent": ("if question.applies(codes):", "if True:")}


SECTIONS = mutation_cases(
    ("privacy/kinds/grouped/section.py", UnrelatedQuestionSection, FEW_COINS_FIRST, IN_GROUPED),
    ("privacy/kinds/number/window/section.py", WindowSection, SHUFFLED_NUMBERS, IN_WINDOWS),
    ("privacy/kinds/number/classes/section.py", ClassesSection, SHUFFLED_NUMBERS, IN_CLASSES),
    ("privacy/kinds/place/section.py", PlaceSection, SHUFFLED_PLACES, IN_PLACES),
    ("privacy/kinds/section.py", OneQuestionSection, SHUFFLED_PLACES, IN_ANY),
)


@night
@pytest.mark.parametrize(("mutant", "section", "cases"), SECTIONS)
def test_the_exhaustive_test_catches_the_mutant_in_python(
    mutant: Mutation, section: type, cases: list[exact.Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant.patch(monkeypatch, section)
    assert any(exact.python_laws([case]) != [case.stated_law] for case in cases)


IN_THE_LAW: Patches = {
    "the own cell is never sent": ("key=distance)[: self", "key=distance)[1 : 1 + self"),
    "near cells of all regions": ("sorted(self.regions[number], key", "sorted(self.cells_in_regions, key"),
    "ties by the largest number": ("+ (y - y2) ** 2, other", "+ (y - y2) ** 2, -other"),
    "one axis ignored": ("+ (y - y2) ** 2, other", "+ 0, other"),
    "near cells once more": ("if other not in is_near]", "]"),
    "one side too few": ("if coin < len(near) * weight:", "if coin < len(near) * weight - 1:"),
    "the level of the first region": ("self.region_by_cell[cell]].odds\n        if", "0].odds\n        if"),
    "outside is always kept": ("return cell if coin < self.near_excess", "return cell if coin >= 0"),
    "outside as often as W": ("return cell if coin < self.near_excess else", "return cell if coin < V else"),
}
LAWS_OF_PLACES = mutation_cases(("privacy/kinds/place/law.py", IN_THE_LAW))


@night
@pytest.mark.parametrize("mutant", LAWS_OF_PLACES)
def test_the_exhaustive_test_catches_the_mutant_of_the_law_of_a_place(
    mutant: Mutation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privacy.kinds.place.section.PlaceLaw", mutant.python().PlaceLaw)
    with suppress(IndexError):  # one draws beyond its cells
        assert any(exact.python_laws([case]) != [case.stated_law] for case in SHUFFLED_PLACES)


IN_GROUPED_JS: Patches = {
    "p + .01": ("[section.keep]) === 0", '["0.0100", section.keep]) !== -1'),
    "theta + .01": (
        "const noise = pick(",
        "const noise = -1 + Math.max(1, pick(",
        "section.questions[j].noise);",
        '["0.0100", ...section.questions[j].noise]));',
    ),
    "one coin for all questions": ("shuffles(section) + 1 + j]", "shuffles(section) + 1]"),
    "one question never randomised": (
        "return isOpen ||",
        "return isOpen || j === section.questions.length - 1 ||",
    ),
    "the keep coin ignored": ("=== 0,", "=== 0 || true,"),
    "the group ignored": ("return isOpen || grouped", "return grouped"),
}
IN_DISGUISE_JS: Patches = {
    "not applicable wins over not asked": ("(!asked[place])", "(!asked[place] && shows(rules[place], codes))")
}
IN_NUMBER_JS: Patches = {
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
IN_PLACE_JS: Patches = {
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
MODULES = mutation_cases(
    (f"{SCRIPTS}/kinds/grouped.js", FEW_COINS_FIRST, IN_GROUPED_JS),
    (f"{SCRIPTS}/disguise.js", FEW_COINS_FIRST, IN_DISGUISE_JS),
    (f"{SCRIPTS}/kinds/number.js", SHUFFLED_NUMBERS, IN_NUMBER_JS),
    (f"{SCRIPTS}/kinds/place.js", SHUFFLED_PLACES, IN_PLACE_JS),
)


RELOADING: Patches = {
    "the keep coin always keeps": (
        "coins.values[thrown + i] = coin",
        "(coins.values[thrown + i] = coin), (coins.values[thrown + places.length] = 0)",
    ),
    "the first noise coin follows the shuffle": (
        "+ i] = coin",
        "+ i] = coins.values[thrown + places.length + 1] = coin",
    ),
}
RELOADS = mutation_cases((f"{SCRIPTS}/disguise.js", RELOADING))


@night
@pytest.mark.parametrize(("mutant", "cases"), MODULES)
def test_the_exhaustive_test_catches_the_mutant_in_javascript(
    mutant: Mutation, cases: list[exact.Case], disguise_js: Node, tmp_path: Path
) -> None:
    script = mutant.javascript(tmp_path)
    assert any(exact.javascript_laws([case], disguise_js, script) != [case.stated_law] for case in cases)


@night
@pytest.mark.parametrize("mutant", RELOADS)
def test_the_exhaustive_test_catches_the_mutant_of_a_reload(
    mutant: Mutation, disguise_js: Node, tmp_path: Path
) -> None:
    script = mutant.javascript(tmp_path)
    assert any(
        exact.reloaded_laws([case], disguise_js, script) != [case.stated_law] for case in exact.RELOADED
    )


OF_COINS = Mutation(
    "privacy/mechanisms/random_draws.py", (("(word := words.draw()) >= limit", "(word := words.draw()) < 0"),)
)
OF_COINS_JS = Mutation(f"{SCRIPTS}/coins.js", (("while (word >= limit) word = words.draw();", ""),))


@night
def test_all_words_catch_modulo_instead_of_rejection_in_both_languages(
    disguise_js: Node, tmp_path: Path
) -> None:
    draw_below, counts = vars(OF_COINS.python())["draw_below"], [0] * 10_000
    for word in range(1 << 16):
        counts[draw_below(10_000, RandomWords(16, iter([word]).__next__))] += 1
    assert len(set(counts)) > 1
    mutant = OF_COINS_JS.javascript(tmp_path)
    assert len(set(disguise_js.ask("below", mutant, n=10_000, bits=16)["counts"])) > 1


def test_each_mutant_and_its_function_still_stand_in_the_source() -> None:
    for case in [*SECTIONS, *LAWS_OF_PLACES, *MODULES, *RELOADS]:
        case.values[0].source()
    assert "draw_below" in vars(OF_COINS.python())
    OF_COINS_JS.source()
