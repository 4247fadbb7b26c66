"""Plans: read, canonical form, hash, and one line for each thing that is wrong."""

import json
from hashlib import sha256
from typing import Any

import pytest

from privacy.designs import InputError
from privacy.designs.hypothesis_plan import check_plan, check_plan_fingerprint, parse_plan
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

STUDY = design(
    plain({"name": "sex", "choices": ["f", "m"]}, {"name": "version", "choices": ["a", "b"]}),
    sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)),
)
SALT = "0123456789abcdef" * 2
EVERY: list[dict[str, Any]] = [
    {"name": "rare", "kind": "share", "item": "theft=yes", "than": "0.1"},
    {"name": "hidden", "kind": "arms", "item": "theft=yes"},
    {"name": "wording", "kind": "version", "item": "theft=yes", "by": "version"},
    {
        "name": "together",
        "kind": "association",
        "antecedent": ["theft=yes"],
        "consequent": ["drugs=yes", "sex=m"],
    },
    {
        "name": "men",
        "kind": "coefficient",
        "item": "theft=yes",
        "model": "linear",
        "covariates": ["sex", "arm"],
        "of": "sex=m",
    },
]


def written(hypotheses: list[dict[str, Any]], **more: Any) -> str:
    return json.dumps({"format": "candor-plan/1", "salt": SALT, "hypotheses": hypotheses, **more})


def test_all_kinds_are_read_and_written_in_canonical_form() -> None:
    plan = parse_plan(written(EVERY))
    expected = json.loads(written(EVERY))
    expected["hypotheses"][0]["than"] = "0.1000"
    assert json.loads(plan.canonical) == expected
    assert plan.canonical == json.dumps(expected, sort_keys=True, separators=(",", ":"))
    assert parse_plan(plan.canonical) == plan
    assert plan.fingerprint == sha256(plan.canonical.encode()).hexdigest()
    check_plan(plan, STUDY)


def test_another_salt_has_another_hash() -> None:
    plan = parse_plan(written(EVERY))
    other = parse_plan(written(EVERY, salt="f" * 32))
    assert plan.fingerprint != other.fingerprint
    check_plan_fingerprint(plan, plan.fingerprint)
    with pytest.raises(InputError, match="plan: its SHA-256 is not the one in the design"):
        check_plan_fingerprint(other, plan.fingerprint)


def changed(place: int, **more: Any) -> list[dict[str, Any]]:
    return [{**EVERY[place], **more}]


def test_what_is_wrong_is_refused_in_one_line(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ([], {}, "hypotheses: at least one hypothesis"),
        ([{**EVERY[0], "name": f"h{place}"} for place in range(21)], {}, "hypotheses: at most 20 hypotheses"),
        ([EVERY[0], EVERY[0]], {}, "hypotheses[1]: 'rare' appears twice"),
        (EVERY, {"salt": "f" * 31}, "salt: must be 32 digits"),
        (EVERY, {"format": "candor-plan/2"}, "format: must be candor-plan/1"),
        (EVERY, {"author": "me"}, "plan: unknown key 'author'"),
        (changed(0, kind="guess"), {}, "hypotheses[0].kind: 'guess' is not a kind of hypothesis"),
        ([{"name": "rare"}], {}, "hypotheses[0]: 'kind' is missing"),
        (changed(0, by="sex"), {}, "hypotheses[0]: unknown key 'by'"),
        (changed(0, than="1.2"), {}, "hypotheses[0].than: a probability of 1.2 is not allowed"),
        (changed(3, antecedent=[]), {}, "hypotheses[0].antecedent: must hold 1 to 20 names"),
        (changed(3, antecedent=["a=b", "a=b"]), {}, "hypotheses[0].antecedent: holds a name twice"),
        (changed(4, model="probit"), {}, "hypotheses[0].model: 'probit' is no model (linear, logit)"),
    ]
    for hypotheses, more, reason in cases:
        with subtests.test(f"{hypotheses!r:.60} {more!r:.60}"):
            with pytest.raises(InputError) as error:
                parse_plan(written(hypotheses, **more))
            assert str(error.value).startswith(reason)
            assert "\n" not in str(error.value)


def test_items_and_questions_that_the_design_lacks_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, dict[str, Any], str]] = [
        (0, {"item": "theft=maybe"}, "hypotheses[0]: the design has no answer 'theft=maybe'"),
        (1, {"item": "murder=yes"}, "hypotheses[0]: the design has no answer 'murder=yes'"),
        (2, {"by": "wave"}, "hypotheses[0]: the design has no question 'wave'"),
        (3, {"consequent": ["sex=x"]}, "hypotheses[0]: the design has no answer 'sex=x'"),
        (4, {"covariates": ["sex", "sex*age"]}, "hypotheses[0]: the design has no question 'age'"),
    ]
    for place, more, reason in cases:
        with subtests.test(f"{place!r:.60} {more!r:.60}"):
            with pytest.raises(InputError) as error:
                check_plan(parse_plan(written(changed(place, **more))), STUDY)
            assert str(error.value) == reason
