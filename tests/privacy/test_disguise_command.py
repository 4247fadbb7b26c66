import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from candor.__main__ import main
from tests.privacy.conftest import ROOT
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, make_design, plain, question, sensitive

SECTION = sensitive("0.3", question("theft", *HALF, **IF_EMPLOYED), question("drugs", *HALF), asked=1)
TRUTH = "group,work,theft,drugs\nopen,employed,yes,no\ndisguised,not,,no\ndisguised,employed,no,yes\n"
FULL = "candor: standard output: cannot be written (No space left on device)\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "design.json").write_text(json.dumps(make_design(plain(WORK), SECTION)))
    (tmp_path / "truth.csv").write_text(TRUTH)
    return tmp_path


class Done(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """The command as it is run, in a folder of one's own."""
    monkeypatch.chdir(files)

    def run(*arguments: str, stdout: IO[str] | None = None) -> Done:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stdout or sys.stdout)
            try:
                status = main(["disguise", *arguments])
            except SystemExit as ended:
                status = int(ended.code or 0)
        return Done(status, *capsys.readouterr())

    return run


def test_every_person_becomes_a_record_and_a_seed_gives_the_same_ones_again(
    run: Callable[..., Done], files: Path
) -> None:
    done = run("design.json", "truth.csv")
    assert (done.status, done.err) == (0, "")
    header, *rows = [line.split(",") for line in done.out.splitlines()]
    assert header == ["group", "work", "theft", "drugs"]
    plain_cells = [["open", "employed"], ["disguised", "not"], ["disguised", "employed"]]
    assert [row[:2] for row in rows] == plain_cells
    assert rows[0][2:] in (["yes", ""], ["", "no"])
    assert rows[1][2] in ("-", "")
    (files / "truth.csv").write_text(TRUTH + "disguised,employed,no,yes\n" * 200)
    first, again, other = (run("design.json", "truth.csv", "--seed", seed).out for seed in ("5", "5", "6"))
    assert first == again != other
    assert len(first.splitlines()) == 204


def test_a_bad_file_is_one_line_and_nothing_is_written(run: Callable[..., Done], files: Path) -> None:
    kept = {name: (files / name).read_text() for name in ("design.json", "truth.csv")}
    for name, content, said in (
        ("truth.csv", TRUTH + "open,retired,yes,no\n", "truth.csv:5: work: 'retired' is not one of its"),
        ("truth.csv", TRUTH * 2, "candor: truth.csv:5: work: 'work' is not one of its choices\n"),
        ("truth.csv", "work,theft\n", "truth.csv:1: the column 'drugs' is missing"),
        ("truth.csv", "group,work,theft,drugs\n", "truth.csv: holds no record"),
        ("truth.csv", None, "truth.csv: cannot be read (No such file or directory)"),
        ("design.json", "{}", "design.json: design: 'format' is missing"),
        ("design.json", '{"format"', "design.json: design: line 1, column 10: not JSON"),
        ("design.json", None, "design.json: cannot be read (No such file or directory)"),
    ):
        if content is None:
            (files / name).unlink()
        else:
            (files / name).write_text(content)
        done = run("design.json", "truth.csv")
        assert (done.status, done.out, len(done.err.splitlines())) == (1, "", 1)
        assert said in done.err
        (files / name).write_text(kept[name])
    assert run("design.json", "truth.csv", "--group-column", "how")[:2] == (1, "")
    for arguments in ("", "design.json", "design.json truth.csv --seed x", "a b --nonsense"):
        assert run(*arguments.split())[:2] == (2, ""), arguments


def test_parts_together_hold_the_rows_of_one_file(run: Callable[..., Done], files: Path) -> None:
    whole = run("design.json", "truth.csv", "--seed", "1").out.splitlines()
    words = ["design.json", "truth.csv", "--seed", "1", "--rows-per-file", "2", "-o", "parts"]
    assert run(*words) == (0, "", "")
    parts = [(files / "parts" / f"records-{number}.csv").read_text().splitlines() for number in (1, 2)]
    assert parts == [whole[:3], [whole[0], whole[3]]]
    assert "is not empty" in run(*words).err
    assert run("design.json", "truth.csv", "-o", "parts").status == 2
    assert run("design.json", "truth.csv", "--rows-per-file", "0", "-o", "more").status == 2


def test_the_records_are_utf8_whatever_the_locale(run: Callable[..., Done], files: Path) -> None:
    job = {"name": "工作", "choices": ["受雇", "ни то, ни другое"]}
    design = make_design(plain(job), sensitive("0.3", question("é", *HALF)))
    (files / "design.json").write_text(json.dumps(design))
    (files / "truth.csv").write_text('工作,é\n受雇,no\n"ни то, ни другое",yes\n', encoding="utf-8")
    stdout = TextIOWrapper(BytesIO(), encoding="utf-16")
    assert run("design.json", "truth.csv", stdout=stdout).status == 0
    header, first, second = stdout.buffer.getvalue().decode().splitlines()
    assert header == "group,工作,é"
    assert first.startswith("disguised,受雇,")
    assert second.startswith('disguised,"ни то, ни другое",')


def test_a_full_disk_is_refused_in_one_line(run: Callable[..., Done]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run("design.json", "truth.csv", stdout=full)
    assert (done.status, done.err) == (1, FULL)


@pytest.mark.night
@pytest.mark.proof
def test_the_process_refuses_a_full_disk_in_one_line(files: Path) -> None:
    (files / "truth.csv").write_text("work,theft,drugs\n" + "not,,no\n" * 5_000)
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "candor", "disguise", "design.json", "truth.csv"]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=files, stdout=full, stderr=subprocess.PIPE, text=True, env=env)
    assert (done.returncode, done.stderr) == (1, FULL)


@pytest.mark.night
def test_closed_output_pipe_is_not_reported_as_an_error(run: Callable[..., Done], files: Path) -> None:
    (files / "truth.csv").write_text("work,theft,drugs\n" + "not,,no\n" * 20_000)
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w") as pipe:
        done = run("design.json", "truth.csv", stdout=pipe)
    assert (done.status, done.err) == (1, "")
