"""Writes a report in each file format (CSV, JSON, Excel, Parquet, GeoJSON), each with all tables and the metadata."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from mining.nodes.report_nodes import report_to_json
from privacy.designs.hypothesis_plan import Plan, parse_plan
from reports.export_table import ExportTable, csv_bytes
from reports.exports.all_tables import all_tables
from reports.exports.methods_and_uncovered_errors import report_metadata
from reports.exports.regression_tables import models_json
from reports.exports.workbook_sheets import NUMBERS, TEXT, people_sheets
from reports.kinds.place.place_files import geojson_files
from reports.kinds.place.shown_place import shown_places

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage

EPOCH = (2000, 1, 1, 0, 0, 0)
"""Date of all parts of a file, fixed so that the same content gives the same bytes."""


WIDE, NARROW, LONGEST_NAME = 60, 14, 31
"""Widths of columns of a sheet with texts, which are wrapped, and with numbers; Excel's longest name of a sheet; in
characters."""


ExportKind = tuple[str, str, Callable[["ReportPage"], bytes]]
"""A file format: the ending of its file names, its content type, and the function that writes a report in it."""


def as_json_file(report: "ReportPage") -> bytes:
    whole = {
        **report_metadata(report),
        "design": report.design.as_json(),
        "report": report_to_json(report.published_content_with_rules),
    }
    if report.has_models:
        whole["models"] = models_json(report)
    return json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()


def as_csv_files(report: "ReportPage") -> bytes:
    return zip_files({**csv_tables(report), **plan_file(report), "about.json": metadata_file(report)})


def csv_tables(report: "ReportPage") -> dict[str, bytes]:
    return {f"{table.name}.csv": csv_bytes(table) for table in all_tables(report)}


def published_plan(report: "ReportPage") -> Plan | None:
    result = report.content.study.plan
    return parse_plan(json.dumps(result.plan)) if result and result.plan is not None else None


def plan_file(report: "ReportPage") -> dict[str, bytes]:
    """Returns the published plan as it was registered, byte by byte, so that its SHA-256 is that in the design."""
    plan = published_plan(report)
    return {"plan.json": plan.canonical.encode()} if plan else {}


def as_parquet_files(report: "ReportPage") -> bytes:
    about = {f"candor:{key}": metadata_text(value) for key, value in report_metadata(report).items()}
    files = {f"{table.name}.parquet": parquet_bytes(table, about) for table in all_tables(report)}
    return zip_files({**files, "about.json": metadata_file(report)})


def parquet_bytes(table: ExportTable, metadata_texts: dict[str, str]) -> bytes:
    import pyarrow as pa  # late for cost
    from pyarrow import parquet as files  # late for cost

    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    data = pa.table([pa.array(column) for column in columns], names=list(table.columns))
    file = io.BytesIO()
    files.write_table(data.replace_schema_metadata(metadata_texts), file)
    return file.getvalue()


def as_workbook(report: "ReportPage") -> bytes:
    import xlsxwriter  # late for cost

    file = io.BytesIO()
    # Texts stay texts: no text becomes a formula or a link.
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as book:
        book.set_properties({"created": datetime(*EPOCH)})  # noqa: DTZ001 - Excel knows no zones
        bold, folded = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        tables = all_tables(report)
        formats = {form: book.add_format({"num_format": form, "valign": "top"}) for form in NUMBERS} | {
            TEXT: folded
        }
        for name, columns, rows in people_sheets(report, tables):
            sheet = book.add_worksheet(name)
            # Above the headings, so that it stays in sight.
            if top := int(report.about.rehearsal):
                sheet.write_string(0, 0, _("Simulated answers."), bold)
            sheet.write_row(top, 0, [str(each.heading) for each in columns], bold)
            for place, row in enumerate(rows, top + 1):
                sheet.write_row(place, 0, row)
            sheet.freeze_panes(top + 1, 0)
            for at, column in enumerate(columns):
                width = WIDE if column.form == TEXT else NARROW
                sheet.set_column(at, at, width, formats[column.form])
        sheet = book.add_worksheet(_("Data %(name)s") % {"name": "about"})
        for place, (key, value) in enumerate(flatten_metadata(report_metadata(report))):
            sheet.write_string(place, 0, key, bold)
            sheet.write(place, 1, value)
        sheet.set_column(0, 0, 28)
        for table in tables:
            sheet = book.add_worksheet((_("Data %(name)s") % {"name": table.name})[:LONGEST_NAME])
            sheet.write_row(0, 0, table.columns, bold)
            for place, row in enumerate(table.rows, 1):
                sheet.write_row(place, 0, ["" if cell is None else cell for cell in row])
            sheet.freeze_panes(1, 0)
            if table.rows:
                sheet.autofilter(0, 0, len(table.rows), len(table.columns) - 1)
            sheet.autofit()
            for place in long_text_columns(table):
                sheet.set_column(place, place, WIDE, folded)
    return file.getvalue()


def long_text_columns(table: ExportTable) -> list[int]:
    """Returns the indexes of the columns that have a text longer than `WIDE`; Excel wraps their texts."""
    return [
        place
        for place in range(len(table.columns))
        if any(isinstance(row[place], str) and len(row[place]) > WIDE for row in table.rows)
    ]


def as_geojson_files(report: "ReportPage") -> bytes:
    return zip_files({**geojson_files(shown_places(report)), "about.json": metadata_file(report)})


def available_file_formats(report: "ReportPage") -> dict[str, ExportKind]:
    """Returns the file formats that this report can be downloaded in; GeoJSON needs a question about places."""
    return {name: kind for name, kind in KINDS.items() if name != OF_PLACES or report.content.places}


def flatten_metadata(members: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Returns nested metadata as rows of a dotted name and a value."""
    rows: list[tuple[str, Any]] = []
    for key, value in members.items():
        if isinstance(value, dict):
            rows += flatten_metadata(value, f"{prefix}{key}.")
        else:
            rows.append(
                (
                    f"{prefix}{key}",
                    "" if value is None else " ".join(value) if isinstance(value, list) else value,
                )
            )
    return rows


def metadata_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def metadata_file(report: "ReportPage") -> bytes:
    return json.dumps(report_metadata(report), ensure_ascii=False, indent=1).encode()


def zip_files(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in files.items():
            bundle.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


ZIP = "application/zip"
OF_PLACES = "geojson"
"""The file format that only a report with places has."""
KINDS: dict[str, ExportKind] = {
    "csv": ("zip", ZIP, as_csv_files),
    "json": ("json", "application/json", as_json_file),
    "excel": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_workbook),
    "parquet": ("zip", ZIP, as_parquet_files),
    OF_PLACES: ("zip", ZIP, as_geojson_files),
}
