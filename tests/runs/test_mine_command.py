"""candor mine, as it is run."""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from candor.__main__ import COMMANDS, main
from candor.commands import mine
from mining.engines import row_comparison
from tests.mining.listed import assert_close
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, make_design, plain, question, sensitive
from tests.runs.sealed import Done, Folder

pytestmark = pytest.mark.page
ROOT = Path(__file__).parents[2]
DESIGN = make_design(
    plain(WORK), sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED), question("lying", *HALF))
)

# 100 open, 200 disguised; of the employed half steal, and everybody who steals lies.
OPEN = ["open,employed,yes,yes"] * 20 + ["open,employed,no,no"] * 20 + ["open,not,-,no"] * 60
DISGUISED = (
    ["disguised,employed,yes,yes"] * 45
    + ["disguised,employed,yes,no"] * 15
    + ["disguised,employed,no,yes"] * 15
    + ["disguised,employed,no,no"] * 25
    + ["disguised,not,-,yes"] * 30
    + ["disguised,not,-,no"] * 70
)
TRUTH = [*OPEN[:40], *["open,not,,no"] * 60]
TRUTH += (
    ["disguised,employed,yes,yes"] * 60 + ["disguised,employed,no,no"] * 40 + ["disguised,not,no,no"] * 100
)
HEADER = "group,work,theft,lying"
TELLS_ALL = "Everything is told, small classes too: --told REPORT.json mines what a report may tell."
JOINED = "Itemsets and rules that join plain and sensitive answers are of people who chose disguise."
ASKED = ("--min-support", ".1", "--min-confidence", ".5")

Run = Callable[..., Done]
DONE: dict[tuple[object, ...], Done] = {}
"""By all files and arguments: the same are mined once."""
LITTLE = ("--min-support", ".05", "--min-confidence", ".1")


def file(rows: list[str]) -> str:
    return "\n".join([HEADER, *rows, ""])


@pytest.fixture
def run(folder: Folder) -> Run:
    folder.write_all(design=DESIGN, records=[HEADER, *OPEN, *DISGUISED], truth=[HEADER, *TRUTH])

    def run(
        *arguments: str,
        records: str = "records.csv",
        asked: tuple[str, ...] = ASKED,
        is_patched: bool = False,
    ) -> Done:
        words = ("mine", "design.json", records, *asked, *arguments)
        if is_patched:
            return folder.run(*words)
        key = (words, *((path.name, path.read_bytes()) for path in sorted(folder.folder.iterdir())))
        if key not in DONE:
            DONE[key] = folder.run(*words)
        return DONE[key]

    return run


def test_mine_command_prints_itemsets_and_rules(run: Run) -> None:
    # The shape of what is said.
    done = run()
    assert done.err.splitlines() == [TELLS_ALL, JOINED]
    assert " ".join(done.output) == "respondents open k estimator engine alike itemsets rules"
    assert " ".join(done.output["itemsets"][0]) == (
        "items base observed support pooled se low high low_listed high_listed expected_w"
    )
    joined = next(rule for rule in done.output["rules"] if "among" in rule)
    assert " ".join(joined) == (
        "antecedent consequent support confidence lift antecedent_support consequent_support confidence_low "
        "confidence_high confidence_low_listed confidence_high_listed consequent_low consequent_high lift_low "
        "lift_high lift_low_listed lift_high_listed p q eligible list rank association under under_list "
        "among"
    )
    # The numbers of the file.
    numbers = [done.output[name] for name in ("respondents", "open", "estimator", "engine")]
    assert numbers == [300, 100, "stratified", "bitmap"]
    assert done.output["k"] == pytest.approx(1 / 3)
    # A hidden question counts among all who were asked and among those shown.
    # Open: 20. Disguised: (60 - 100 * .25) / .5 = 70 of those 100 to whom it applies. So 90 of 300.
    theft = done.itemset("theft=yes")
    assert (theft["base"], theft["observed"]) == (300, pytest.approx(80 / 300))
    assert theft["support"] == pytest.approx(0.3)
    # 40 open and 100 disguised are employed.
    assert (theft["shown"], theft["share_shown"]) == (140, pytest.approx(90 / 140))
    assert 0 < theft["low_shown"] < theft["share_shown"] < theft["high_shown"] < 1
    # Only what a rule can hide has a share among those shown.
    for entry in done.output["itemsets"]:
        behind = any(item.startswith("theft") for item in entry["items"])
        assert [name in entry for name in ("shown", "share_shown", "low_shown", "high_shown")] == [behind] * 4
    # The other measures of mlxtend are there when asked for.
    more = run("--measures", "mlxtend").output["rules"][0]
    names = "leverage conviction zhangs_metric jaccard certainty kulczynski representativity"
    assert more.keys() - done.output["rules"][0].keys() == {*names.split()}


def test_an_itemset_has_at_most_an_item_of_each_question(run: Run) -> None:
    assert run("--max-size", "9" * 20).output == run("--max-size", "3").output


def test_what_joins_plain_and_sensitive_answers_is_of_those_who_chose_disguise(run: Run) -> None:
    """Of the 200 disguised 100 are employed; of these (60 - 25) / .5 = 70 steal."""
    done = run("--max-size", "2", "--absences")
    joined = {tuple(entry["items"]): entry for entry in done.output["itemsets"] if "among" in entry}
    assert {tuple(item.split("=")[0] for item in items) for items in joined} == {("work", "lying")}
    for entry in joined.values():
        assert (entry["among"], entry["base"]) == ("of people who chose disguise", 200)
    # Nobody else than the employed is asked about theft, so "employed and theft" says what theft says.
    assert not any(set(items) == {"work=employed", "theft=yes"} for items in joined)
    for rule in done.output["rules"]:
        questions = {item.split("=")[0] for item in (*rule["antecedent"], *rule["consequent"])}
        assert ("among" in rule) == (questions == {"work", "lying"})
        # 40 open and 100 disguised are employed, and so could give an answer to both questions.
        assert rule["eligible"] == (140 if questions == {"theft", "lying"} else 200)
    # Intervals in the list hold those of each alone; a badge says what the interval of lift says.
    for entry in run(asked=("--min-support", ".28", "--min-confidence", ".5")).output["itemsets"]:
        assert entry["low_listed"] <= entry["low"] < entry["high"] <= entry["high_listed"]
    for rule in run("--absences", asked=LITTLE).output["rules"]:
        low, high = rule["lift_low_listed"], rule["lift_high_listed"]
        if low is not None:
            less = "less often together" if high and high < 1 else "not shown"
            assert rule["association"] == ("more often together" if low > 1 else less)


def test_itemsets_are_by_support_and_rules_by_p(run: Run) -> None:
    for engine in ("bitmap", "mlxtend"):
        mined = run("--exact", "--engine", engine, "--absences", asked=LITTLE).output
        supports = [round(entry["support"], 9) for entry in mined["itemsets"]]
        assert supports == sorted(supports, reverse=True), engine
        p = [rule["p"] for rule in mined["rules"]]
        assert p == pytest.approx(sorted(p), rel=1e-6, abs=1e-12), engine
        ranks = [rule["rank"] for rule in mined["rules"]]
        assert ranks == sorted(ranks), engine
        assert set(ranks) == set(range(1, max(ranks) + 1)), engine


def test_mined_supports_by_hand(run: Run) -> None:
    # Two items of a section share their noise.
    # Open: 20. Disguised: (45 - 100 * .125) / .5 = 65. Lying among the employed: 20, and (60 - 25) / .5 = 70.
    done = run()
    assert done.itemset("theft=yes", "lying=yes")["support"] == pytest.approx(85 / 300)
    sides = (["lying=yes"], ["theft=yes"])
    rule = next(rule for rule in done.output["rules"] if (rule["antecedent"], rule["consequent"]) == sides)
    # Compared are the 140 employed, who could have stolen: 90 of them do.
    assert rule["eligible"] == 140
    assert rule["confidence"] == pytest.approx(85 / 90)
    assert rule["lift"] == pytest.approx(85 / 90 / (90 / 140))
    # A plain item is not disguised, and absences are items if asked for.
    assert done.itemset("work=employed")["support"] == pytest.approx(140 / 300)
    assert not any("lying=no" in entry["items"] for entry in done.output["itemsets"])
    assert run("--absences").itemset("lying=no")["support"] == pytest.approx(200 / 300)
    # Both engines say the same.
    ours, theirs = run("--exact").output, run("--exact", "--engine", "mlxtend").output
    assert (ours.pop("engine"), theirs.pop("engine")) == ("bitmap", "mlxtend")
    assert_close(ours, theirs)


def test_the_truth_tells_how_far_off_each_support_is_and_what_is_found_too_much(run: Run) -> None:
    done = run("--truth", "truth.csv")
    # Truly 80 of 300 steal, and all of them lie.
    assert done.itemset("theft=yes")["w"] == pytest.approx(10 / 300)
    assert done.itemset("theft=yes", "lying=yes")["w"] == pytest.approx(5 / 300)
    # Truly frequent: employed, not, theft, lying, theft and lying, and 60 of 200 disguised who are employed and lie.
    # Who steals is employed: that is no finding. Reconstructed too, and besides "not" and lying: of the disguised
    # (30 - 25) / .5 = 10 of 200. 90, 100 and 85 of 300 reach .28 where truly 80 do not: theft, lying, and both; .301
    # is reached by lying, and of the disguised by the employed who lie: (60 - 25) / .5 = 70 of 200 where truly 60 do.
    for least, wrong in ((".1", 0), (".033", 1), (".28", 3), (".301", 2)):
        asked = ("--min-support", least, "--min-confidence", ".5")
        truth = run("--truth", "truth.csv", asked=asked).output["truth"]
        assert (truth["false_positives"], truth["false_negatives"]) == (wrong, 0), least
    # Rho is the mean error of what is rightly found.
    rho = run("--truth", "truth.csv", "--max-size", "1").output["truth"]["rho_by_size"]
    # Employed and not: 0. Theft: 10 of 80. Lying: 20 of 80. In percent, over four.
    assert rho == {"1": pytest.approx((0 + 0 + 12.5 + 25) / 4)}


@pytest.mark.at_push(1)
@pytest.mark.parametrize("more", [(), ("--exact",), ("--absences", "--max-size", "2")])
def test_a_check_says_what_mlxtend_found_too(run: Run, more: tuple[str, ...]) -> None:
    done = run("--check", *more)
    mined = done.output
    many = {"itemsets": len(mined["itemsets"]), "rules": len(mined["rules"])}
    assert min(many.values()) > 1
    nothing = {"scored": 0, "difference": None}
    assert mined["check"] == {"mlxtend": "0.25.0", "equal": True, **many, **nothing}
    same = f"mlxtend 0.25.0’s apriori found the same {many['itemsets']} itemsets, and its association_rules gives the"
    assert f"{same} same {many['rules']} rules of their supports." in done.err
    assert {key: value for key, value in mined.items() if key != "check"} == run(*more).output


def test_a_check_says_where_mlxtend_finds_something_else(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_comparison, "_rules_by_mlxtend", lambda _parts: {})
    done = run("--check", is_patched=True)
    check = done.output["check"]
    assert not check["equal"]
    sides = (check["difference"]["items"], check["difference"]["consequent"])
    first = next(rule for rule in done.output["rules"] if (rule["antecedent"], rule["consequent"]) == sides)
    assert check["difference"]["candor"] == first["confidence"]
    assert check["difference"]["mlxtend"] is None
    assert "mlxtend 0.25.0 finds something else than Candor, so one of them is wrong." in done.err


def test_withheld_plain_answers_leave_those_who_chose_disguise(run: Run) -> None:
    withheld = [row.replace("employed", "?").replace("not", "?") for row in OPEN]
    Path("withheld.csv").write_text(file(withheld + DISGUISED))
    done = run("--truth", "truth.csv", records="withheld.csv")
    assert "of people who chose disguise" in done.err
    employed, theft = done.itemset("work=employed"), done.itemset("theft=yes")
    assert (employed["base"], employed["support"]) == (200, pytest.approx(0.5))
    # Half of the disguised truly are employed.
    assert employed["w"] == pytest.approx(0.0)
    assert employed["among"] == "of people who chose disguise"
    assert theft["base"] == 300
    assert "among" not in theft


def test_supports_that_fit_together_stand_beside_the_raw_ones(run: Run) -> None:
    raw, done = run("--absences"), run("--absences", "--coherent")
    assert "Coherent supports fit together, but have no error of their own" in done.err
    for before, entry in zip(raw.output["itemsets"], done.output["itemsets"], strict=True):
        assert {name: value for name, value in entry.items() if name != "coherent"} == before
    coherent = {frozenset(entry["items"]): entry["coherent"] for entry in done.output["itemsets"]}
    # Whoever lies does it with or without stealing: the parts add up, and none is above the whole.
    yes, no = coherent[frozenset({"lying=yes"})], coherent[frozenset({"lying=no"})]
    assert yes + no == pytest.approx(1)
    for itemset, support in coherent.items():
        assert 0 <= support <= min(coherent[frozenset({item})] for item in itemset) + 1e-12


def test_more_than_twelve_items_are_not_made_to_fit(run: Run) -> None:
    names = [f"q{place}" for place in range(13)]
    design = make_design(sensitive("0.9", *(question(name, *HALF) for name in names)))
    Path("design.json").write_text(json.dumps(design))
    rows = [",".join(["group", *names]), *[",".join(["disguised", *["yes"] * 13])] * 60, ""]
    Path("many.csv").write_text("\n".join(rows))
    assert len(run("--max-size", "1", records="many.csv").output["itemsets"]) == 13
    refusal = run("--max-size", "1", "--coherent", records="many.csv").refusal
    assert "coherent: the itemsets found have 13 different items, more than the 12 that it can do" in refusal


def report(hidden: list[str], *questions: list[str]) -> str:
    classes = [{"question": "work", "answers": hidden}] if hidden else []
    return json.dumps({"told": {"hidden": classes, "questions": questions}})


def test_files_and_thresholds_are_refused_in_one_line_with_the_reason(run: Run) -> None:
    Path("bad.csv").write_text(file([*OPEN[:3], "open,employed,maybe,no"]))
    assert "bad.csv:5: theft: 'maybe' is not one of its choices" in run(records="bad.csv").refusal
    assert "nothing.csv: cannot be read (No such file or directory)" in run(records="nothing.csv").refusal
    assert "min_support" in run(asked=("--min-support", "0", "--min-confidence", ".5")).refusal
    Path("other.csv").write_text(file(TRUTH[:-1]))
    assert "other.csv: 299 respondents, but 300 records" in run("--truth", "other.csv").refusal
    assert run("--estimator", "best").status == 2
    # A file that is no report of this survey.
    for text in ("", "[]", "{}", '{"told": 7}', report(["work=unknown"]), report([], ["age"])):
        Path("report.json").write_text(text)
        assert "report.json" in run("--told", "report.json").refusal, text
    assert "cannot be read" in run("--told", "no.json").refusal


def test_mine_command_skips_what_a_report_may_not_disclose(run: Run) -> None:
    Path("report.json").write_text(report(["work=not"], ["work", "lying"]))
    done = run("--told", "report.json")
    items = {tuple(entry["items"]) for entry in done.output["itemsets"]}
    assert done.err.startswith("Of what the report may not tell nothing was looked at.\n")
    assert ("work=employed",) in items
    assert not any("work=not" in names or {"work=employed", "lying"} <= {*names} for names in items)
    # Nor is it in the group test, where Holm's p of one test is its own, and of several it is larger.
    everything = {test["item"]: test["p"] for test in run().output["alike"]["items"]}
    assert {"work=not", "theft=yes", "lying=yes"} <= everything.keys()
    Path("report.json").write_text(report([], ["work"]))
    (lying,) = run("--told", "report.json").output["alike"]["items"]
    assert lying["item"] == "lying=yes"
    assert lying["p"] <= everything["lying=yes"]


def process(*arguments: str, **how: Any) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "candor", "mine", "design.json", *arguments, *ASKED]
    env = os.environ | {"PYTHONPATH": str(ROOT)} | how.pop("env", {})
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, env=env, **how)


@pytest.mark.night
def test_the_answer_is_utf8_whatever_the_locale(run: Run) -> None:
    del run  # for its folder and files
    job = {"name": "工作", "choices": ["受雇", "无"]}
    Path("design.json").write_text(
        json.dumps(make_design(plain(job), sensitive("0.3", question("é", *HALF))))
    )
    Path("names.csv").write_text("group,工作,é\n" + "disguised,受雇,yes\n" * 200, encoding="utf-8")
    done = process("names.csv", stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr.decode()) == (0, f"{TELLS_ALL}\n")
    assert "工作=受雇" in done.stdout.decode()
    assert ["工作=受雇", "é=yes"] in [entry["items"] for entry in json.loads(done.stdout)["itemsets"]]


def assert_says_that_the_disk_is_full(status: int, err: str) -> None:
    assert status == 1
    said = err.splitlines()
    assert said[-1] == "candor: standard output: cannot be written (No space left on device)"
    assert said[:-1] == [TELLS_ALL, JOINED]


def test_a_full_disk_is_refused_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        done = run(is_patched=True)
    assert_says_that_the_disk_is_full(done.status, done.err)


@pytest.mark.night
def test_a_process_whose_disk_is_full_is_refused_in_one_line(run: Run) -> None:
    del run
    with Path("/dev/full").open("wb") as full:
        done = process("records.csv", stdout=full)
    assert_says_that_the_disk_is_full(done.returncode, done.stderr.decode())


def test_records_of_a_spreadsheet_are_read_and_a_file_without_records_is_refused(run: Run) -> None:
    Path("excel.csv").write_text(file(OPEN + DISGUISED).replace(",", ";"), encoding="utf-16")
    Path("empty.csv").write_text(HEADER)
    assert run(records="excel.csv").output == run().output
    for engine in ("bitmap", "mlxtend"):
        assert "holds no record" in run("--engine", engine, records="empty.csv").refusal


def test_a_long_search_says_what_it_counts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mine, "SOON", -1.0)
    assert "Itemsets of 2 are counted ..." in run(is_patched=True).err


def test_help_explains_every_argument(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        module = import_module(f"candor.commands.{name.replace('-', '_')}")
        parser = ArgumentParser()
        module.add_arguments(parser)
        assert [action.dest for action in parser._actions if not action.help] == [], name
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        said = capsys.readouterr().out
        assert " ".join(module.HELP.split()[:4]) in said
        assert "exit status: 0" in said
