"""Questionnaires as the programs of each format write them, put together by hand: what builds them, and files of each.

`FORMATS` (formats.py) reads the files again with readers of its own.
"""

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from openpyxl import Workbook

Files = dict[str, bytes]
Node = dict[str, Any]

# --- XLSForms as somebody would write them in a spreadsheet program

Lines = Sequence[Sequence[Any]]
CHOICES: Lines = [
    ["list_name", "name", "label::English (en)"],
    ["ages", "young", "18 to 39"],
    ["ages", "old", "40 or older"],
    ["yes_no", "yes", "Yes"],
    ["yes_no", "no", "No"],
    ["paid", "cash", "In cash"],
    ["paid", "goods", "In goods"],
]
HEADER = [
    *("type", "name", "label::English (en)", "required", "relevant"),
    *("candor_section", "candor_keep", "candor_noise"),
]


def workbook(**sheets: Lines) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(list(line))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def form(
    *rows: Sequence[Any], header: Sequence[str] = HEADER, choices: Lines = CHOICES, **sheets: Lines
) -> bytes:
    return workbook(survey=[header, *rows], choices=choices, **sheets)


# --- LimeSurvey

LIME_HEADER = (
    *("id", "related_id", "class", "type/scale", "name", "relevance", "text", "help"),
    *("language", "validation"),
    *("mandatory", "other", "min_num_value_n", "max_num_value_n", "hidden"),
)
Row = Mapping[str, str]
Rows = list[Row]


def row(kind: str, name: str, text: str = "", **cells: str) -> Row:
    """`scale` is the column type/scale."""
    scale = {"type/scale": cells.pop("scale")} if "scale" in cells else {}
    return {"class": kind, "name": name, "text": text, "language": "en", **scale, **cells}


def question(code: str, kind: str, text: str, **cells: str) -> Row:
    return row("Q", code, text, scale=kind, **{"relevance": "1", "mandatory": "Y", **cells})


def group(name: str, text: str = "", **cells: str) -> Row:
    return row("G", name, text, **{"scale": "G1", "relevance": "1", **cells})


def answers(*labels: str, language: str = "en") -> Rows:
    return [row("A", f"A{n}", label, scale="0", language=language) for n, label in enumerate(labels, 1)]


def subquestions(*labels: str, language: str = "en") -> Rows:
    return [row("SQ", f"SQ{n}", label, scale="0", language=language) for n, label in enumerate(labels, 1)]


def quota(number: str, name: str, limit: str, active: str = "1") -> Row:
    return {"class": "QTA", "id": number, "name": name, "mandatory": limit, "other": "1", "default": active}


ENGLISH = [row("S", "language", "en"), row("SL", "surveyls_title", "A survey")]


def lime_table(*rows: Row, settings: Sequence[Row] = ENGLISH, header: Sequence[str] = LIME_HEADER) -> bytes:
    lines = [header, *([each.get(column, "") for column in header] for each in (*settings, *rows))]
    quoted = ("\t".join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    return ("\ufeff" + "\r\n".join(quoted) + "\r\n").encode()


def lime_document(
    tables: Mapping[str, Sequence[Row]], languages: Sequence[str] = ("en",), kind: str = "Survey"
) -> bytes:
    spoken = "".join(f"<language>{code}</language>" for code in languages)
    made = "".join(_lime_rows(name, rows) for name, rows in tables.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<document>\n'
        f" <LimeSurveyDocType>{kind}</LimeSurveyDocType>\n <DBVersion>443</DBVersion>\n"
        f" <languages>{spoken}</languages>\n{made}</document>\n"
    ).encode()


def _lime_rows(name: str, rows: Sequence[Row]) -> str:
    fields = "".join(f"<fieldname>{column}</fieldname>" for column in (rows[0] if rows else ()))
    cells = (
        "".join(f"<{column}><![CDATA[{text}]]></{column}>" for column, text in each.items()) for each in rows
    )
    body = "".join(f"<row>{each}</row>" for each in cells)
    return f" <{escape(name)}><fields>{fields}</fields><rows>{body}</rows></{escape(name)}>\n"


# --- A line is a file.
# fmt: off

LIME_SETTINGS = ("default", "same_default", "random_group", "array_filter", "exclude_all_others", "min_answers", "max_answers", "em_validation_q", "random_order", "answer_order", "other_replace_text", "time_limit", "em_validation_sq", "equals_num_value", "array_filter_exclude")


def as_table(rows: Rows) -> bytes:
    settings = [] if rows[0]["class"] == "S" else ENGLISH
    groups = dict[str, str]()
    numbered = list[Row]()
    for each in rows:
        number = groups.setdefault(each["language"], "0") if each["class"] == "G" else ""
        if number:
            groups[each["language"]] = str(int(number) + 1)
        numbered.append({**each, "type/scale": f"G{int(number) + 1}"} if number else each)
    return lime_table(*numbered, settings=settings, header=(*LIME_HEADER, *LIME_SETTINGS))


def as_xml(rows: Rows, with_words: bool = False) -> bytes:
    """Tables of LimeSurvey 3; of 4 and later `with_words` in tables of their own."""
    tables: dict[str, list[dict[str, str]]] = {name: [] for name in ("groups", "questions", "subquestions", "answers", "question_attributes", "defaultvalues", "quota", "quota_members")}
    ids: dict[Any, str] = {}
    at = {"G": "0", "Q": "0"}
    for each in rows:
        kind, name, language = each["class"], each["name"], each.get("language", "en")
        if kind == "G":
            count = len([g for g in tables["groups"] if g["language"] == language])
            at["G"] = str(count + 1)
            tables["groups"].append({"gid": at["G"], "group_order": at["G"], "group_name": name, "description": each["text"], "language": language, "grelevance": each["relevance"], "randomization_group": each.get("random_group", "")})
        elif kind == "Q":
            at["Q"] = new = ids.setdefault(name, str(len(ids) + 11))
            common = {"qid": new, "parent_qid": "0", "gid": at["G"], "type": each["type/scale"], "title": name, "question": each["text"], "help": "", "preg": each.get("validation", ""), "other": each.get("other", "N"), "mandatory": "Y", "relevance": each["relevance"], "question_order": new, "scale_id": "0", "language": language}
            tables["questions"].append(common)
            if language == "en":
                tables["question_attributes"] += [{"qid": new, "attribute": key, "value": each[key], "language": ""} for key in (*LIME_SETTINGS[2:], "min_num_value_n", "max_num_value_n", "hidden") if each.get(key)]
                tables["defaultvalues"] += [{"qid": new, "specialtype": "", "scale_id": "0", "sqid": "0", "language": "en", "defaultvalue": each.get("default", "")}] * bool(each.get("default"))
        elif kind == "SQ":
            new = ids.setdefault((at["Q"], name), str(len(ids) + 11))
            tables["subquestions"].append({"qid": new, "parent_qid": at["Q"], "gid": at["G"], "type": "T", "title": name, "question": each["text"], "relevance": each.get("relevance", "1"), "question_order": new, "scale_id": "0", "language": language})
        elif kind == "A":
            tables["answers"].append({"aid": ids.setdefault((at["Q"], "A", name), str(len(ids) + 11)), "qid": at["Q"], "code": name, "answer": each["text"], "sortorder": name[1:], "scale_id": "0", "language": language})
        elif kind == "QTAM":
            tables["quota_members"].append({"id": "1", "quota_id": each["related_id"], "qid": at["Q"], "code": name})
        elif kind == "QTA":
            tables["quota"].append({"id": each["id"], "name": name, "qlimit": each["mandatory"], "action": "1", "active": each["default"]})
    languages = list(dict.fromkeys(each.get("language", "en") for each in rows))
    if with_words:
        _split_off_words(tables, "groups", "gid", "group_l10ns", "group_name", "description")
        words = tables["questions"] + tables["subquestions"]
        for name in ("questions", "subquestions"):
            _split_off_words(tables, name, "qid", "", "question", "help")
        tables["question_l10ns"] = [{"id": str(n), **{key: each.get(key, "") for key in ("qid", "question", "help", "language")}} for n, each in enumerate(words)]
        _split_off_words(tables, "answers", "aid", "answer_l10ns", "answer")
    tables["surveys_languagesettings"] = [{"surveyls_language": code, "surveyls_title": "A survey"} for code in languages]
    return lime_document({name: each for name, each in tables.items() if each}, languages)


def _split_off_words(tables: dict[str, list[dict[str, str]]], name: str, key: str, words: str, *columns: str) -> None:
    if words:
        tables[words] = [{"id": str(n), **{column: each[column] for column in (key, *columns, "language")}} for n, each in enumerate(tables[name])]
    once = {each[key]: {column: cell for column, cell in each.items() if column not in (*columns, "language")} for each in reversed(tables[name])}
    tables[name] = list(reversed(once.values()))


def as_archive(survey: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("survey_1_responses.lsr", "<document><responses/></document>")
        archive.writestr("survey_1.lss", survey)
    return made.getvalue()


def _lime_files() -> tuple[Files, Files, Files]:
    YES_NO = answers("Yes", "No")
    WORK = [question("work", "L", "Do you work?"), *answers("Full time", "Part time", "No")]
    PAID = [question("paid", "M", "How are you paid?"), *subquestions("In cash", "By transfer", "In goods")]
    AGE = [question("age", "N", "How old are you?", min_num_value_n="18", max_num_value_n="99")]
    OFTEN = [question("often", "F", "How often do you"), *subquestions("read", "swim"), *answers("Never", "Often")]
    LIKE = [question("like", "Y", "Do you like it?")]

    def last_question(relevance: str, **more: str) -> Rows:
        return [question("last", "L", "The last one?", relevance=relevance, **more), *YES_NO]

    def rows_in_language(rows: Rows, language: str, *words: str) -> Rows:
        return [{**each, "language": language, "text": text} for each, text in zip(rows, words, strict=True)]

    G, G2 = group("Part one"), group("Part two", "<p>About you</p>")
    every: dict[str, Rows] = {
        "choices": [G, *WORK, *LIKE, *last_question('work.NAOK == "A1"'), G2, question("sex", "G", "Sex?"), question("scale", "5", "How good?", relevance='(like == "Y" or like == "N")')],
        "signs": [G, *WORK, *LIKE, question("a", "Y", "Ay?", relevance='((work.NAOK == "A1" or work.NAOK == "A2"))'), question("b", "Y", "Bee?", relevance='work.NAOK != "A3" && like.NAOK == "Y"'), question("c", "Y", "Sea?", relevance="!(work.NAOK eq 'A1')"), question("d", "Y", "Dee?", relevance="work ne 'A1' and !is_empty(like)"), *last_question('work.NAOK == "A1" && like.NAOK == "Y" || work.NAOK == "A2"')],
        "several": [G, *PAID, question("a", "Y", "Ay?", relevance='paid_SQ1.NAOK == "Y"'), question("b", "Y", "Bee?", relevance='paid_SQ1.NAOK == "Y" and paid_SQ2.NAOK != "Y"'), question("c", "Y", "Sea?", relevance='paid_SQ1 == "Y" or paid_SQ3 == "Y"'), question("d", "Y", "Dee?", relevance="is_empty(paid_SQ1.NAOK)"), *last_question("count(paid_SQ1, paid_SQ2) > 1")],
        "hidden_parents": [G, *WORK, question("like", "Y", "Do you like it?", relevance='work == "A1"'), question("a", "Y", "Ay?", relevance='like.NAOK != "Y"'), question("b", "Y", "Bee?", relevance='like != "Y"'), *last_question('is_empty(like.NAOK)')],
        "numbers": [G, *AGE, question("a", "Y", "Ay?", relevance="age.NAOK >= 65"), question("b", "Y", "Bee?", relevance="age > 17 and age < 30"), question("born", "D", "When were you born?"), question("c", "Y", "Sea?", relevance='born.NAOK > "2000-01-01"'), question("job", "S", "Which job?"), *last_question('job.NAOK == "miner"'), question("many", "K", "How many of each?"), *subquestions("cars", "bikes")],
        "groups": [G, *WORK, group("Only workers", relevance='work == "A1"'), *LIKE, *PAID, group("Of both", relevance='like.NAOK == "Y"'), *last_question('paid_SQ1.NAOK == "Y"'), group("Empty"), group("Never", relevance="0"), question("never", "Y", "Never?")],
        "tables": [G, *OFTEN, question("five", "A", "How good is"), *subquestions("tea", "coffee"), question("more", "E", "More or less"), *subquestions("sun", "rain"), question("sure", "C", "Is it so that"), *subquestions("one", "two"), question("two", "1", "Two scales"), *subquestions("x"), question("cols", "H", "By column"), *subquestions("Monday", "Sunday"), *answers("Rest", "Work"), *last_question('often_SQ1.NAOK == "A1"')],
        "table_shown": [G, *WORK, {**OFTEN[0], "relevance": 'work.NAOK == "A3"'}, *OFTEN[1:], *last_question('often_SQ2.NAOK != "A2"')],
        "filters": [G, *PAID, question("most", "F", "How much by", array_filter="paid"), *subquestions("In cash", "By transfer", "In goods"), *answers("A little", "Much"), {**question("at", "F", "Where"), "array_filter": ""}, row("SQ", "SQ1", "At home", scale="0", relevance='paid_SQ1.NAOK == "Y"'), row("SQ", "SQ2", "At work", scale="0", relevance="1"), *answers("Never", "Always")],
        "random": [group("R1", random_group="g"), {**WORK[0], "random_order": "1"}, *WORK[1:], question("x", "Y", "Ex?", random_group="q"), question("y", "Y", "Why?", random_group="q"), group("R2", random_group="g"), {**OFTEN[0], "random_order": "1"}, *OFTEN[1:], {**PAID[0], "random_order": "1"}, *PAID[1:]],
        "settings": [G, {**WORK[0], "default": "A1", "other": "Y"}, *WORK[1:], {**PAID[0], "max_answers": "2", "min_answers": "1", "other": "Y"}, *PAID[1:], {**LIKE[0], "em_validation_q": "like == 'Y'"}, question("zip", "S", "Postcode?", validation="/^[0-9]{5}$/"), question("secret", "Y", "Hidden?", hidden="1"), {**question("none", "M", "Any of these?"), "exclude_all_others": "SQ3"}, *subquestions("One", "Two", "None of them"), *last_question('work.NAOK == "-oth-"'), question("sum", "*", "{work}")],
        "backwards": [G, *last_question('work.NAOK == "A1"'), *WORK, question("self", "Y", "Me?", relevance='self.NAOK == "Y"'), question("gone", "Y", "Gone?", relevance='nobody.NAOK == "Y"')],
        "odd_words": [G2, question("empty", "L", ""), *answers("Yes", ""), question("same", "L", "The same?"), *answers("Same", "Same", "Not"), question("html", "!", "<p>How <em>old</em>&nbsp;is &lt;it&gt;?</p><script>x()</script>"), *answers("<b>5</b> &amp; less", "more"), question("piped", "Y", "You said {same.shown}: right?", relevance='same == "A2"'), question("list", "O", "With a comment?"), *YES_NO, question("note", "X", "Only words", relevance='same == "A1"')],
        "people": [G, *WORK, question("a", "Y", "Ay?", relevance='TOKEN:ATTRIBUTE_1 == "x"'), question("b", "Y", "Bee?", relevance='!is_empty(sum)'), question("sum", "*", "{work}"), question("c", "Y", "Sea?", relevance='sum.NAOK == "A1"'), question("d", "Y", "Dee?", relevance='work == "A1" and rand(1, 2) == 1'), question("e", "Y", "Eee?", relevance='(work.NAOK == "A1" and (is_empty(work.NAOK) or work.NAOK == "A1"))'), *last_question('work.value == "A1"')],
        "groups_in_random_order": [group("R1", random_group="g"), *LIKE, group("R2", random_group="g"), *WORK],
        "more_settings": [G, {**WORK[0], "time_limit": "30"}, *WORK[1:], {**OFTEN[0], "em_validation_sq": "that > 1"}, *OFTEN[1:], {**AGE[0], "num_value_int_only": "1", "equals_num_value": "10"}, {**PAID[0], "other": "Y", "exclude_all_others_auto": "1", "array_filter_exclude": "often"}, *PAID[1:], *last_question('paid_other.NAOK == "x"')],
        "quotes": [G, *WORK, *LIKE, question("a", "Y", "Ay?", relevance="work.NAOK == ’A1’"), question("b", "Y", "Bee?", relevance="work.NAOK == “A1” or work.NAOK == ‘A2’"), *last_question("work.NAOK == 'A1’ and like.NAOK == 'Y'")],
        "limits": [G, *AGE, question("kids", "N", "How many children?"), question("a", "Y", "Ay?", relevance="kids.NAOK > 0"), question("b", "Y", "Bee?", relevance="kids.NAOK == 2 and age.NAOK ge 30"), question("c", "Y", "Sea?", relevance="age <= 64 && age >= '40'"), question("d", "Y", "Dee?", relevance="kids.NAOK < 5 or kids.NAOK > 7"), *last_question("30 <= age.NAOK")],
        "calculations": [G, *WORK, *AGE, question("idle", "*", "{if(work.NAOK == 'A3', 1, 0)}"), question("old", "*", "{if(idle == 1, 'no', if(age.NAOK > 64, 'old', 'young'))}"), question("a", "Y", "Ay?", relevance="idle == 1"), question("b", "Y", "Bee?", relevance="old != 'no'"), question("both", "*", "{if(work.NAOK == 'A1' or age.NAOK > 64, 1, 0)}"), *last_question("both == 1")],
        "only_defaults": [G, {**WORK[0], "default": "A2"}, *WORK[1:], {**LIKE[0], "default": "Y"}, {**AGE[0], "default": "40"}],
        "quota": [G, question("sex", "G", "Sex?"), row("QTAM", "F", related_id="1"), *WORK, row("QTAM", "A1", related_id="2"), *AGE, quota("1", "Women", "50"), quota("2", "Workers", "10"), quota("3", "Off", "50", "0")],
    }
    every["languages"] = [
        row("S", "language", "en"), row("S", "additional_languages", "de ar zh-Hans"), row("SL", "surveyls_title", "Work"),
        row("SL", "surveyls_title", "Arbeit", language="de"),
        G, *LIKE, *WORK, *last_question('work.NAOK == "A3"'),
        {**group("Teil eins"), "language": "de"}, *rows_in_language(LIKE, "de", "Gefällt es Ihnen?"), *rows_in_language(WORK, "de", "Arbeiten Sie?", "Vollzeit", "Teilzeit", "Nein"), *rows_in_language(last_question('work.NAOK == "A3"'), "de", "Die letzte?", "Ja", "Nein"),
        {**group("الجزء"), "language": "ar"}, *rows_in_language(LIKE, "ar", "هل يعجبك؟"), *rows_in_language(WORK, "ar", "هل تعمل؟", "دوام كامل", "دوام جزئي", "لا"), *rows_in_language(last_question('work.NAOK == "A3"'), "ar", "الأخير؟", "نعم", "لا"),
        {**group("第一"), "language": "zh-Hans"}, *rows_in_language(LIKE, "zh-Hans", "您喜欢吗？"), *rows_in_language(WORK, "zh-Hans", "您工作吗？", "全职", "兼职", "不"), *rows_in_language(last_question('work.NAOK == "A3"'), "zh-Hans", "最后？", "是", "否"),
    ]
    old = as_xml([G, *WORK, *PAID, *last_question("1"), question("more", "Y", "More?")]).replace(b"</document>", b"<conditions><fields/><rows>" + b"".join(
        f"<row><cid>{n}</cid><qid>{qid}</qid><cqid>{cqid}</cqid><cfieldname>{place}</cfieldname><method>==</method><value>{value}</value><scenario>1</scenario></row>".encode()
        for n, (qid, cqid, place, value) in enumerate([("19", "11", "1X1X11", "A1"), ("22", "15", "+1X1X15SQ2", "Y")])) + b"</rows></conditions></document>")
    tables = {name: as_table(rows) for name, rows in every.items()} | {"utf16": as_table(every["languages"]).decode("utf-8-sig").encode("utf-16")}
    xml = {name: as_xml(rows) for name, rows in every.items()} | {f"{name}_4": as_xml(rows, True) for name, rows in every.items()} | {"old_conditions": old}
    return tables, xml, {name: as_archive(survey) for name, survey in list(xml.items())[::3]}


LIME_TABLES, LIME_XML, LIME_ARCHIVES = _lime_files()

# --- REDCap

REDCAP_HEADER = ("Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label", "Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number", "Text Validation Min", "Text Validation Max", "Identifier?", "Branching Logic (Show field only if...)", "Required Field?", "Custom Alignment", "Question Number (surveys only)", "Matrix Group Name", "Matrix Ranking?", "Field Annotation")
REDCAP_NAMES = ("field_name", "form_name", "section_header", "field_type", "field_label", "select_choices_or_calculations", "field_note", "text_validation_type_or_show_slider_number", "text_validation_min", "text_validation_max", "identifier", "branching_logic", "required_field", "custom_alignment", "question_number", "matrix_group_name", "matrix_ranking", "field_annotation")
Field = tuple[str, ...]


def field(name: str, kind: str = "radio", label: str | None = None, choices: str | None = None, logic: str = "", tags: str = "", form: str = "main", header: str = "", validation: str = "", least: str = "", most: str = "", person: str = "", matrix: str = "", ranking: str = "") -> Field:
    if choices is None:
        choices = "1, Yes | 2, No" if kind in ("radio", "checkbox") else ""
    return (name, form, header, kind, f"About {name}" if label is None else label, choices, "", validation, least, most, person, logic, "y", "", "", matrix, ranking, tags)


def dictionary(*fields: Field, header: Field = REDCAP_HEADER, mark: str = "") -> bytes:
    made = io.StringIO()
    csv.writer(made).writerows([header, *fields])
    return (mark + made.getvalue()).encode()


def _redcap_files() -> Files:
    SEX = field("sex", "radio", "What is your sex?", "1, Female | 2, Male | 3, Other")
    DRUGS = field("drugs", "checkbox", "Which did you take?", "1, Aspirin | 2, Ibuprofen | 9, None")
    SMOKE = field("smoke", "yesno", "Do you smoke?")
    AGE = field("age", "text", "Age in years", validation="integer", least="18", most="99")

    def last_field(logic: str, name: str = "last", label: str = "The last one?", **more: str) -> Field:
        return field(name, "radio", label, "1, Yes | 0, No", logic, **more)

    return {
        "choices": dictionary(SEX, DRUGS, SMOKE, last_field("[sex] = '1'"), last_field("[smoke] = '1' and [sex] = '2'", "both", "Both?"), field("t", "truefalse", "True?", logic="[smoke] = 0")),
        "signs": dictionary(SEX, SMOKE, last_field("[sex] <> '1'", "a", "Ay?"), last_field("[sex] != '' ", "b", "Bee?"), last_field("([sex]='1' or [sex]='3') AND [smoke]='1'", "c", "Sea?"), last_field("[sex]='1' or [smoke]='1'", "d", "Dee?"), last_field("not ([sex]='1')", "e", "Eee?"), last_field('[sex] = "2"')),
        "checkboxes": dictionary(DRUGS, last_field("[drugs(1)] = '1'", "a", "Ay?"), last_field("[drugs(1)] = '0' and [drugs(2)] = '1'", "b", "Bee?"), last_field("[drugs(1)] = '1' or [drugs(2)] = '1'", "c", "Sea?"), last_field("[drugs(9)] <> '1'")),
        "hidden_parents": dictionary(SEX, field("drugs", "checkbox", "Which?", "1, Aspirin | 2, Ibuprofen", "[sex] = '1'"), last_field("[drugs(1)] = '0'", "a", "Ay?"), last_field("[sex] = '2'", "b", "Bee?"), last_field("[b] <> '1'", "c", "Sea?"), last_field("[b] = ''")),
        "numbers": dictionary(AGE, field("weight", "text", "Weight in kg", validation="number", least="0.5", most="300"), field("free", "text", "How many?", validation="integer"), field("born", "text", "Date of birth", validation="date_ymd", least="1900-01-01", most="today"), field("pain", "slider", "How much pain?", "None | | Much", validation="number"), last_field("[age] >= 65", "a", "Ay?"), last_field("[age] > 17 and [age] < 30", "b", "Bee?"), last_field("[born] > '2000-01-01'", "c", "Sea?"), last_field("datediff([born], 'today', 'y') > 18", "d", "Dee?"), last_field("[pain] > 50")),
        "matrices": dictionary(SEX, *(field(f"m{n}", "radio", f"I feel {word}", "1, Never | 2, Often", matrix="mood", header="How do you feel?" if n == 1 else "", logic="[sex] = '2'" if n == 3 else "") for n, word in enumerate(("calm", "glad", "sad"), 1)), *(field(f"r{n}", "radio", f"Rank of {word}", "1, First | 2, Second", matrix="rank", ranking="y") for n, word in enumerate(("tea", "coffee"), 1)), *(field(f"c{n}", "checkbox", f"Used in {word}", "1, Bus | 2, Car", matrix="used") for n, word in enumerate(("May", "June"), 1)), last_field("[m1] = '2'")),
        "tags": dictionary(SEX, last_field("", "d", "With default", tags="@DEFAULT='1'"), last_field("", "h", "Hidden", tags="@HIDDEN"), last_field("", "s", "Hidden in surveys", tags="@HIDDEN-SURVEY"), last_field("", "r", "Read only", tags="@READONLY"), field("n", "checkbox", "With none", "1, A | 2, B | 9, None", tags="@NONEOFTHEABOVE=9"), last_field("", "m", "At most ten", tags="@MAXCHOICE(1=10)"), field("x", "checkbox", "At most two", "1, A | 2, B | 3, C", tags="@MAXCHECKED=2"), last_field("", "o", "Random order", tags="@RANDOMORDER"), last_field("", "i", "Hidden if", tags="@IF([sex]='1', @HIDDEN, '')"), last_field("", "q", "One choice hidden", tags="@HIDECHOICE='1'"), last_field("", "v", "Set", tags="@SETVALUE='1'")),
        "people": dictionary(field("record_id", "text", "Record"), field("name", "text", "Your name", person="y"), field("zip", "text", "Postcode", validation="zipcode", person="y"), field("city", "dropdown", "City", "1, Kyiv | 2, Lviv", person="y"), field("mail", "text", "Email", validation="email"), last_field("[city] = '1'", "a", "Ay?"), last_field("[name] <> ''")),
        "forms": dictionary(SEX, field("d", "descriptive", "Please read this.", logic="[sex] = '1'"), field("x", "radio", "In form two?", "1, Yes | 0, No", form="two", header="<b>Second</b> part"), last_field("[sex] = '1'", form="two", header="Third part"), field("c", "calc", "Sum", "[sex] + 1"), field("f", "file", "A picture"), field("w", "notes", "In your words"), field("sql", "sql", "From elsewhere", "select a from b"), last_field("[event_1_arm_1][sex] = '1'", "e", "Of an event?"), last_field("[c] > 2", "k", "Of a sum?"), last_field("[previous-event-name][sex] = '1'", "p", "Of the past?")),
        "odd_words": dictionary(field("a", "radio", "<p>How <b>old</b> is &lt;it&gt;?</p>", "1, <i>5</i> or less | 2, more, or so"), field("b", "radio", "", "1, Yes | 2, "), field("c", "radio", "The same?", "1, Same | 1, Twice | 2, Same"), field("e", "dropdown", "هل أنت بخير؟", "a, نعم | b, لا"), field("g", "radio", "You said [a]: right?", "0, No | 1, Yes", "[e] = 'a'"), field("one", "radio", "Only one", "1, One"), field("neg", "radio", "Codes", "-1, Below | 0, Zero | 01, One"), last_field("[neg] = '-1'"), mark="\ufeff"),
        "backwards": dictionary(last_field("[sex] = '1'"), SEX, last_field("[me] = '1'", "me", "Me?"), last_field("[nobody] = '1'", "gone", "Gone?"), last_field("[sex] = '7'", "never", "Never?"), last_field("[sex] = ", "broken", "Broken?")),
        "more_signs": dictionary(SEX, AGE, SMOKE, last_field("[sex] = 1 and ([smoke] = 1 or [smoke] = 0)", "a", "Ay?"), last_field("[sex] in (1, 2)", "b", "Bee?"), last_field("sum([sex], 1) = 2", "c", "Sea?"), last_field("if([sex] = '1', 1, 0) = 1", "d", "Dee?"), last_field("[sex] = '1'\nand\n[smoke] = '1'", "e", "Eee?"), last_field("contains([sex], '1')", "f", "Eff?"), last_field("[user-name] = 'x'", "g", "Gee?"), last_field("isblankormissingcode([sex])", "h", "Aitch?"), last_field("[sex] = '01'", "i", "Eye?"), last_field("[age] <> ''", "j", "Jay?"), last_field("[sex] >= 2", "k", "Kay?"), last_field("", "form", "Hidden in forms?", tags="@HIDDEN-FORM")),
        "quotes": dictionary(SEX, SMOKE, last_field("[sex] = ’1’", "a", "Ay?"), last_field("[sex] = “1” or [sex] = ‘2’", "b", "Bee?"), last_field("[smoke] = “1” and [sex] <> ’2’")),
        "limits": dictionary(AGE, field("kids", "text", "How many children?", validation="integer"), last_field("[kids] > 0", "a", "Ay?"), last_field("[kids] = 2 and [age] >= 30", "b", "Bee?"), last_field("[age] <= '64' and [age] > 39", "c", "Sea?"), last_field("NOT([age] > 17 and [age] < 65)", "d", "Dee?"), last_field("[kids] > 3 or [age] > 70", "e", "Eee?"), last_field("[kids] <> ''")),
        "calculations": dictionary(SEX, AGE, field("c", "calc", "One", "if([sex] = '1', 1, 0)"), field("k", "calc", "Two", "if([c] = 1, 'f', if([age] > 64, 'old', 'young'))"), last_field("[c] = 1", "a", "Ay?"), last_field("[k] = 'f'", "b", "Bee?"), last_field("[c] = 0", "n", "En?"), field("sum", "calc", "Sum", "[sex] + [age]"), last_field("[sum] > 4")),
        "of_r": dictionary(*(tuple(each or "NA" for each in row) for row in (SEX, SMOKE, last_field("[sex] = '1'")))),
        "of_program": dictionary(SEX, SMOKE, DRUGS, last_field("[drugs(2)] = '1'"), header=REDCAP_NAMES),
    }


REDCAP = _redcap_files()

# --- Qualtrics: SurveyEntry, BL, FL, SQ, QO


def numbered_choices(labels: Any, key: str = "Choices") -> Node:
    made = {str(n): each if isinstance(each, dict) else {"Display": each} for n, each in enumerate(labels, 1)}
    return {key: made, f"{key[:-1]}Order": [*made]}


def choose_one(text: str, *labels: Any, selector: str = "SAVR", **more: Any) -> Node:
    return {"QuestionType": "MC", "Selector": selector, "QuestionText": text, "Language": [], **numbered_choices(labels), **more}


def choose_many(text: str, *labels: Any, **more: Any) -> Node:
    return choose_one(text, *labels, selector="MAVR", **more)


def number_question(text: str, low: int = 0, high: int = 100, **more: Any) -> Node:
    ends = {"Type": "ContentType", "ContentType": "ValidNumber", "ValidNumber": {"Min": str(low), "Max": str(high)}}
    return {"QuestionType": "TE", "Selector": "SL", "QuestionText": text, "Validation": {"Settings": ends}, **more}


def question_of_kind(kind: str, selector: str, text: str, **more: Any) -> Node:
    return {"QuestionType": kind, "Selector": selector, "QuestionText": text, **more}


def table(text: str, rows: Any, answers: Any, sub: str = "SingleAnswer", selector: str = "Likert", **more: Any) -> Node:
    return question_of_kind("Matrix", selector, text, SubSelector=sub, **numbered_choices(rows), **numbered_choices(answers, "Answers"), **more)


def term(place: str, sign: str = "Selected", right: str = "", joint: str = "And") -> Node:
    question, _slash, choice = place.partition("/")
    left = f"q://{question}/SelectableChoice/{choice}" if choice.isdigit() else f"q://{question}/{choice}"
    return {"LogicType": "Question", "QuestionID": question, "LeftOperand": left, "Operator": sign, "RightOperand": right,
            "ChoiceLocator": left, "Conjuction": joint, "Type": "Expression", "Description": f"<b>If</b> {place} {sign}"}


def logic(*sets: list[Node], joint: str = "OrIf") -> Node:
    made: Node = {str(n): {**{str(m): each for m, each in enumerate(terms)}, "Type": joint if n else "If"} for n, terms in enumerate(sets)}
    return {**made, "Type": "BooleanExpression", "inPage": False}


def show_if(*terms: Node) -> Node:
    return {"DisplayLogic": logic([*terms])}


def skip(place: str, to: str, sign: str = "Selected") -> Node:
    question, _slash, choice = place.partition("/")
    where = f"q://{question}/SelectableChoice/{choice}"
    return {"SkipLogic": [{"SkipLogicID": 1, "ChoiceLocator": where, "Locator": where, "Condition": sign,
                           "SkipToDestination": to, "QuestionID": question, "Description": f"Skip {place} to {to}"}]}


def qualtrics(*blocks: list[Node], flow: Any = None, options: Any = None, quotas: Any = (), rules: Any = None, language: str = "EN") -> bytes:
    """Questions QID1, QID2, … in blocks B1, B2, …; `rules` hold what a block says of a question, by its id."""
    made, questions = list[Node](), list[Node]()
    for at, block in enumerate(blocks, 1):
        content = list[Node]()
        for each in block:
            questions.append(each)
            name = f"QID{len(questions)}"
            content += [{"Type": "Question", "QuestionID": name, **(rules or {}).get(name, {})}, {"Type": "Page Break"}]
        made.append({"Type": "Standard", "ID": f"B{at}", "Description": f"Block {at}", "BlockElements": content, "Options": (options or {}).get(at, {})})
    made.append({"Type": "Trash", "ID": "T", "Description": "Trash", "BlockElements": [{"Type": "Question", "QuestionID": "QID99"}]})
    steps = flow or [{"Type": "Block", "ID": f"B{at}", "FlowID": f"FL_{at}"} for at in range(1, len(blocks) + 1)]
    bag = choose_one("What nobody is asked", "Yes", "No")
    parts: list[tuple[str, str, Any]] = [
        ("BL", "Survey Blocks", made),
        ("FL", "Survey Flow", {"Type": "Root", "FlowID": "FL_1", "Flow": steps, "Properties": {"Count": 9}}),
        *(("QO", f"QO_{n}", each) for n, each in enumerate(quotas, 1)),
        ("SO", "Survey Options", {"BackButton": "false", "SurveyTermination": "DefaultMessage"}),
        *(("SQ", f"QID{n}", each | {"QuestionID": f"QID{n}", "DataExportTag": f"Q{n}"}) for n, each in enumerate(questions, 1)),
        ("SQ", "QID99", bag),
    ]
    entry = {"SurveyID": "SV_1", "SurveyName": "Study", "SurveyLanguage": language}
    elements = [{"SurveyID": "SV_1", "Element": element, "PrimaryAttribute": name, "Payload": content} for element, name, content in parts]
    return json.dumps({"SurveyEntry": entry, "SurveyElements": elements}, ensure_ascii=False).encode()


def block(at: int) -> Node:
    return {"Type": "Block", "ID": f"B{at}", "FlowID": f"FL_{at + 1}"}


def branch(condition: Node, *flow: Node) -> Node:
    return {"Type": "Branch", "FlowID": "FL_9", "BranchLogic": condition, "Flow": [*flow]}


END = {"Type": "EndSurvey", "FlowID": "FL_8"}


def _qualtrics_files() -> Files:
    CONSENT, AGE = choose_one("Do you agree to take part?", "I agree", "I do not"), number_question("How old are you, in years?", 18, 99)
    WORK = choose_one("Do you work for pay?", "Yes, full time", "Yes, part time", "No")
    PAID = choose_many("How are you paid?", "In cash", "By transfer", "In goods", "By cheque")
    WHY = choose_one("Why do you not work?", "I study", "I care for others", "Other reasons")
    HAPPY = choose_one("How happy are you with it?", "Not at all", "Somewhat", "Very")
    GERMAN = {"DE": {"QuestionText": "Arbeiten Sie gegen Lohn?", "Choices": {"1": {"Display": "Ja, Vollzeit"}, "2": {"Display": "Ja, Teilzeit"}, "3": {"Display": "Nein"}}}}
    ARABIC = {"AR": {"QuestionText": "هل تعمل مقابل أجر؟", "Choices": {"1": {"Display": "نعم، بدوام كامل"}, "2": {"Display": "نعم، بدوام جزئي"}, "3": {"Display": "لا"}}}}

    return {
        "consent": qualtrics([CONSENT, WORK], [PAID, HAPPY], rules={"QID1": skip("QID1/2", "ENDOFSURVEY")}),
        "consent_in_question": qualtrics([CONSENT | skip("QID1/2", "ENDOFSURVEY"), WORK], [PAID]),
        "skips": qualtrics([WORK, PAID, HAPPY, WHY], [CONSENT], rules={"QID1": skip("QID1/3", "QID4"), "QID3": skip("QID3/3", "ENDOFBLOCK")}),
        "skip_not": qualtrics([CONSENT, WORK, HAPPY], rules={"QID1": skip("QID1/1", "ENDOFSURVEY", "NotSelected")}),
        "skip_back": qualtrics([CONSENT, WORK, HAPPY], rules={"QID2": skip("QID2/3", "QID1")}),
        "skip_several": qualtrics([PAID, WORK, HAPPY], [WHY], rules={"QID1": {"SkipLogic": skip("QID1/3", "ENDOFBLOCK")["SkipLogic"] + skip("QID1/4", "QID3")["SkipLogic"]}}),
        "skip_after_skip": qualtrics([CONSENT, WORK, HAPPY, WHY], rules={"QID1": skip("QID1/2", "QID3"), "QID2": skip("QID2/3", "ENDOFBLOCK")}),
        "branches": qualtrics([WORK], [PAID], [WHY], [HAPPY], flow=[block(1), branch(logic([term("QID1/1")], [term("QID1/2")]), block(2)), branch(logic([term("QID1/3")]), block(3), branch(logic([term("QID3/2")]), block(4)))]),
        "branch_ends": qualtrics([CONSENT], [WORK], [HAPPY], flow=[block(1), branch(logic([term("QID1/2")]), END), block(2), branch(logic([term("QID2/3")]), block(3), END), {"Type": "Group", "FlowID": "FL_5", "Description": "G", "Flow": []}]),
        "questions_after_end": qualtrics([CONSENT], [WORK], [HAPPY], flow=[block(1), block(2), END, block(3)]),
        "random_blocks": qualtrics([WORK], [PAID], [WHY], [HAPPY], flow=[block(1), {"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": 1, "EvenPresentation": True, "Flow": [block(2), block(3)]}, block(4)]),
        "shuffled_blocks": qualtrics([WORK], [PAID], [WHY], flow=[{"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": "3", "EvenPresentation": False, "Flow": [block(1), block(2), block(3)]}]),
        "drawn_groups": qualtrics([WORK], [PAID], [WHY], [HAPPY], flow=[{"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": 1, "Flow": [{"Type": "Group", "FlowID": "FL_7", "Description": "A", "Flow": [block(1), block(2)]}, {"Type": "Group", "FlowID": "FL_8", "Description": "B", "Flow": [block(3)]}]}, block(4)]),
        "shuffled_questions": qualtrics([WORK, HAPPY, WHY], [PAID], options={1: {"RandomizeQuestions": "RandomWithXPerPage", "RandomWithXPerPage": "1"}}),
        "loop": qualtrics([PAID], [HAPPY], options={2: {"Looping": "Question", "LoopingOptions": {"Locator": "q://QID1/ChoiceGroup/SelectedChoices", "QID": "QID1"}}}),
        "joints": qualtrics([WORK, CONSENT, PAID | show_if(term("QID1/1"), term("QID2/1")), HAPPY | show_if(term("QID1/1"), term("QID1/2", joint="Or")), WHY | {"DisplayLogic": logic([term("QID1/3"), term("QID2/1")], [term("QID2/2")])}]),
        "and_sets": qualtrics([WORK, CONSENT, HAPPY | {"DisplayLogic": logic([term("QID1/1"), term("QID1/2", joint="Or")], [term("QID2/1")], joint="AndIf")}]),
        "negations": qualtrics([WORK, PAID | show_if(term("QID1/3", "NotSelected")), HAPPY | show_if(term("QID2/3", "NotSelected"), term("QID2/1")), WHY | show_if(term("QID2/1"), term("QID2/2", joint="Or"))]),
        "of_hidden": qualtrics([CONSENT, WORK | show_if(term("QID1/1")), HAPPY | show_if(term("QID2/3", "NotSelected")), WHY | show_if(term("QID2/QuestionDisplayed", "NotDisplayed"))]),
        "numbers": qualtrics([AGE, WORK | show_if(term("QID1/ChoiceTextEntryValue", "GreaterThanOrEqual", "65")), HAPPY | show_if(term("QID1/ChoiceTextEntryValue", "LessThan", "30")), question_of_kind("TE", "SL", "What is your job?"), WHY | show_if(term("QID4/ChoiceTextEntryValue", "EqualTo", "student"))]),
        "embedded": qualtrics([WORK, HAPPY | {"DisplayLogic": logic([{"LogicType": "EmbeddedField", "LeftOperand": "wave", "Operator": "EqualTo", "RightOperand": "2", "Description": "If wave is 2"}])}], [PAID], flow=[{"Type": "EmbeddedData", "EmbeddedData": [{"Field": "wave", "Type": "Custom", "Value": "1"}]}, block(1), branch(logic([{"LogicType": "EmbeddedField", "LeftOperand": "wave", "Operator": "EqualTo", "RightOperand": "2", "Description": "wave"}]), block(2))]),
        "languages": qualtrics([WORK | {"Language": GERMAN | ARABIC}, HAPPY], language="EN"),
        "tables": qualtrics([table("How often do you", ["read", "swim", "cook"], ["Never", "Often"]), table("The office is", ["Cold:Warm", "Loud:Silent"], ["", "", ""], selector="Bipolar"), table("Which do you use at", ["home", "work"], ["Car", "Bus", "Bike"], sub="MultipleAnswer"), question_of_kind("SBS", "SBSMatrix", "Side by side", **numbered_choices(["a", "b"])), question_of_kind("RO", "DND", "Rank these", **numbered_choices(["x", "y", "z"]))]),
        "table_shown": qualtrics([WORK, table("How often do you", ["read", "swim"], ["Never", "Often"], **show_if(term("QID1/3")))]),
        "settings": qualtrics([choose_one("Which one?", "A", "B", "C", Randomization={"Type": "All"}), choose_many("Which ones?", "A1", "B1", "C1", Randomization={"Type": "Advanced", "Advanced": {"TotalRandSubset": 2, "RandomSubSet": ["1", "2", "3"]}}), WORK | {"DefaultChoices": {"1": {"Selected": True}}}, choose_many("At most two?", "A2", "B2", "C2", Validation={"Settings": {"Type": "MaxChoices", "MaxChoices": "2"}}), choose_one("Which of these?", "A3", {"Display": "B3", "DisplayLogic": logic([term("QID3/1")])}, "C3"), choose_many("Carried", DynamicChoices={"Locator": "q://QID2/ChoiceGroup/SelectedChoices", "DynamicType": "ChoiceGroup"}), choose_one("What else?", "A4", {"Display": "Something, namely", "TextEntry": "true"})]),
        "odd_words": qualtrics([choose_one("<p>How <b>old</b>&nbsp;is&amp;was it?</p>", "&lt; 5", "5 <i>or</i> more", ""), choose_one("", "Yes", "No"), choose_one("Twice the same?", "Same", "Same", "Not"), HAPPY | show_if(term("QID3/2")), WORK | {"QuestionText": "You said ${q://QID3/ChoiceGroup/SelectedChoices}: do you work?"}], []),
        "twice": qualtrics([WORK], [HAPPY], [PAID], flow=[block(1), block(2), block(3), branch(logic([term("QID1/1")]), block(2))]),
        "unused_block": qualtrics([WORK], [PAID], [HAPPY], flow=[block(1), block(3)]),
        "block_draws": qualtrics([WORK, HAPPY, WHY], [PAID], options={1: {"RandomizeQuestions": "Advanced", "Randomization": {"Advanced": {"FixedOrder": ["QID1", "{~Randomized~}"], "RandomSubSet": ["QID2", "QID3"], "TotalRandSubset": 1}}}}),
        "random_number": qualtrics([WORK], [PAID], [HAPPY], flow=[{"Type": "EmbeddedData", "EmbeddedData": [{"Field": "arm", "Type": "Custom", "Value": "${rand://int/1:2}"}]}, block(1), *(branch(logic([{"LogicType": "EmbeddedField", "LeftOperand": "arm", "Operator": "EqualTo", "RightOperand": str(n), "Description": f"arm is {n}"}]), block(n + 1)) for n in (1, 2))]),
        "steps": qualtrics([WORK], [PAID], [HAPPY], flow=[{"Type": "Authenticator", "FlowID": "FL_2", "Flow": [block(1)]}, {"Type": "WebService", "FlowID": "FL_3", "URL": "https://example.org"}, {"Type": "BlockRandomizer", "FlowID": "FL_4", "SubSet": 1, "Flow": [branch(logic([term("QID1/1")]), block(2)), block(3)]}]),
        "counts": qualtrics([PAID, table("How often do you", ["read", "swim"], ["Never", "Often"]), HAPPY | show_if(term("QID1/SelectedChoicesCount", "GreaterThan", "1")), WHY | show_if(term("QID2/SelectableAnswer/2/1")), WORK | show_if(term("QID9/1"))], [CONSENT | show_if(term("QID99/1"))], rules={"QID1": skip("QID1/1", "ENDOFSURVEY", "Empty")}),
        "exclusive": qualtrics([choose_many("Which?", "A", "B", {"Display": "None", "ExclusiveAnswer": True}), HAPPY | show_if(term("QID1/3")), WHY | show_if(term("QID1/3", "NotSelected"))], [choose_one("Scale?", "1", "2", "3", selector="NPS", Randomization={"Type": "ScaleReversal"})]),
        "more_settings": qualtrics([table("Rows at random", ["x1", "y1"], ["No", "Yes"], Randomization={"Type": "All"}), choose_many("Options at random", "A", "B", "C", Randomization={"Type": "All"}), choose_many("Carried on", "D", "E", DynamicChoices={"Locator": "q://QID2/ChoiceGroup/SelectedChoices", "DynamicType": "ChoiceGroup"}), table("Rows by answers", [{"Display": "x2", "DisplayLogic": logic([term("QID2/1")])}, "y2"], ["No", "Yes"]), choose_one("Validated?", "F", "G", Validation={"Settings": {"Type": "CustomValidation", "CustomValidation": {"Logic": logic([term("QID2/1")])}}}), HAPPY | {"DisplayLogic": logic([{"LogicType": "Quota", "LeftOperand": "QO_1", "Operator": "QuotaMet", "Description": "If quota is met"}])}, WHY | {"DisplayLogic": logic([{"LogicType": "DeviceType", "LeftOperand": "Device", "Operator": "Is", "RightOperand": "Mobile", "Description": "On a phone"}])}, table("Defaults", ["x3"], ["No", "Yes"], DefaultChoices={"1": {"1": {"Selected": True}}})]),
        "cells": qualtrics([table("How often do you", ["read", "swim"], ["Never", "Often"]), HAPPY | show_if(term("QID1/SelectableChoice/2/1")), WHY | show_if(term("QID1/SelectableChoice/1/2", "NotSelected")), WORK | show_if(term("QID1/SelectableAnswer/2")), CONSENT | show_if(term("QID1/SelectableChoice/1/1"), term("QID1/SelectableChoice/2/1"))]),
        "hidden_expressions": qualtrics([WORK, CONSENT, HAPPY | show_if(term("QID1/1"), term("QID2/1") | {"_HiddenExpression": True}), WHY | show_if(term("QID1/1") | {"_HiddenExpression": True})]),
        "arms": qualtrics([WORK], [PAID], flow=[{"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": 1, "Flow": [{"Type": "EmbeddedData", "FlowID": f"FL_{n}", "EmbeddedData": [{"Field": "arm", "Type": "Custom", "Value": n}]} for n in "ab"]}, block(1), branch(logic([{"LogicType": "EmbeddedField", "LeftOperand": "arm", "Operator": "EqualTo", "RightOperand": "b", "Description": "arm is b"}]), block(2))]),
        "subsets": qualtrics([choose_one("Which?", "A", "B", "C", Randomization={"Type": "Subset", "TotalRandSubset": 2}), table("Some rows", ["x", "y", "z"], ["No", "Yes"], Randomization={"Type": "Subset", "TotalRandSubset": 1})]),
        "three_joints": qualtrics([WORK, CONSENT, HAPPY, WHY | show_if(term("QID1/1"), term("QID2/1", joint="Or"), term("QID3/1")), PAID | {"DisplayLogic": logic([term("QID1/1")], [term("QID2/1")], [term("QID2/2")], joint="AndIf")}]),
        "loops": qualtrics([PAID], [HAPPY, WHY | show_if(term("1_QID2/1"))], [CONSENT | show_if(term("QID2%232/1"))], options={2: {"Looping": "Static", "LoopingOptions": {"Static": {"1": {"1": "apples"}}, "Randomization": "All"}}}),
        "quota": qualtrics([WORK, HAPPY], quotas=[{"Name": "Full time", "Occurrences": 200, "Logic": logic([term("QID1/1")]), "QuotaAction": "EndCurrentSurvey"}, {"Name": "Old", "Occurrences": 10, "Logic": logic([term("QID1/1"), term("QID2/1", "NotSelected")])}]),
    }


QUALTRICS = _qualtrics_files()

# --- SurveyJS, as its creator saves surveys


def element(name: str, *choices: Any, kind: str = "radiogroup", **more: Any) -> Node:
    return {"type": kind, "name": name, "title": f"What of {name}?", **({"choices": [*choices]} if choices else {}), **more}


def surveyjs(*elements: Node, **more: Any) -> bytes:
    return json.dumps({"title": "Study", "pages": [{"name": "page1", "elements": [*elements]}], **more}, ensure_ascii=False).encode()


def surveyjs_pages(*made: Node, **more: Any) -> bytes:
    return json.dumps({"title": "Study", "pages": [*made], **more}, ensure_ascii=False).encode()


def _surveyjs_files() -> Files:
    WORK = element("work", "full", "part", "no")
    PAID = element("paid", {"value": 1, "text": "In cash"}, {"value": 2, "text": "In goods"}, {"value": 3, "text": "By transfer"}, kind="checkbox")
    LIKE, AGE = element("like", kind="boolean"), element("age", kind="text", inputType="number", min=18, max=99)

    def last_element(visible: str, name: str = "last", **more: Any) -> Node:
        return element(name, "yes", "no", visibleIf=visible, **more)

    return {
        "quotes": surveyjs(WORK, PAID, last_element("{work} = ’full’", "a"), last_element("{work} = “full” or {work} = ‘part’", "b"), last_element("{work} anyof [’full’, ’part’]", "c"), last_element("{paid} contains 2 and {work} != 'no’")),
        "limits": surveyjs(AGE, element("kids", kind="text", inputType="number"), element("stars", kind="rating"), last_element("{kids} > 0", "a"), last_element("{kids} = 2 and {age} >= 30", "b"), last_element("{age} <= 64 && {age} >= 40", "c"), last_element("{stars} >= 4", "d"), last_element("{kids} < 5 or {age} > 70", "e"), last_element("30 <= {age}")),
        "calculations": surveyjs(WORK, AGE, element("idle", kind="expression", expression="iif({work} = 'no', 1, 0)"), last_element("{idle} = 1", "a"), last_element("{old} = 'yes'", "b"), last_element("{old} = 'no'"), calculatedValues=[{"name": "old", "expression": "iif({idle} = 1, 'idle', iif({age} > 64, 'yes', 'no'))"}]),
        "choices": surveyjs(WORK, PAID, LIKE, last_element("{work} = 'full'"), last_element("{paid} contains 2", "a"), last_element("{like} = true", "b"), last_element("{work} anyof ['full', 'part']", "c"), last_element("{work} == 'no' and {like} = false", "d")),
        "signs": surveyjs(WORK, PAID, LIKE, last_element("{work} <> 'full'", "a"), last_element("{work} notempty", "b"), last_element("{work} = 'full' or {work} = 'part'", "c"), last_element("{work} = 'full' || {like} = true", "d"), last_element("!({work} = 'no')", "e"), last_element("{paid} notcontains 1", "f"), last_element("{paid} anyof [1, 2]", "g"), last_element("{paid} allof [1, 2]", "h"), last_element("{paid} = [1]", "i"), last_element("{work} empty", "j"), last_element("iif({work} = 'no', 1, 0) = 1", "k")),
        "hidden_parents": surveyjs(WORK, element("more", "yes", "no", visibleIf="{work} = 'full'"), last_element("{more} <> 'yes'", "a"), last_element("{more} empty", "b"), last_element("{more} = 'no'", "c"), last_element("{more} != 'yes' and {work} = 'full'")),
        "numbers": surveyjs(AGE, last_element("{age} >= 65", "a"), last_element("{age} > 17 and {age} < 30", "b"), element("born", kind="text", inputType="date"), last_element("{born} > '2000-01-01'", "c"), element("job", kind="text"), last_element("{job} = 'miner'", "d"), element("rated", kind="rating", rateMin=0, rateMax=10), last_element("{rated} > 6", "e"), last_element("{rated} = 3", "f"), element("slid", kind="slider", min=0, max=50), last_element("age({born}) > 18")),
        "panels": surveyjs_pages({"name": "p1", "elements": [WORK]}, {"name": "p2", "visibleIf": "{work} = 'full'", "elements": [{"type": "panel", "name": "in", "title": "Pay", "visibleIf": "{work} != 'no'", "elements": [LIKE, {"type": "panel", "name": "deep", "visibleIf": "{like} = true", "elements": [PAID, last_element("{paid} contains 1")]}]}]}, {"name": "p3", "elements": []}, {"name": "p4", "visible": False, "elements": [element("off", "a", "b")]}),
        "tables": surveyjs({"type": "matrix", "name": "t", "title": "How often do you", "columns": ["never", {"value": 2, "text": "often"}], "rows": ["read", {"value": "s", "text": "swim"}]}, last_element("{t.read} = 'never'", "a"), {"type": "matrixdropdown", "name": "d", "title": "Two things", "columns": [{"name": "x", "cellType": "radiogroup"}], "choices": [1, 2], "rows": ["r"]}, {"type": "matrixdynamic", "name": "m", "title": "For each", "columns": [{"name": "x"}]}, element("rank", "a", "b", kind="ranking"), element("texts", kind="multipletext", items=[{"name": "x"}]), {"type": "paneldynamic", "name": "each", "title": "Each child", "templateElements": [element("inner", "a", "b")]}, element("sign", kind="signaturepad"), {"type": "matrix", "name": "u", "title": "Rows by answers", "columns": ["no", "yes"], "rows": ["u1", "u2"], "rowsVisibleIf": "{a} = 'yes'", "rowsOrder": "random"}),
        "settings": surveyjs({**WORK, "defaultValue": "full", "choicesOrder": "random"}, {**PAID, "maxSelectedChoices": 2, "showNoneItem": True, "showOtherItem": True}, element("v", kind="text", inputType="number", validators=[{"type": "numeric", "minValue": 1, "maxValue": 5}]), element("f", "a", "b", choicesVisibleIf="{work} = {item}"), element("g", {"value": "x", "visibleIf": "{work} = 'no'"}, "y", "z"), element("c", kind="checkbox", choicesFromQuestion="paid", choicesFromQuestionMode="selected"), element("u", kind="dropdown", choicesByUrl={"url": "https://example.org/x"}), element("r", "a", "b", enableIf="{work} = 'no'"), element("s", "a", "b", setValueIf="{work} = 'no'", setValueExpression="'a'"), element("o", "a", "b", readOnly=True), element("h", "a", "b", visible=False), element("w", "a", "b", requiredIf="{work} = 'no'")),
        "triggers": surveyjs(WORK, LIKE, *(element(name, "a", "b") for name in ("q1", "q2")), triggers=[{"type": "complete", "expression": "{work} = 'no'"}, {"type": "skip", "expression": "{like} = true", "gotoName": "q2"}, {"type": "setvalue", "expression": "{like} = true", "setToName": "q1", "setValue": "a"}], completedHtmlOnCondition=[{"expression": "{work} = 'no'", "html": "Bye"}], navigateToUrlOnCondition=[{"expression": "{work} = 'no'", "url": "https://example.org"}]),
        "skip_alone": surveyjs(WORK, LIKE, *(element(name, "a", "b") for name in ("q1", "q2")), triggers=[{"type": "skip", "expression": "{like} = true", "gotoName": "q2"}]),
        "visible_trigger": surveyjs(WORK, element("q1", "a", "b"), triggers=[{"type": "visible", "name": "work", "operator": "equal", "value": "no", "questions": ["q1"]}]),
        "random": surveyjs_pages({"name": "p1", "questionsOrder": "random", "elements": [WORK, LIKE]}, {"name": "p2", "elements": [{"type": "panel", "name": "in", "questionsOrder": "random", "elements": [element("x", "a", "b"), element("y", "a", "b")]}]}, questionsOrder="random"),
        "random_page": surveyjs_pages({"name": "p1", "questionOrder": "random", "elements": [WORK, LIKE]}),
        "languages": surveyjs({**WORK, "title": {"default": "Do you work?", "de": "Arbeiten Sie?", "ar": "هل تعمل؟"}, "choices": [{"value": "y", "text": {"default": "Yes", "de": "Ja", "ar": "نعم"}}, {"value": "n", "text": {"default": "No", "de": "Nein", "ar": "لا"}}]}, last_element("{work} = 'n'")),
        "french": surveyjs({**WORK, "title": {"default": "Work?", "fr": "Travaillez-vous ?"}}, last_element("{work} = 'no'", title={"fr": "La dernière ?", "default": "The last?"}), locale="fr"),
        "odd_words": surveyjs(element("a", "<i>5</i> &amp; less", "more", title="<p>How **old** is &lt;it&gt;?</p>"), {"type": "radiogroup", "name": "untitled", "choices": ["Yes", "No"]}, element("c", "Same", {"value": 2, "text": "Same"}, "Not"), element("d", "x", "y", title="You said {a}: right?", visibleIf="{c} = 2"), element("single", "only"), element("none"), {"type": "html", "name": "words", "html": "<b>Read</b> this", "visibleIf": "{c} = 2"}, element("zero", 0, 1, False), last_element("{zero} = 0")),
        "backwards": surveyjs(last_element("{work} = 'full'"), WORK, last_element("{me} = 'yes'", "me"), last_element("{nobody} = 'yes'", "gone"), last_element("{work} = 'never'", "never"), last_element("{work} =", "broken")),
        "more_choices": surveyjs({**WORK, "showRefuseItem": True, "showDontKnowItem": True}, element("numbers", kind="dropdown", choicesMin=1, choicesMax=4), element("sorted", "pear", "apple", "fig", choicesOrder="asc"), element("tags", "a", {"value": "b", "isExclusive": True}, "c", kind="tagbox"), last_element("{work} = 'dontknow'"), last_element("{tags} contains 'b'", "x"), last_element("{numbers} = 3", "n")),
        "names": surveyjs(WORK, element("v", "x", "y", valueName="shared"), LIKE, last_element("{shared} = 'x'", "a"), last_element("{work} = 'full'", "b"), last_element("{total} > 2", "c"), last_element("{work-Comment} notempty", "d"), last_element("{like}", "e"), last_element("{like} = 'true'", "f"), last_element("{LIKE} = true", "g"), last_element("{work} = \"full\"", "h"), last_element("{work} in ['full', 'part']", "i"), last_element("{work} != 'no' and ({like} = true or {like} = false)", "j"), calculatedValues=[{"name": "total", "expression": "1 + 1"}]),
        "modes": surveyjs(WORK, last_element("{work} = 'no'"), mode="display", firstPageIsStarted=True, timeLimit=60),
        "panel_settings": surveyjs_pages({"name": "p1", "elements": [WORK, {"type": "panel", "name": "in", "readOnly": True, "elements": [element("x", "a", "b")]}, {"type": "panel", "name": "off", "visible": False, "elements": [element("y", "a", "b")]}, {"type": "flowpanel", "name": "flow", "visibleIf": "{work} = 'no'", "elements": [element("z", "a", "b")]}]}, {"name": "p2", "readOnly": True, "timeLimit": 20, "elements": [{"type": "matrix", "name": "t", "title": "Once each", "columns": ["c1", "c2"], "rows": ["r1", "r2"], "eachRowUnique": True, "visibleIf": "{work} = 'full'"}]}),
        "old": json.dumps({"pages": [{"name": "p", "questions": [WORK, last_element("{work} = 'no'"), {**element("o", "a", "b"), "hasOther": True}]}]}).encode(),
    }


SURVEYJS = _surveyjs_files()

# --- XForms of ODK, as its specification describes them

YN, JOB, PAY = (("y", "Yes"), ("n", "No")), (("full", "Full time"), ("part", "Part time"), ("none", "No job")), (("cash", "In cash"), ("goods", "In goods"), ("bank", "By transfer"))
Choices = tuple[tuple[str, str], ...]


class XForm:
    """Puts a form together; `group` opens a group until `end_group`."""

    def __init__(self) -> None:
        self.nodes, self.binds, self.body = "", "", ""
        self.path = ["data"]

    def path_of_node(self, name: str) -> str:
        return "/" + "/".join([*self.path, name])

    def add_bind(self, name: str, kind: str, settings: dict[str, str], value: str = "") -> str:
        self.nodes += f"<{name}>{value}</{name}>"
        attributes = "".join(f" {key}={quoteattr(text)}" for key, text in settings.items())
        self.binds += f'<bind nodeset="{self.path_of_node(name)}" type="{kind}"{attributes}/>'
        return self.path_of_node(name)

    def ask(self, name: str, label: str, choices: Choices | str = YN, control: str = "select1", kind: str = "string", value: str = "", more: str = "", **settings: str) -> "XForm":
        path = self.add_bind(name, kind, settings, value)
        said = f"<label ref={quoteattr(label)}/>" if label.startswith("jr:itext") else f"<label>{label}</label>"
        items = choices if isinstance(choices, str) else "".join(f"<item><label>{escape(text)}</label><value>{code}</value></item>" for code, text in choices)
        self.body += f'<{control} ref="{path}"{more}>{said}{items if control.startswith("select") else ""}</{control}>'
        return self

    def bind_alone(self, name: str, kind: str, **settings: str) -> "XForm":
        self.add_bind(name, kind, settings)
        return self

    def group(self, name: str, label: str = "", is_repeat: bool = False, **settings: str) -> "XForm":
        self.add_bind(name, "string", settings)
        self.nodes = self.nodes.removesuffix(f"</{name}>")
        self.body += f'<group ref="{self.path_of_node(name)}"><label>{label}</label>' + (f'<repeat nodeset="{self.path_of_node(name)}">' if is_repeat else "")
        self.path.append(f"{name}")
        return self

    def end_group(self, is_repeat: bool = False) -> "XForm":
        self.nodes += f"</{self.path.pop()}>"
        self.body += ("</repeat>" if is_repeat else "") + "</group>"
        return self

    def whole_form(self, itext: str = "", instances: str = "", model: str = "") -> bytes:
        return (
            '<?xml version="1.0"?><h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml" '
            'xmlns:jr="http://openrosa.org/javarosa" xmlns:odk="http://www.opendatakit.org/xforms" xmlns:ev="http://www.w3.org/2001/xml-events">'
            f"<h:head><h:title>Study</h:title><model odk:xforms-version=\"1.0.0\">{itext}<instance><data id=\"study\" version=\"1\">{self.nodes}<meta><instanceID/></meta></data></instance>"
            f'{instances}{self.binds}<bind jr:preload="uid" nodeset="/data/meta/instanceID" readonly="true()" type="string"/>{model}</model></h:head><h:body>{self.body}</h:body></h:html>'
        ).encode()


def _xform_files() -> Files:
    def work() -> XForm:
        return XForm().ask("work", "Do you work?", JOB).ask("paid", "How are you paid?", PAY, "select").ask("like", "Do you like it?")

    def items_of_list(name: str, choices: Choices, more: str = "") -> str:
        items = "".join(f"<item><name>{code}</name><label>{text}</label>{more}</item>" for code, text in choices)
        return f'<instance id="{name}"><root>{items}</root></instance>'

    def itemset(nodeset: str, label: str = "label") -> str:
        return f"<itemset nodeset={quoteattr(nodeset)}><value ref=\"name\"/><label ref=\"{label}\"/></itemset>"

    TEXTS = {
        "English (en)": {"work": "Do you work?", "past": "Did you?", "y": "Yes", "n": "No"},
        "Deutsch (de)": {"work": "Arbeiten Sie?", "past": "Haben Sie?", "y": "Ja", "n": "Nein"},
        "العربية (ar)": {"work": "هل تعمل؟", "past": "هل عملت؟", "y": "نعم", "n": "لا"},
    }
    ITEXT = "<itext>" + "".join(f'<translation lang="{code}"' + (' default="true()"' if "en" in code else "") + ">" + "".join(f'<text id="{key}"><value>{text}</value></text>' for key, text in texts.items()) + "</translation>" for code, texts in TEXTS.items()) + "</itext>"
    SPOKEN = "".join(f"<item><label ref=\"jr:itext('{code}')\"/><value>{code}</value></item>" for code in "yn")
    NUMBERS = (
        work().ask("age", "How old?", (), "input", "int", constraint=". >= 18 and . <= 99").ask("a", "Old?", relevant=" /data/age  >= 65").ask("b", "Young?", relevant="/data/age > 17 and /data/age < 30").ask("born", "When?", (), "input", "date")
        .ask("c", "Born late?", relevant="/data/born > date('2000-01-01')").ask("job", "Which job?", (), "input").ask("d", "Miner?", relevant="/data/job = 'miner'").ask("pain", "Pain?", (), "range", "int", more=' start="0" end="10" step="1"').ask("e", "Much?", relevant="/data/pain > 5")
    )
    SIGNS = work()
    for n, text in enumerate(("/data/work != 'full'", "/data/work = 'full' or /data/work = 'part'", "/data/work = 'full' or /data/like = 'y'", "not(/data/work = 'full')", "not(selected(/data/paid, 'cash'))", "count-selected(/data/paid) > 1", "selected(/data/paid, 'cash') and selected(/data/paid, 'bank')", "selected(/data/paid, 'cash') or selected(/data/paid, 'bank')", "/data/work != ''", "../work = 'none'", " (/data/work='none')and(/data/like=\"n\")", "true()", "string-length(/data/work) > 3")):
        SIGNS.ask(f"s{n}", f"Sign {n}?", relevant=text)
    return {
        "quotes": work().ask("a", "Ay?", relevant="/data/work = ’full’").ask("b", "Bee?", relevant="../work = “full” or ../work = ‘part’").whole_form(),
        "limits": work().ask("age", "How old?", (), "input", "int", constraint=". >= 18 and . <= 99").ask("kids", "How many?", (), "input", "int").ask("a", "Ay?", relevant="../kids > 0").ask("b", "Bee?", relevant="/data/kids = 2 and /data/age >= 30").ask("c", "Sea?", relevant="64 >= current()/../age and ../age > 39.5").whole_form(),
        "calculations": work().ask("a", "Ay?", relevant="/data/idle = 1").ask("b", "Bee?", relevant="/data/two = 'like'").ask("c", "Sea?", relevant="/data/none = 1").bind_alone("idle", "int", calculate="if(/data/work = 'none', 1, 0)").bind_alone("two", "string", calculate="if(/data/idle = 1, 'idle', if(/data/like = 'y', 'like', ''))").bind_alone("none", "int", calculate="if(count-selected(/data/paid) = 0, 1, 0)").whole_form(),
        "choices": work().ask("a", "Ay?", relevant=" /data/work  = 'full'").ask("b", "Bee?", relevant="selected( /data/paid , 'cash')").ask("c", "Sea?", relevant="/data/work = 'full' and /data/like = 'y'").whole_form(),
        "signs": SIGNS.whole_form(),
        "hidden_parents": work().ask("more", "More?", relevant="/data/work = 'full'").ask("a", "Ay?", relevant="/data/more != 'y'").ask("b", "Bee?", relevant="/data/more = ''").ask("c", "Sea?", relevant="/data/more = 'n'").whole_form(),
        "numbers": NUMBERS.whole_form(),
        "groups": work().group("g", "Workers", relevant="/data/work != 'none'").ask("a", "Ay?").group("h", "Deep", relevant="/data/like = 'y'").ask("b", "Bee?", relevant="/data/g/a = 'y'").end_group().end_group().group("i", "Or", relevant="/data/work = 'full' or /data/like = 'y'").ask("c", "Sea?").end_group().ask("z", "Last?", relevant="/data/g/h/b = 'y'").whole_form(),
        "repeats": work().group("each", "Each child", True, relevant="/data/work = 'full'").ask("boy", "A boy?").end_group(True).ask("z", "Last?", relevant="/data/each/boy = 'y'").whole_form(),
        "settings": work().ask("preset", "Preset?", value="y").ask("made", "Computed?", calculate="if(/data/work = 'full', 'y', 'n')").ask("seen", "Read only?", readonly="true()").ask("few", "At most two?", PAY, "select", constraint="count-selected(.) <= 2").ask("note", "Please read", (), "input", readonly="true()", relevant="/data/work = 'full'").ask("ok", "Please agree", (), "trigger").ask("pic", "Picture", (), "upload", "binary", more=' mediatype="image/*"').ask("set", "Set?").whole_form(model="<setvalue event=\"odk-instance-first-load\" ref=\"/data/set\" value=\"'y'\"/>"),
        "lists": XForm().ask("work", "Do you work?", itemset("instance('job')/root/item")).ask("mixed", "Mixed?", itemset("randomize(instance('job')/root/item)")).ask("few", "Few?", itemset("instance('job')/root/item[name != /data/work]")).ask("z", "Last?", relevant="/data/work = 'part'").whole_form(instances=items_of_list("job", JOB)),
        "cascade": XForm().ask("region", "Which region?", itemset("instance('region')/root/item")).ask("town", "Which town?", itemset("instance('town')/root/item[region = /data/region]")).whole_form(instances=items_of_list("region", (("n", "North"), ("s", "South"))) + items_of_list("town", (("a", "Aville"), ("b", "Btown")), "<region>n</region>").replace("</root>", "<item><name>a</name><label>Aville South</label><region>s</region></item></root>")),
        "ancestors": work().whole_form().replace(b"<like></like>", b"<g><like></like></g>").replace(b'/data/like"', b'/data/g/like"').replace(b'<bind nodeset="/data/work"', b"<bind nodeset=\"/data/g\" relevant=\"/data/work = 'full'\"/><bind nodeset=\"/data/work\""),
        "acts": work().ask("a", "Ay?", YN).ask("b", "Bee?", relevant="/data/arm = 1").bind_alone("arm", "int", calculate="once(int(random() * 2))").ask("town", "Which town?", itemset("instance('towns')/root/item")).ask("z", "Last?", relevant="/data/town = 'a'").ask("sort", "Sort", PAY, "odk:rank").whole_form(instances='<instance id="towns" src="jr://file-csv/towns.csv"/>').replace(b"<value>cash</value></item>", b"<value>cash</value></item><setvalue event=\"xforms-value-changed\" ref=\"/data/a\" value=\"'y'\"/>", 1),
        "default_language_last": XForm().ask("work", "jr:itext('work')", SPOKEN).ask("past", "jr:itext('past')", SPOKEN).whole_form(ITEXT.replace(' default="true()"', "").replace('lang="Deutsch (de)"', 'lang="Deutsch (de)" default="true()"').replace("Haben Sie?", "-")),
        "lists_in_languages": XForm().ask("work", "jr:itext('work')", itemset("instance('yn')/root/item", "jr:itext(itextId)")).ask("past", "jr:itext('past')", itemset("randomize(instance('yn')/root/item, 42)", "jr:itext(itextId)"), relevant="selected(/data/work, 'n')").whole_form(ITEXT, '<instance id="yn"><root>' + "".join(f"<item><itextId>{code}</itextId><name>{code}</name></item>" for code in "yn") + "</root></instance>"),
        "bare_groups": work().group("g", "Group").ask("a", "Ay?", relevant=" ../../work = 'full' ").group("h").ask("b", "Bee?", relevant="current()/../../../like = 'y'").ask("c", "Sea?", relevant="selected(../b, 'y') and /data/g/a='n'").end_group().end_group().whole_form().replace(b'<group ref="/data/g">', b"<group>").replace(b'<group ref="/data/g/h">', b'<group appearance="field-list">'),
        "required_and_messages": work().ask("a", "Ay?", required="true()", **{"jr:constraintMsg": "Must be yes", "constraint": ". = 'y'"}).ask("b", "Bee?", required="/data/work = 'full'", relevant="/data/a = 'y' and (/data/work = 'part' or /data/work = 'none')").ask("c", "Sea?", relevant="not(/data/work = 'full') and not(/data/like = 'n')").whole_form(),
        "languages": XForm().ask("work", "jr:itext('work')", SPOKEN).ask("past", "jr:itext('past')", SPOKEN, relevant="/data/work = 'n'").whole_form(ITEXT),
        "odd_words": XForm().ask("a", "How &lt;b&gt;old&lt;/b&gt; is &amp;lt;it?").ask("b", "").ask("c", "The same?", (("1", "Same"), ("2", "Same"), ("3", "Not"))).ask("d", 'You said <output value="/data/c"/>: right?', relevant="/data/c = '2'").ask("e", "One", (("1", "Only"),)).ask("f", "None", ()).whole_form(),
        "backwards": XForm().ask("first", "First?", relevant="/data/work = 'full'").ask("work", "Do you work?", JOB).ask("me", "Me?", relevant="/data/me = 'y'").ask("gone", "Gone?", relevant="/data/nobody = 'y'").ask("never", "Never?", relevant="/data/work = 'never'").ask("broken", "Broken?", relevant="/data/work = ").ask("off", "Off?", relevant="false()").whole_form(),
    }


XFORMS = _xform_files()

# --- XLSForms: sheets of rows, from which workbooks and CSV files are made

Sheets = dict[str, Lines]


def as_csv(sheets: Sheets) -> bytes:
    made = io.StringIO()
    rows = csv.writer(made)
    for name, lines in sheets.items():
        rows.writerow([name])
        rows.writerows(["", *line] for line in lines)
    return made.getvalue().encode()


def _xlsforms() -> dict[str, Sheets]:
    H = ["type", "name", "label", "relevant"]
    CHOICES: Lines = [
        ["list_name", "name", "label"], ["yn", "y", "Yes"], ["yn", "n", "No"],
        ["job", "full", "Full time"], ["job", "part", "Part time"], ["job", "none", "No job"],
        ["pay", "cash", "In cash"], ["pay", "goods", "In goods"], ["pay", "bank", "By transfer"],
    ]
    WORK, PAID, LIKE = ["select_one job", "work", "Do you work?"], ["select_multiple pay", "paid", "How are you paid?"], ["select_one yn", "like", "Do you like it?"]

    def last_row(relevant: str, name: str = "last", *more: Any) -> list[Any]:
        return ["select_one yn", name, f"What of {name}?", relevant, *more]

    def form(*rows: list[Any], more: Any = (), choices: Lines = CHOICES, header: Any = None, **sheets: Lines) -> Sheets:
        return {"survey": [header or [*H, *more], *rows], "choices": choices, **sheets}

    SPOKEN = ["type", "name", "label::English (en)", "label::Deutsch (de)", "label::العربية (ar)", "relevant"]
    REGIONS: Lines = [
        ["list_name", "name", "label", "region"], ["yn", "y", "Yes", ""], ["yn", "n", "No", ""], ["region", "n", "North", ""], ["region", "s", "South", ""],
        ["town", "a", "Aville", "n"], ["town", "b", "Btown", "n"], ["town", "a", "Aville", "s"], ["town", "c", "Cbury", "s"],
    ]
    forms: dict[str, Sheets] = {
        "choices": form(WORK, PAID, LIKE, last_row("${work} = 'full'"), last_row("selected(${paid}, 'cash')", "a"), last_row("${work} = 'full' and ${like} = 'y'", "b"), last_row("selected(${work}, 'none')", "c")),
        "signs": form(WORK, LIKE, PAID, last_row("${work} != 'full'", "a"), last_row("${work} != ''", "b"), last_row("${work} = 'full' or ${work} = 'part'", "c"), last_row("${work} = 'full' or ${like} = 'y'", "d"), last_row("not(${work} = 'full')", "e"), last_row("not(selected(${paid}, 'cash'))", "f"), last_row("count-selected(${paid}) > 1", "g"), last_row("selected(${paid}, 'cash') or selected(${paid}, 'bank')", "h"), last_row("${paid} = 'cash'", "i"), last_row('(${work}="none")and(${like}="n")', "j"), last_row("true()", "k"), last_row("not(${work} = 'full' or ${like} = 'y')", "l"), last_row("selected(${paid}, 'cash goods')", "m")),
        "hidden_parents": form(WORK, last_row("${work} = 'full'", "more"), last_row("${more} != 'y'", "a"), last_row("${more} = ''", "b"), last_row("${more} = 'n'", "c"), last_row("not(${more} = 'y') and ${work} = 'full'", "d")),
        "numbers": form(["integer", "age", "How old?", "", ". >= 18 and . <= 99"], last_row("${age} >= 65", "a"), last_row("${age} > 17 and ${age} < 30", "b"), ["date", "born", "When born?"], last_row("${born} > date('2000-01-01')", "c"), ["text", "job", "Which job?"], last_row("${job} = 'miner'", "d"), ["decimal", "weight", "Weight?", "", ". > 0"], ["range", "pain", "Pain?", "", ""], last_row("${age} * 2 > 40", "e"), last_row("today() > ${born}", "f"), more=["constraint"]),
        "groups": form(WORK, ["begin group", "g", "Workers", "${work} != 'none'"], LIKE, ["begin_group", "h", "Deep", "${like} = 'y'"], PAID, last_row("selected(${paid}, 'cash')"), ["end_group"], ["begin group", "i", "", "${work} = 'full'"], ["end group"], last_row("", "a"), ["end group"], ["begin group", "j", "Or", "${work} = 'full' or ${like} = 'y'"], last_row("", "b"), last_row("${work} = 'part'", "c"), ["end group"], last_row("", "z")),
        "repeats": form(WORK, ["begin repeat", "each", "Each child", "${work} = 'full'"], ["select_one yn", "boy", "A boy?"], ["end repeat"], last_row("${boy} = 'y'"), ["begin repeat", "r", "Rooms", "", "3"], ["integer", "size", "Size?"], ["end repeat"], more=["repeat_count"]),
        "cells": form(["select_one job", "work", "Do you work?", "", "full"], ["select_multiple pay", "paid", "At most two?", "", "", "count-selected(.) <= 2"], ["select_one job", "job", "Random?", "", "", "", "randomize=true"], ["select_one job", "seen", "Only shown", "", "", "", "", "yes"], ["select_one yn", "made", "Computed?", "", "", "", "", "", "if(${work} = 'full', 'y', 'n')"], ["select_one job or_other", "what", "What else?"], ["rank pay", "rank", "Rank them"], ["acknowledge", "ok", "Please agree"], ["select_one_from_file towns.csv", "town", "Which town?"], ["select_one yn", "off", "Off?", "", "", "", "", "", "", "yes"], last_row("${what} = 'other'"), more=["default", "constraint", "parameters", "read_only", "calculation", "disabled"]),
        "cascade": form(["select_one region", "region", "Which region?"], ["select_one town", "town", "Which town?", "", "region=${region}"], last_row("${town} = 'a'"), ["select_one region", "r", "Other?", "", "name != ${region}"], ["select_multiple town", "t", "Which towns?", "", "region=${region}"], ["select_one town", "u", "And now?", "${region} = 'n'", "region=${region} or ${region} = 'n'"], more=["choice_filter"], choices=REGIONS),
        "languages": form(["select_one job", "work", "Do you work?", "Arbeiten Sie?", "هل تعمل؟"], ["select_one job", "past", "Did you?", "Haben Sie?", "هل عملت؟", "${work} = 'none'"], header=SPOKEN, choices=[["list_name", "name", *SPOKEN[2:5]], ["job", "full", "Yes", "Ja", "نعم"], ["job", "none", "No", "Nein", "لا"]], settings=[["default_language"], ["English (en)"]]),
        "second_language_missing": form(["select_one job", "work", "Do you work?", ""], ["select_one job", "past", "Did you?", "Haben Sie?"], header=[*SPOKEN[:4]], choices=[["list_name", "name", *SPOKEN[2:4]], ["job", "full", "Yes", "Ja"], ["job", "none", "No", ""]]),
        "odd_words": form(["select_one odd", "a", "<b>How</b> **old** is &lt;it&gt;?"], ["select_one yn", "b", ""], ["select_one twice", "c", "The same?"], ["select_one yn", "d", "You said ${a}: right?", "${c} = '2'"], ["note", "n", "Read this", "${c} = '2'"], ["select_one yn", "reserved-name", "Hyphens?"], ["select_one yn", "d", "Name twice?"], choices=[["list_name", "name", "label"], ["yn", "y", "Yes"], ["yn", "n", "No"], ["odd", 1, "<i>5</i> or less"], ["odd", 2, "more"], ["twice", 1, "Same"], ["twice", 2, "Same"], ["twice", 2, "Other"], ["unused", 1, "Nobody"]]),
        "backwards": form(last_row("${work} = 'full'"), WORK, last_row("${me} = 'y'", "me"), last_row("${nobody} = 'y'", "gone"), last_row("${work} = 'never'", "never"), last_row("${work} =", "broken"), last_row("work = 'full'", "bare")),
        "metadata": form(["start", "start"], ["today", "today"], ["deviceid", "dev"], ["calculate", "x", "", ""], WORK, [], [], last_row("${x} > 2"), last_row("${today} > '2020-01-01'", "day"), ["geopoint", "geo", "Where?"], ["image", "pic", "Picture"], ["barcode", "bar", "Code"], ["hidden", "hid"]),
        "table": form(["begin group", "t", "How true?", "${work} = 'full'", "table-list"], ["select_one yn", "r1", "First row"], ["select_one yn", "r2", "Second row"], ["end group"], more=["appearance"]),
        "table_shown": form(WORK, ["begin group", "t", "How true?", "${work} = 'full'", "table-list"], ["select_one yn", "r1", "First row"], ["select_one yn", "r2", "Second row", "${like} = 'y'"], ["end group"], last_row("${r1} = 'y'"), more=["appearance"]),
        "paths": form(WORK, LIKE, last_row("../work = 'full'", "a"), last_row("/data/work = 'full'", "b"), last_row("current()/../work = 'full'", "c"), last_row("${work} = 'full' and not(${like} = 'n')", "d"), last_row("coalesce(${work}, 'full') = 'full'", "e"), last_row("if(${work} = 'full', true(), false())", "f"), last_row("${work} = ${like}", "g"), last_row("'full' = ${work}", "h"), last_row("jr:choice-name(${work}, '${work}') = 'Full time'", "i"), last_row("${last-saved#work} = 'full'", "j"), last_row("random() < 0.5", "k"), last_row("position(..) = 1", "l")),
        "bind": {"survey": [["type", "name", "label", "bind::relevant", "bind::constraint", "trigger"], WORK, ["select_one yn", "a", "Ay?", "${work} = 'full'"], ["select_one yn", "b", "Bee?", "", "", "${work}"]], "choices": CHOICES},
        "external": {"survey": [["type", "name", "label", "choice_filter"], WORK, ["select_one_external town", "town", "Which town?", "job=${work}"], ["select_one job", "s", "Search?", "", "search('x')"]], "choices": CHOICES, "external_choices": [["list_name", "name", "job"], ["town", "a", "full"]]},
        "quotes": form(WORK, PAID, last_row("${work} = ’full’", "a"), last_row("${work} = “full” or ${work} = ‘part’", "b"), last_row("selected(${paid}, ’cash’)", "c"), last_row("not(selected(${paid}, ‘cash’)) and ${work} != “none”", "d"), last_row("${work} = 'full’ or ${work} = 'part'")),
        "limits": form(["integer", "age", "How old?", "", ". >= 18 and . <= 99"], ["integer", "kids", "How many?"], ["decimal", "weight", "Weight?", "", ". > 0 and . < 300"], last_row("${kids} > 0", "a"), last_row("${kids} = 2 and ${age} >= 30", "b"), last_row("${weight} < 50.5", "c"), last_row("64 >= ${age} and ${age} > '39'", "d"), last_row("${kids} != 3 and not(${kids} > 5)", "e"), last_row("${kids} > 0 or ${age} > 30", "f"), ["begin group", "g", "Many", "${kids} >= 3"], last_row("${age} < 40"), ["end group"], more=["constraint"]),
        "calculations": form(WORK, PAID, LIKE, ["integer", "age", "How old?", "", ". >= 18 and . <= 99"], ["calculate", "idle", "", "", "", "if(${work} = 'none', 1, 0)"], ["calculate", "two", "", "", "", "if(${idle} = 1, 'idle', if(${like} = 'y', 'like', ''))"], ["calculate", "years", "", "", "", "int(${age})"], ["calculate", "none", "", "", "", "count-selected(${paid})"], ["calculate", "some", "", "${like} = 'y'", "", "if(${work} = 'full', 1, 0)"], last_row("${idle} = 1", "a"), last_row("${two} = 'like'", "b"), last_row("${years} > 64", "c"), last_row("${none} = 0", "d"), last_row("${none} = 3", "e"), last_row("${none} > 1", "f"), last_row("${some} = 1", "g"), last_row("${some} = 0", "h"), more=["constraint", "calculation"]),
        "group_paths": form(["begin group", "g", "G"], WORK, ["begin group", "h", "H"], last_row("../../work = 'full'", "a"), last_row("current()/../a = 'y'", "b"), last_row("../work = 'full'", "c"), ["end group"], ["end group"], last_row("../g/work = 'full'", "d"), last_row("../g/h/a = 'y' and /data/g/work = 'full'")),
        "old": {"survey": [["type", "name", "caption", "relevance"], ["select one from job", "work", "Do you work?"], ["select all that apply from pay", "paid", "Paid?", ""], ["select1 yn", "last", "Last?", "${work} = 'full'"]], "choices": [["list name", "value", "caption"], *[list(row) for row in CHOICES[1:]]]},
    }
    return forms


XLSFORMS = _xlsforms()
WORKBOOKS = {name: workbook(**sheets) for name, sheets in XLSFORMS.items()}
CSV = {name: as_csv(sheets) for name, sheets in XLSFORMS.items()}
