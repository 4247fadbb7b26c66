"""One's own table in a rehearsal: W of one's own data, computed in memory, and nothing of it kept."""

from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Person
from privacy.designs import InputError
from runs import kernel_cache
from runs.own_table import errors_of_own_table
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.surveys.staff import ASKS

pytestmark = pytest.mark.page
KEPT = {"kind": "unrelated-question", "keep": "0.5"}
YES_NO = {"choices": ["no", "yes"], "noise": ["0.4", "0.6"]}
TWO = asked.written(
    {"kind": "plain", "questions": [{"name": "age", "role": "quasi", "choices": ["18-39", "40+"]}]},
    {**KEPT, "questions": [{"name": "theft", **YES_NO}, {"name": "lie", **YES_NO}]},
    rehearsal=True,
    open_answers=True,
)


def table(rows: int, head: str = "age,theft,lie") -> bytes:
    """Of ten people three steal, and one of these lies."""
    people = ["yes,yes", "yes,no", "yes,no", *["no,no"] * 7]
    return "\n".join([head, *(f"40+,{people[row % 10]}" for row in range(rows))]).encode()


def errors(content: bytes, seed: int = 1) -> object:
    return errors_of_own_table(TWO, content, "own.csv", np.random.default_rng(seed), kernel_cache.folder())


def test_w_is_that_of_the_law() -> None:
    """P = .3, c = .5 * .6: variance (.3 * .8 * .2 + .7 * .3 * .7) / (n p^2), W its root times sqrt(2/pi)."""
    found = errors_of_own_table(TWO, table(2_000), "own.csv", np.random.default_rng(1), kernel_cache.folder())
    single, pair = found.sizes
    stated = [
        sqrt(2 / pi * (share * 0.8 * 0.2 + (1 - share) * 0.3 * 0.7) / (2_000 * 0.25)) for share in (0.3, 0.1)
    ]
    assert (found.records, single.size, single.itemsets) == (2_000, 1, 2)
    assert single.expected == pytest.approx(sum(stated) / 2, rel=0.03)
    # Twenty repetitions of two itemsets: forty absolute normal values, each with a spread of .76 of its mean.
    assert single.w == pytest.approx(single.expected, rel=4 * 0.76 / sqrt(40))
    assert (pair.size, pair.itemsets) == (2, 1)
    truth = {row.answers: row.true for row in found.worst}
    assert truth == pytest.approx({("theft=yes",): 0.3, ("lie=yes",): 0.1, ("theft=yes", "lie=yes"): 0.1})


def test_whoever_answers_openly_is_not_disguised() -> None:
    opened = "\n".join(["age,theft,lie,group", *["40+,yes,no,open"] * 200]).encode()
    found = errors_of_own_table(TWO, opened, "own.csv", np.random.default_rng(1), kernel_cache.folder())
    assert [size.w for size in found.sizes] == [0, 0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "line with the names of the columns is missing"),
        (b"age,theft,lie\n", "there is no row of answers"),
        (table(10, "age,theft"), "lie"),
        (b"age,theft,lie\n40+,perhaps,no\n", "perhaps"),
        (table(3), "too few rows"),
        (table(20_001), "at most 20,000 rows"),
    ],
)
def test_bad_input_is_refused_with_its_place(content: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        errors(content)


def test_a_survey_without_a_sensitive_question_says_so() -> None:
    plain = asked.written(
        {"kind": "plain", "questions": [{"name": "age", "choices": ["a", "b"]}]}, rehearsal=True
    )
    with pytest.raises(InputError, match="no sensitive question"):
        errors_of_own_table(plain, b"age\na\n", "own.csv", np.random.default_rng(1), Path("nowhere"))


db = pytest.mark.django_db


@pytest.fixture
def rehearsal(owner: Person) -> Survey:
    return asked.survey(TWO, owner=owner)


def address(survey: Survey) -> str:
    return f"/surveys/{survey.pk}/rehearse/own-table"


def upload(content: bytes) -> dict[str, object]:
    return {"file": SimpleUploadedFile("own.csv", content, "text/csv")}


@db
def test_the_owner_reads_w_and_nothing_is_stored(rehearsal: Survey, reading: Client) -> None:
    browser = reading

    def rows() -> dict[str, int]:
        return {
            model._meta.label: model._default_manager.count()
            for model in apps.get_models()
            if model._meta.managed and model._meta.label != "sessions.Session"
        }

    before = rows()
    answer = browser.post(address(rehearsal), upload(table(500)))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "theft=yes, lie=yes" in page
    assert "30.0%" in page.replace(" %", "%")
    assert rows() == before
    assert answer["Cache-Control"].count("no-store") == 1


@db
def test_a_wrong_file_is_refused_on_the_page(rehearsal: Survey, reading: Client) -> None:
    answer = reading.post(address(rehearsal), upload(b"age,theft,lie\n40+,perhaps,no\n"))
    assert answer.status_code == 422
    assert "perhaps" in answer.content.decode()


@db
def test_a_file_that_is_too_long_is_not_read(rehearsal: Survey, reading: Client) -> None:
    assert reading.post(address(rehearsal), upload(b"a" * 2_100_000)).status_code == 413


@db
def test_a_survey_that_is_no_rehearsal_takes_no_table(survey: Survey, reading: Client) -> None:
    assert not ASKS.rehearsal
    assert reading.get(address(survey)).status_code == 403


@db
def test_others_find_nothing_or_may_not(
    rehearsal: Survey, stranger: Person, signed_in_as: As, reading: Client, judging: Client
) -> None:
    assert "/account/sign-in" in Client().get(address(rehearsal))["Location"]
    assert signed_in_as(stranger).get(address(rehearsal)).status_code == 404
    assert judging.get(address(rehearsal)).status_code == 403
    assert reading.put(address(rehearsal)).status_code == 405
    assert address(rehearsal) in reading.get(f"/surveys/{rehearsal.pk}/rehearse").content.decode()
