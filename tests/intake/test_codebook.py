"""The codebook and the scripts that leave with a record file: what they say of each kind of question."""

import ast
import io
import re
from dataclasses import replace
from typing import Any
from zipfile import ZipFile

from intake.recordfiles.analysis_scripts import PYTHON, R
from intake.recordfiles.download import stream_zip
from intake.recordfiles.record_file_rows import has_rules_that_reveal_plain
from intake.recordfiles.spss_and_stata_variables import question_words
from privacy.designs import Design
from privacy.records import RecordRow
from tests.intake import asked
from tests.intake.asked import codebook
from tests.intake.test_recordfile_kinds import ARMS, HOMES, NUMBERS, ROWS, SETS
from tests.privacy.questionnaires import (
    HALF,
    WORK,
    classes,
    design,
    place_in_row,
    plain,
    question,
    sensitive,
    window,
)

YES_NO = ["no", "yes"]
HOW_OFTEN = ["never", "once | twice", "often"]
STOLEN = {"en": "Stolen?", "zh-hans": "偷过吗？"}
THEFT = {"name": "theft", "choices": YES_NO, "noise": ["0.4", "0.6"]}
LATE = {"name": "late", "choices": YES_NO, "noise": ["0.7", "0.3"], "show_if": {"age": ["40+"]}}
OFTEN = {"name": "how often", "choices": HOW_OFTEN, "noise": ["0.5", "0.3", "0.2"]}
HIDDEN: dict[str, Any] = {"kind": "unrelated-question", "keep": "0.3"}
ASKS = asked.make_design(
    {"kind": "plain", "questions": [{"name": "age", "role": "quasi", "choices": ["18-39", "40+"]}]},
    HIDDEN | {"asked": 2, "questions": [{**THEFT, "text": STOLEN}, LATE, OFTEN]},
    languages=["en", "zh-hans"],
    open_answers=True,
)
OF_ASKS = [RecordRow(1, (0, 1, 2, 0)), RecordRow(1, (0, 1, 2, 1)), RecordRow(0, (1, 0, 0, 3))]


def design_about_theft(rule: bool = False, **more: Any) -> Design:
    stolen = {**THEFT, "show_if": {"work": ["employed"]}} if rule else THEFT
    return asked.make_design(plain(WORK), HIDDEN | {"questions": [stolen]}, **more)


DEBT = classes("debt", "0.5", 0, 500, 1000)
ODD = design(place_in_row("home", {"north | south": [0]}, 3, 1, "6"))
TELLS = "A rule still reveals something of a withheld answer"
CSV, SAV = "records.csv", "records.sav"
DIRECTLY = replace(ASKS, open_answers=False, direct_parts=5_000)
GROUPED = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
OF_OFTEN = ["**how often** (variable `how_often`)", "| 1 | once \\| twice | once \\| twice | 0.3000 |"]
OF_SETS = ["each device sends d = 2 of the K = 5 choices", "keep p = 0.7000", "| d | d |"]
OF_SETS += ["z_b = ( 1[the set holds b] − q ) / (p − q)"]
# Of each file the facts that are there, and those that are not. Whole codebooks stand in the golden files.
BOOKS: list[tuple[Design, str, list[str], list[str]]] = [
    (
        ASKS,
        CSV,
        [
            *(ASKS.fingerprint, "Records: 3, of which 2 disguised and 1 open", "keep p = 0.3000"),
            *("asked s = 2 of 3 questions", "| yes | Yes | 0.6000 |", "| never | never | 0.5000 |"),
            *("| once \\| twice | once \\| twice | 0.3000 |", "Shown only if: age = 40+", "Stolen?"),
            *("use only the records whose device drew all of S", "analysis.R", "analysis.py"),
        ],
        ["has an apostrophe (') before it"],
    ),
    (ASKS, SAV, [*OF_OFTEN, "| -3 | withheld"], []),
    (DIRECTLY, CSV, ["decided who was asked directly"], ["chose"]),
    # Nothing of what does not apply.
    (design(plain(WORK)), CSV, [], ["keep p", "RRreg", "region"]),
    (GROUPED, CSV, [], ["asked directly", "crosswise"]),
    (design(window("income", 5, 1)), CSV, [], ["keep p", "P(x ≥ t_i)"]),
    (design(DEBT), CSV, [], ["Fejér"]),
    # What rules tell of withheld answers, where there are both.
    (design_about_theft(rule=True, open_answers=True), CSV, [TELLS], []),
    (design_about_theft(rule=True), CSV, [], [TELLS]),
    (design_about_theft(open_answers=True), CSV, [], [TELLS]),
    (
        NUMBERS,
        CSV,
        [
            *("numbers: from -4 to 4 by steps of 2, V = 5 of them", "h = 1 steps", "uniform 1 − u = 0.5000"),
            *("- unit: points", "limits: 500, 1000; every device draws m = 1 of these", "keep p = 0.5000"),
            *("from 0 (or less) to 1000 (or more) by steps of 1", "| >=500 | 500 euros or more |"),
            *("Not the mean: the devices did not prepare it", "or - where it does not apply"),
            *("Shown only if: work = employed", "All about a number is among those to whom it applies."),
        ],
        ["No single record can be undone"],
    ),
    # The mean only where devices prepared it.
    (
        design(classes("debt", "0.5", 0, 500, 1000, rest=2)),
        CSV,
        ["of each class, the mean", "| rest=1 | inside the class: yes |"],
        ["Not the mean"],
    ),
    (
        design(classes("debt", "0.5", 0, 500, 1000, cuts=2)),
        CSV,
        ["limits: 500, 1000; every device uses all m = 2 of these, and sends"],
        ["draws m", "the device drew"],
    ),
    (NUMBERS, SAV, ["the value where it does not apply: -6", "| 5 | >=1000 | 1000 euros or more |"], []),
    (HOMES, CSV, ["|A| = 5 lie inside 2 regions", "keep b = 0.6667", "| north | 3 | c0, c1, c2 |"], []),
    (ODD, CSV, [r"| north \| south | 1 | c0 |"], []),
    *((SETS, file, OF_SETS, ["a+b"]) for file in (CSV, SAV)),
    (ARMS, CSV, ["decided who was asked directly", "a crosswise question", "keep p = 0.5068"], []),
]


def codebook_rows(of: Design = ASKS, file: str = CSV, language: str = "en") -> str:
    none = [RecordRow(1, (0,) * len(of.questions))]
    rows = OF_ASKS if of.questions == ASKS.questions else ROWS.get(of, none)
    return codebook(asked.used_rows(of, rows), file, "Survey", language)


def test_codebook_holds_the_expected_text() -> None:
    for of, file, present, absent in BOOKS:
        page = codebook_rows(of, file)
        assert [part for part in present if part not in page] == []
        assert [part for part in absent if part in page] == []
    assert "place" not in codebook_rows(design(plain(WORK))).lower().replace("replace", "")
    # In the reader's language of the survey.
    assert "偷过吗？" in codebook_rows(language="zh-hans")
    assert "Stolen?" in codebook_rows(language="de")
    assert "分" in codebook_rows(NUMBERS, language="zh-hans")


def test_codebook_without_numbers_does_not_mention_them() -> None:
    for kind in ("csv", "parquet", "sav"):
        with_numbers, page = (codebook_rows(of, f"records.{kind}") for of in (NUMBERS, ASKS))
        # The functions of a script are the same for all surveys; what it says of this one stands before them.
        said, _functions, _rest = R.script(ASKS, f"records.{kind}", "Theft").partition("function(")
        for word in ("limits", "quantile", "window"):
            assert (word in with_numbers, word in page, word in said) == (True, False, False)


def test_codebook_rules_cover_direct_records_and_table_rows_use_their_own_text() -> None:
    assert has_rules_that_reveal_plain(ARMS)
    row = {"choices": ["no", {"name": "yes", "label": {"en": "Wholly"}}], "form": "one", "of": "views"}
    words = ["Roads", "Schools"]
    found = design(plain(*({**row, "name": text.lower(), "text": text} for text in words))).questions
    assert [question_words(each, "en") for each in found] == words


# --- the scripts

IN_R = {
    "csv": 'read.csv("records.csv", colClasses = "character"',
    "parquet": 'arrow::read_parquet("records.parquet")',
    "sav": 'haven::read_sav("records.sav", user_na = TRUE)',
    "dta": 'haven::read_dta("records.dta")',
}
IN_PYTHON = {
    "csv": 'open("records.csv", newline="", encoding="utf-8")',
    "parquet": 'parquet.read_table("records.parquet")',
    "sav": 'pyreadstat.read_sav("records.sav", user_missing=True',
    "dta": 'pyreadstat.read_dta("records.dta", user_missing=True',
}
CLOSING = {")": "(", "]": "[", "}": "{"}


def test_script_reads_its_neighbouring_file_and_closes_it() -> None:
    for kind, reader in IN_R.items():
        script = R.script(ASKS, f"records.{kind}", "Theft")
        assert reader in script
        opened: list[str] = []
        for sign in re.sub(r'"(?:[^"\\]|\\.)*"|#.*', "", script):
            if sign in CLOSING.values():
                opened.append(sign)
            elif sign in CLOSING:
                assert opened.pop() == CLOSING[sign], kind
        assert opened == []
        script = PYTHON.script(ASKS, f"records.{kind}", "Theft")
        assert IN_PYTHON[kind] in script
        compile(script, "analysis.py", "exec")


def test_scripts_hold_keep_and_noise_of_each_sensitive_question() -> None:
    script = R.script(ASKS, CSV, "Theft")
    for noise in ("c(0.4000, 0.6000)", "c(0.7000, 0.3000)", "c(0.5000, 0.3000, 0.2000)"):
        assert f"keep = 0.3000, noise = {noise}" in script
    assert 'variable = "how_often", name = "how often", column = "how often"' in script
    assert 'cells = c("never", "once | twice", "often")' in script
    assert "keep=0.3000, noise=[0.5000, 0.3000, 0.2000]" in PYTHON.script(ASKS, CSV, "Theft")


def test_titles_and_names_cannot_escape_into_script_code() -> None:
    names = ['"); unlink("*', "a\\b", "雪", "😀", "'+x+'"]
    questions = [{"name": name, "choices": YES_NO} for name in names]
    of = asked.make_design({"kind": "unrelated-question", "keep": "0.5", "questions": questions})
    title = "x\nunlink('*')\r\u2028system('x')"
    in_r, in_python = (language.script(of, CSV, title) for language in (R, PYTHON))
    for script in (in_r, in_python):
        assert script.startswith("# x unlink('*') system('x')\n# ")
    for name in (r"\"); unlink(\"*", r"a\\b", r"\u96ea", r"\U0001f600"):
        assert f'name = "{name}"' in in_r
    assignments = (node for node in ast.walk(ast.parse(in_python)) if isinstance(node, ast.Assign))
    listed = next(node for node in assignments if ast.unparse(node.targets[0]) == "questions")
    calls = [node for node in ast.walk(listed.value) if isinstance(node, ast.Call)]
    fields = [next(field.value for field in call.keywords if field.arg == "name") for call in calls]
    assert [ast.literal_eval(field) for field in fields] == names


def test_script_names_equal_the_file_cells() -> None:
    question = {"name": "-q", "choices": ["=1+1", "b"], "noise": ["0.5", "0.5"]}
    of = asked.make_design({"kind": "unrelated-question", "keep": "0.5", "questions": [question]})
    script = R.script(of, CSV, "t")
    assert """name = "-q", column = "'-q",""" in script
    assert """cells = c("'=1+1", "b"), answers = c("=1+1", "b")""" in script
    assert """cells=["'=1+1", 'b'], answers=['=1+1', 'b']""" in PYTHON.script(of, CSV, "t")
    for file in ("records.parquet", SAV):
        assert 'cells = c("=1+1", "b")' in R.script(of, file, "t")
    said = "has an apostrophe (') before it"
    assert (said in codebook_rows(of), said in codebook_rows(of, "records.parquet")) == (True, False)


def test_bundle_is_a_zip_streamed_in_pieces() -> None:
    pieces = list(stream_zip([("a.txt", [b"one", b" two"]), ("b/c.txt", [b"x" * 10_000])]))
    assert len(pieces) > 2
    with ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert archive.testzip() is None
        assert (archive.read("a.txt"), archive.read("b/c.txt")) == (b"one two", b"x" * 10_000)
        assert {info.date_time[0] for info in archive.infolist()} == {1980}
