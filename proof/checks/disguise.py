"""Checks of the disguise by the served modules: fair random coins, the probabilities of records, and the guarantee."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from heapq import heapify, heappop, heapreplace
from itertools import chain, product
from math import comb, gcd, prod
from typing import Any

from scipy.special import chdtrc

from privacy.designs import parse_design
from privacy.designs.design import FORMAT
from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import PARTS
from privacy.guarantee.repeated_surveys import person_guarantee
from privacy.kinds.disguise_law_interface import Protected
from privacy.mechanisms.permanent_draws import study_fingerprint
from privacy.mechanisms.random_draws import sides_of_coins
from privacy.records import DISGUISED, OPEN
from proof.outcome import Outcome, outcome_failed, outcome_held, outcome_unchecked
from proof.proof_context import ProofContext
from proof.record_probabilities import (
    Law,
    RuledOut,
    largest_ratio,
    number_of_true_codes,
    record_law,
    true_answers_at_class_ends,
)

JsonSection = dict[str, Any]
PROBABILITY = re.compile(r"0\.[0-9]{4}")
MOST_TUPLES = 300_000
"""Most records that are enumerated for one section: combinations of coins times true answers."""
MOST_TRUTHS = 12
MOST_RECORDS = 2_000
"""Most different records that one chi-square test compares."""
DRAWS = 20_000
LASTING_DRAWS = 2_000
"""Number of draws per test of a lasting disguise; each draw takes four digests for each of some true answers."""
FEW = 5
"""Least expected count of a chi-square cell; rarer cells are merged."""
FALSE_ALARM = 1e-8
SHORT = 16
"""Number of bits of a random word in the test, so that all words can be tried."""
TEXTS = ("text", "label", "help", "intro", "unit")
DRAWN_TRUTHS = 3
RANDOMISED = ("unrelated-question", "number", "place", "subset")
NOT_RANDOMISED = ("plain", "crosswise")
"""Kinds for which the device draws nothing: of a crosswise question the respondent's own secret is the coin."""


def check_coin_fairness(context: ProofContext) -> Outcome:
    if context.device is None:
        return outcome_unchecked(context.why)
    numbers = sorted({n for n in [*sides_of_coins(context.design), 256] if n <= 2**SHORT})
    for n in numbers:
        reply = context.run_operation("below", n=n, bits=SHORT)
        rounds, again = divmod(2**SHORT, n)
        if set(reply["counts"]) != {rounds} or reply["again"] != again:
            return outcome_failed(
                f"of all words of {SHORT} bits, some of {n} sides come more often than others"
            )
    more = f" and {len(numbers) - 5} other numbers of" if numbers[5:] else ""
    sides = ", ".join(map(str, numbers[:5])) + more
    return outcome_held(f"all words of {SHORT} bits give each side equally often, for coins of {sides} sides")


# --- the law of each section ---


def check_record_probabilities(context: ProofContext) -> Outcome:
    if context.device is None:
        return outcome_unchecked(context.why)
    enumerated = drawn = 0
    lasting = {
        number: section["lasting"]
        for number, section in enumerate(context.design_json["sections"], 1)
        if "lasting" in section
    }
    for number, section in randomised_sections(context):
        forms = (
            form for form in (section, enumerable_section(section)) if form and coin_sides_if_enumerable(form)
        )
        form = next(forms, None)
        problem = compare_enumerated_records(context, form) if form else ""
        if form is not section and not problem:
            problem = compare_drawn_records(context, section)
            drawn += 1
        if number in lasting and not problem:
            problem = compare_lasting_records(context, section, lasting[number])
        if problem:
            return outcome_failed(f"section {number}: {problem}")
        enumerated += form is not None
    unknown = {section["kind"] for section in context.design_json["sections"]} - {
        *RANDOMISED,
        *NOT_RANDOMISED,
    }
    if unknown:
        return outcome_unchecked(f"this check knows no probabilities of the kind {min(unknown)}")
    if not enumerated + drawn:
        return outcome_held("no section of this survey draws random numbers for its answers")
    chances = f"; of {drawn} sections {DRAWS} draws each fit theirs (chi-square)" if drawn else ""
    if lasting:
        chances += (
            f"; of {len(lasting)} sections {LASTING_DRAWS} codes each give lasting draws and records that fit theirs, "
            "and one code the same lasting draws again"
        )
    return outcome_held(f"all coins of {enumerated} sections give exactly the stated probabilities{chances}")


def randomised_sections(context: ProofContext) -> Iterator[tuple[int, JsonSection]]:
    """Yields the number and content of each randomised section, without show-if rules."""
    for number, section in enumerate(context.design_json["sections"], 1):
        if section["kind"] in RANDOMISED:
            bare = without_texts(section)
            bare.pop("lasting", None)  # the law of one round is that of the section without it
            bare.pop("order", None)
            for question in bare["questions"]:
                question.pop("shuffled", None)
                question["show_if"] = {}
            yield number, bare


def without_texts(node: Any) -> Any:
    """Returns a copy of a section without its texts, since a section by itself states no languages for them."""
    if isinstance(node, list):
        return [without_texts(item) for item in node]
    if isinstance(node, dict):
        return {key: {} if key in TEXTS else without_texts(value) for key, value in node.items()}
    return node


def single_section_design(section: JsonSection) -> dict[str, Any]:
    """Returns the JSON of a design that has only this section."""
    return {"format": FORMAT, "sections": [section]}


def coin_modulus(section: JsonSection) -> int:
    """Returns the smallest number of coin sides for which each probability of the section is a whole
    number of sides."""
    values = [section.get("keep"), section.get("keep_rest"), section["questions"][0].get("uniform")]
    values += [part for question in section["questions"] for part in question.get("noise", [])]
    texts = (text for text in values if isinstance(text, str) and PROBABILITY.fullmatch(text))
    return PARTS // reduce(gcd, (int(text[2:]) for text in texts), PARTS)


def enumerable_section(section: JsonSection) -> JsonSection | None:
    """Returns a coarse section of the same kind, with probabilities in tenths and few questions; None if there is none.

    Its coins are few enough to be enumerated unless it has very many choices.
    """
    result: JsonSection = {**section, "questions": []}
    result |= {key: "0.6000" for key in ("keep", "keep_rest") if key in section}
    questions = section["questions"][:2] if section["kind"] == "unrelated-question" else section["questions"]
    if "asked" in section:
        result["asked"] = 1 if section["asked"] < len(section["questions"]) else len(questions)
    for question in questions:
        coarse_question = dict(question)
        if "noise" in question:
            tenths = len(question["noise"]) - 1
            if tenths >= 10:
                return None
            coarse_question["noise"] = ["0.1000"] * tenths + [f"0.{(10 - tenths) * 1000:04d}"]
        if "uniform" in question:
            coarse_question |= {"uniform": "0.4000", "values": 7, "window": min(question["window"], 2)}
        result["questions"].append(coarse_question)
    return result


def true_answers_to_try(section: JsonSection) -> Sequence[tuple[int, ...]]:
    """Returns all true answers of a section if they are few; else those at the ends of number classes, or a
    selection."""
    questions = section["questions"]
    counts = [number_of_true_codes(question) for question in questions]
    if prod(counts) <= MOST_TRUTHS:
        return list(product(*map(range, counts)))
    if questions[0].get("law") == "classes":
        return [(code,) for code in true_answers_at_class_ends(questions[0])][:MOST_TRUTHS]
    if len(questions) == 1:
        (n,) = counts
        return [(code,) for code in sorted({0, n - 1, *range(0, n, -(-n // 10))})][:MOST_TRUTHS]
    shifted = [tuple((i + shift) % n for i, n in enumerate(counts)) for shift in range(MOST_TRUTHS)]
    return list(dict.fromkeys(shifted))


def people_to_try(section: JsonSection, *groups: int) -> list[dict[str, Any]]:
    return [
        {"group": group, "answers": list(truth)} for group in groups for truth in true_answers_to_try(section)
    ]


def coin_sides_if_enumerable(section: JsonSection) -> list[int]:
    """Returns the number of sides of each coin of a section; empty if the combinations are too many to enumerate."""
    try:
        (parsed,) = parse_design(json.dumps(single_section_design(section))).sections
    except InputError:
        return []
    numbers = list(parsed.sides_of_coins(coin_modulus(section)))
    return numbers if prod(numbers) * 2 * len(true_answers_to_try(section)) <= MOST_TUPLES else []


def compare_enumerated_records(context: ProofContext, section: JsonSection) -> str:
    """Enumerates all coins of a section; returns a message if the records' probabilities differ from its law, else an
    empty text."""
    people, numbers = people_to_try(section, DISGUISED, OPEN), coin_sides_if_enumerable(section)
    reply = context.run_operation(
        "laws",
        design=single_section_design(section),
        sides=numbers,
        bits=max(numbers).bit_length(),
        modulus=coin_modulus(section),
        people=people,
    )
    if "counts" not in reply:
        return "the modules as served draw fewer coins than the design says"
    for person, counts in zip(people, reply["counts"], strict=True):
        stated = record_law(single_section_design(section), person["group"], person["answers"])
        if {text: Fraction(count, prod(numbers)) for text, count in counts.items()} != stated:
            return f"the coins do not give the stated probabilities for the true answers {person['answers']}"
    return ""


def compare_drawn_records(context: ProofContext, section: JsonSection) -> str:
    """Draws `DRAWS` records of a section; returns a message if their frequencies do not fit its law, else an empty
    text."""
    people = sample_people(section)
    reply = context.run_operation("draws", design=single_section_design(section), n=DRAWS, people=people)
    return next(
        (f"{DRAWS} draws {problem}" for problem in law_mismatches(section, people, reply["counts"])), ""
    )


def compare_lasting_records(context: ProofContext, section: JsonSection, lasting: str) -> str:
    """Draws records of one round of a lasting disguise; returns a message if they do not fit their law, else an empty
    text.

    `lasting`: the keep probability of the permanent draw, whose frequencies are compared too.
    """
    people = sample_people(section)
    whole, permanent = {**section, "lasting": lasting}, {**section, "keep": lasting}
    reply = context.run_operation(
        "lastingDraws",
        design=single_section_design(whole),
        study=study_fingerprint(context.design),
        n=LASTING_DRAWS,
        people=people,
    )
    if not reply["stays"]:
        return "one code does not give the same lasting draws again"
    problems = chain(
        law_mismatches(section, people, reply["counts"]),
        law_mismatches(permanent, people, reply["permanents"]),
    )
    return next((f"{LASTING_DRAWS} lasting draws {problem}" for problem in problems), "")


def sample_people(section: JsonSection) -> list[dict[str, Any]]:
    """Returns a few disguised people with different true answers, as JSON for the served modules."""
    everybody = people_to_try(section, DISGUISED)
    return everybody[:: max(1, len(everybody) // DRAWN_TRUTHS)][:DRAWN_TRUTHS]


def law_mismatches(
    section: JsonSection, people: Sequence[dict[str, Any]], drawn: Sequence[Mapping[str, int]]
) -> Iterator[str]:
    """Yields a message for each person whose drawn answer texts do not fit the probability law."""
    for person, counts in zip(people, drawn, strict=True):
        for stated, observed in laws_to_compare(section, person["answers"], counts):
            if (p := chi_square_p(stated, observed)) < FALSE_ALARM:
                yield f"for the true answers {person['answers']} do not fit the probabilities (p = {p:.1e})"


def laws_to_compare(
    section: JsonSection, answers: list[int], counts: Mapping[str, int]
) -> Iterator[tuple[Law, Mapping[str, int]]]:
    """Yields pairs of stated law and observed counts: of whole records if there are few, else question by question."""
    questions = section["questions"]
    asked = section.get("asked", len(questions))
    records = prod(len(question.get("choices", [])) or 1 for question in questions)
    records *= comb(len(questions), asked)
    if len(questions) == 1 or records <= MOST_RECORDS:
        yield record_law(single_section_design(section), DISGUISED, answers), counts
        return
    start, share = 0, Fraction(asked, len(questions))
    for question, answer in zip(questions, answers, strict=True):
        not_asked = len(question["choices"])
        width = len(str(not_asked + 1))
        single = {**section, "asked": 1, "questions": [question]}
        stated = {
            text: share * p
            for text, p in record_law(single_section_design(single), DISGUISED, [answer]).items()
        }
        if share < 1:
            stated[str(not_asked).rjust(width, "0")] = 1 - share
        observed = Counter[str]()
        for text, count in counts.items():
            observed[text[start : start + width]] += count
        yield stated, observed
        start += width


def chi_square_p(stated: Law, observed: Mapping[str, int]) -> float:
    """Returns the p-value of the observed counts under the stated law (chi-square test); 0 for an impossible record.

    The rarest records are merged until `FEW` of each cell are expected.
    """
    if any(count and not stated.get(text) for text, count in observed.items()):
        return 0.0
    n = sum(observed.values())
    cells = [(float(probability) * n, observed.get(text, 0)) for text, probability in stated.items()]
    heapify(cells)
    while len(cells) > 1 and cells[0][0] < FEW:
        expected, count = heappop(cells)
        heapreplace(cells, (expected + cells[0][0], count + cells[0][1]))
    statistic = sum((count - expected) ** 2 / expected for expected, count in cells)
    return float(chdtrc(len(cells) - 1, statistic)) if len(cells) > 1 else 1.0


# --- what is stated of a person's protection ---


def check_guarantee(context: ProofContext) -> Outcome:
    """Compares the stated gamma of each section that is small enough with the gamma found by brute force over all
    records."""
    laws = {number: section.law for number, section in enumerate(context.design.sections, 1) if section.law}
    if not laws:
        return outcome_held("no section is sensitive, so nothing is promised")
    compared = 0
    for number, section in randomised_sections(context):
        stated = laws.get(number)
        record_laws = laws_of_protected_people(section, stated.protected_people) if stated else None
        if stated is None or record_laws is None:
            continue
        compared += 1
        try:
            largest = largest_ratio(record_laws)
        except RuledOut as record:
            return outcome_failed(
                f"the record {record} is impossible for some true answers, so it rules them out"
            )
        if largest != stated.gamma:
            return outcome_failed(
                f"section {number}: by brute force a record changes the odds by up to {float(largest):.4f}, "
                f"and the formula says {float(stated.gamma):.4f}"
            )
    person = person_guarantee(context.design)
    assert person is not None
    return outcome_held(
        f"brute force over {compared} of {len(laws)} sensitive sections finds the formula's factor; all answers of a "
        f"person change the odds of anything at most {float(person.gamma):.2f} times (epsilon {person.epsilon(2)})"
    )


def laws_of_protected_people(section: JsonSection, protects: Protected) -> list[Law] | None:
    """Returns the record probabilities P(record | true answer) for all true answers of protected people; None if too
    many."""
    questions = section["questions"]
    question, counts = questions[0], [number_of_true_codes(question) for question in questions]
    truths: list[tuple[int, ...]]
    if question.get("law") == "classes":
        truths = [(code,) for code in true_answers_at_class_ends(question)]
    elif prod(counts) > MOST_RECORDS:
        return None
    else:
        truths = list(product(*map(range, counts)))
    if protects is Protected.INSIDE:
        inside = {name for region in question["regions"] for name in region["cells"]}
        truths = [(code,) for (code,) in truths if question["cells"][code]["name"] in inside]
    subsets = comb(len(questions), section.get("asked", len(questions)))
    if len(truths) ** 2 * subsets > MOST_TUPLES:
        return None
    return [record_law(single_section_design(section), DISGUISED, truth) for truth in truths]
