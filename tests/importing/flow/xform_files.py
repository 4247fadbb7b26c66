"""XForms of ODK, as its specification describes them, and a reader of their instance, bindings and controls."""

import re
from xml.etree.ElementTree import Element, fromstring
from xml.sax.saxutils import escape, quoteattr

from tests.importing.flow.source import Fact, Item, Source, Words

X, H, JR = (
    "{http://www.w3.org/2002/xforms}",
    "{http://www.w3.org/1999/xhtml}",
    "{http://openrosa.org/javarosa}",
)
BINDS = {"constraint": "validation", "calculate": "set"}


class ParsedForm:
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
    return ParsedForm(data).source


# A line is a file.
# fmt: off

YN, JOB, PAY = (("y", "Yes"), ("n", "No")), (("full", "Full time"), ("part", "Part time"), ("none", "No job")), (("cash", "In cash"), ("goods", "In goods"), ("bank", "By transfer"))
Choices = tuple[tuple[str, str], ...]


class Form:
    """Puts a form together; `group` opens a group until `end`."""

    def __init__(self) -> None:
        self.nodes, self.binds, self.body, self.extra = "", "", "", ""
        self.path = ["data"]

    def at(self, name: str) -> str:
        return "/" + "/".join([*self.path, name])

    def bind(self, name: str, kind: str, settings: dict[str, str], value: str = "") -> str:
        self.nodes += f"<{name}>{value}</{name}>"
        attributes = "".join(f" {key}={quoteattr(text)}" for key, text in settings.items())
        self.binds += f'<bind nodeset="{self.at(name)}" type="{kind}"{attributes}/>'
        return self.at(name)

    def ask(self, name: str, label: str, choices: Choices | str = YN, control: str = "select1", kind: str = "string", value: str = "", more: str = "", **settings: str) -> "Form":
        path = self.bind(name, kind, settings, value)
        said = f"<label ref={quoteattr(label)}/>" if label.startswith("jr:itext") else f"<label>{label}</label>"
        items = choices if isinstance(choices, str) else "".join(f"<item><label>{escape(text)}</label><value>{code}</value></item>" for code, text in choices)
        self.body += f'<{control} ref="{path}"{more}>{said}{items if control.startswith("select") else ""}</{control}>'
        return self

    def bind_alone(self, name: str, kind: str, **settings: str) -> "Form":
        self.bind(name, kind, settings)
        return self

    def group(self, name: str, label: str = "", is_repeat: bool = False, **settings: str) -> "Form":
        self.bind(name, "string", settings)
        self.nodes = self.nodes.removesuffix(f"</{name}>")
        self.body += f'<group ref="{self.at(name)}"><label>{label}</label>' + (f'<repeat nodeset="{self.at(name)}">' if is_repeat else "")
        self.path.append(f"{name}")
        self.extra += ""
        return self

    def end(self, is_repeat: bool = False) -> "Form":
        self.nodes += f"</{self.path.pop()}>"
        self.body += ("</repeat>" if is_repeat else "") + "</group>"
        return self

    def made(self, itext: str = "", instances: str = "", model: str = "") -> bytes:
        return (
            '<?xml version="1.0"?><h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml" '
            'xmlns:jr="http://openrosa.org/javarosa" xmlns:odk="http://www.opendatakit.org/xforms" xmlns:ev="http://www.w3.org/2001/xml-events">'
            f"<h:head><h:title>Study</h:title><model odk:xforms-version=\"1.0.0\">{itext}<instance><data id=\"study\" version=\"1\">{self.nodes}<meta><instanceID/></meta></data></instance>"
            f'{instances}{self.binds}<bind jr:preload="uid" nodeset="/data/meta/instanceID" readonly="true()" type="string"/>{model}</model></h:head><h:body>{self.body}</h:body></h:html>'
        ).encode()


def work() -> Form:
    return Form().ask("work", "Do you work?", JOB).ask("paid", "How are you paid?", PAY, "select").ask("like", "Do you like it?")


def listed(name: str, choices: Choices, more: str = "") -> str:
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
FILES = {
    "choices": work().ask("a", "Ay?", relevant=" /data/work  = 'full'").ask("b", "Bee?", relevant="selected( /data/paid , 'cash')").ask("c", "Sea?", relevant="/data/work = 'full' and /data/like = 'y'").made(),
    "signs": SIGNS.made(),
    "hidden_parents": work().ask("more", "More?", relevant="/data/work = 'full'").ask("a", "Ay?", relevant="/data/more != 'y'").ask("b", "Bee?", relevant="/data/more = ''").ask("c", "Sea?", relevant="/data/more = 'n'").made(),
    "numbers": NUMBERS.made(),
    "groups": work().group("g", "Workers", relevant="/data/work != 'none'").ask("a", "Ay?").group("h", "Deep", relevant="/data/like = 'y'").ask("b", "Bee?", relevant="/data/g/a = 'y'").end().end().group("i", "Or", relevant="/data/work = 'full' or /data/like = 'y'").ask("c", "Sea?").end().ask("z", "Last?", relevant="/data/g/h/b = 'y'").made(),
    "repeats": work().group("each", "Each child", True, relevant="/data/work = 'full'").ask("boy", "A boy?").end(True).ask("z", "Last?", relevant="/data/each/boy = 'y'").made(),
    "settings": work().ask("preset", "Preset?", value="y").ask("made", "Computed?", calculate="if(/data/work = 'full', 'y', 'n')").ask("seen", "Read only?", readonly="true()").ask("few", "At most two?", PAY, "select", constraint="count-selected(.) <= 2").ask("note", "Please read", (), "input", readonly="true()", relevant="/data/work = 'full'").ask("ok", "Please agree", (), "trigger").ask("pic", "Picture", (), "upload", "binary", more=' mediatype="image/*"').ask("set", "Set?").made(model="<setvalue event=\"odk-instance-first-load\" ref=\"/data/set\" value=\"'y'\"/>"),
    "lists": Form().ask("work", "Do you work?", itemset("instance('job')/root/item")).ask("mixed", "Mixed?", itemset("randomize(instance('job')/root/item)")).ask("few", "Few?", itemset("instance('job')/root/item[name != /data/work]")).ask("z", "Last?", relevant="/data/work = 'part'").made(instances=listed("job", JOB)),
    "cascade": Form().ask("region", "Which region?", itemset("instance('region')/root/item")).ask("town", "Which town?", itemset("instance('town')/root/item[region = /data/region]")).made(instances=listed("region", (("n", "North"), ("s", "South"))) + listed("town", (("a", "Aville"), ("b", "Btown")), "<region>n</region>").replace("</root>", "<item><name>a</name><label>Aville South</label><region>s</region></item></root>")),
    "ancestors": work().made().replace(b"<like></like>", b"<g><like></like></g>").replace(b'/data/like"', b'/data/g/like"').replace(b'<bind nodeset="/data/work"', b"<bind nodeset=\"/data/g\" relevant=\"/data/work = 'full'\"/><bind nodeset=\"/data/work\""),
    "acts": work().ask("a", "Ay?", YN).ask("b", "Bee?", relevant="/data/arm = 1").bind_alone("arm", "int", calculate="once(int(random() * 2))").ask("town", "Which town?", itemset("instance('towns')/root/item")).ask("z", "Last?", relevant="/data/town = 'a'").ask("sort", "Sort", PAY, "odk:rank").made(instances='<instance id="towns" src="jr://file-csv/towns.csv"/>').replace(b"<value>cash</value></item>", b"<value>cash</value></item><setvalue event=\"xforms-value-changed\" ref=\"/data/a\" value=\"'y'\"/>", 1),
    "default_language_last": Form().ask("work", "jr:itext('work')", SPOKEN).ask("past", "jr:itext('past')", SPOKEN).made(ITEXT.replace(' default="true()"', "").replace('lang="Deutsch (de)"', 'lang="Deutsch (de)" default="true()"').replace("Haben Sie?", "-")),
    "lists_in_languages": Form().ask("work", "jr:itext('work')", itemset("instance('yn')/root/item", "jr:itext(itextId)")).ask("past", "jr:itext('past')", itemset("randomize(instance('yn')/root/item, 42)", "jr:itext(itextId)"), relevant="selected(/data/work, 'n')").made(ITEXT, '<instance id="yn"><root>' + "".join(f"<item><itextId>{code}</itextId><name>{code}</name></item>" for code in "yn") + "</root></instance>"),
    "bare_groups": work().group("g", "Group").ask("a", "Ay?", relevant=" ../../work = 'full' ").group("h").ask("b", "Bee?", relevant="current()/../../../like = 'y'").ask("c", "Sea?", relevant="selected(../b, 'y') and /data/g/a='n'").end().end().made().replace(b'<group ref="/data/g">', b"<group>").replace(b'<group ref="/data/g/h">', b'<group appearance="field-list">'),
    "required_and_messages": work().ask("a", "Ay?", required="true()", **{"jr:constraintMsg": "Must be yes", "constraint": ". = 'y'"}).ask("b", "Bee?", required="/data/work = 'full'", relevant="/data/a = 'y' and (/data/work = 'part' or /data/work = 'none')").ask("c", "Sea?", relevant="not(/data/work = 'full') and not(/data/like = 'n')").made(),
    "languages": Form().ask("work", "jr:itext('work')", SPOKEN).ask("past", "jr:itext('past')", SPOKEN, relevant="/data/work = 'n'").made(ITEXT),
    "odd_words": Form().ask("a", "How &lt;b&gt;old&lt;/b&gt; is &amp;lt;it?").ask("b", "").ask("c", "The same?", (("1", "Same"), ("2", "Same"), ("3", "Not"))).ask("d", 'You said <output value="/data/c"/>: right?', relevant="/data/c = '2'").ask("e", "One", (("1", "Only"),)).ask("f", "None", ()).made(),
    "backwards": Form().ask("first", "First?", relevant="/data/work = 'full'").ask("work", "Do you work?", JOB).ask("me", "Me?", relevant="/data/me = 'y'").ask("gone", "Gone?", relevant="/data/nobody = 'y'").ask("never", "Never?", relevant="/data/work = 'never'").ask("broken", "Broken?", relevant="/data/work = ").ask("off", "Off?", relevant="false()").made(),
}
