"""Reads ODK XForms (.xml): converts a form back to the sheets of an XLSForm from which it could have been
compiled."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from importing.faults import file_refusal, too_large_refusal
from importing.import_result import ImportResult
from importing.node_paths import LONGEST_PATH, absolute_path, with_references
from importing.safe_xml import local_name
from importing.xlsform.draft_reader import read_sheets
from importing.xlsform.workbook import MOST_COLUMNS, FormSheets, Line, make_sheets

Cells = dict[str, str]
CHOICES_OF = {"select1": "select_one", "select": "select_multiple", "rank": "rank"}
"""XLSForm row types by the names of XForms controls with choices."""
CONTROLS = {
    **CHOICES_OF,
    "range": "range",
    "trigger": "acknowledge",
    "upload": "file",
    "secret": "text",
    "input": "",
}
INPUTS = {"int": "integer", "long": "integer", "string": "text", "": "text"}
"""XLSForm row types by the data types of inputs, where the names differ."""
EXPRESSIONS = ("relevant", "constraint", "required", "readonly", "calculate")
"""Attributes of a bind with the names of the columns of a row to which they are copied."""
NO_ROWS = frozenset({"label", "hint", "setvalue"})
"""Elements of the body and of groups that are not rows of their own."""
TRACES = {"timestamp": "start", "date": "today"}
"""XLSForm row types by the kind of value with which a node is filled in advance."""
NO_TRANSLATION = "-"
"""Placeholder that pyxform writes in a language in which the form has no text."""
ITEXT = re.compile(r"jr:itext\(\s*(?:'([^']{1,500})'|\"([^\"]{1,500})\"|([^'\"()\s]{1,500}))\s*\)")
LIST = re.compile(r"instance\(\s*['\"]([^'\"]{1,200})['\"]\s*\)")


def read(root: Element) -> ImportResult:
    """Returns the draft made from an XForm, with the outcome of each row.

    Raises `FileRefused` with every reason if no question can be imported.
    """
    return read_sheets(_Form(root).make_sheets())


def _children(element: Element | None, name: str) -> list[Element]:
    return [each for each in element if local_name(each) == name] if element is not None else []


def _child(element: Element | None, name: str) -> Element | None:
    return next(iter(_children(element, name)), None)


def _attribute(element: Element, name: str) -> str:
    """Returns an attribute, in whichever namespace it is."""
    return next((value for key, value in element.items() if key.rpartition(" ")[2] == name), "").strip()


def _text_id(match: re.Match[str]) -> str:
    """Returns the id of a translated text from a match of the pattern `ITEXT`, without its quotes."""
    return str(next(filter(None, match.groups())))


class _Form:
    """An XForm: its model (data, binds, texts, lists), and the rows of the sheets survey and choices made from it."""

    def __init__(self, root: Element) -> None:
        head = _child(root, "head")
        model = _child(head, "model")
        instances = _children(model, "instance")
        data = next(iter(instances[0]), None) if instances else None
        self._body = _child(root, "body")
        if model is None or data is None or self._body is None:
            raise file_refusal(
                _("is a web page; export the questionnaire from the program that made it, not its page")
            )
        self._title = "".join(getattr(_child(head, "title"), "text", "") or "")
        self._lists = {_attribute(each, "id"): each for each in instances[1:]}
        nodes = {path: node for path, node in self._data_nodes(data, "") if not len(node)}
        repeated = Counter(path.rpartition("/")[2] for path in nodes)
        self._presets = {path: (node.text or "").strip() for path, node in nodes.items()}
        self._names = {
            path: leaf if repeated[leaf := path.rpartition("/")[2]] == 1 else path[1:].replace("/", "-")
            for path in nodes
        }
        self._binds: dict[str, Element] = {}
        self._paths_by_id: dict[str, str] = {}
        for bind in _children(model, "bind"):
            path = absolute_path(_attribute(bind, "nodeset"), f"/{local_name(data)}")
            self._binds.setdefault(path, bind)
            self._paths_by_id.setdefault(_attribute(bind, "id"), path)
        translations = _children(_child(model, "itext"), "translation")
        self._texts = {
            _attribute(each, "lang"): {_attribute(text, "id"): text for text in _children(each, "text")}
            for each in translations
        }
        preferred = [each for each in translations if each.get("default") is not None] or translations
        self._language = _attribute(preferred[0], "lang") if preferred else ""
        self._actions = {
            absolute_path(_attribute(each, "ref"), ""): _attribute(each, "event")
            for each in root.iter()
            if local_name(each) == "setvalue"
        }
        self._rows: list[Cells] = []
        self._places: dict[int, str] = {}
        self._choices: list[Cells] = []
        self._list_names: dict[tuple[str, ...], str] = {}
        self._asked: set[str] = set()
        self._open: list[str] = []

    def make_sheets(self) -> FormSheets:
        assert self._body is not None
        self._read_controls(self._body, "")
        for path, bind in self._binds.items():
            # What is computed or recorded without a question.
            if path in self._names and path not in self._asked and "/meta/" not in path:
                trace = TRACES.get(_attribute(bind, "preload"), "deviceid")
                if _attribute(bind, "calculate") or _attribute(bind, "preload"):
                    self._add_row("calculate" if _attribute(bind, "calculate") else trace, path, None)
        settings = [{"form_title": self._title, "default_language": self._language}]
        sheets = {"survey": self._rows, "choices": self._choices, "settings": settings}
        lines = {name: _header_and_numbered_rows(rows) for name, rows in sheets.items()}
        return FormSheets(make_sheets(lines, self._places), ())

    def _data_nodes(self, node: Element, above: str) -> Iterator[tuple[str, Element]]:
        """Yields the path and element of each data node."""
        path = f"{above}/{local_name(node)}"
        if len(path) > LONGEST_PATH:
            raise too_large_refusal()
        yield path, node
        for inner in node:
            yield from self._data_nodes(inner, path)

    # --- paths and expressions

    def _expression(self, written: str, context: str) -> str:
        return with_references(written, self._names, context)

    # --- texts

    def _text_cells(self, column: str, element: Element | None) -> Cells:
        """Returns the cells of a row with the text of a label or hint by language, and with its picture or
        recording."""
        if element is None:
            return {}
        named = ITEXT.search(_attribute(element, "ref"))
        if not named:
            return {self._column_header(column): self._text_with_insertions(element)}
        return self._translated_text_cells(column, _text_id(named))

    def _column_header(self, about: str) -> str:
        """Returns the column header for a text that the form does not translate."""
        return f"{about}::{self._language}" if self._language else about

    def _translated_text_cells(self, column: str, identity: str) -> Cells:
        """Returns the cells of a translated text by language, with its picture or recording."""
        cells: Cells = {}
        for language, texts in self._texts.items():
            for value in _children(texts.get(identity), "value"):
                form = _attribute(value, "form")
                text = self._text_with_insertions(value)
                if form in ("", "long", "short"):
                    cells.setdefault(f"{column}::{language}", "" if text == NO_TRANSLATION else text)
                elif column == "label":
                    cells.setdefault(f"media::{form}", text)
        return cells

    def _text_with_insertions(self, element: Element) -> str:
        """Returns the text of an element, with inserted earlier answers as `${name}`."""
        parts = [element.text or ""]
        for inner in element:
            if local_name(inner) == "output":
                value = self._expression(_attribute(inner, "value") or _attribute(inner, "ref"), "")
                parts.append(value if value.startswith("${") else f"${{{value[:200].translate(NO_BRACES)}}}")
            else:
                parts.append(self._text_with_insertions(inner))
            parts.append(inner.tail or "")
        return "".join(parts).strip()

    # --- rows

    def _add_row(self, kind: str, path: str, element: Element | None, **more: str) -> None:
        """Adds the row of a question or group, with the attributes of its bind."""
        bind, name = self._binds.get(path), self._names.get(path) or path.rpartition("/")[2]
        cells = {"type": kind, "name": name, **more}
        if bind is not None:
            cells |= {each: self._expression(_attribute(bind, each), path) for each in EXPRESSIONS}
        inherited = [*self._conditions_outside_open_groups(path), *filter(None, [cells.get("relevant", "")])]
        cells["relevant"] = " and ".join(
            inherited if len(inherited) < 2 else (f"({each})" for each in inherited)
        )
        if element is not None:
            cells |= {"appearance": _attribute(element, "appearance")}
            cells |= self._text_cells("label", _child(element, "label"))
            cells |= self._text_cells("hint", _child(element, "hint"))
        self._rows.append(cells)
        said = _("group %(number)s") if kind.startswith("begin") else _("question %(code)s")
        self._places[len(self._rows) + 1] = said % {"number": name, "code": name}

    def _conditions_outside_open_groups(self, path: str) -> Iterator[str]:
        """Yields the conditions of the nodes around a node, except those that are open groups of the form."""
        while path := path.rpartition("/")[0]:
            bind = self._binds.get(path)
            if bind is not None and path not in self._open and (written := _attribute(bind, "relevant")):
                yield self._expression(written, path)

    def _read_controls(self, parent: Element, context: str) -> None:
        for element in parent:
            kind = local_name(element)
            if kind in ("group", "repeat"):
                self._read_group(element, context)
            elif kind in CONTROLS:
                self._read_control(element, kind, self._path_of(element, context))
            elif kind not in NO_ROWS:
                self._add_row(kind, self._path_of(element, context), element)

    def _path_of(self, element: Element, context: str) -> str:
        if identity := _attribute(element, "bind"):
            return self._paths_by_id.get(identity, context)
        return absolute_path(_attribute(element, "ref") or _attribute(element, "nodeset"), context)

    def _read_group(self, element: Element, context: str) -> None:
        """Adds the rows of a group or a repeat; a group that contains only a repeat becomes that repeat."""
        path = self._path_of(element, context)
        repeat = element if local_name(element) == "repeat" else None
        inner = [each for each in element if local_name(each) not in ("label", "hint")]
        if repeat is None and len(inner) == 1 and local_name(inner[0]) == "repeat":
            repeat, path = inner[0], self._path_of(inner[0], path)
        if repeat is None:
            self._add_row("begin_group", path, element)
            self._open.append(path)
            self._read_controls(element, path)
            self._open.pop()
            self._rows.append({"type": "end_group"})
            return
        count = self._expression(_attribute(repeat, "count"), path)
        self._add_row("begin_repeat", path, element, repeat_count=count)
        self._read_controls(repeat, path)
        self._rows.append({"type": "end_repeat"})

    def _read_control(self, element: Element, kind: str, path: str) -> None:
        self._asked.add(path)
        bind = self._binds.get(path)
        data_type = _attribute(bind, "type").rpartition(":")[2] if bind is not None else ""
        row_type, more = CONTROLS[kind] or INPUTS.get(data_type, data_type.lower()), Cells()
        more["default"] = self._presets.get(path, "")
        if event := self._actions.get(path):
            more["trigger" if "changed" in event else "default"] = event
        is_readonly = bind is not None and _attribute(bind, "readonly").lower() in ("true()", "true")
        if kind == "input" and row_type == "text" and is_readonly:
            row_type = "note"
        if query := _attribute(element, "query"):
            row_type = f"select_one_external {query[:100]}"
        if kind in CHOICES_OF:
            listed, choices = self._read_choices(element, path)
            row_type = f"{row_type}{listed}"
            more |= choices
        elif kind == "range":
            ends = {end: _attribute(element, end) for end in ("start", "end", "step")}
            more["parameters"] = " ".join(f"{end}={number}" for end, number in ends.items() if number)
        elif kind == "upload":
            media = _attribute(element, "mediatype").partition("/")[0]
            row_type = media if media in ("image", "audio", "video") else row_type
        self._add_row(row_type, path, element, **more)

    # --- choices

    def _read_choices(self, element: Element, path: str) -> tuple[str, Cells]:
        """Reads a control's choices; returns the end of its type cell (the list's name), and the cells for
        the filter and the order of the choices."""
        itemset = _child(element, "itemset")
        if itemset is None:
            name = self._names.get(path) or f"list{len(self._list_names)}"
            self._add_list((name,), name, self._inline_choices(element))
            return f" {self._list_names[name,]}", {}
        nodeset = _attribute(itemset, "nodeset")
        named = LIST.search(nodeset)
        if not named:
            return " ${answers}", {}
        cells: Cells = {}
        if nodeset.startswith("randomize("):
            cells["parameters"] = "randomize=true"
        start, end = nodeset.find("["), nodeset.rfind("]")
        if 0 <= start < end:
            cells["choice_filter"] = self._expression(nodeset[start + 1 : end], path)
        root = next(iter(self._lists.get(named[1], ())), None)
        if root is None:
            return f"_from_file {named[1]}", cells
        value, label = (
            _attribute(each, "ref") if (each := _child(itemset, name)) is not None else usual
            for name, usual in (("value", "name"), ("label", "label"))
        )
        self._add_list((named[1], value, label), named[1], self._choices_from_model(root, value, label))
        return f" {self._list_names[named[1], value, label]}", cells

    def _add_list(self, key: tuple[str, ...], name: str, items: Iterable[Cells]) -> None:
        if key in self._list_names:
            return
        name = re.sub(r"\s", "_", name)
        taken = self._list_names.values()
        self._list_names[key] = f"{name}-{len(self._list_names)}" if name in taken else name
        self._choices += [{"list_name": self._list_names[key], **cells} for cells in items]

    def _inline_choices(self, element: Element) -> Iterator[Cells]:
        for item in _children(element, "item"):
            value = _child(item, "value")
            name = self._text_with_insertions(value) if value is not None else ""
            yield {"name": name, **self._text_cells("label", _child(item, "label"))}

    def _choices_from_model(self, root: Element, value: str, label: str) -> Iterator[Cells]:
        """Yields the choices of a list in the model; elements that are neither name nor label are columns for
        filters."""
        named = ITEXT.search(label)
        shown = _text_id(named) if named else label
        for item in root:
            columns = {local_name(each): (each.text or "").strip() for each in item}
            text = columns.get(shown, "")
            words = (
                self._translated_text_cells("label", text) if named else {self._column_header("label"): text}
            )
            filters = {key: cell for key, cell in columns.items() if key not in (value, shown)}
            yield {**filters, "name": columns.get(value, ""), **words}


NO_BRACES = str.maketrans("{}", "()")


def _header_and_numbered_rows(rows: Sequence[Cells]) -> Iterator[Line]:
    """Yields the header and the rows with row numbers as in a spreadsheet."""
    header = list(dict.fromkeys(column for cells in rows for column, cell in cells.items() if cell))
    if len(header) > MOST_COLUMNS:
        raise too_large_refusal()
    yield 1, header
    for number, cells in enumerate(rows, 2):
        yield number, [cells.get(column) or None for column in header]
