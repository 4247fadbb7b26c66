"""Surveys of LimeSurvey: each is written as rows of a table, from which .lss files of two ages and an archive are made."""

import io
import zipfile
from typing import Any

from tests.importing.lime_files import HEADER, Row, answers, document, group, parts, question, row, table

# A line is a file.
# fmt: off

MORE = ("default", "same_default", "random_group", "array_filter", "exclude_all_others", "min_answers", "max_answers", "em_validation_q", "random_order", "answer_order", "other_replace_text", "time_limit", "em_validation_sq", "equals_num_value", "array_filter_exclude")
Rows = list[Row]
YES_NO = answers("Yes", "No")
WORK = [question("work", "L", "Do you work?"), *answers("Full time", "Part time", "No")]
PAID = [question("paid", "M", "How are you paid?"), *parts("In cash", "By transfer", "In goods")]
AGE = [question("age", "N", "How old are you?", min_num_value_n="18", max_num_value_n="99")]
OFTEN = [question("often", "F", "How often do you"), *parts("read", "swim"), *answers("Never", "Often")]
LIKE = [question("like", "Y", "Do you like it?")]


def last(relevance: str, **more: str) -> Rows:
    return [question("last", "L", "The last one?", relevance=relevance, **more), *YES_NO]


def spoken(rows: Rows, language: str, *words: str) -> Rows:
    return [{**each, "language": language, "text": text} for each, text in zip(rows, words, strict=True)]


def quota(number: str, name: str, limit: str, active: str = "1") -> Row:
    return {"class": "QTA", "id": number, "name": name, "mandatory": limit, "other": "1", "default": active}


G, G2 = group("Part one"), group("Part two", "<p>About you</p>")
SURVEYS: dict[str, Rows] = {
    "choices": [G, *WORK, *LIKE, *last('work.NAOK == "A1"'), G2, question("sex", "G", "Sex?"), question("scale", "5", "How good?", relevance='(like == "Y" or like == "N")')],
    "signs": [G, *WORK, *LIKE, question("a", "Y", "Ay?", relevance='((work.NAOK == "A1" or work.NAOK == "A2"))'), question("b", "Y", "Bee?", relevance='work.NAOK != "A3" && like.NAOK == "Y"'), question("c", "Y", "Sea?", relevance="!(work.NAOK eq 'A1')"), question("d", "Y", "Dee?", relevance="work ne 'A1' and !is_empty(like)"), *last('work.NAOK == "A1" && like.NAOK == "Y" || work.NAOK == "A2"')],
    "several": [G, *PAID, question("a", "Y", "Ay?", relevance='paid_SQ1.NAOK == "Y"'), question("b", "Y", "Bee?", relevance='paid_SQ1.NAOK == "Y" and paid_SQ2.NAOK != "Y"'), question("c", "Y", "Sea?", relevance='paid_SQ1 == "Y" or paid_SQ3 == "Y"'), question("d", "Y", "Dee?", relevance="is_empty(paid_SQ1.NAOK)"), *last("count(paid_SQ1, paid_SQ2) > 1")],
    "hidden_parents": [G, *WORK, question("like", "Y", "Do you like it?", relevance='work == "A1"'), question("a", "Y", "Ay?", relevance='like.NAOK != "Y"'), question("b", "Y", "Bee?", relevance='like != "Y"'), *last('is_empty(like.NAOK)')],
    "numbers": [G, *AGE, question("a", "Y", "Ay?", relevance="age.NAOK >= 65"), question("b", "Y", "Bee?", relevance="age > 17 and age < 30"), question("born", "D", "When were you born?"), question("c", "Y", "Sea?", relevance='born.NAOK > "2000-01-01"'), question("job", "S", "Which job?"), *last('job.NAOK == "miner"'), question("many", "K", "How many of each?"), *parts("cars", "bikes")],
    "groups": [G, *WORK, group("Only workers", relevance='work == "A1"'), *LIKE, *PAID, group("Of both", relevance='like.NAOK == "Y"'), *last('paid_SQ1.NAOK == "Y"'), group("Empty"), group("Never", relevance="0"), question("never", "Y", "Never?")],
    "tables": [G, *OFTEN, question("five", "A", "How good is"), *parts("tea", "coffee"), question("more", "E", "More or less"), *parts("sun", "rain"), question("sure", "C", "Is it so that"), *parts("one", "two"), question("two", "1", "Two scales"), *parts("x"), question("cols", "H", "By column"), *parts("Monday", "Sunday"), *answers("Rest", "Work"), *last('often_SQ1.NAOK == "A1"')],
    "table_shown": [G, *WORK, {**OFTEN[0], "relevance": 'work.NAOK == "A3"'}, *OFTEN[1:], *last('often_SQ2.NAOK != "A2"')],
    "filters": [G, *PAID, question("most", "F", "How much by", array_filter="paid"), *parts("In cash", "By transfer", "In goods"), *answers("A little", "Much"), {**question("at", "F", "Where"), "array_filter": ""}, row("SQ", "SQ1", "At home", scale="0", relevance='paid_SQ1.NAOK == "Y"'), row("SQ", "SQ2", "At work", scale="0", relevance="1"), *answers("Never", "Always")],
    "random": [group("R1", random_group="g"), {**WORK[0], "random_order": "1"}, *WORK[1:], question("x", "Y", "Ex?", random_group="q"), question("y", "Y", "Why?", random_group="q"), group("R2", random_group="g"), {**OFTEN[0], "random_order": "1"}, *OFTEN[1:], {**PAID[0], "random_order": "1"}, *PAID[1:]],
    "settings": [G, {**WORK[0], "default": "A1", "other": "Y"}, *WORK[1:], {**PAID[0], "max_answers": "2", "min_answers": "1", "other": "Y"}, *PAID[1:], {**LIKE[0], "em_validation_q": "like == 'Y'"}, question("zip", "S", "Postcode?", validation="/^[0-9]{5}$/"), question("secret", "Y", "Hidden?", hidden="1"), {**question("none", "M", "Any of these?"), "exclude_all_others": "SQ3"}, *parts("One", "Two", "None of them"), *last('work.NAOK == "-oth-"'), question("sum", "*", "{work}")],
    "backwards": [G, *last('work.NAOK == "A1"'), *WORK, question("self", "Y", "Me?", relevance='self.NAOK == "Y"'), question("gone", "Y", "Gone?", relevance='nobody.NAOK == "Y"')],
    "odd_words": [G2, question("empty", "L", ""), *answers("Yes", ""), question("same", "L", "The same?"), *answers("Same", "Same", "Not"), question("html", "!", "<p>How <em>old</em>&nbsp;is &lt;it&gt;?</p><script>x()</script>"), *answers("<b>5</b> &amp; less", "more"), question("piped", "Y", "You said {same.shown}: right?", relevance='same == "A2"'), question("list", "O", "With a comment?"), *YES_NO, question("note", "X", "Only words", relevance='same == "A1"')],
    "people": [G, *WORK, question("a", "Y", "Ay?", relevance='TOKEN:ATTRIBUTE_1 == "x"'), question("b", "Y", "Bee?", relevance='!is_empty(sum)'), question("sum", "*", "{work}"), question("c", "Y", "Sea?", relevance='sum.NAOK == "A1"'), question("d", "Y", "Dee?", relevance='work == "A1" and rand(1, 2) == 1'), question("e", "Y", "Eee?", relevance='(work.NAOK == "A1" and (is_empty(work.NAOK) or work.NAOK == "A1"))'), *last('work.value == "A1"')],
    "groups_in_random_order": [group("R1", random_group="g"), *LIKE, group("R2", random_group="g"), *WORK],
    "more_settings": [G, {**WORK[0], "time_limit": "30"}, *WORK[1:], {**OFTEN[0], "em_validation_sq": "that > 1"}, *OFTEN[1:], {**AGE[0], "num_value_int_only": "1", "equals_num_value": "10"}, {**PAID[0], "other": "Y", "exclude_all_others_auto": "1", "array_filter_exclude": "often"}, *PAID[1:], *last('paid_other.NAOK == "x"')],
    "only_defaults": [G, {**WORK[0], "default": "A2"}, *WORK[1:], {**LIKE[0], "default": "Y"}, {**AGE[0], "default": "40"}],
    "quota": [G, question("sex", "G", "Sex?"), row("QTAM", "F", related_id="1"), *WORK, row("QTAM", "A1", related_id="2"), *AGE, quota("1", "Women", "50"), quota("2", "Workers", "10"), quota("3", "Off", "50", "0")],
}
LANGUAGES: Rows = [
    row("S", "language", "en"), row("S", "additional_languages", "de ar zh-Hans"), row("SL", "surveyls_title", "Work"),
    row("SL", "surveyls_title", "Arbeit", language="de"),
    G, *LIKE, *WORK, *last('work.NAOK == "A3"'),
    {**group("Teil eins"), "language": "de"}, *spoken(LIKE, "de", "Gefällt es Ihnen?"), *spoken(WORK, "de", "Arbeiten Sie?", "Vollzeit", "Teilzeit", "Nein"), *spoken(last('work.NAOK == "A3"'), "de", "Die letzte?", "Ja", "Nein"),
    {**group("الجزء"), "language": "ar"}, *spoken(LIKE, "ar", "هل يعجبك؟"), *spoken(WORK, "ar", "هل تعمل؟", "دوام كامل", "دوام جزئي", "لا"), *spoken(last('work.NAOK == "A3"'), "ar", "الأخير؟", "نعم", "لا"),
    {**group("第一"), "language": "zh-Hans"}, *spoken(LIKE, "zh-Hans", "您喜欢吗？"), *spoken(WORK, "zh-Hans", "您工作吗？", "全职", "兼职", "不"), *spoken(last('work.NAOK == "A3"'), "zh-Hans", "最后？", "是", "否"),
]
ENGLISH: Rows = [row("S", "language", "en"), row("SL", "surveyls_title", "A survey")]


def as_table(rows: Rows) -> bytes:
    settings = [] if rows[0]["class"] == "S" else ENGLISH
    groups = dict[str, str]()
    numbered = list[Row]()
    for each in rows:
        number = groups.setdefault(each["language"], "0") if each["class"] == "G" else ""
        if number:
            groups[each["language"]] = str(int(number) + 1)
        numbered.append({**each, "type/scale": f"G{int(number) + 1}"} if number else each)
    return table(*numbered, settings=settings, header=(*HEADER, *MORE))


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
                tables["question_attributes"] += [{"qid": new, "attribute": key, "value": each[key], "language": ""} for key in (*MORE[2:], "min_num_value_n", "max_num_value_n", "hidden") if each.get(key)]
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
        _split(tables, "groups", "gid", "group_l10ns", "group_name", "description")
        words = tables["questions"] + tables["subquestions"]
        for name in ("questions", "subquestions"):
            _split(tables, name, "qid", "", "question", "help")
        tables["question_l10ns"] = [{"id": str(n), **{key: each.get(key, "") for key in ("qid", "question", "help", "language")}} for n, each in enumerate(words)]
        _split(tables, "answers", "aid", "answer_l10ns", "answer")
    tables["surveys_languagesettings"] = [{"surveyls_language": code, "surveyls_title": "A survey"} for code in languages]
    return document({name: each for name, each in tables.items() if each}, languages)


def _split(tables: dict[str, list[dict[str, str]]], name: str, key: str, words: str, *columns: str) -> None:
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


OLD = as_xml([G, *WORK, *PAID, *last("1"), question("more", "Y", "More?")]).replace(b"</document>", b"<conditions><fields/><rows>" + b"".join(
    f"<row><cid>{n}</cid><qid>{qid}</qid><cqid>{cqid}</cqid><cfieldname>{place}</cfieldname><method>==</method><value>{value}</value><scenario>1</scenario></row>".encode()
    for n, (qid, cqid, place, value) in enumerate([("19", "11", "1X1X11", "A1"), ("22", "15", "+1X1X15SQ2", "Y")])) + b"</rows></conditions></document>")
EVERY = SURVEYS | {"languages": LANGUAGES}
TABLES = {name: as_table(rows) for name, rows in EVERY.items()} | {"utf16": as_table(LANGUAGES).decode("utf-8-sig").encode("utf-16")}
XML = {name: as_xml(rows) for name, rows in EVERY.items()} | {f"{name}_4": as_xml(rows, True) for name, rows in EVERY.items()} | {"old_conditions": OLD}
ARCHIVES = {name: as_archive(survey) for name, survey in list(XML.items())[::3]}
FILES = TABLES
