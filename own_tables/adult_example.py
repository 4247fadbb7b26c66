"""Example table for people who upload none: the data set Adult, 30,162 people as 13 yes/no questions."""

import csv
import io
from collections.abc import Callable, Mapping

import numpy as np

from mining.own_table.table import NO, YES, Column, OwnTable
from papers.publishing.adult_data import adult_csv_bytes

Row = Mapping[str, str]
ITEMS: Mapping[str, Callable[[Row], bool]] = {
    "40 or older": lambda row: int(row["age"]) >= 40,
    "male": lambda row: row["sex"] == "Male",
    "white": lambda row: row["race"] == "White",
    "black": lambda row: row["race"] == "Black",
    "born in the US": lambda row: row["native-country"] == "United-States",
    "married": lambda row: row["marital-status"].startswith("Married"),
    "never married": lambda row: row["marital-status"] == "Never-married",
    "divorced": lambda row: row["marital-status"] == "Divorced",
    "university": lambda row: int(row["education-num"]) >= 13,
    "private employer": lambda row: row["workclass"] == "Private",
    "self-employed": lambda row: row["workclass"].startswith("Self-emp"),
    "professional or manager": lambda row: row["occupation"] in ("Prof-specialty", "Exec-managerial"),
    "more than 50K": lambda row: row["salary-class"] == ">50K",
}


def adult_as_own_table() -> OwnTable:
    """Returns the data set Adult as a table for the experiment, one column per yes/no question."""
    rows = list(csv.DictReader(io.StringIO(adult_csv_bytes().decode())))
    codes = np.array([[item(row) for row in rows] for item in ITEMS.values()], np.uint8)
    return OwnTable(tuple(Column(name, (NO, YES)) for name in ITEMS), codes, (), 0)
