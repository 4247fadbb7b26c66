"""`candor audit`: what it prints of designs, arms and surveys that follow each other, and how it ends."""

import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import islice
from math import log2
from pathlib import Path
from typing import Any

import pytest

from candor.__main__ import main
from privacy.designs import parse_design
from tests.privacy.conftest import ROOT
from tests.privacy.questionnaires import (
    HALF,
    crosswise,
    drawn_question,
    make_design,
    plain,
    question,
    sensitive,
)

AGE = plain({"name": "age", "choices": ["young", "old"]})
THEFT, TAX = sensitive("0.5", question("theft", *HALF)), crosswise("tax", "0.25")
"""gamma 3 each: of the crosswise question .75/.25"""
ONCE_KEPT = "All sections together keep the limit."
ONCE_BROKEN = "Each section keeps the limit, but all together break it.\n"
PERSON: dict[str, Any] = {"gamma": "1025/1", "epsilon": 6.932448, "posterior": 0.981801, "admissible": False}
TEN = PERSON | {"admissible_keep": "0.0172", "leakage": {"bits": 4.005588, "largest_distance": 4.005588}}


def sized_sections(*questions: int, keep: str = "0.5") -> list[dict[str, Any]]:
    """Sections of so many yes/no questions each."""
    every = (question(f"q{place}", *HALF) for place in range(sum(questions)))
    return [sensitive(keep, *islice(every, number)) for number in questions]


def save_design(path: Path, *sections: dict[str, Any], **more: Any) -> Path:
    path.write_text(json.dumps(make_design(*sections, open_answers=False, **more), indent=1))
    return path


def save_following_design(path: Path, before: Path, *sections: dict[str, Any]) -> Path:
    return save_design(path, *sections, follows=parse_design(before.read_text()).fingerprint)


def run(*arguments: str | Path) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(["audit", *map(str, arguments)])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


def audit_output(*arguments: str | Path) -> tuple[Any, str]:
    status, out, err = run(*arguments)
    assert status == 0
    return json.loads(out), err


def audit_refusal(*arguments: str | Path) -> tuple[int, str]:
    """Its status and the reason, on one line."""
    status, out, err = run(*arguments)
    assert out == ""
    assert status == 2 or err.count("\n") == 1
    return status, err.splitlines()[-1].removeprefix("candor: ")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "design.json"


def test_audit_prints_exactly_the_stated_json(path: Path) -> None:
    alone = "By itself, each of these breaks the limit: sections[0]."
    together = {"limit": "19/1", "breaks": ["sections[0]"], "says": alone}
    assert audit_output(save_design(path, *sized_sections(10))) == (
        {"person": PERSON, "together": together, "sections": [TEN]},
        "",
    )
    nothing = "No section is sensitive, so nothing is disguised and nothing promised."
    together = {"limit": "19/1", "breaks": [], "says": nothing}
    found = {"person": dict.fromkeys(PERSON), "together": together, "sections": []}
    assert audit_output(save_design(path, AGE)) == (found, "")
    # At odds of 1 to 19 before: 25 to 19 after, 25/44 rounded up; and 15/34 after.
    both = {"gamma": "25/1", "epsilon": 3.218876, "posterior": 0.568182, "admissible": False}
    assert audit_output(save_design(path, *sized_sections(2, 2)))[0]["person"] == both
    both = {"gamma": "15/1", "epsilon": 2.708051, "posterior": 0.441177, "admissible": True}
    assert audit_output(save_design(path, *sized_sections(2, 1)))[0]["person"] == both


def test_the_sections_that_break_the_limit_together_are_named(path: Path, subtests: pytest.Subtests) -> None:
    """At keep one half gamma is 3 for one question, 5 for two, 9, 17, and 33 for five. The limit is 19."""
    apart = "Each section keeps the limit by itself, but not these together: "
    alone = "By itself, each of these breaks the limit: "
    for questions, breaks, says in (
        ((3,), [], ONCE_KEPT),
        ((2, 1), [], ONCE_KEPT),
        ((2, 2), [0, 1], apart),
        ((5, 5, 1), [0, 1], alone),
        ((1, 5), [1], alone),
        ((1, 2, 2), [1, 2], apart),
        ((1, 3, 2), [0, 1, 2], apart),
        ((4, 1, 1), [0, 1, 2], apart),
    ):
        with subtests.test(f"{questions}"):
            # The plain section comes first in the design, and is not counted among the audit's.
            found, message = audit_output(save_design(path, AGE, *sized_sections(*questions)))
            names = [f"sections[{place + 1}]" for place in breaks]
            assert found["together"]["breaks"] == names
            assert found["together"]["says"] == says + ", ".join(names) + "." * bool(breaks)
            assert found["person"]["admissible"] is (not breaks)
            assert (ONCE_BROKEN in message) is (says == apart)
            assert [each["admissible"] for each in found["sections"]] == [of < 5 for of in questions]


def test_audit_leaves_out_plain_sections_and_names_the_others(path: Path) -> None:
    found, message = audit_output(save_design(path, AGE, *sized_sections(10, 1)))
    assert [section["gamma"] for section in found["sections"]] == ["1025/1", "3/1"]
    assert found["person"]["gamma"] == "3075/1"
    assert message == "Sensitive, in this order: sections[1], sections[2]\n"
    assert "together.breaks" in run("--help")[1]


def test_audit_takes_prior_and_breach_levels(path: Path) -> None:
    # Odds 1:3, times 3. From .25 to .5 the odds grow threefold: Warner at one half just reaches it.
    (found,) = audit_output(
        save_design(path, *sized_sections(1)), "--prior", "0.25", "--rho1", ".25", "--rho2", ".5"
    )[0]["sections"]
    assert (found["posterior"], found["admissible_keep"], found["admissible"]) == (0.5, "0.4999", False)
    # From .25 to .75 the odds grow ninefold, and 3 * 3 = 9 reaches .75.
    found, _ = audit_output(
        save_design(path, *sized_sections(1, 1)), "--prior", ".25", "--rho1", ".25", "--rho2", ".75"
    )
    person = {"gamma": "9/1", "epsilon": 2.197225, "posterior": 0.75, "admissible": False}
    assert (found["person"], found["together"]["limit"]) == (person, "9/1")
    assert found["together"]["breaks"] == ["sections[0]", "sections[1]"]


def test_audit_refuses_other_files_by_place_and_wrong_usage_with_status_2(path: Path) -> None:
    assert audit_refusal(path) == (1, f"{path}: cannot be read (No such file or directory)")
    path.write_text('{"format": "candor-design/1",\n "sections": [}\n')
    status, reason = audit_refusal(path)
    assert (status, str(path) in reason, "line 2" in reason) == (1, True, True)
    status, reason = audit_refusal(save_design(path, AGE, *sized_sections(2, keep="1.5")))
    assert (status, str(path) in reason, "sections[1].keep" in reason) == (1, True, True)
    save_design(path, *sized_sections(1))
    for odd in ("--prior 1", "--rho1 0", "--rho2 half", "--keep .5", "--rho1 .5 --rho2 .5", "--rho1 .6"):
        assert audit_refusal(path, *odd.split())[0] == 2, odd
    for option in ("--prior", "--rho1", "--rho2"):
        said = f"argument {option}: must be a decimal between 0 and 1, such as .05"
        assert audit_refusal(path, option, "1")[1].endswith(said)


@pytest.mark.proof
def test_audit_process_ends_with_0_and_imports_nothing_heavy(path: Path) -> None:
    program = (
        "import sys; from candor.__main__ import main; main(['audit', sys.argv[1]]);"
        "print(sorted({'numba', 'pandas'} & set(sys.modules)))"
    )
    words = [sys.executable, "-c", program, str(save_design(path, *sized_sections(10)))]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    found, heavy = done.stdout.rstrip().rsplit("\n", 1)
    assert (json.loads(found)["sections"], heavy) == ([TEN], "[]")


def test_gamma_of_a_crosswise_question_is_the_ratio_of_the_shares_and_multiplies(path: Path) -> None:
    cases = {"0.25": "3/1", "0.75": "3/1", "0.05": "19/1", "0.2466": "3767/1233", "0.95": "19/1"}
    for share, gamma in cases.items():
        found, message = audit_output(save_design(path, crosswise("tax", share)))
        assert (found["person"]["gamma"], found["sections"][0]["gamma"], message) == (gamma, gamma, ""), share
    assert audit_output(save_design(path, THEFT, TAX))[0]["person"]["gamma"] == "9/1"


def test_audit_states_arms_and_the_gamma_of_the_disguised_arm(path: Path) -> None:
    found, _ = audit_output(save_design(path, THEFT, direct="0.5"))
    assert (found["arms"], found["person"]["gamma"]) == ({"direct": "1/2"}, "3/1")
    assert found["together"]["says"] == (
        f"{ONCE_KEPT} This holds for the disguised arm only; nothing is promised to anybody who is asked directly."
    )
    assert "arms" not in audit_output(save_design(path, THEFT))[0]


def test_chained_surveys_multiply_their_gammas(tmp_path: Path) -> None:
    first = save_design(tmp_path / "1.json", THEFT)
    second = save_following_design(tmp_path / "2.json", first, THEFT, TAX)
    third = save_following_design(tmp_path / "3.json", second, TAX)
    found, _ = audit_output(third, "--follows", second, "--follows", first)
    assert found["chain"] == {"gamma": "81/1", "epsilon": 4.39445}
    assert found["person"]["gamma"] == "3/1"
    assert "chain" not in audit_output(third)[0]
    # It must be the chain that the designs name.
    other, named = save_design(tmp_path / "other.json", TAX), parse_design(first.read_text()).fingerprint
    assert audit_refusal(second, "--follows", other)[1].startswith(f"follows: is {named}, not ")
    assert audit_refusal(third, "--follows", second)[1].endswith("is missing: give it too")
    assert audit_refusal(first, "--follows", other)[1].startswith("follows: this design follows none")
    # A chain of plain questions promises nothing.
    age = save_design(tmp_path / "age.json", AGE)
    assert (
        "chain"
        not in audit_output(save_following_design(tmp_path / "again.json", age, AGE), "--follows", age)[0]
    )


def test_repeated_secret_of_an_earlier_survey_leaves_no_guarantee(tmp_path: Path) -> None:
    """Gamma 3 twice would state 9. But the secret of a person is the same in both waves, so that one record "yes" and
    one "no" prove that the private answer changed: under no change their probability is 0.
    """
    version, secret = plain(drawn_question("version", *HALF)), "Was your mother born in winter?"
    opposite = "Was your mother born in spring, summer or autumn?"
    first = save_design(tmp_path / "1.json", version, crosswise("tax", "0.25", secret=secret))
    fresh = crosswise("tax", "0.25", secret="Is your phone number even?")
    second = save_following_design(tmp_path / "2.json", first, version, fresh)
    assert audit_output(second, "--follows", first)[0]["chain"]["gamma"] == "9/1"
    for again in (
        crosswise("tax", "0.25", secret="  was your mother\nborn in WINTER?"),
        # Another question, and a secret that is the opposite of what is asked now: still the same coin.
        crosswise("other", "0.75", secret=opposite, turned_by="version", turned=secret),
    ):
        second = save_following_design(tmp_path / "2.json", first, version, again)
        assert "with the same secret, which nobody draws anew" in audit_refusal(second, "--follows", first)[1]


def test_lasting_disguise_has_gamma_and_bits_for_all_rounds(tmp_path: Path) -> None:
    """For ever a yes is kept with .99, else drawn: .995 yes of those who do; one record alone would tell .19 bits."""
    path = save_design(tmp_path / "lasting.json", sensitive("0.5", question("theft", *HALF), lasting="0.99"))
    (section,) = audit_output(path)[0]["sections"]
    assert section["gamma"] == "199/1"
    assert section["leakage"]["bits"] == pytest.approx(
        1 + 0.995 * log2(0.995) + 0.005 * log2(0.005), abs=1e-6
    )
