"""Every format that a page takes: the page, files as people have them, and what changes these."""

import io
import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from random import Random
from typing import NamedTuple

from importing import candor_format
from importing.translations.draft_texts import texts_of_draft
from importing.translations.writing import write_csv, write_xliff
from surveys.kinds.read_draft import read_questionnaire
from tests.importing.flow.formats import FORMATS as QUESTIONNAIRES
from tests.importing.test_hostile_geojson import GOOD
from tests.odd_files import binaries, pages
from tests.odd_files.pages import Page
from tests.odd_files.trees import Mutate, mutated, mutated_table
from tests.releases.page_uploads import table
from tests.surveys import drafts


class Format(NamedTuple):
    """`arena`: which kind of process reads it; nothing where the page does. `files` are made when they are needed."""

    page: Page
    ending: str
    files: Callable[[], Mapping[str, bytes]]
    mutate: Mutate
    arena: str


def of_text(
    page: Page, ending: str, files: Callable[[], Mapping[str, bytes]], arena: str = "reading"
) -> Format:
    return Format(page, ending, files, lambda data, draw: mutated(data, ending, draw), arena)


def own_drafts() -> dict[str, bytes]:
    made = {"complete": drafts.complete(), "bilingual": drafts.bilingual(), "weak": drafts.weak()}
    return {name: candor_format.write(drafts.normalized(draft)) for name, draft in made.items()}


def translations(ending: str) -> dict[str, bytes]:
    draft = read_questionnaire(drafts.bilingual())
    texts = texts_of_draft(draft)
    return {
        "back": write_csv(texts, draft.languages) if ending == ".csv" else write_xliff(texts, "en", "zh-hans")
    }


def text_tables() -> dict[str, bytes]:
    """Rows of people as other programs write them."""
    text = table(120).decode()
    return {
        "commas": text.encode(),
        "tabs": text.replace(",", "\t").encode("utf-16"),
        "semicolons": text.replace(",", ";").replace("Munich", "München").encode("cp1252"),
    }


def mutated_text_table(data: bytes, draw: Random) -> bytes:
    separator = "\t" if data.startswith(b"\xff\xfe") else ";" if b";" in data else ","
    text = data.decode("utf-16" if separator == "\t" else "cp1252")
    if draw.random() < 0.15:
        return mutated(data, ".txt", draw) if separator == "\t" else data[: draw.randrange(len(data))]
    return mutated_table(separator)(text.encode(), draw)


@cache
def frame() -> "pandas.DataFrame":  # type: ignore[name-defined]  # noqa: F821
    import pandas as pd

    read = pd.read_csv(io.BytesIO(table(120)))
    read["member"] = [("no", "yes")[number % 2] for number in range(len(read))]
    return read


def workbook() -> dict[str, bytes]:
    file = io.BytesIO()
    frame().to_excel(file, index=False)
    return {"sheet": file.getvalue()}


def parquet() -> dict[str, bytes]:
    file = io.BytesIO()
    frame().to_parquet(file)
    return {"columns": file.getvalue()}


def spss(is_compressed: bool) -> dict[str, bytes]:
    labels = {"age": {float(age): f"{age} years" for age in range(20, 71)}}
    return {
        "cases": binaries.written_spss(frame(), is_compressed, variable_value_labels=labels, note="a note")
    }


def picture(kind: str) -> dict[str, bytes]:
    from PIL import Image

    draw, made = Random(3), {}
    for mode in ("RGB", "RGBA", "L", "P"):
        noise = Image.frombytes("RGB", (60, 20), draw.randbytes(3_600))
        file = io.BytesIO()
        if not (kind == "JPEG" and mode in ("RGBA", "P")):
            noise.convert(mode).save(file, kind)
            made[mode] = file.getvalue()
    return made


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><g><rect width="9" height="9"/><script>alert(1)</script></g></svg>'
REGISTER = b"name,age,town\n" + b"Ada,30,Kiel\nBob,55,Munich\nCem,,Rostock\n" * 10
MARGINS = {
    "two": b"age,sex,share\n18-39,,0.2\n40-59,,0.3\n60+,,0.5\n,f,0.7\n,m,0.3\n",
    "one": b"sex,share\nf,0.7\nm,0.3\n",
}
TABLES: dict[str, tuple[str, Callable[[], Mapping[str, bytes]], Mutate]] = {
    "CSV": (".csv", text_tables, mutated_text_table),
    "Excel": (".xlsx", workbook, partial(lambda data, draw: mutated(data, ".xlsx", draw))),
    "Parquet": (".parquet", parquet, binaries.mutated_parquet),
    "SPSS": (".sav", partial(spss, False), binaries.mutated_spss),
    "SPSS, compressed": (".zsav", partial(spss, True), binaries.mutated_spss),
}
FORMATS: dict[str, Format] = {
    **{
        f"questionnaire: {name}": of_text(pages.import_page, one.ending, partial(dict, one.files))
        for name, one in QUESTIONNAIRES.items()
    },
    "questionnaire: Candor": of_text(pages.import_page, ".json", own_drafts),
    "API: drafts": of_text(pages.api_drafts, ".json", own_drafts),
    "API: imports": of_text(pages.api_imports, ".xlsx", partial(dict, QUESTIONNAIRES["XLSForm, workbook"].files)),
    "translations: XLIFF": of_text(pages.translations_page, ".xlf", partial(translations, ".xlf")),
    "translations: CSV": of_text(pages.translations_page, ".csv", partial(translations, ".csv")),
    "cells: GeoJSON": of_text(pages.cells_page, ".geojson", lambda: {"cells": json.dumps(GOOD).encode()}),
    "logo: PNG": Format(pages.logo_page, ".png", partial(picture, "PNG"), binaries.mutated_png, "logos"),
    "logo: JPEG": Format(pages.logo_page, ".jpg", partial(picture, "JPEG"), binaries.mutated_jpeg, "logos"),
    "logo: WebP": Format(pages.logo_page, ".webp", partial(picture, "WEBP"), binaries.mutated_webp, "logos"),
    "logo: SVG": of_text(pages.logo_page, ".svg", lambda: {"script": SVG}, "logos"),
    "margins": of_text(pages.margins_page, ".csv", lambda: MARGINS, ""),
    "register": of_text(pages.register_page, ".csv", lambda: {"people": REGISTER}, "tables"),
    **{
        f"{room}: {name}": Format(page, ending, files, mutate, "tables")
        for room, page in {"release": pages.release_page, "own table": pages.own_table_page}.items()
        for name, (ending, files, mutate) in TABLES.items()
    },
}  # fmt: skip
