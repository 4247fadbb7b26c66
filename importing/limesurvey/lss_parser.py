"""Parses LimeSurvey's XML format (.lss): tables of rows."""

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from importing import remarks
from importing.faults import file_refusal
from importing.limesurvey.survey_structure import (
    ALWAYS,
    LimeGroup,
    LimeQuestion,
    LimeQuota,
    LimeSurvey,
    Row,
    add_text_if_missing,
)

ROOT = "document"
KINDS = ("Survey", "Group", "Question")
"""Document types: a whole survey (.lss), one group (.lsg) and one question (.lsq)."""
Tables = Mapping[str, list[Row]]


def _read_tables(root: Element) -> Tables:
    if root.tag != ROOT or (root.findtext("LimeSurveyDocType") or "").strip() not in KINDS:
        raise file_refusal(_("is no survey, group or question of LimeSurvey (.lss, .lsg, .lsq)"))
    tables: dict[str, list[Row]] = {
        "languages": [Row(language=(each.text or "").strip()) for each in root.iterfind("languages/language")]
    }
    for table in root:
        rows = [Row({cell.tag: cell.text or "" for cell in row}) for row in table.iterfind("rows/row")]
        tables.setdefault(table.tag, []).extend(rows)
    return tables


def _int_cell_or_zero(row: Row, column: str) -> int:
    """Returns a cell as an integer; 0 if it is not an integer."""
    text = row.stripped_text(column)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _sorted_rows(tables: Tables, table: str, order_column: str) -> list[Row]:
    return sorted(tables.get(table, []), key=lambda row: _int_cell_or_zero(row, order_column))


def parse(root: Element) -> LimeSurvey:
    """Returns the survey in an XML file of LimeSurvey (.lss, .lsg, .lsq); raises `FileRefused` for other XML."""
    tables = _read_tables(root)
    survey = LimeSurvey()
    spoken = [code for row in tables.get("languages", []) if (code := row.raw_text("language"))]
    survey.settings = next(iter(tables.get("surveys", [])), Row())
    base = survey.settings.stripped_text("language") or next(iter(spoken), "en")
    survey.languages = dict.fromkeys([base, *spoken])
    for row in tables.get("surveys_languagesettings", []):
        for name, text in row.items():
            language = row.stripped_text("surveyls_language") or base
            add_text_if_missing(survey.words.setdefault(name, {}), language, text)
    groups = _read_groups(tables, base) or {
        row.raw_text("gid"): LimeGroup(_("the file")) for row in tables.get("questions", [])
    }
    survey.groups = list(groups.values())
    questions = _read_questions(tables, groups, base, survey.settings.raw_text("sid"))
    _add_subquestions(tables, questions, base)
    _add_answers(tables, questions, base)
    for row in tables.get("question_attributes", []):
        if question := questions.get(row.raw_text("qid")):
            name, value = row.raw_text("attribute"), row.raw_text("value")
            question.attributes.setdefault(name, value)
            if name in question.worded:
                add_text_if_missing(question.worded[name], row.stripped_text("language") or base, value)
    for row in tables.get("defaultvalues", []):
        if question := questions.get(row.raw_text("qid")):
            question.attributes["default"] = "1"
    for row in tables.get("groups", []):
        if row.stripped_text("randomization_group") and row.raw_text("gid") in groups:
            survey.report_left_out_setting(groups[row.raw_text("gid")].location, "randomization_group")
    for qid, expression in _old_conditions(tables).items():
        if qid in questions and questions[qid].relevance.strip() in ALWAYS:
            questions[qid].relevance = expression
    survey.quotas = _read_quotas(tables, questions)
    return survey


def _old_conditions(tables: Tables) -> dict[str, str]:
    """Returns the conditions of questions as expressions, from the separate table in which old versions store them.

    All variables of a scenario must match, each by one of its tests; one of several scenarios is enough.
    """
    scenarios: dict[str, dict[str, dict[str, list[str]]]] = {}
    for row in tables.get("conditions", []):
        variable = row.stripped_text("cfieldname").lstrip("+")
        test = f'{variable} {row.stripped_text("method")} "{row.stripped_text("value")}"'
        tests = scenarios.setdefault(row.raw_text("qid"), {}).setdefault(row.raw_text("scenario"), {})
        tests.setdefault(variable, []).append(test)
    return {
        qid: " or ".join(
            "(" + " and ".join(f"({' or '.join(tests)})" for tests in variables.values()) + ")"
            for variables in by_scenario.values()
        )
        for qid, by_scenario in scenarios.items()
    }


def _read_quotas(tables: Tables, questions: Mapping[str, LimeQuestion]) -> dict[str, LimeQuota]:
    quotas: dict[str, LimeQuota] = {}
    for row in tables.get("quota", []):
        obstacle = str(remarks.SWITCHED_OFF) if row.stripped_text("active") == "0" else ""
        quota = LimeQuota(row.stripped_text("name"), row.stripped_text("qlimit"), obstacle=obstacle)
        quotas.setdefault(row.stripped_text("id"), quota)
    for row in tables.get("quota_members", []):
        if quota_or_none := quotas.get(row.stripped_text("quota_id")):
            question = questions.get(row.stripped_text("qid"))
            quota_or_none.members.append((question.code if question else "", row.stripped_text("code")))
    return quotas


def _translated_rows(
    tables: Tables, table: str, translation_table: str, key: str, base: str
) -> Iterator[tuple[str, str, Row]]:
    """Yields key, language and row of the texts in a table and in its translation table."""
    for row in (*tables.get(table, []), *tables.get(translation_table, [])):
        yield row.raw_text(key), row.stripped_text("language") or base, row


def _read_groups(tables: Tables, base: str) -> dict[str, LimeGroup]:
    groups: dict[str, LimeGroup] = {}
    for row in _sorted_rows(tables, "groups", "group_order"):
        location = _("group %(number)s") % {"number": len(groups) + 1}
        group = LimeGroup(location, relevance=row.raw_text("grelevance"))
        groups.setdefault(row.raw_text("gid"), group)
    for gid, language, row in _translated_rows(tables, "groups", "group_l10ns", "gid", base):
        if known_group := groups.get(gid):
            add_text_if_missing(known_group.name, language, row.raw_text("group_name"))
            add_text_if_missing(known_group.description, language, row.raw_text("description"))
    return groups


def _read_questions(
    tables: Tables, groups: Mapping[str, LimeGroup], base: str, sid: str
) -> dict[str, LimeQuestion]:
    questions: dict[str, LimeQuestion] = {}
    for row in _sorted_rows(tables, "questions", "question_order"):
        qid, code = row.raw_text("qid"), row.stripped_text("title")
        group = groups.get(row.raw_text("gid"))
        if qid in questions or group is None:
            continue
        questions[qid] = LimeQuestion(
            _("question %(code)s") % {"code": code},
            code,
            row.stripped_text("type"),
            relevance=row.raw_text("relevance"),
            mandatory=row.stripped_text("mandatory").upper() in ("Y", "S"),
            other=row.stripped_text("other").upper() == "Y",
            attributes={"preg": row.stripped_text("preg")},
            aliases=(f"{sid}X{row.get('gid', '')}X{qid}",),
        )
        group.questions.append(questions[qid])
    for qid, language, row in _translated_rows(tables, "questions", "question_l10ns", "qid", base):
        if question := questions.get(qid):
            add_text_if_missing(question.text, language, row.raw_text("question"))
            add_text_if_missing(question.help, language, row.raw_text("help"))
    return questions


def _add_subquestions(tables: Tables, questions: Mapping[str, LimeQuestion], base: str) -> None:
    parts: dict[str, dict[str, str]] = {}
    for row in _sorted_rows(tables, "subquestions", "question_order"):
        if (parent := questions.get(row.raw_text("parent_qid"))) and row.raw_text("qid") not in parts:
            key = (row.stripped_text("scale_id") or "0", row.stripped_text("title"))
            parts[row.raw_text("qid")] = parent.subquestions.setdefault(key, {})
            parent.has_conditional_parts |= row.stripped_text("relevance") not in ALWAYS
    for qid, language, row in _translated_rows(tables, "subquestions", "question_l10ns", "qid", base):
        if qid in parts:
            add_text_if_missing(parts[qid], language, row.raw_text("question"))


def _add_answers(tables: Tables, questions: Mapping[str, LimeQuestion], base: str) -> None:
    parts: dict[str, dict[str, str]] = {}
    for row in _sorted_rows(tables, "answers", "sortorder"):
        if question := questions.get(row.raw_text("qid")):
            key = (row.stripped_text("scale_id") or "0", row.stripped_text("code"))
            texts = question.answers.setdefault(key, {})
            add_text_if_missing(texts, row.stripped_text("language") or base, row.raw_text("answer"))
            parts[row.raw_text("aid")] = texts
    for row in tables.get("answer_l10ns", []):
        if (aid := row.raw_text("aid")) and aid in parts:
            add_text_if_missing(parts[aid], row.stripped_text("language") or base, row.raw_text("answer"))
