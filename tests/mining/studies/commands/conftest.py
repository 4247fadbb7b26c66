from pathlib import Path

import pytest

from tests.privacy.questionnaires import HALF, plain, question, sensitive, written
from tests.runs.working import Folder


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capsys)


# A survey with two plain questions and one sensitive one, and record files with given counts.

AGE = {"name": "age", "choices": ["18-39", "40-59", "60+"], "form": "scale"}
SEX = {"name": "sex", "choices": ["f", "m"]}
SURVEY = written(plain(AGE, SEX), sensitive("0.5", question("theft", *HALF)))
HEADER = "group,age,sex,theft"


def cell(group: str, age: str, sex: str, received: float, n: int) -> list[str]:
    """n records of a class, of which this share has *yes* as received."""
    yes = round(received * n)
    return [f"{group},{age},{sex},{'yes' if place < yes else 'no'}" for place in range(n)]


def shares(**received: float) -> list[str]:
    """The disguised, 200 in each of four classes; `f1` are women of the first age."""
    ages = ("18-39", "40-59")
    return [
        HEADER,
        *(
            row
            for name, share in received.items()
            for row in cell("disguised", ages[int(name[1]) - 1], name[0], share, 200)
        ),
    ]
