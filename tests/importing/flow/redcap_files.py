"""Data dictionaries of REDCap, and a reader of their fields, branching logic, validation and action tags."""

import csv
import io
import re

from tests.importing.flow.source import Fact, Item, Source

COLUMNS = (
    *(
        "name",
        "form",
        "header",
        "type",
        "label",
        "choices",
        "note",
        "validation",
        "least",
        "most",
        "identifier",
    ),
    *("logic", "required", "alignment", "number", "matrix", "ranking", "tags"),
)
TAGS = {
    "hidden": "HIDDEN HIDDEN-SURVEY READONLY READONLY-SURVEY",
    "default": "DEFAULT",
    "set": "SETVALUE CALCTEXT",
    "validation": "NONEOFTHEABOVE MAXCHECKED",
    "filter": "HIDECHOICE SHOWCHOICE",
    "random": "RANDOMORDER",
    "condition": "IF",
    "quota": "MAXCHOICE",
}


def condition(text: str) -> str:
    made = re.sub(r"(?:\[[\w-]+\])?\[(\w+(?:\(\w+\))?)\]", r"v('\1')", text).replace("<>", "!=")
    made = re.sub(r"\s+", " ", made)
    return re.sub(r"\bAND\b", "and", re.sub(r"\bOR\b", "or", re.sub(r"(?<![<>!=])=(?!=)", "==", made)))


def read(data: bytes) -> Source:
    _header, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig")))
    source = Source([], ["en"])
    for cells in rows:
        row = dict(zip(COLUMNS, (each.strip() for each in cells), strict=False))
        name, kind = row["name"], row["type"]
        if kind == "descriptive" or not name:
            continue
        tags = re.findall(r"@([A-Z-]+)", row.get("tags", ""))
        kinds = [each for each, names in TAGS.items() for tag in tags if tag in names.split()]
        source.facts += [Fact(each, name, row["tags"]) for each in kinds]
        if row["identifier"].lower() in ("y", "yes"):
            source.facts.append(Fact("identifier", name))
        is_number = kind == "slider" or (
            kind == "text" and re.match(r"integer|number", row["validation"]) is not None
        )
        if (row["validation"] or row["least"] or row["most"]) and kind == "text":
            source.facts.append(
                Fact("validation", name, f"{row['validation']} {row['least']}..{row['most']}")
            )
        if row.get("ranking", "").lower() == "y":
            source.facts.append(Fact("validation", name, "ranking"))
        choices = {"yesno": "1, Yes | 0, No", "truefalse": "1, True | 0, False"}.get(
            kind, row["choices"] if kind in ("radio", "dropdown", "checkbox") else ""
        )
        labels = {
            code.strip(): {"en": label.strip()}
            for code, _comma, label in (each.partition(",") for each in choices.split("|"))
            if code.strip()
        }
        parts = {f"{name}({code})": (code, "1", "0") for code in labels} if kind == "checkbox" else {}
        shown_if = [condition(row["logic"])] if row["logic"] else []
        source.items.append(
            Item(
                name,
                {"en": row["label"]},
                labels,
                kind == "checkbox",
                is_number,
                {},
                shown_if,
                parts,
                "0" if parts else "",
            )
        )
    return source


# A line is a file.
# fmt: off

HEADER = ("Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label", "Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number", "Text Validation Min", "Text Validation Max", "Identifier?", "Branching Logic (Show field only if...)", "Required Field?", "Custom Alignment", "Question Number (surveys only)", "Matrix Group Name", "Matrix Ranking?", "Field Annotation")
PROGRAM = ("field_name", "form_name", "section_header", "field_type", "field_label", "select_choices_or_calculations", "field_note", "text_validation_type_or_show_slider_number", "text_validation_min", "text_validation_max", "identifier", "branching_logic", "required_field", "custom_alignment", "question_number", "matrix_group_name", "matrix_ranking", "field_annotation")
Field = tuple[str, ...]


def field(name: str, kind: str, label: str, choices: str = "", logic: str = "", tags: str = "", form: str = "main", header: str = "", validation: str = "", least: str = "", most: str = "", person: str = "", matrix: str = "", ranking: str = "") -> Field:
    return (name, form, header, kind, label, choices, "", validation, least, most, person, logic, "y", "", "", matrix, ranking, tags)


def dictionary(*fields: Field, header: Field = HEADER, mark: str = "") -> bytes:
    made = io.StringIO()
    csv.writer(made).writerows([header, *fields])
    return (mark + made.getvalue()).encode()


SEX = field("sex", "radio", "What is your sex?", "1, Female | 2, Male | 3, Other")
DRUGS = field("drugs", "checkbox", "Which did you take?", "1, Aspirin | 2, Ibuprofen | 9, None")
SMOKE = field("smoke", "yesno", "Do you smoke?")
AGE = field("age", "text", "Age in years", validation="integer", least="18", most="99")


def last(logic: str, name: str = "last", label: str = "The last one?", **more: str) -> Field:
    return field(name, "radio", label, "1, Yes | 0, No", logic, **more)


FILES = {
    "choices": dictionary(SEX, DRUGS, SMOKE, last("[sex] = '1'"), last("[smoke] = '1' and [sex] = '2'", "both", "Both?"), field("t", "truefalse", "True?", logic="[smoke] = 0")),
    "signs": dictionary(SEX, SMOKE, last("[sex] <> '1'", "a", "Ay?"), last("[sex] != '' ", "b", "Bee?"), last("([sex]='1' or [sex]='3') AND [smoke]='1'", "c", "Sea?"), last("[sex]='1' or [smoke]='1'", "d", "Dee?"), last("not ([sex]='1')", "e", "Eee?"), last('[sex] = "2"')),
    "checkboxes": dictionary(DRUGS, last("[drugs(1)] = '1'", "a", "Ay?"), last("[drugs(1)] = '0' and [drugs(2)] = '1'", "b", "Bee?"), last("[drugs(1)] = '1' or [drugs(2)] = '1'", "c", "Sea?"), last("[drugs(9)] <> '1'")),
    "hidden_parents": dictionary(SEX, field("drugs", "checkbox", "Which?", "1, Aspirin | 2, Ibuprofen", "[sex] = '1'"), last("[drugs(1)] = '0'", "a", "Ay?"), last("[sex] = '2'", "b", "Bee?"), last("[b] <> '1'", "c", "Sea?"), last("[b] = ''")),
    "numbers": dictionary(AGE, field("weight", "text", "Weight in kg", validation="number", least="0.5", most="300"), field("free", "text", "How many?", validation="integer"), field("born", "text", "Date of birth", validation="date_ymd", least="1900-01-01", most="today"), field("pain", "slider", "How much pain?", "None | | Much", validation="number"), last("[age] >= 65", "a", "Ay?"), last("[age] > 17 and [age] < 30", "b", "Bee?"), last("[born] > '2000-01-01'", "c", "Sea?"), last("datediff([born], 'today', 'y') > 18", "d", "Dee?"), last("[pain] > 50")),
    "matrices": dictionary(SEX, *(field(f"m{n}", "radio", f"I feel {word}", "1, Never | 2, Often", matrix="mood", header="How do you feel?" if n == 1 else "", logic="[sex] = '2'" if n == 3 else "") for n, word in enumerate(("calm", "glad", "sad"), 1)), *(field(f"r{n}", "radio", f"Rank of {word}", "1, First | 2, Second", matrix="rank", ranking="y") for n, word in enumerate(("tea", "coffee"), 1)), *(field(f"c{n}", "checkbox", f"Used in {word}", "1, Bus | 2, Car", matrix="used") for n, word in enumerate(("May", "June"), 1)), last("[m1] = '2'")),
    "tags": dictionary(SEX, last("", "d", "With default", tags="@DEFAULT='1'"), last("", "h", "Hidden", tags="@HIDDEN"), last("", "s", "Hidden in surveys", tags="@HIDDEN-SURVEY"), last("", "r", "Read only", tags="@READONLY"), field("n", "checkbox", "With none", "1, A | 2, B | 9, None", tags="@NONEOFTHEABOVE=9"), last("", "m", "At most ten", tags="@MAXCHOICE(1=10)"), field("x", "checkbox", "At most two", "1, A | 2, B | 3, C", tags="@MAXCHECKED=2"), last("", "o", "Random order", tags="@RANDOMORDER"), last("", "i", "Hidden if", tags="@IF([sex]='1', @HIDDEN, '')"), last("", "q", "One choice hidden", tags="@HIDECHOICE='1'"), last("", "v", "Set", tags="@SETVALUE='1'")),
    "people": dictionary(field("record_id", "text", "Record"), field("name", "text", "Your name", person="y"), field("zip", "text", "Postcode", validation="zipcode", person="y"), field("city", "dropdown", "City", "1, Kyiv | 2, Lviv", person="y"), field("mail", "text", "Email", validation="email"), last("[city] = '1'", "a", "Ay?"), last("[name] <> ''")),
    "forms": dictionary(SEX, field("d", "descriptive", "Please read this.", logic="[sex] = '1'"), field("x", "radio", "In form two?", "1, Yes | 0, No", form="two", header="<b>Second</b> part"), last("[sex] = '1'", form="two", header="Third part"), field("c", "calc", "Sum", "[sex] + 1"), field("f", "file", "A picture"), field("w", "notes", "In your words"), field("sql", "sql", "From elsewhere", "select a from b"), last("[event_1_arm_1][sex] = '1'", "e", "Of an event?"), last("[c] > 2", "k", "Of a sum?"), last("[previous-event-name][sex] = '1'", "p", "Of the past?")),
    "odd_words": dictionary(field("a", "radio", "<p>How <b>old</b> is &lt;it&gt;?</p>", "1, <i>5</i> or less | 2, more, or so"), field("b", "radio", "", "1, Yes | 2, "), field("c", "radio", "The same?", "1, Same | 1, Twice | 2, Same"), field("e", "dropdown", "هل أنت بخير؟", "a, نعم | b, لا"), field("g", "radio", "You said [a]: right?", "0, No | 1, Yes", "[e] = 'a'"), field("one", "radio", "Only one", "1, One"), field("neg", "radio", "Codes", "-1, Below | 0, Zero | 01, One"), last("[neg] = '-1'"), mark="\ufeff"),
    "backwards": dictionary(last("[sex] = '1'"), SEX, last("[me] = '1'", "me", "Me?"), last("[nobody] = '1'", "gone", "Gone?"), last("[sex] = '7'", "never", "Never?"), last("[sex] = ", "broken", "Broken?")),
    "more_signs": dictionary(SEX, AGE, SMOKE, last("[sex] = 1 and ([smoke] = 1 or [smoke] = 0)", "a", "Ay?"), last("[sex] in (1, 2)", "b", "Bee?"), last("sum([sex], 1) = 2", "c", "Sea?"), last("if([sex] = '1', 1, 0) = 1", "d", "Dee?"), last("[sex] = '1'\nand\n[smoke] = '1'", "e", "Eee?"), last("contains([sex], '1')", "f", "Eff?"), last("[user-name] = 'x'", "g", "Gee?"), last("isblankormissingcode([sex])", "h", "Aitch?"), last("[sex] = '01'", "i", "Eye?"), last("[age] <> ''", "j", "Jay?"), last("[sex] >= 2", "k", "Kay?"), last("", "form", "Hidden in forms?", tags="@HIDDEN-FORM")),
    "of_program": dictionary(SEX, SMOKE, DRUGS, last("[drugs(2)] = '1'"), header=PROGRAM),
}
