import ast
import io
import re
from dataclasses import replace
from zipfile import ZipFile

import pytest

from intake.recordfiles.analysis_scripts import PYTHON, R, ScriptLanguage
from intake.recordfiles.download import stream_zip
from privacy.designs import Design
from privacy.records import RecordRow
from tests.intake import asked, filed
from tests.intake.filed import codebook

ASKS = asked.written(
    {"kind": "plain", "questions": [{"name": "age", "role": "quasi", "choices": ["18-39", "40+"]}]},
    {
        "kind": "unrelated-question",
        "keep": "0.3",
        "asked": 2,
        "questions": [
            {
                "name": "theft",
                "choices": ["no", "yes"],
                "noise": ["0.4", "0.6"],
                "text": {"en": "Stolen?", "zh-hans": "偷过吗？"},
            },
            {"name": "late", "choices": ["no", "yes"], "noise": ["0.7", "0.3"], "show_if": {"age": ["40+"]}},
            {
                "name": "how often",
                "choices": ["never", "once | twice", "often"],
                "noise": ["0.5", "0.3", "0.2"],
            },
        ],
    },
    languages=["en", "zh-hans"],
    open_answers=True,
)
ROWS = [RecordRow(1, (0, 1, 2, 0)), RecordRow(1, (0, 1, 2, 1)), RecordRow(0, (1, 0, 0, 3))]


def book(design: Design = ASKS, file: str = "records.csv", language: str = "en") -> str:
    return codebook(filed.records(design, ROWS), file, "Theft at work", language)


def test_the_codebook_carries_what_the_inversion_needs() -> None:
    page = book()
    for part in [
        ASKS.fingerprint,
        "Records: 3, of which 2 disguised and 1 open",
        "keep p = 0.3000",
        "asked s = 2 of 3 questions",
        "| yes | Yes | 0.6000 |",
        "| never | never | 0.5000 |",
        "Shown only if: age = 40+",
        "P(S) = ( P*(S) − (1 − p) q(S) ) / p",
        "P(S) = ( P*(S) − (1 − k)(1 − p) q(S) ) / ( k + (1 − k) p )",
        "use only the records whose device drew all of S",
        "It holds for people who chose disguise.",
    ]:
        assert part in page, part


def test_the_codebook_speaks_the_readers_language_of_the_survey() -> None:
    assert "偷过吗？" in book(language="zh-hans")
    assert "Stolen?" in book(language="de")


def test_a_choice_cannot_end_a_cell_of_its_table() -> None:
    assert "| once \\| twice | once \\| twice | 0.3000 |" in book()


def test_what_does_not_apply_is_not_said() -> None:
    design = asked.written({"kind": "plain", "questions": [{"name": "q", "choices": ["a", "b"]}]})
    page = codebook(filed.records(design, [RecordRow(1, (0,))]), "records.csv", "Plain", "en")
    assert "keep p" not in page
    assert "RRreg" not in page


@pytest.mark.parametrize(("rule", "opens"), [(True, True), (True, False), (False, True)])
def test_the_codebook_says_what_rules_tell_of_withheld_answers(rule: bool, opens: bool) -> None:
    work = {"name": "work", "choices": ["employed", "not"]}
    theft = {"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}
    asks = asked.written(
        {"kind": "plain", "questions": [work]},
        {
            "kind": "unrelated-question",
            "keep": "0.3",
            "questions": [{**theft, "show_if": {"work": ["employed"]} if rule else {}}],
        },
        open_answers=opens,
    )
    page = codebook(filed.records(asks, [RecordRow(1, (0, 1))]), "records.csv", "Theft", "en")
    assert ("A rule still reveals something of a withheld answer" in page) is (rule and opens)


def test_an_spss_codebook_names_codes_and_variables() -> None:
    page = book(file="records.sav")
    assert "**how often** (variable `how_often`)" in page
    assert "| 1 | once \\| twice | once \\| twice | 0.3000 |" in page
    assert "| -3 | withheld: an answer outside the sensitive sections, of a record without disguise |" in page


@pytest.mark.parametrize(
    ("language", "file", "reader"),
    [
        (R, "records.csv", 'read.csv("records.csv", colClasses = "character"'),
        (R, "records.parquet", 'arrow::read_parquet("records.parquet")'),
        (R, "records.sav", 'haven::read_sav("records.sav", user_na = TRUE)'),
        (R, "records.dta", 'haven::read_dta("records.dta")'),
        (PYTHON, "records.csv", 'open("records.csv", newline="", encoding="utf-8")'),
        (PYTHON, "records.parquet", 'parquet.read_table("records.parquet")'),
        (PYTHON, "records.sav", 'pyreadstat.read_sav("records.sav", user_missing=True'),
        (PYTHON, "records.dta", 'pyreadstat.read_dta("records.dta", user_missing=True'),
    ],
)
def test_a_script_reads_the_file_next_to_it(language: ScriptLanguage, file: str, reader: str) -> None:
    assert reader in language.script(ASKS, file, "Theft")
    assert language.file in book(file=file)


CLOSING = {")": "(", "]": "[", "}": "{"}


@pytest.mark.parametrize("file", ["records.csv", "records.parquet", "records.sav", "records.dta"])
def test_whatever_the_script_opens_it_closes(file: str) -> None:
    code = re.sub(r'"(?:[^"\\]|\\.)*"|#.*', "", R.script(ASKS, file, "Theft"))
    opened: list[str] = []
    for sign in code:
        if sign in CLOSING.values():
            opened.append(sign)
        elif sign in CLOSING:
            assert opened.pop() == CLOSING[sign]
    assert opened == []


@pytest.mark.parametrize("file", ["records.csv", "records.parquet", "records.sav", "records.dta"])
def test_the_script_in_python_is_python(file: str) -> None:
    compile(PYTHON.script(ASKS, file, "Theft"), "analysis.py", "exec")


def test_the_scripts_hold_keep_and_noise_of_each_sensitive_question() -> None:
    script = R.script(ASKS, "records.csv", "Theft")
    for noise in ("c(0.4000, 0.6000)", "c(0.7000, 0.3000)", "c(0.5000, 0.3000, 0.2000)"):
        assert f"keep = 0.3000, noise = {noise}" in script
    assert 'variable = "how_often", name = "how often", column = "how often"' in script
    assert 'cells = c("never", "once | twice", "often")' in script
    assert "keep=0.3000, noise=[0.5000, 0.3000, 0.2000]" in PYTHON.script(ASKS, "records.csv", "Theft")


def test_no_title_and_no_name_gets_out_of_its_place_in_the_scripts() -> None:
    names = ['"); unlink("*', "a\\b", "雪", "😀", "'+x+'"]
    questions = [{"name": name, "choices": ["no", "yes"]} for name in names]
    design = asked.written({"kind": "unrelated-question", "keep": "0.5", "questions": questions})
    title = "x\nunlink('*')\r\u2028system('x')"
    script = R.script(design, "records.csv", title)
    assert script.startswith("# x unlink('*') system('x')\n# ")
    assert r'name = "\"); unlink(\"*"' in script
    assert r'name = "a\\b"' in script
    assert r'name = "\u96ea"' in script
    assert r'name = "\U0001f600"' in script
    script = PYTHON.script(design, "records.csv", title)
    assert script.startswith("# x unlink('*') system('x')\n# ")
    tree = ast.parse(script)
    listed = next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "questions"
    )
    calls = [node for node in ast.walk(listed.value) if isinstance(node, ast.Call)]
    known = [
        ast.literal_eval(next(field.value for field in call.keywords if field.arg == "name"))
        for call in calls
    ]
    assert known == names


def test_a_bundle_is_a_zip_made_in_pieces() -> None:
    pieces = list(stream_zip([("a.txt", [b"one", b" two"]), ("b/c.txt", [b"x" * 10_000])]))
    assert len(pieces) > 2
    with ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert archive.testzip() is None
        assert archive.read("a.txt") == b"one two"
        assert archive.read("b/c.txt") == b"x" * 10_000
        assert {info.date_time[0] for info in archive.infolist()} == {1980}


def test_names_in_the_script_are_those_of_the_cells() -> None:
    design = asked.written(
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "questions": [{"name": "-q", "choices": ["=1+1", "b"], "noise": ["0.5", "0.5"]}],
        }
    )
    script = R.script(design, "records.csv", "t")
    assert """name = "-q", column = "'-q",""" in script
    assert """cells = c("'=1+1", "b"), answers = c("=1+1", "b")""" in script
    assert """cells=["'=1+1", 'b'], answers=['=1+1', 'b']""" in PYTHON.script(design, "records.csv", "t")
    for file in ("records.parquet", "records.sav"):
        assert 'cells = c("=1+1", "b")' in R.script(design, file, "t")
    said = "has an apostrophe (') before it"
    records = filed.records(design, [RecordRow(1, (0,))])
    assert said in codebook(records, "records.csv", "t", "en")
    assert said not in codebook(records, "records.parquet", "t", "en")
    assert said not in book()


def test_where_a_draw_decided_nobody_chose() -> None:
    with_arms = replace(ASKS, open_answers=False, direct_parts=5_000)
    assert "chose" not in " ".join(book(with_arms).split())
    assert "a draw in each device decided who was asked directly" in book(with_arms)
