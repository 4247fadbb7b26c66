"""Every format that a page takes: the page, files as people have them, and what changes these.

A page prepares what it needs, and returns what sends a file and opens what becomes of it.
"""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache as once, partial
from random import Random
from typing import Any, NamedTuple

from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from importing import candor_format
from importing.translations.draft_texts import texts_of_draft
from importing.translations.writing import write_csv, write_xliff
from jobs.models import State
from mining.own_table import experiment as experiments
from own_tables.models import Experiment, OwnTable
from releases.models import Attack, Release
from runs.models import Margins
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Logo, Survey
from tests.api.conftest import program
from tests.builder.conftest import asking_for_a_place
from tests.importing.flow.formats import FORMATS as QUESTIONNAIRES
from tests.importing.test_hostile_geojson import GOOD
from tests.jobs.conftest import attempt
from tests.odd_files import mutations
from tests.releases.conftest import draft_of_patients, patients_table, url
from tests.runs import sealed
from tests.surveys import drafts

TAKEN, REFUSED = "taken", "refused"


@dataclass
class Answer:
    """`refusals`: what a person reads where the file is refused, each a place with its reason."""

    end: str
    refusals: list[str]


Send = Callable[[bytes, str], Answer]
Page = Callable[[Client, Person], Send]


def file(data: bytes, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def result_of_answer(answer: Any, faults: Iterable[tuple[str, str]] = (), taken: int = 302) -> Answer:
    """What a page answers: the status `taken`, or 422 with what is wrong."""
    if answer.status_code == taken:
        return Answer(TAKEN, [])
    assert answer.status_code == 422, f"the page answers {answer.status_code}"
    words = [f"{place}: {reason}" for place, reason in faults]
    if not words:
        form = next(form for form in forms_of(answer) if form.errors)
        words = [str(error) for errors in form.errors.values() for error in errors]
    assert words, "the page refuses without a word"
    return Answer(REFUSED, words)


def forms_of(answer: Any) -> Iterable[Any]:
    context = {key: value for layer in answer.context for key, value in layer.items()}
    named = [context[name] for name in ("form", "logo_form", "file_form") if name in context]
    return [*named, *context.get("cell_forms", {}).values()]


def open_pages(client: Client, *addresses: str) -> list[Any]:
    # What a spreadsheet cannot hold is said on another page.
    answers = [client.get(address, follow=address.endswith("xlsx")) for address in addresses]
    statuses = zip(addresses, (answer.status_code for answer in answers), strict=True)
    broken = {address: status for address, status in statuses if status != 200}
    assert not broken, f"what was taken does not open: {broken}"
    return answers


PAGES = ("", "edit/protection", "edit/translations", "preview", "open", "export/questionnaire.xlsx")
"""Of a draft: two of them are opened with each file, in turns."""


def open_draft(client: Client, survey: Survey, data: bytes) -> None:
    """Opens the builder, two other pages, and the export, which can be brought in again."""
    base, turn = f"/app/surveys/{survey.pk}/", len(data)
    pages = ("export/questionnaire.json", "edit", PAGES[turn % 6], PAGES[(turn + 1) % 6])
    exported, *_others = open_pages(client, *(base + page for page in pages))
    candor_format.read(exported.content)


# --- questionnaires


def import_page(client: Client, owner: Person) -> Send:
    def send(data: bytes, name: str) -> Answer:
        read = client.post("/app/surveys/import", {"file": file(data, name)})
        answer = result_of_answer(read, read.context["faults"] if read.status_code == 422 else (), 200)
        if answer.end == TAKEN:
            sent = {"ticket": read.context["ticket"], "all": "on"}
            accepted = client.post("/app/surveys/import/accept", sent)
            assert accepted.status_code == 302, f"acceptance answers {accepted.status_code}"
            open_draft(client, Survey.objects.latest("pk"), data)
        return answer

    return send


def api_answer(answer: Any) -> Answer:
    cache.clear()  # the requests that a token has left
    if answer.status_code in (200, 201):
        return Answer(TAKEN, [])
    assert answer.status_code == 422, f"the API answers {answer.status_code}"
    problem = answer.json()
    return Answer(REFUSED, [f"{fault['path']}: {fault['reason']}" for fault in problem["errors"]])


def api_imports(client: Client, owner: Person) -> Send:
    token = program(owner)

    def send(data: bytes, name: str) -> Answer:
        form = {"file": file(data, name), "choices": json.dumps({"draft": True})}
        answer = api_answer(token.post("/api/1/imports", form))
        if answer.end == TAKEN:
            open_draft(client, Survey.objects.latest("pk"), data)
        return answer

    return send


def api_drafts(client: Client, owner: Person) -> Send:
    token = program(owner)

    def send(data: bytes, name: str) -> Answer:
        answer = api_answer(token.post("/api/1/surveys", data, "application/json"))
        if answer.end == TAKEN:
            survey = Survey.objects.latest("pk")
            open_draft(client, survey, data)
            assert token.get(f"/api/1/surveys/{survey.pk}/draft").status_code == 200
        return answer

    return send


# --- parts of a draft


def translations_page(client: Client, owner: Person) -> Send:
    survey = Survey.objects.create(owner=owner, draft=drafts.bilingual())
    base = f"/app/surveys/{survey.pk}/edit/translations"

    def send(data: bytes, name: str) -> Answer:
        shown = client.post(f"{base}/import", {"file": file(data, name)})
        answer = result_of_answer(shown, taken=200)
        if answer.end == TAKEN:
            comparison = shown.context["comparison"]
            changes = [*comparison.changes, *(row.change for row in comparison.rows if row.change)]
            ticks = [change.key for change in changes]
            sent = {"ticket": shown.context["ticket"], "shown": comparison.digest, "tick": ticks}
            over = client.post(f"{base}/accept", sent)
            assert over.status_code == 302, f"taking over answers {over.status_code}"
            open_pages(client, base, f"{base}/download?to=zh-hans", f"{base}/download")
            open_draft(client, survey, data)
        return answer

    return send


def cells_page(client: Client, owner: Person) -> Send:
    survey = asking_for_a_place(Survey(owner=owner))

    def send(data: bytes, name: str) -> Answer:
        page = f"/app/surveys/{survey.pk}/edit/cells?key=home"
        answer = result_of_answer(client.post(page, {"source": "file", "file": file(data, name)}))
        if answer.end == TAKEN:
            open_pages(client, page)
            open_draft(client, survey, data)
        return answer

    return send


def logo_page(client: Client, owner: Person) -> Send:
    survey = Survey.objects.create(owner=owner, draft=drafts.complete())
    base = f"/app/surveys/{survey.pk}/"

    def send(data: bytes, name: str) -> Answer:
        answer = result_of_answer(
            client.post(f"{base}edit/logo", {"file": file(data, name), "alt-en": "A logo"})
        )
        if answer.end == TAKEN:
            assert Logo.objects.exists()
            open_pages(client, f"{base}edit/appearance", f"{base}preview/page")
        return answer

    return send


def margins_page(client: Client, owner: Person) -> Send:
    survey = sealed.model_survey(owner)
    page = f"/app/surveys/{survey.pk}/margins"

    def send(data: bytes, name: str) -> Answer:
        answer = result_of_answer(client.post(page, {"name": "Census", "file": file(data, name)}))
        if answer.end == TAKEN:
            assert Margins.objects.filter(survey=survey).exists()
            open_pages(client, page, f"/app/surveys/{survey.pk}/runs")
        return answer

    return send


# --- tables


def release_page(client: Client, owner: Person) -> Send:
    def send(data: bytes, name: str) -> Answer:
        answer = result_of_answer(
            client.post(reverse("releases:new"), {"file": file(data, name), "before": "no"})
        )
        if answer.end == TAKEN:
            release = Release.objects.latest("pk")
            names = ("reading", "columns", "criteria", "release")
            open_pages(client, *(url(page, release) for page in names))
        return answer

    return send


def own_table_page(client: Client, owner: Person) -> Send:
    settings = {"keep": "0.5", "open_share": "0.2", "theta": "0.6", "group_size": "2"}
    settings |= {"min_support": "0.3", "min_confidence": "0.5", "estimator": "pooled"}

    def send(data: bytes, name: str) -> Answer:
        answer = result_of_answer(
            client.post("/app/surveys/own-tables/", {"file": file(data, name), **settings})
        )
        if answer.end == TAKEN:
            table, experiment = OwnTable.objects.latest("pk"), Experiment.objects.latest("pk")
            base = f"/app/surveys/own-tables/{table.pk}/"
            open_pages(client, base)
            if len(data) % 8:  # an experiment takes a second
                return answer
            attempt(experiment)
            experiment.refresh_from_db()
            if experiment.state == State.DONE:
                open_pages(client, base, f"{base}files/rules.csv", f"{base}files/result.json")
            else:
                assert str(experiment.problem), "an experiment failed without a word"
        return answer

    return send


def attack_page(client: Client, owner: Person) -> Send:
    release = draft_of_patients(owner)

    def send(data: bytes, name: str) -> Answer:
        answer = client.post(url("attacks", release), {"register": file(data, name)})
        if answer.status_code != 302:
            return result_of_answer(answer)
        attack = Attack.objects.latest("pk")
        attempt(attack)
        attack.refresh_from_db()
        open_pages(client, url("attacks", release), url("attacked", release))
        if attack.state != State.DONE:
            assert attack.state == State.FAILED, attack.state
            return Answer(REFUSED, [str(attack.problem)])
        return Answer(TAKEN, [])

    return send


def with_short_curves(monkeypatch: Any) -> None:
    curves = {varied: values[:2] for varied, values in experiments.CURVES.items()}
    for name, value in {"CURVES": curves, "REPETITIONS": 2, "POINT_REPETITIONS": 1}.items():
        monkeypatch.setattr(experiments, name, value)


# --- formats


class Format(NamedTuple):
    """`arena`: which kind of process reads it; nothing where the page does. `files` are made when they are needed."""

    page: Page
    ending: str
    files: Callable[[], Mapping[str, bytes]]
    mutate: mutations.Mutate
    arena: str


def of_text(
    page: Page, ending: str, files: Callable[[], Mapping[str, bytes]], arena: str = "reading"
) -> Format:
    return Format(page, ending, files, lambda data, draw: mutations.mutate(data, ending, draw), arena)


def own_drafts() -> dict[str, bytes]:
    made = {"complete": drafts.complete(), "bilingual": drafts.bilingual(), "weak": drafts.weak_draft()}
    return {name: candor_format.write(drafts.normalize_draft(draft)) for name, draft in made.items()}


def translations(ending: str) -> dict[str, bytes]:
    draft = read_questionnaire(drafts.bilingual())
    texts = texts_of_draft(draft)
    is_table = ending == ".csv"
    return {"back": write_csv(texts, draft.languages) if is_table else write_xliff(texts, "en", "zh-hans")}


def text_tables() -> dict[str, bytes]:
    """Rows of people as other programs write them."""
    text = patients_table(120).decode()
    return {
        "commas": text.encode(),
        "tabs": text.replace(",", "\t").encode("utf-16"),
        "semicolons": text.replace(",", ";").replace("Munich", "München").encode("cp1252"),
    }


def mutated_text_table(data: bytes, draw: Random) -> bytes:
    separator = "\t" if data.startswith(b"\xff\xfe") else ";" if b";" in data else ","
    text = data.decode("utf-16" if separator == "\t" else "cp1252")
    if draw.random() < 0.15:
        return (
            mutations.mutate(data, ".txt", draw) if separator == "\t" else data[: draw.randrange(len(data))]
        )
    return mutations.mutated_table(separator)(text.encode(), draw)


@once
def frame() -> "pandas.DataFrame":  # type: ignore[name-defined]  # noqa: F821
    import pandas as pd

    read = pd.read_csv(io.BytesIO(patients_table(120)))
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
        "cases": mutations.written_spss(frame(), is_compressed, variable_value_labels=labels, note="a note")
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
TABLES: dict[str, tuple[str, Callable[[], Mapping[str, bytes]], mutations.Mutate]] = {
    "CSV": (".csv", text_tables, mutated_text_table),
    "Excel": (".xlsx", workbook, partial(lambda data, draw: mutations.mutate(data, ".xlsx", draw))),
    "Parquet": (".parquet", parquet, mutations.mutated_parquet),
    "SPSS": (".sav", partial(spss, False), mutations.mutated_spss),
    "SPSS, compressed": (".zsav", partial(spss, True), mutations.mutated_spss),
}
FORMATS: dict[str, Format] = {
    **{
        f"questionnaire: {name}": of_text(import_page, one.ending, partial(dict, one.files))
        for name, one in QUESTIONNAIRES.items()
    },
    "questionnaire: Candor": of_text(import_page, ".json", own_drafts),
    "API: drafts": of_text(api_drafts, ".json", own_drafts),
    "API: imports": of_text(api_imports, ".xlsx", partial(dict, QUESTIONNAIRES["XLSForm, workbook"].files)),
    "translations: XLIFF": of_text(translations_page, ".xlf", partial(translations, ".xlf")),
    "translations: CSV": of_text(translations_page, ".csv", partial(translations, ".csv")),
    "cells: GeoJSON": of_text(cells_page, ".geojson", lambda: {"cells": json.dumps(GOOD).encode()}),
    "logo: PNG": Format(logo_page, ".png", partial(picture, "PNG"), mutations.mutated_png, "logos"),
    "logo: JPEG": Format(logo_page, ".jpg", partial(picture, "JPEG"), mutations.mutated_jpeg, "logos"),
    "logo: WebP": Format(logo_page, ".webp", partial(picture, "WEBP"), mutations.mutated_webp, "logos"),
    "logo: SVG": of_text(logo_page, ".svg", lambda: {"script": SVG}, "logos"),
    "margins": of_text(margins_page, ".csv", lambda: MARGINS, ""),
    "register": of_text(attack_page, ".csv", lambda: {"people": REGISTER}, "tables"),
    **{
        f"{room}: {name}": Format(page, ending, files, mutate, "tables")
        for room, page in {"release": release_page, "own table": own_table_page}.items()
        for name, (ending, files, mutate) in TABLES.items()
    },
}  # fmt: skip
