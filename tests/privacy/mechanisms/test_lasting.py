"""A lasting disguise: vectors, the law of one round and of histories by enumeration, and what two truths leave."""

import json
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from privacy.designs import Design, InputError
from privacy.kinds.grouped.law import LastingLaw, SectionLaw
from privacy.mechanisms import permanent_draws
from privacy.mechanisms.disguise_by_given_coins import disguise, disguised_codes
from privacy.mechanisms.random_draws import Coins, draw_below, draw_coins, seeded_words, sides_of_coins
from tests.privacy.conftest import Node, NodeError
from tests.privacy.questionnaires import HALF, design, question, sensitive

PANELS = Path(__file__).parents[2] / "vectors" / "panels.json"
VECTORS: dict[str, Any] = json.loads(PANELS.read_text(encoding="utf-8"))
STUDY: str = VECTORS["study"]
CODE = bytes.fromhex("7e6fa6bc61e1083a6ddb")
FOLLOWS = {"follows": "f" * 64, "study": STUDY}
SPARE = sensitive("0.3", question("spare", *HALF), lasting="0.6")


def spare_sections(number: int) -> list[dict[str, Any]]:
    return [SPARE | {"questions": [question(f"spare{place}", *HALF)]} for place in range(number)]


def design_of_vector(case: dict[str, Any], keep: int) -> Design:
    """The section of a vector at its number among lasting sections."""
    noise = ([f"{part / 10_000:.4f}" for part in row] for row in case["noise"])
    rows = (question(f"q{number}", *row) for number, row in enumerate(noise))
    lasting, kept = (f"{part / 10_000:.4f}" for part in (case["lasting"], keep))
    section = sensitive(kept, *rows, lasting=lasting, asked=len(drawn_in(case)))
    return design(*spare_sections(case.get("section", 0)), section, **FOLLOWS)


def drawn_in(case: dict[str, Any]) -> list[int]:
    """The questions of a vector that are asked: the others have *not asked* as their true code."""
    true: list[int] = case.get("answers") or case.get("permanent") or []
    unasked = zip(true, case.get("not_asked", []), strict=False)
    left_out = {place for place, (answer, code) in enumerate(unasked) if answer == code}
    return [place for place in range(len(case["noise"])) if place not in left_out]


def coins_of_shuffle(case: dict[str, Any]) -> list[int]:
    """The coins that draw these questions: each is still at its own place when the shuffle comes to it."""
    asked = drawn_in(case)
    return [place - index for index, place in enumerate(asked)] if len(asked) < len(case["noise"]) else []


def in_twin(
    twin: Node, found: Design, coins: Coins, code: bytes, answers: list[int], operation: str = "lasting"
) -> Any:
    design, study = json.loads(found.canonical), permanent_draws.study_fingerprint(found)
    thrown = {"modulus": coins.modulus, "values": coins.values}
    return twin.ask(operation, design=design, study=study, code=list(code), coins=thrown, answers=answers)


# --- vectors, in both twins


def test_codes_are_written_and_read_as_the_vectors_say(disguise_js: Node) -> None:
    codes = [bytes.fromhex(each["bytes"]) for each in VECTORS["codes"]]
    shown = [each["shown"] for each in VECTORS["codes"]]
    typed = [each["typed"] for each in VECTORS["typed"]]
    read = [each["bytes"] for each in VECTORS["typed"]]
    assert [permanent_draws.person_code_text(code) for code in codes] == shown
    assert [code and code.hex() for code in map(permanent_draws.read_person_code, typed)] == read
    answer = disguise_js.ask("codes", codes=[list(code) for code in codes], typed=typed, study="")
    assert answer == {"written": shown, "typed": read}


OTHER_STUDY = sha256(b"another first design").hexdigest()


def test_code_names_its_study_and_is_refused_in_another(disguise_js: Node) -> None:
    """By hand: the bits of the code XOR ten bytes of a hash, with the check of the code itself."""
    words = seeded_words(5)
    codes = [permanent_draws.draw_person_code(words) for _ in range(300)]
    written = [permanent_draws.person_code_text(code, STUDY) for code in codes]
    mask = int.from_bytes(sha256(b"candor-code-of/1" + bytes.fromhex(STUDY)).digest()[:10])
    for code, text in zip(codes, written, strict=True):
        letters = text.replace("-", "")
        places = map(permanent_draws.ALPHABET.index, letters[:16])
        shown = sum(place << 5 * (15 - i) for i, place in enumerate(places))
        assert shown ^ mask == int.from_bytes(code)
        assert text[-2:] == permanent_draws.person_code_text(code)[-2:]
    assert [permanent_draws.read_person_code(text, STUDY) for text in written] == codes
    elsewhere = [permanent_draws.read_person_code(text, OTHER_STUDY) for text in written]
    assert sum(code is not None for code in elsewhere) <= 3
    for study, read in ((STUDY, codes), (OTHER_STUDY, elsewhere)):
        answer = disguise_js.ask("codes", codes=[list(code) for code in codes], typed=written, study=study)
        assert answer["typed"] == [code and code.hex() for code in read]
        assert answer["written"] == [permanent_draws.person_code_text(code, study) for code in codes]


@pytest.mark.night
@pytest.mark.proof
def test_code_of_another_study_is_accepted_once_in_1024() -> None:
    words = seeded_words(6)
    codes = (permanent_draws.draw_person_code(words) for _ in range(40_000))
    written = (permanent_draws.person_code_text(code, STUDY) for code in codes)
    fits = sum(permanent_draws.read_person_code(text, OTHER_STUDY) is not None for text in written)
    assert abs(fits - 40_000 / 1_024) < 4 * (40_000 / 1_024) ** 0.5


def test_the_words_of_a_code_are_those_of_the_vectors() -> None:
    again = VECTORS["drawn_again"] | {"purpose": "answers", "codes": VECTORS["drawn_again"]["answers"]}
    for case in (*VECTORS["words"], again):
        code, of = bytes.fromhex(case["code"]), (case["section"], case["purpose"], case["codes"])
        words = permanent_draws.permanent_words(code, STUDY, *of)
        assert [f"{words.draw():#010x}" for _ in case["words"]] == case["words"]


def test_permanent_answers_are_those_of_the_vectors(disguise_js: Node) -> None:
    for case in [*VECTORS["permanent"], VECTORS["drawn_again"]]:
        found = design_of_vector(case, 1_000)
        code, before = bytes.fromhex(case["code"]), [0] * case["section"]
        words = permanent_draws.permanent_words(code, STUDY, case["section"], "answers", case["answers"])
        assert [draw_below(10_000, words) for _ in case["coins"]] == case["coins"]
        answers, shuffle = [*before, *case["answers"]], coins_of_shuffle(case)
        own = len(found.sections[-1].sides_of_coins(10_000))
        values = [*[0] * (len(sides_of_coins(found)) - own), *shuffle, *[0] * (own - len(shuffle))]
        coins = Coins(tuple(values))
        drawn = permanent_draws.permanent_answers(found, coins, answers, code)
        assert drawn[case["section"] :] == case["permanent"]
        assert in_twin(disguise_js, found, coins, code, answers, "settled")["permanent"] == drawn


def test_code_draws_lifelong_questions_as_in_the_vectors(disguise_js: Node) -> None:
    for case in VECTORS["rotation"]:
        number = case["section"]
        rows = [question(f"q{n}", *HALF) for n in range(case["questions"])]
        section = sensitive("0.3", *rows, lasting="0.6", asked=case["asked"])
        found = design(*spare_sections(number), section, **FOLLOWS)
        code = bytes.fromhex(case["code"])
        for seed in (1, 2):
            coins = draw_coins(found, seeded_words(seed))
            codes = disguised_codes(found, coins, 1, [0] * (number + case["questions"]), code)
            assert [place for place, one in enumerate(codes[number:]) if one < 2] == case["drawn"]
            in_js = in_twin(disguise_js, found, coins, code, [0] * (number + case["questions"]))
            for_life = permanent_draws.coins_with_permanent_rotation(found, coins, code)
            assert (in_js["codes"], in_js["values"]) == (codes, list(for_life.values))


def test_round_sends_the_record_of_the_vectors() -> None:
    for case in VECTORS["instant"]:
        found = design_of_vector(case, case["keep"])
        shuffle = coins_of_shuffle(case)
        assert sides_of_coins(found)[len(shuffle) :] == [case["lasting"], *[10_000] * len(case["noise"])]
        codes: list[int] = []
        found.sections[0].disguise([*shuffle, *case["coins"]], 10_000, False, case["permanent"], codes)
        assert codes == case["sent"]


def test_lasting_guarantees_match_the_vectors() -> None:
    for case in VECTORS["gammas"]:
        noise = {"1/2": [(1, 2)], "1/8": [(1, 2)] * 3, "1/32": [(1, 2)] * 5, "1/50": [(1, 50)]}[case["Q"]]
        laws = tuple((Fraction(n, d), 1 - Fraction(n, d)) for n, d in noise)
        law = LastingLaw(SectionLaw(Fraction(case["keep"]), laws, len(laws)), Fraction(case["lasting"]))
        assert law.once.gamma == Fraction(case["one_round"])
        assert law.gamma == Fraction(case["lasting_gamma"])
        assert law.departure_factor == Fraction(case["one_departure"])
        assert law.gamma_if_unchanged(case["rounds"]) == Fraction(case["unchanged"])
        assert law.gamma**2 == Fraction(case["second_code"])


# --- the law, by every coin


def laws_of_rounds(
    modulus: int, keep: int, lasting: int, choices: int, rounds: int
) -> dict[Any, Counter[Any]]:
    """By true answer how many of all coins of a lifetime give each history: permanent ones once, instant ones anew."""
    noise = [f"{1 / choices:.4f}"] * choices
    kept, lasts = (f"{part / modulus:.4f}" for part in (keep, lasting))
    (section,) = design(sensitive(kept, question("a", *noise), lasting=lasts)).lasting_sections
    one_round = [list(coins) for coins in product(*map(range, section.sides_of_coins(modulus)))]
    for_life = product(*map(range, section.permanent.sides_of_coins(modulus)))
    histories: dict[int, Counter[Any]] = {answer: Counter() for answer in range(choices)}
    for coins in for_life:
        for answer, counts in histories.items():
            first: list[int] = []
            section.permanent.disguise(coins, modulus, False, [answer], first)
            sent = Counter[int]()
            for again in one_round:
                codes: list[int] = []
                section.disguise(again, modulus, False, first, codes)
                sent[codes[0]] += 1
            for history in product(range(choices), repeat=rounds):
                counts[history] += prod(sent[code] for code in history)
    return histories


def test_one_round_has_the_law_of_keep_and_histories_stay_within_the_bound() -> None:
    for keep, lasting, choices in ((1, 2, 2), (2, 3, 2), (1, 3, 4)):
        modulus = 4
        noise = (Fraction(1, choices),) * choices
        once = SectionLaw(Fraction(keep, modulus), (noise,), 1)
        law = LastingLaw(once, Fraction(lasting, modulus))
        for rounds in range(1, 5):
            counts = laws_of_rounds(modulus, keep, lasting, choices, rounds)
            total = counts[0].total()
            if rounds == 1:
                for x, y in product(range(choices), repeat=2):
                    assert Fraction(counts[x][y,], total) == once.probability([x], [y])
            largest = max(Fraction(counts[0][history], counts[1][history]) for history in counts[0])
            assert largest == law.gamma_if_unchanged(rounds) <= law.gamma


@pytest.mark.parametrize(("keep", "lasting", "noise"), [("1/2", "3/4", "1/2"), ("1/4", "1/2", "1/8")])
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_ratio_of_any_two_histories_is_bounded_by_their_departures(
    keep: str, lasting: str, noise: str, rounds: int
) -> None:
    """By both permanent draws and every record of a yes/no question; without departures the bound is reached."""
    yes = Fraction(noise)
    chance, a = (1 - yes, yes), Fraction(lasting)
    law = LastingLaw(SectionLaw(Fraction(keep), ((1 - yes, yes),), 1), a)
    r = Fraction(keep) / a

    def chance_of_staying(share: Fraction, answer: int, sent: int) -> Fraction:
        return share * (answer == sent) + (1 - share) * chance[sent]

    def probability(history: tuple[int, ...], sent: tuple[int, ...]) -> Fraction:
        total = Fraction(0)
        for drawn in product((0, 1), repeat=2):
            rounds_of_drawn = prod(
                chance_of_staying(r, drawn[x], y) for x, y in zip(history, sent, strict=True)
            )
            total += chance_of_staying(a, 0, drawn[0]) * chance_of_staying(a, 1, drawn[1]) * rounds_of_drawn
        return total

    every = list(product((0, 1), repeat=rounds))
    laws = {history: [probability(history, sent) for sent in every] for history in every}
    largest: dict[int, Fraction] = {}
    for one, another in product(every, repeat=2):
        departures = sum(min(history.count(0), history.count(1)) for history in (one, another))
        ratio = max(p / q for p, q in zip(laws[one], laws[another], strict=True))
        largest[departures] = max(ratio, largest.get(departures, ratio))
    assert largest[0] == law.max_gamma_over_rounds(rounds, 0)
    for departures, ratio in largest.items():
        assert ratio <= law.max_gamma_over_rounds(rounds, departures)


@pytest.mark.proof
def test_two_truths_with_equal_permanent_draws_leave_equal_traces() -> None:
    found = design(sensitive("0.3", question("a", *HALF), question("b", *HALF), lasting="0.5"))
    coins = [draw_coins(found, seeded_words(seed)) for seed in range(20)]
    by_trace: dict[Any, set[Any]] = {}
    for number in range(60):
        code = number.to_bytes(10)
        for truth in product((0, 1), repeat=2):
            drawn = tuple(permanent_draws.permanent_answers(found, coins[0], truth, code))
            trace = tuple(disguise(found, each, 1, truth, code).json for each in coins)
            by_trace.setdefault(drawn, set()).add(trace)
    lengths = {drawn: len(traces) for drawn, traces in by_trace.items()}
    assert lengths == dict.fromkeys(product((0, 1), repeat=2), 1)


# --- the twins, and what is refused


def test_python_and_javascript_give_one_record_for_each_round_of_a_code(disguise_js: Node) -> None:
    first = design(
        sensitive("0.4", question("a", "0.2", "0.5", "0.3"), question("b", *HALF), lasting="0.7"),
        sensitive("0.5", question("fresh", *HALF)),
        sensitive("0.2", *(question(name, *HALF) for name in "cdef"), lasting="0.4", asked=2),
    )
    for seed in range(6):
        coins = draw_coins(first, seeded_words(seed))
        answers = [seed % 3, 1, seed % 2, 0, 1, 1, 0]
        codes = disguised_codes(first, coins, 1, answers, CODE)
        assert in_twin(disguise_js, first, coins, CODE, answers)["codes"] == codes


def test_lasting_section_needs_a_code(disguise_js: Node) -> None:
    found = design(SPARE)
    coins = draw_coins(found, seeded_words(1))
    with pytest.raises(InputError, match=r"^code: is missing"):
        disguise(found, coins, 1, [1])
    given = {"modulus": 10_000, "values": coins.values}
    with pytest.raises(NodeError, match="of no code"):
        disguise_js.ask("disguised", design=json.loads(found.canonical), coins=given, group=1, answers=[1])
    assert disguised_codes(found, coins, 0, [1]) == [1]
