"""The audit of crosswise questions, arms and surveys that follow each other."""

import json
from pathlib import Path
from typing import Any

import pytest

from privacy.designs import parse
from tests.privacy.questionnaires import crosswise, drawn, plain, question, sensitive, written
from tests.privacy.test_audit import refused, said

THEFT = sensitive("0.5", question("theft", "0.5", "0.5"))
"""gamma 3"""
TAX = crosswise("tax", "0.25")
"""gamma 3 too: .75/.25"""


def saved(path: Path, *sections: dict[str, Any], **more: Any) -> Path:
    path.write_text(json.dumps(written(*sections, open_answers=False, **more)))
    return path


def fingerprint(path: Path) -> str:
    return parse(path.read_text()).fingerprint


@pytest.mark.parametrize(
    ("share", "gamma"),
    [("0.25", "3/1"), ("0.75", "3/1"), ("0.05", "19/1"), ("0.2466", "3767/1233"), ("0.95", "19/1")],
)
def test_gamma_of_a_crosswise_question_is_the_ratio_of_the_shares(
    tmp_path: Path, share: str, gamma: str
) -> None:
    found, message = said(saved(tmp_path / "d.json", crosswise("tax", share)))
    assert found["person"]["gamma"] == found["sections"][0]["gamma"] == gamma
    assert message == ""


def test_crosswise_and_other_sections_multiply(tmp_path: Path) -> None:
    found, _ = said(saved(tmp_path / "d.json", THEFT, TAX))
    assert found["person"]["gamma"] == "9/1"


def test_arms_are_said_and_gamma_is_of_the_disguised_arm(tmp_path: Path) -> None:
    found, _ = said(saved(tmp_path / "d.json", THEFT, direct="0.5"))
    assert found["arms"] == {"direct": "1/2"}
    assert found["person"]["gamma"] == "3/1"
    assert found["together"]["says"] == (
        "All sections together keep the limit. This holds for the disguised arm only; nothing is promised to anybody "
        "who is asked directly."
    )
    assert "arms" not in said(saved(tmp_path / "d.json", THEFT))[0]


def test_over_a_chain_of_surveys_the_gammas_multiply(tmp_path: Path) -> None:
    first = saved(tmp_path / "1.json", THEFT)
    second = saved(tmp_path / "2.json", THEFT, TAX, follows=fingerprint(first))
    third = saved(tmp_path / "3.json", TAX, follows=fingerprint(second))
    found, _ = said(third, "--follows", second, "--follows", first)
    assert found["chain"] == {"gamma": "81/1", "epsilon": 4.39445}
    assert found["person"]["gamma"] == "3/1"
    assert "chain" not in said(third)[0]


def test_a_chain_must_be_the_one_that_the_designs_name(tmp_path: Path) -> None:
    first = saved(tmp_path / "1.json", THEFT)
    other = saved(tmp_path / "other.json", TAX)
    second = saved(tmp_path / "2.json", TAX, follows=fingerprint(first))
    third = saved(tmp_path / "3.json", TAX, follows=fingerprint(second))
    assert refused(second, "--follows", other)[1].startswith(f"follows: is {fingerprint(first)}, not ")
    assert refused(third, "--follows", second)[1].endswith("is missing: give it too")
    assert refused(first, "--follows", other)[1].startswith("follows: this design follows none")


def test_a_chain_of_plain_questions_promises_nothing(tmp_path: Path) -> None:
    age = plain({"name": "age", "choices": ["young", "old"]})
    first = saved(tmp_path / "1.json", age)
    second = saved(tmp_path / "2.json", age, follows=fingerprint(first))
    assert "chain" not in said(second, "--follows", first)[0]


VERSION = plain(drawn("version", "0.5", "0.5"))
SECRET, OPPOSITE = "Was your mother born in winter?", "Was your mother born in spring, summer or autumn?"
ONCE = crosswise("tax", "0.25", secret=SECRET)


@pytest.mark.parametrize(
    ("again", "fits"),
    [
        (crosswise("tax", "0.25", secret="Is your phone number even?"), True),
        (crosswise("tax", "0.25", secret="  was your mother\nborn in WINTER?"), False),
        # Another question, and a secret that is the opposite of what is asked now: still the same coin.
        (crosswise("other", "0.75", secret=OPPOSITE, turned_by="version", turned=SECRET), False),
    ],
)
def test_a_secret_that_an_earlier_survey_asked_leaves_no_guarantee(
    tmp_path: Path, again: dict[str, Any], fits: bool
) -> None:
    """Gamma 3 twice would state 9. But the secret of a person is the same in both waves, so that one record "yes" and
    one "no" prove that the private answer changed: under no change their probability is 0.
    """
    first = saved(tmp_path / "1.json", VERSION, ONCE)
    second = saved(tmp_path / "2.json", VERSION, again, follows=fingerprint(first))
    if fits:
        assert said(second, "--follows", first)[0]["chain"]["gamma"] == "9/1"
    else:
        assert "with the same secret, which nobody draws anew" in refused(second, "--follows", first)[1]
    # By brute force, over the secret of one person: who answers the same both times sends the same both times.
    law = {(secret, truth): int(secret != truth) for secret in (0, 1) for truth in (0, 1)}
    both = {truth: {(law[secret, truth], law[secret, truth]) for secret in (0, 1)} for truth in (0, 1)}
    assert all((0, 1) not in sent and (1, 0) not in sent for sent in both.values())
