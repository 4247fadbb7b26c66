"""What is stated of a person's protection, against the law of every record by brute force."""

from itertools import product
from math import comb, prod

from privacy.guarantee.chain import person_guarantee
from privacy.kinds.mined_law import Protected
from privacy.records import DISGUISED
from proof.checks.law import MOST_RECORDS, MOST_TUPLES, JsonSection, alone, sections_of
from proof.context import ProofContext
from proof.outcome import Outcome, failed, held
from proof.record_law import Law, RuledOut, ends_of_classes, largest_ratio, record_law, true_codes


def guarantee(context: ProofContext) -> Outcome:
    """Brute force over true answers and records where these are few; the formula beside it."""
    laws = {number: section.law for number, section in enumerate(context.design.sections, 1) if section.law}
    if not laws:
        return held("no section is sensitive, so nothing is promised")
    tried = 0
    json_of = dict(sections_of(context))
    for number, stated in laws.items():
        section = json_of.get(number)
        rows = _rows(section, stated.protects) if section else None
        if rows is None:
            continue
        tried += 1
        try:
            largest = largest_ratio(rows)
        except RuledOut as record:
            return failed(f"the record {record} is impossible for some true answers, so it rules them out")
        if largest != stated.gamma:
            return failed(
                f"section {number}: by brute force a record changes the odds by up to {float(largest):.4f}, "
                f"and the formula says {float(stated.gamma):.4f}"
            )
    person = person_guarantee(context.design)
    assert person is not None
    return held(
        f"brute force over {tried} of {len(laws)} sensitive sections finds the formula's factor; all answers of a "
        f"person change the odds of anything at most {float(person.gamma):.2f} times (epsilon {person.epsilon(2)})"
    )


def _rows(section: JsonSection, protects: Protected) -> list[Law] | None:
    """P(record | true answer) for all true answers that are protected; None where they are too many."""
    question, *others = section["questions"]
    codes = prod(map(true_codes, section["questions"]))
    truths: list[tuple[int, ...]]
    if question.get("law") == "classes":
        truths = [(code,) for code in ends_of_classes(question)]
    elif codes > MOST_RECORDS:
        return None
    else:
        truths = list(product(*(range(true_codes(each)) for each in (question, *others))))
    if protects is Protected.INSIDE:
        inside = {name for region in question["regions"] for name in region["cells"]}
        truths = [(code,) for (code,) in truths if question["cells"][code]["name"] in inside]
    subsets = comb(len(section["questions"]), section.get("asked", len(section["questions"])))
    if len(truths) ** 2 * subsets > MOST_TUPLES:
        return None
    return [record_law(alone(section), DISGUISED, truth) for truth in truths]
