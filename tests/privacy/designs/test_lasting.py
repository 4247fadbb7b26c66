"""A disguise that lasts, in designs: what is read, what is refused, and what may change from round to round."""

import json
from fractions import Fraction
from typing import Any

import pytest

from privacy.designs import Design
from privacy.guarantee.design_guarantees import audit
from privacy.guarantee.repeated_surveys import person_guarantee, repeated_guarantee
from tests.privacy import questionnaires as q
from tests.privacy.strategies import present

PRINT = "0123456789abcdef" * 4
TAX = q.question("tax", *q.HALF, text={"en": "Did you hide income?", "fr": "Un revenu caché ?"})
LASTING = q.sensitive("0.81", TAX, lasting="0.9")
TENS = ([q.question(f"q{s}{n}", *q.HALF) for n in range(10)] for s in range(5))
FIVE_OF_TEN = [q.sensitive("0.2", *ten, lasting="0.5") for ten in TENS]


def next_design(first: Design, *sections: dict[str, Any], **more: Any) -> Design:
    more = {"languages": ["en", "fr"], "follows": first.fingerprint, "study": first.fingerprint, **more}
    return q.design(*sections, **more)


def first_round(*sections: dict[str, Any]) -> Design:
    return q.design(*(sections or (LASTING,)), languages=["en", "fr"])


def test_lasting_is_beside_keep_and_is_canonical_where_it_is_used() -> None:
    found = json.loads(first_round().canonical)
    assert (found["sections"][0]["keep"], found["sections"][0]["lasting"]) == ("0.8100", "0.9000")
    assert "study" not in found
    assert "lasting" not in q.design(q.sensitive("0.81", TAX), languages=["en", "fr"]).canonical
    assert json.loads(next_design(first_round(), LASTING).canonical)["study"] == first_round().fingerprint


def test_what_cannot_last_is_refused() -> None:
    one = q.sensitive("0.5", q.question("a", *q.HALF))
    hidden = q.sensitive("0.3", q.question("a", *q.HALF, **q.IF_EMPLOYED), lasting="0.9")
    nine, direct = {"lasting": "0.9"}, {"direct": "0.5", "open_answers": False}
    place = q.place_in_row("a", {"r": [0, 1], "s": [2, 3]}, 4, 1, "2.00")
    kinds = [q.plain(q.WORK), place, q.crosswise("a", "0.25"), q.subset(4, 2, "0.5")]
    kinds += [q.window("a", 10, 1), q.classes("a", "0.5", 0, 5, 9)]
    cases: list[tuple[list[Any], dict[str, Any], str, str]] = [
        ([one | {"keep": "0.9"} | nine], {}, "lasting: must be above keep (0.9000)", ""),
        ([q.plain(q.WORK), hidden], {}, "sections[1].lasting: ", "'a' is shown only after some answers"),
        ([LASTING], direct, "direct: ", "nobody is asked directly"),
        ([LASTING], {"follows": PRINT}, "study: must be the fingerprint of the first survey", ""),
        ([LASTING], {"study": PRINT}, "study: is only for a design that follows another", ""),
        ([one], {"study": PRINT}, "study: is only for a design with a section", ""),
        (FIVE_OF_TEN, {}, "sections: too many sections whose disguise lasts", ""),
        *(([of | nine], {}, "", f"not that of the kind {of['kind']}") for of in kinds),
    ]
    for sections, more, begin, words in cases:
        said = q.refusal(q.design, *sections, **{"languages": ["en", "fr"], **more})
        assert begin in said, said
        assert words in said, said


def test_codes_of_eighty_bits_cover_nine_sections_of_three_questions_but_not_ten() -> None:
    """(1-a) Q is 0.3077/8 each: ten give 2^-47.004, just below the least."""
    ten = [
        q.sensitive("0.4792", *(q.question(f"q{s}{n}", *q.HALF) for n in range(3)), lasting="0.6923")
        for s in range(10)
    ]
    assert "too many sections" in q.refusal(q.design, *ten)
    assert len(q.design(*ten[:9]).lasting_sections) == 9


def test_all_rounds_of_a_lasting_section_count_once_and_others_multiply() -> None:
    fresh = q.sensitive("0.5", q.question("fresh", *q.HALF))
    first = first_round(LASTING, fresh)
    rounds = [
        next_design(first, LASTING, fresh, minutes=2),
        next_design(first, LASTING, fresh, minutes=1),
        first,
    ]
    rounds[0] = next_design(first, LASTING, fresh, follows=rounds[1].fingerprint)
    assert present(repeated_guarantee(rounds)).gamma == 19 * 3**3


def test_the_audit_states_a_lasting_section_for_all_rounds() -> None:
    """a = .9, r = .9: gamma_1 = 19, one record 181/19; of T rounds 1 + .9 X / (1 + .05 X), X = 19^T - 1."""
    (section,) = audit(first_round(), Fraction(1, 10), Fraction(1, 10), Fraction(9, 10)).as_json()["sections"]
    assert section["gamma"] == "19/1"
    assert section["lasting"]["one_departure"] == "19/1"
    rounds = section["lasting"]["rounds"]
    two = Fraction(19**2 - 1) * Fraction(9, 10) / (1 + Fraction(19**2 - 1, 20)) + 1
    assert rounds["1"] == ["181/19"]
    assert [Fraction(gamma) for gamma in rounds["2"]] == [two, 19 * two, 19**2 * two]
    assert rounds["all"] == ["19/1", "361/1", "6859/1"]
    assert two < Fraction(rounds["5"][0]) < 19


def test_the_audit_judges_a_lasting_section_by_all_rounds() -> None:
    """keep .5, lasting .99: one record has gamma 3 and all rounds 199, above the limit 19 of .05 to .5."""
    found = q.design(q.sensitive("0.5", q.question("a", *q.HALF), lasting="0.99"))
    verdict = audit(found, Fraction(1, 20), Fraction(1, 20), Fraction(1, 2))
    assert (verdict.person, verdict.together) == (person_guarantee(found), False)
    assert verdict.as_json()["person"] == {
        "gamma": "199/1",
        "epsilon": pytest.approx(5.293305),
        # 199 * .05 / (1 + 198 * .05), rounded up.
        "posterior": pytest.approx(0.912845, abs=1e-6),
        "admissible": False,
    }
    assert [section.name for section in verdict.breaks] == ["sections[0]"]


def test_a_later_round_whose_lasting_sections_differ_is_refused() -> None:
    first, asks = first_round(), {"en": "Did you ever hide income?", "fr": "Un revenu caché ?"}
    for sections in (
        [q.sensitive("0.8", TAX, lasting="0.9")],
        [q.sensitive("0.81", TAX, lasting="0.95")],
        [q.sensitive("0.81", TAX | {"name": "income"}, lasting="0.9")],
        [q.sensitive("0.81", TAX | {"noise": ["0.4", "0.6"]}, lasting="0.9")],
        [q.sensitive("0.81", TAX | {"text": asks}, lasting="0.9")],
        [q.sensitive("0.81", TAX, q.question("more", *q.HALF), lasting="0.9", asked=1)],
        [LASTING, q.sensitive("0.81", q.question("added", *q.HALF), lasting="0.9")],
    ):
        assert "lasts" in q.refusal(repeated_guarantee, [next_design(first, *sections), first]), sections
    # In another order, one left out, or of another study.
    other = q.sensitive("0.5", q.question("drugs", *q.HALF), lasting="0.6")
    first = first_round(LASTING, other)
    fresh = q.design(q.sensitive("0.5", TAX), languages=["en", "fr"], follows=first.fingerprint)
    for later, begin, words in (
        (next_design(first, other, LASTING), "sections[0]: its disguise lasts", ""),
        (next_design(first, LASTING), "sections: ", "none left out"),
        (next_design(first, LASTING, other, study=PRINT), "study: must be", ""),
        (fresh, "", "none left out"),
    ):
        said = q.refusal(repeated_guarantee, [later, first])
        assert (said.startswith(begin), words in said) == (True, True), said


def test_a_later_round_may_translate_and_change_what_does_not_last() -> None:
    first = first_round(LASTING)
    translated = {**TAX, "text": {**TAX["text"], "fr": "Avez-vous caché un revenu ?"}}
    later = next_design(first, q.plain(q.WORK), q.sensitive("0.81", translated, lasting="0.9"))
    assert present(repeated_guarantee([later, first])).gamma == 19
