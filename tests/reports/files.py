"""The files of a report, read back by programs that did not write them."""

import csv
import io
import json
from typing import Any
from zipfile import ZipFile

from django.test import Client
from openpyxl import Workbook, load_workbook
from pyarrow import Table, parquet

from reports.models import Review
from tests.reports.paged import reader


def fetched(client: Client, kind: str, of: Review | None = None) -> bytes:
    answer = client.get(reader(f"files/{kind}", of))
    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    return bytes(answer.content)


def bundle(client: Client, kind: str, of: Review | None = None) -> ZipFile:
    return ZipFile(io.BytesIO(fetched(client, kind, of)))


def from_json(client: Client, of: Review | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(fetched(client, "json", of))
    return found


def from_csv(client: Client, table: str, of: Review | None = None) -> list[dict[str, Any]]:
    text = bundle(client, "csv", of).read(f"{table}.csv").decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def book(client: Client, of: Review | None = None) -> Workbook:
    return load_workbook(io.BytesIO(fetched(client, "excel", of)))


def from_excel(client: Client, table: str, of: Review | None = None) -> list[dict[str, Any]]:
    names, *rows = book(client, of)[table].iter_rows(values_only=True)
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def parquet_table(client: Client, table: str, of: Review | None = None) -> Table:
    return parquet.read_table(io.BytesIO(bundle(client, "parquet", of).read(f"{table}.parquet")))


def from_parquet(client: Client, table: str, of: Review | None = None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet_table(client, table, of).to_pylist()
    return rows


READERS = (from_csv, from_excel, from_parquet)
