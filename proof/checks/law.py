"""Checks of the disguise itself, of the bytes that are served: its coins, its law, its twin."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, product
from math import comb, gcd, prod
from typing import Any

from scipy.special import chdtrc

from privacy.designs import parse
from privacy.designs.design import FORMAT
from privacy.grammar.input_error import InputError
from privacy.grammar.node import PARTS
from privacy.mechanisms.disguise import arm_of, disguise
from privacy.mechanisms.draws import RandomWords, below, coin_sides, draw_coins, seeded_words
from privacy.mechanisms.permanent import draw_code, study_of
from privacy.records import DISGUISED, OPEN, Envelope, parse_envelope
from privacy.records.record import read_record
from proof.context import ProofContext
from proof.outcome import Outcome, failed, held, unchecked
from proof.record_law import Law, ends_of_classes, record_law, true_codes

JsonSection = dict[str, Any]
PROBABILITY = re.compile(r"0\.[0-9]{4}")
MOST_TUPLES = 300_000
"""Records that are made of one section: its coin tuples times the true answers."""
MOST_TRUTHS = 12
MOST_RECORDS = 2_000
"""Different records that are told apart by chi-square."""
DRAWS = 20_000
LASTING_DRAWS = 2_000
"""Each takes four digests for each of some true answers."""
FEW = 5
FALSE_ALARM = 1e-8
TWINS = 150
SHORT = 16
"""Bits of a word, so that all words can be tried."""
TEXTS = ("text", "label", "help", "intro", "unit")
DRAWN_TRUTHS = 3
DISGUISING = ("unrelated-question", "number", "place", "subset")


def coins(context: ProofContext) -> Outcome:
    if context.device is None:
        return unchecked(context.why)
    numbers = sorted({n for n in [*coin_sides(context.design), 256] if n <= 2**SHORT})
    for n in numbers:
        reply = context.ask("below", n=n, bits=SHORT)
        rounds, again = divmod(2**SHORT, n)
        if set(reply["counts"]) != {rounds} or reply["again"] != again:
            return failed(f"of all words of {SHORT} bits, some of {n} sides come more often than others")
    return held(
        f"all words of {SHORT} bits give each side equally often, for coins of {_spoken(numbers)} sides"
    )


def _spoken(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:5])) + (
        f" and {len(numbers) - 5} other numbers of" if numbers[5:] else ""
    )


# --- the law of each section ---


def law(context: ProofContext) -> Outcome:
    if context.device is None:
        return unchecked(context.why)
    enumerated = drawn = 0
    lasting = {
        number: section["lasting"]
        for number, section in enumerate(context.design_json["sections"], 1)
        if "lasting" in section
    }
    for number, section in sections_of(context):
        forms = (form for form in (section, coarse(section)) if form and sides_of(form))
        form = next(forms, None)
        problem = enumerate_law(context, form) if form else ""
        if form is not section and not problem:
            problem = draw_law(context, section)
            drawn += 1
        if number in lasting and not problem:
            problem = draw_lasting(context, section, lasting[number])
        if problem:
            return failed(f"section {number}: {problem}")
        enumerated += form is not None
    if not enumerated + drawn:
        return held("no section of this survey draws random numbers for its answers")
    chances = f"; of {drawn} sections {DRAWS} draws each fit theirs (chi-square)" if drawn else ""
    if lasting:
        chances += (
            f"; of {len(lasting)} sections {LASTING_DRAWS} codes each give lasting draws and records that fit theirs, "
            "and one code the same lasting draws again"
        )
    return held(f"all coins of {enumerated} sections give exactly the stated probabilities{chances}")


def sections_of(context: ProofContext) -> Iterator[tuple[int, JsonSection]]:
    """Each section that draws for its answers, alone and without rules, with its number."""
    for number, section in enumerate(context.design_json["sections"], 1):
        if section["kind"] in DISGUISING:
            # Of one round the law is that of the section without it.
            bare = without(without_texts(section), "lasting")
            questions = [{**without(question, "shuffled"), "show_if": {}} for question in bare["questions"]]
            yield number, {**without(bare, "order"), "questions": questions}


def without(members: JsonSection, key: str) -> JsonSection:
    return {name: value for name, value in members.items() if name != key}


def without_texts(node: Any) -> Any:
    """Texts are in the languages of a survey, which a section alone has not."""
    if isinstance(node, list):
        return [without_texts(item) for item in node]
    if isinstance(node, dict):
        return {key: {} if key in TEXTS else without_texts(value) for key, value in node.items()}
    return node


def alone(section: JsonSection) -> dict[str, Any]:
    return {"format": FORMAT, "sections": [section]}


def modulus_of(section: JsonSection) -> int:
    """The smallest number of sides by which each probability of the section is a whole number of sides."""
    return PARTS // reduce(gcd, (int(text[2:]) for text in probabilities(section)), PARTS)


def probabilities(section: JsonSection) -> list[str]:
    (question, *_others) = section["questions"]
    told = [section.get("keep"), section.get("keep_rest"), question.get("uniform")]
    noise = [part for question in section["questions"] for part in question.get("noise", [])]
    return [text for text in (*told, *noise) if isinstance(text, str) and PROBABILITY.fullmatch(text)]


def coarse(section: JsonSection) -> JsonSection | None:
    """The same kind of section with probabilities in tenths and two questions, so that its coins can be enumerated."""
    tenths = {"keep": "0.6000", "keep_rest": "0.6000"}
    questions = section["questions"][:2] if section["kind"] == "unrelated-question" else section["questions"]
    made = {**section, **{key: value for key, value in tenths.items() if key in section}, "questions": []}
    if "asked" in section:
        made["asked"] = 1 if section["asked"] < len(section["questions"]) else len(questions)
    for question in questions:
        changed = dict(question)
        if "noise" in question:
            others = len(question["noise"]) - 1
            if others >= 10:
                return None
            changed["noise"] = ["0.1000"] * others + [f"0.{(10 - others) * 1000:04d}"]
        if "uniform" in question:
            changed |= {"uniform": "0.4000", "values": 7, "window": min(question["window"], 2)}
        made["questions"].append(changed)
    return made


def truths_of(section: JsonSection) -> Sequence[tuple[int, ...]]:
    """All true answers where they are few; else those at the ends of each class, or the first."""
    questions = section["questions"]
    codes = [true_codes(question) for question in questions]
    if prod(codes) <= MOST_TRUTHS:
        return list(product(*map(range, codes)))
    if questions[0].get("law") == "classes":
        return [(code,) for code in ends_of_classes(questions[0])][:MOST_TRUTHS]
    if len(questions) == 1:
        return [(code,) for code in sorted({0, codes[0] - 1, *range(0, codes[0], -(-codes[0] // 10))})][
            :MOST_TRUTHS
        ]
    turned = [tuple((place + turn) % n for place, n in enumerate(codes)) for turn in range(MOST_TRUTHS)]
    return list(dict.fromkeys(turned))


def people_of(section: JsonSection, *groups: int) -> list[dict[str, Any]]:
    return [{"group": group, "answers": list(truth)} for group in groups for truth in truths_of(section)]


def sides_of(section: JsonSection) -> list[int]:
    """The sides of each coin at the section's own modulus; empty where they are too many to try all."""
    try:
        (parsed,) = parse(json.dumps(alone(section))).sections
    except InputError:
        return []
    numbers = list(parsed.coin_sides(modulus_of(section)))
    return numbers if prod(numbers) * 2 * len(truths_of(section)) <= MOST_TUPLES else []


def enumerate_law(context: ProofContext, section: JsonSection) -> str:
    """What is wrong with the law, empty if nothing is."""
    people, numbers = people_of(section, DISGUISED, OPEN), sides_of(section)
    reply = context.ask(
        "laws",
        design=alone(section),
        sides=numbers,
        bits=max(numbers).bit_length(),
        modulus=modulus_of(section),
        people=people,
    )
    if "counts" not in reply:
        return "the modules as served draw fewer coins than the design says"
    for person, counts in zip(people, reply["counts"], strict=True):
        stated = record_law(alone(section), person["group"], person["answers"])
        if {text: Fraction(count, prod(numbers)) for text, count in counts.items()} != stated:
            return f"the coins do not give the stated probabilities for the true answers {person['answers']}"
    return ""


def draw_law(context: ProofContext, section: JsonSection) -> str:
    people = some_people(section)
    reply = context.ask("draws", design=alone(section), n=DRAWS, people=people)
    return next((f"{DRAWS} draws {problem}" for problem in misfits(section, people, reply["counts"])), "")


def draw_lasting(context: ProofContext, section: JsonSection, lasting: str) -> str:
    """`section` as it is in one round. What is drawn for life has its law with the probability `lasting`."""
    people = some_people(section)
    whole, for_life = {**section, "lasting": lasting}, {**section, "keep": lasting}
    reply = context.ask(
        "lastingDraws", design=alone(whole), study=study_of(context.design), n=LASTING_DRAWS, people=people
    )
    if not reply["stays"]:
        return "one code does not give the same lasting draws again"
    problems = chain(
        misfits(section, people, reply["counts"]), misfits(for_life, people, reply["permanents"])
    )
    return next((f"{LASTING_DRAWS} lasting draws {problem}" for problem in problems), "")


def some_people(section: JsonSection) -> list[dict[str, Any]]:
    """Disguised, each with other true answers."""
    everybody = people_of(section, DISGUISED)
    return everybody[:: max(1, len(everybody) // DRAWN_TRUTHS)][:DRAWN_TRUTHS]


def misfits(
    section: JsonSection, people: Sequence[dict[str, Any]], drawn: Sequence[Mapping[str, int]]
) -> Iterator[str]:
    """What is wrong with the answer texts that were drawn for each of these people."""
    for person, counts in zip(people, drawn, strict=True):
        for stated, observed in compared(section, person["answers"], counts):
            if (p := chi_square(stated, observed)) < FALSE_ALARM:
                yield f"for the true answers {person['answers']} do not fit the probabilities (p = {p:.1e})"


def compared(
    section: JsonSection, answers: list[int], counts: Mapping[str, int]
) -> Iterator[tuple[Law, Mapping[str, int]]]:
    """The whole record where there are few, else each question by itself."""
    questions = section["questions"]
    drawn = section.get("asked", len(questions))
    records = prod(len(question.get("choices", [])) or 1 for question in questions) * comb(
        len(questions), drawn
    )
    if len(questions) == 1 or records <= MOST_RECORDS:
        yield record_law(alone(section), DISGUISED, answers), counts
        return
    start, share = 0, Fraction(drawn, len(questions))
    for question, answer in zip(questions, answers, strict=True):
        not_asked = len(question["choices"])
        width = len(str(not_asked + 1))
        single = {**section, "asked": 1, "questions": [question]}
        stated = {text: share * p for text, p in record_law(alone(single), DISGUISED, [answer]).items()}
        if share < 1:
            stated[str(not_asked).rjust(width, "0")] = 1 - share
        observed: dict[str, int] = {}
        for text, count in counts.items():
            code = text[start : start + width]
            observed[code] = observed.get(code, 0) + count
        yield stated, observed
        start += width


def chi_square(stated: Law, observed: Mapping[str, int]) -> float:
    """The p of these counts; 0 where something came that cannot. Rare records count as one."""
    if any(count and not stated.get(text) for text, count in observed.items()):
        return 0.0
    n = sum(observed.values())
    cells: list[tuple[float, int]] = []
    rare = (0.0, 0)
    for text, probability in stated.items():
        cell = float(probability) * n, observed.get(text, 0)
        if cell[0] < FEW:
            rare = rare[0] + cell[0], rare[1] + cell[1]
        else:
            cells.append(cell)
    if rare[0] >= FEW:
        cells.append(rare)
    statistic = sum((count - expected) ** 2 / expected for expected, count in cells)
    return float(chdtrc(len(cells) - 1, statistic)) if len(cells) > 1 else 1.0


# --- its twin ---


def twin(context: ProofContext) -> Outcome:
    """From the same words the modules as served and the server's own program make the same request."""
    if context.device is None:
        return unchecked(context.why)
    design, people, expected = context.design, [], []
    questions = [question for section in context.design_json["sections"] for question in section["questions"]]
    source = seeded_words(1)
    for person in range(TWINS):
        truth = [below(true_codes(question), source) for question in questions]
        words: list[int] = []

        def noted(words: list[int] = words) -> int:
            words.append(source.draw())
            return words[-1]

        drawn = draw_coins(design, noting := RandomWords(source.bits, noted))
        arm = arm_of(design, drawn)
        group = OPEN if design.open_answers and person % 3 == 0 else DISGUISED
        code = draw_code(source) if design.lasting_sections else None
        record = disguise(design, drawn, group if arm is None else arm, truth, code)
        key = "".join(f"{below(256, noting):02x}" for _ in range(16))
        people.append({"group": group, "answers": truth, "words": words, "code": code and list(code)})
        expected.append(Envelope(key, record))
    replies = context.ask(
        "requests",
        design=context.design_json,
        fingerprint=design.fingerprint,
        study=study_of(design),
        bits=source.bits,
        people=people,
    )
    for reply, envelope in zip(replies, expected, strict=True):
        if reply != {"body": envelope.json, "receipt": envelope.record.json, "wrong": None}:
            return failed(
                "from the same words the modules as served make another request than the server's twin"
            )
        read_record(design, parse_envelope(reply["body"].encode()).record)
    return held(
        f"{TWINS} simulated people get the same request, byte for byte, from the browser's program and the server's"
    )
