"""LimeSurvey's structure as XML: tables of rows. A document type, and with it any entity, is refused."""

from collections.abc import Iterator, Mapping
from xml.parsers import expat  # no entity is ever read: see _TablesReader

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.limesurvey.quotas import switched_off
from importing.limesurvey.survey import ALWAYS, LimeGroup, LimeQuestion, LimeQuota, LimeSurvey, Row, add_text

MOST_ELEMENTS, DEEPEST, MOST_CHARACTERS = 300_000, 12, 5_000_000
ROOT = "document"
KINDS = ("Survey", "Group", "Question")
"""A whole survey (.lss), one group (.lsg) and one question (.lsq)."""
Tables = Mapping[str, list[Row]]
ROW_PATH = 5
"""Elements down to a cell: document, table, rows, row, cell."""


def looks_like_lss(data: bytes) -> bool:
    return data[:100].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def parsed(data: bytes) -> LimeSurvey:
    """`FileRefused` for what is no such file."""
    tables = _tables(data)
    return _survey(tables)


def _refused(reason: str) -> FileRefused:
    return FileRefused([Fault(_("the file"), reason)])


class _TablesReader:
    """Reads the tables of an XML document; refuses a document type, entities, and deep nesting."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Row]] = {}
        self.kind = ""
        self._path: list[str] = []
        self._row = Row()
        self._text: list[str] = []
        self._elements = self._characters = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._path.append(name)
        self._elements += 1
        if self._path[0] != ROOT:
            raise _refused(_("is no survey, group or question of LimeSurvey (.lss, .lsg, .lsq)"))
        if len(self._path) > DEEPEST or self._elements > MOST_ELEMENTS:
            raise _refused(_("holds more than a questionnaire"))
        self._text.clear()

    def characters(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > MOST_CHARACTERS:
            raise _refused(_("holds more than a questionnaire"))
        self._text.append(text)

    def end(self, name: str) -> None:
        text, depth = "".join(self._text), len(self._path)
        if self._path[1:] == ["LimeSurveyDocType"]:
            self.kind = text.strip()
        elif self._path[1:] == ["languages", "language"]:
            self.tables.setdefault("languages", []).append(Row(language=text.strip()))
        elif depth == ROW_PATH and self._path[2:4] == ["rows", "row"]:
            self._row[name] = text
        elif depth == ROW_PATH - 1 and self._path[2:] == ["rows", "row"]:
            self.tables.setdefault(self._path[1], []).append(self._row)
            self._row = Row()
        self._path.pop()
        self._text.clear()

    def document_type(self, *_said: object) -> None:
        raise _refused(_("defines a document type, which no survey of LimeSurvey does"))


def _tables(data: bytes) -> Tables:
    reader, parser = _TablesReader(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = reader.document_type
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, FileRefused):
            raise
        raise _refused(_("is damaged; export it from LimeSurvey again")) from None
    if reader.kind not in KINDS:
        raise _refused(_("is no survey, group or question of LimeSurvey (.lss, .lsg, .lsq)"))
    return reader.tables


def _number(row: Row, column: str) -> int:
    text = row.text(column)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _rows(tables: Tables, table: str, order: str) -> list[Row]:
    return sorted(tables.get(table, []), key=lambda row: _number(row, order))


def _survey(tables: Tables) -> LimeSurvey:
    survey = LimeSurvey()
    spoken = [code for row in tables.get("languages", []) if (code := row.written("language"))]
    survey.settings = next(iter(tables.get("surveys", [])), Row())
    base = survey.settings.text("language") or next(iter(spoken), "en")
    survey.languages = dict.fromkeys([base, *spoken])
    for row in tables.get("surveys_languagesettings", []):
        for name, text in row.items():
            language = row.text("surveyls_language") or base
            add_text(survey.words.setdefault(name, {}), language, text)
    groups = _groups(tables, base) or {
        row.written("gid"): LimeGroup(_("the file")) for row in tables.get("questions", [])
    }
    survey.groups = list(groups.values())
    questions = _questions(tables, groups, base, survey.settings.written("sid"))
    _add_subquestions(tables, questions, base)
    _add_answers(tables, questions, base)
    for row in tables.get("question_attributes", []):
        if question := questions.get(row.written("qid")):
            name, value = row.written("attribute"), row.written("value")
            question.attributes.setdefault(name, value)
            if name in question.worded:
                add_text(question.worded[name], row.text("language") or base, value)
    survey.quotas = _quotas(tables, questions)
    return survey


def _quotas(tables: Tables, questions: Mapping[str, LimeQuestion]) -> dict[str, LimeQuota]:
    quotas: dict[str, LimeQuota] = {}
    for row in tables.get("quota", []):
        obstacle = switched_off() if row.text("active") == "0" else ""
        quotas.setdefault(row.text("id"), LimeQuota(row.text("name"), row.text("qlimit"), obstacle=obstacle))
    for row in tables.get("quota_members", []):
        if quota := quotas.get(row.text("quota_id")):
            question = questions.get(row.text("qid"))
            quota.members.append((question.code if question else "", row.text("code")))
    return quotas


def _spoken(tables: Tables, table: str, words: str, key: str, base: str) -> Iterator[tuple[str, str, Row]]:
    """The words of a table: by key and language, from its own rows and from those of its translations."""
    for row in (*tables.get(table, []), *tables.get(words, [])):
        yield row.written(key), row.text("language") or base, row


def _groups(tables: Tables, base: str) -> dict[str, LimeGroup]:
    groups: dict[str, LimeGroup] = {}
    for row in _rows(tables, "groups", "group_order"):
        location = _("group %(number)s") % {"number": len(groups) + 1}
        group = LimeGroup(location, relevance=row.written("grelevance"))
        groups.setdefault(row.written("gid"), group)
    for gid, language, row in _spoken(tables, "groups", "group_l10ns", "gid", base):
        if known_group := groups.get(gid):
            add_text(known_group.name, language, row.written("group_name"))
            add_text(known_group.description, language, row.written("description"))
    return groups


def _questions(
    tables: Tables, groups: Mapping[str, LimeGroup], base: str, sid: str
) -> dict[str, LimeQuestion]:
    questions: dict[str, LimeQuestion] = {}
    for row in _rows(tables, "questions", "question_order"):
        qid, code = row.written("qid"), row.text("title")
        group = groups.get(row.written("gid"))
        if qid in questions or group is None:
            continue
        questions[qid] = LimeQuestion(
            _("question %(code)s") % {"code": code},
            code,
            row.text("type"),
            relevance=row.written("relevance"),
            mandatory=row.text("mandatory").upper() in ("Y", "S"),
            other=row.text("other").upper() == "Y",
            aliases=(f"{sid}X{row.get('gid', '')}X{qid}",),
        )
        group.questions.append(questions[qid])
    for qid, language, row in _spoken(tables, "questions", "question_l10ns", "qid", base):
        if question := questions.get(qid):
            add_text(question.text, language, row.written("question"))
            add_text(question.help, language, row.written("help"))
    return questions


def _add_subquestions(tables: Tables, questions: Mapping[str, LimeQuestion], base: str) -> None:
    parts: dict[str, dict[str, str]] = {}
    for row in _rows(tables, "subquestions", "question_order"):
        if (parent := questions.get(row.written("parent_qid"))) and row.written("qid") not in parts:
            key = (row.text("scale_id") or "0", row.text("title"))
            parts[row.written("qid")] = parent.subquestions.setdefault(key, {})
            parent.has_conditional_parts |= row.text("relevance") not in ALWAYS
    for qid, language, row in _spoken(tables, "subquestions", "question_l10ns", "qid", base):
        if qid in parts:
            add_text(parts[qid], language, row.written("question"))


def _add_answers(tables: Tables, questions: Mapping[str, LimeQuestion], base: str) -> None:
    parts: dict[str, dict[str, str]] = {}
    for row in _rows(tables, "answers", "sortorder"):
        if question := questions.get(row.written("qid")):
            key = (row.text("scale_id") or "0", row.text("code"))
            texts = question.answers.setdefault(key, {})
            add_text(texts, row.text("language") or base, row.written("answer"))
            parts[row.written("aid")] = texts
    for row in tables.get("answer_l10ns", []):
        if (aid := row.written("aid")) and aid in parts:
            add_text(parts[aid], row.text("language") or base, row.written("answer"))
