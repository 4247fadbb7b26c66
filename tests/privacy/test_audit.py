import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from candor.__main__ import main

ROOT = Path(__file__).parents[2]
PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["young", "old"]}]}


def sensitive(questions: int, keep: str, first: int = 0) -> dict[str, Any]:
    names = [f"q{place}" for place in range(first, first + questions)]
    return {
        "kind": "unrelated-question",
        "keep": keep,
        "questions": [{"name": name, "choices": ["no", "yes"]} for name in names],
    }


TEN = {
    "gamma": "1025/1",
    "epsilon": 6.932448,
    "posterior": 0.981801,
    "admissible_keep": "0.0172",
    "admissible": False,
    "leakage": {"bits": 4.005588, "largest_distance": 4.005588},
}


def saved(folder: Path, *sections: dict[str, Any]) -> Path:
    path = folder / "design.json"
    path.write_text(json.dumps({"format": "candor-design/1", "sections": sections}, indent=1))
    return path


def run(*arguments: str | Path) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(["audit", *map(str, arguments)])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


def said(*arguments: str | Path) -> tuple[Any, str]:
    status, out, err = run(*arguments)
    assert status == 0
    return json.loads(out), err


def refused(*arguments: str | Path) -> tuple[int, str]:
    """Its status and the reason, on one line."""
    status, out, err = run(*arguments)
    assert out == ""
    return status, err.splitlines()[-1].removeprefix("CommandError: ")


def test_it_says_exactly_the_stated_json(tmp_path: Path) -> None:
    assert said(saved(tmp_path, sensitive(10, "0.5"))) == (
        {
            "person": {"gamma": "1025/1", "epsilon": 6.932448, "posterior": 0.981801, "admissible": False},
            "together": {
                "limit": "19/1",
                "breaks": ["sections[0]"],
                "says": "By itself, each of these breaks the limit: sections[0].",
            },
            "sections": [TEN],
        },
        "",
    )


def test_plain_sections_are_left_out_and_it_says_which_the_others_are(tmp_path: Path) -> None:
    path = saved(tmp_path, PLAIN, sensitive(10, "0.5"), sensitive(1, "0.5", first=10))
    found, message = said(path)
    assert [section["gamma"] for section in found["sections"]] == ["1025/1", "3/1"]
    assert found["person"]["gamma"] == "3075/1"
    assert message == "Sensitive, in this order: sections[1], sections[2]\n"


def test_a_design_without_sensitive_questions_has_nothing_to_say(tmp_path: Path) -> None:
    assert said(saved(tmp_path, PLAIN)) == (
        {
            "person": {"gamma": None, "epsilon": None, "posterior": None, "admissible": None},
            "together": {
                "limit": "19/1",
                "breaks": [],
                "says": "No section is sensitive, so nothing is disguised and nothing promised.",
            },
            "sections": [],
        },
        "",
    )


def test_sections_that_keep_the_limit_alone_and_break_it_together_are_told_apart(tmp_path: Path) -> None:
    # Two questions at keep one half: gamma 1 + 1/(1/4) = 5 < 19, and 5 * 5 = 25 > 19.
    found, message = said(saved(tmp_path, sensitive(2, "0.5"), sensitive(2, "0.5", first=2)))
    assert [section["admissible"] for section in found["sections"]] == [True, True]
    # At odds of 1 to 19 before: 25 to 19 after, 25/44 rounded up.
    assert found["person"] == {
        "gamma": "25/1",
        "epsilon": 3.218876,
        "posterior": 0.568182,
        "admissible": False,
    }
    assert found["together"] == {
        "limit": "19/1",
        "breaks": ["sections[0]", "sections[1]"],
        "says": "Each section keeps the limit by itself, but not these together: sections[0], sections[1].",
    }
    assert message == "Each section keeps the limit, but all together break it.\n"


def test_sections_that_keep_the_limit_together_are_admissible_together(tmp_path: Path) -> None:
    # 5 * 3 = 15 < 19; at odds of 1 to 19 before, 15/34 after.
    found, message = said(saved(tmp_path, sensitive(2, "0.5"), sensitive(1, "0.5", first=2)))
    assert found["person"] == {
        "gamma": "15/1",
        "epsilon": 2.708051,
        "posterior": 0.441177,
        "admissible": True,
    }
    assert found["together"] == {
        "limit": "19/1",
        "breaks": [],
        "says": "All sections together keep the limit.",
    }
    assert message == ""


def test_a_product_that_just_reaches_the_limit_breaks_it(tmp_path: Path) -> None:
    # From .25 to .75 the odds grow ninefold, and 3 * 3 = 9 reaches .75.
    path = saved(tmp_path, sensitive(1, "0.5"), sensitive(1, "0.5", first=1))
    found, _ = said(path, "--prior", ".25", "--rho1", ".25", "--rho2", ".75")
    assert found["person"] == {"gamma": "9/1", "epsilon": 2.197225, "posterior": 0.75, "admissible": False}
    assert found["together"]["limit"] == "9/1"
    assert found["together"]["breaks"] == ["sections[0]", "sections[1]"]


def test_the_sections_that_break_the_limit_are_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """At keep one half gamma is 3 for one question, 5 for two, 9, 17, and 33 for five. The limit is 19."""
    cases: list[tuple[tuple[int, ...], list[int]]] = [
        ((3,), []),
        ((2, 1), []),
        ((5,), [0]),
        ((5, 5, 1), [0, 1]),
        ((1, 5), [1]),
        ((1, 2, 2), [1, 2]),
        ((1, 3, 2), [0, 1, 2]),
        ((2, 1, 1), [0, 1, 2]),
        ((1, 1, 1), [0, 1, 2]),
        ((4, 1, 1), [0, 1, 2]),
    ]
    for questions, breaks in cases:
        with subtests.test(f"{questions}"):
            first = [sum(questions[:place]) for place in range(len(questions))]
            sections = [sensitive(of, "0.5", first=at) for of, at in zip(questions, first, strict=True)]
            found, message = said(saved(tmp_path, PLAIN, *sections))
            # The plain section comes first in the design, and is not counted among the audit's.
            assert found["together"]["breaks"] == [f"sections[{place + 1}]" for place in breaks]
            assert found["person"]["admissible"] is (not breaks)
            alone = [not section["admissible"] for section in found["sections"]]
            assert ("but all together break it" in message) is (bool(breaks) and not any(alone))


def test_help_says_what_together_means() -> None:
    status, told, _err = run("--help")
    assert status == 0
    assert "together.breaks" in told


def test_the_prior_and_the_breach_can_be_chosen(tmp_path: Path) -> None:
    found, _ = said(saved(tmp_path, sensitive(1, "0.5")), "--prior", "0.25")
    # odds 1:3, times 3
    assert found["sections"][0]["posterior"] == 0.5
    # From .25 to .5 the odds grow threefold: Warner at one half just reaches it.
    found, _ = said(saved(tmp_path, sensitive(1, "0.5")), "--rho1", ".25", "--rho2", ".5")
    assert (found["sections"][0]["admissible_keep"], found["sections"][0]["admissible"]) == ("0.4999", False)


def test_what_is_no_design_is_refused_with_the_place(tmp_path: Path) -> None:
    missing, path = f"{tmp_path}/nowhere.json", tmp_path / "design.json"
    assert refused(tmp_path / "nowhere.json") == (1, f"{missing}: cannot be read (No such file or directory)")
    path.write_text('{"format": "candor-design/1",\n "sections": [}\n')
    status, reason = refused(path)
    assert (status, str(path) in reason, "line 2" in reason) == (1, True, True)
    path = saved(tmp_path, PLAIN, sensitive(2, "1.5"))
    status, reason = refused(path)
    assert (status, str(path) in reason, "sections[1].keep" in reason) == (1, True, True)


def test_a_nonsensical_option_and_a_breach_upwards_are_matters_of_usage(tmp_path: Path) -> None:
    path = saved(tmp_path, sensitive(1, "0.5"))
    for odd in (
        *(("--prior", "1"), ("--rho1", "0"), ("--rho2", "half"), ("--keep", ".5")),
        *(("--rho1", ".5", "--rho2", ".5"), ("--rho1", ".5", "--rho2", ".05")),
    ):
        status, _reason = refused(path, *odd)
        assert status == 2, odd


@pytest.mark.proof
def test_the_process_succeeds_with_status_0_and_imports_none_of_the_heavy_libraries(tmp_path: Path) -> None:
    program = (
        "import sys; from candor.__main__ import main; main(['audit', sys.argv[1]]);"
        "print(sorted({'numba', 'pandas'} & set(sys.modules)))"
    )
    path = saved(tmp_path, sensitive(10, "0.5"))
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    found, heavy = done.stdout.rstrip().rsplit("\n", 1)
    assert json.loads(found)["sections"] == [TEN]
    assert heavy == "[]"


def test_a_missing_file_and_a_wrong_use_end_with_their_status(tmp_path: Path) -> None:
    asked = saved(tmp_path, sensitive(1, "0.5"))
    for words, wanted in (([str(tmp_path / "nowhere.json")], 1), ([str(asked), "--rho1", ".6"], 2)):
        status, out, err = run(*words)
        assert (status, out) == (wanted, "")
        assert err.count("\n") == 1 if status == 1 else err
