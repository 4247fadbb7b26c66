"""Reads XForms of ODK (.xml): the instance, its bindings and translations, and the controls of the body."""

import re
from xml.etree.ElementTree import Element, fromstring

from tests.importing.flow.source import Fact, Item, Source, Words

X, H, JR = (
    "{http://www.w3.org/2002/xforms}",
    "{http://www.w3.org/1999/xhtml}",
    "{http://openrosa.org/javarosa}",
)
BINDS = {"constraint": "validation", "calculate": "set"}


class Form:
    def __init__(self, data: bytes) -> None:
        root = fromstring(data)
        model = root.find(f"{H}head/{X}model")
        assert model is not None
        self.model = model
        self.binds = {each.get("nodeset", ""): each for each in model.iter(f"{X}bind")}
        languages = {each.get("lang", ""): each for each in model.iterfind(f"{X}itext/{X}translation")}
        self.texts = {
            code: {
                text.get("id", ""): "".join(
                    next(iter(v for v in text.iter(f"{X}value") if not v.get("form")), text).itertext()
                )
                for text in each.iter(f"{X}text")
            }
            for code, each in sorted(languages.items(), key=lambda pair: pair[1].get("default") is None)
        }
        codes = {
            code: (found[1] if (found := re.search(r"\(([\w-]+)\)", code)) else code) for code in self.texts
        }
        self.texts = {codes[code]: texts for code, texts in self.texts.items()} or {"en": {}}
        self.main = next(iter(self.texts))
        self.source = Source([], [*self.texts])
        body = root.find(f"{H}body")
        assert body is not None
        for each in root.iter(f"{X}setvalue"):
            self.source.facts.append(
                Fact(
                    "default" if "first-load" in each.get("event", "") else "set",
                    self.name(each.get("ref", "")),
                    "setvalue",
                )
            )
        self.walk(body, False)

    @staticmethod
    def name(path: str) -> str:
        return path.rstrip("/").rpartition("/")[2]

    def condition(self, text: str) -> str:
        text = re.sub(
            r"(?<![\w'\"])(?:/|\.\./|current\(\)/)[\w./-]+(?![\w'\"])",
            lambda found: f"v('{self.name(found[0])}')",
            text,
        )
        text = re.sub(r"(?<![<>!=])=(?!=)", "==", text.replace("count-selected", "count_selected"))
        return re.sub(r"\s+", " ", text.replace("true()", "1").replace("false()", "0")).strip()

    def words(self, node: Element | None) -> Words:
        if node is None:
            return {}
        if found := re.match(r"jr:itext\('(.*)'\)", node.get("ref", "")):
            return {
                code: texts[found[1]].strip()
                for code, texts in self.texts.items()
                if texts.get(found[1], "").strip() not in ("", "-")
            }
        text = " ".join(
            part.strip() for part in (node.text or "", *(each.tail or "" for each in node)) if part.strip()
        )
        return {self.main: text} if text else {}

    def choices(self, node: Element, name: str) -> tuple[dict[str, Words], dict[str, str]]:
        offered = dict[str, str]()
        made = {
            (each.findtext(f"{X}value") or "").strip(): self.words(each.find(f"{X}label"))
            for each in node.iterfind(f"{X}item")
        }
        for itemset in node.iterfind(f"{X}itemset"):
            nodeset = itemset.get("nodeset", "")
            self.source.facts += [Fact("random", name)] * ("randomize(" in nodeset) + [
                Fact("filter", name)
            ] * ("[" in nodeset)
            listed = re.search(r"instance\('([^']*)'\)", nodeset)
            value, label = (itemset.find(f"{X}{tag}") for tag in ("value", "label"))
            for instance in self.model.iterfind(f"{X}instance"):
                if listed and instance.get("id") == listed[1] and value is not None and label is not None:
                    for item in instance.iter(f"{X}item"):
                        id_ = (
                            item.findtext(X + re.sub(r"jr:itext\((.*)\)", r"\1", label.get("ref", ""))) or ""
                        )
                        code = item.findtext(X + value.get("ref", "")) or ""
                        said = (
                            {spoken: texts[id_] for spoken, texts in self.texts.items() if id_ in texts}
                            if "itext" in label.get("ref", "")
                            else {self.main: id_}
                        )
                        code = code if code not in made else f"{code}#{len(made)}"
                        made[code] = said
                        if predicate := re.search(r"\[(.*)\]", nodeset):
                            cells = {each.tag.removeprefix(X): each.text or "" for each in item}
                            text = re.sub(
                                r"(?<![\w/'.])([a-z]\w*)(?![\w(/'])",
                                lambda found, cells=cells: repr(cells.get(found[0], found[0])),
                                predicate[1],
                            )
                            offered[code] = self.condition(text)
        return made, offered

    def relevants(self, path: str) -> list[str]:
        """Of a node and all nodes around it: what is around a control in the body does not matter."""
        names = path.split("/")
        binds = (self.binds.get("/".join(names[:size])) for size in range(2, len(names) + 1))
        return [
            self.condition(each.get("relevant", ""))
            for each in binds
            if each is not None and each.get("relevant")
        ]

    def walk(self, node: Element, is_repeated: bool) -> None:
        for each in node:
            kind, path = each.tag.rpartition("}")[2], each.get("ref") or each.get("nodeset") or ""
            if kind in ("group", "repeat"):
                self.source.facts += [Fact("repeat", detail=self.name(path))] * (kind == "repeat")
                self.walk(each, is_repeated or kind == "repeat")
            elif kind in ("select", "select1", "input", "range", "upload", "trigger", "rank"):
                self.read_control(each, kind, path, self.relevants(path), is_repeated)

    def read_control(
        self, node: Element, kind: str, path: str, shown_if: list[str], is_repeated: bool
    ) -> None:
        name, bind = self.name(path), self.binds.get(path)
        settings = dict(bind.attrib) if bind is not None else {}
        if settings.get("readonly") == "true()" and kind == "input":
            return
        self.source.facts += [
            Fact(fact, name, settings[key]) for key, fact in BINDS.items() if settings.get(key)
        ]
        self.source.facts += [Fact("hidden", name)] * (settings.get("readonly") == "true()")
        instance = self.model.find(f"{X}instance")
        preset = [
            each
            for each in (instance.iter() if instance is not None else ())
            if each.tag.rpartition("}")[2] == name and (each.text or "").strip()
        ]
        self.source.facts += [Fact("default", name)] * bool(preset)
        choices, offered = self.choices(node, name) if kind in ("select", "select1") else ({}, {})
        is_number = kind == "range" or (
            kind == "input" and settings.get("type") in ("int", "decimal", "xsd:int")
        )
        self.source.items.append(
            Item(
                name,
                self.words(node.find(f"{X}label")),
                {} if is_repeated else choices,
                kind == "select",
                is_number and not is_repeated,
                shown_if=shown_if,
                offered=offered,
            )
        )


def read(data: bytes) -> Source:
    return Form(data).source
