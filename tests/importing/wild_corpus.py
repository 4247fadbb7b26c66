"""XLSForms put together from what real forms contain, each with its sheets and what becomes of it."""

from typing import Any, NamedTuple

from tests.importing.sheets import Lines

H = ["type", "name", "label"]
AGES: Lines = [
    ["list_name", "name", "label"],
    ["ages", "young", "18 to 39"],
    ["ages", "old", "40 or older"],
    ["yn", "1", "Yes, it is"],
    ["yn", "0", "No, it is not"],
]
AGE = ["select_one ages", "age", "How old are you?"]
YES = ["select_one yn", "q", "Is it so?"]


class WildForm(NamedTuple):
    """`asked`: the names of the questions that come in; `left`: the rows of the sheet survey that do not."""

    sheets: dict[str, Lines]
    asked: list[str]
    left: tuple[int, ...] = ()
    languages: tuple[str, ...] = ("en",)


def of(*rows: Any, asked: list[str], header: Any = H, choices: Lines = AGES, **more: Any) -> WildForm:
    found = {key: more.pop(key) for key in ("left", "languages") if key in more}
    return WildForm({"survey": [header, *rows], "choices": choices, **more}, asked, **found)


HOUSEHOLD = of(
    ["start", "start"],
    ["end", "end"],
    ["today", "today"],
    ["deviceid", "deviceid"],
    ["begin group", "hh", "A. The household"],
    ["text", "head", "Name of the head of household"],
    AGE,
    ["geopoint", "place", "Where is the house?"],
    ["image", "photo", "Take a picture of the house"],
    ["end group"],
    ["begin repeat", "member", "Each member"],
    ["begin group", "m", "This member"],
    ["select_one ages", "mage", "Age of this member"],
    ["end group"],
    ["end repeat"],
    ["calculate", "total"],
    asked=["age"],
    left=(2, 3, 4, 5, 7, 9, 10, 12, 13, 14, 15, 17),
)
LEGACY = of(
    ["q string prompt", "n", "What is your name?"],
    ["select one from ages", "a", "Age, the old way"],
    ["select1 ages", "b", "Age, the XForms way"],
    ["select all that apply from ages", "c", "All that apply"],
    ["select-multiple ages", "d", "With a hyphen"],
    ["add note prompt", "e", "A note, the old way"],
    ["select_one_ages", "f", "With an underscore too many"],
    asked=["a", "b", "c-young", "c-old", "d-young", "d-old", "f"],
    left=(2,),
)
GROUPS = of(
    ["Begin Group ", "a", "First part"],
    AGE,
    ["End Group"],
    ["begingroup", "b", "Second part"],
    YES,
    ["endgroup"],
    ["begin-group", "c", "Third part"],
    ["select_one yn", "r", "Is it really?"],
    ["end-group"],
    ["begin_group d", "d", "Fourth part"],
    ["select_one yn", "s", "Are you sure?"],
    ["END_GROUP d"],
    asked=["age", "q", "r", "s"],
)
FRENCH_AND_CHINESE = of(
    ["select_one ages", "age", "Quel âge avez-vous ?", "您多大年纪？", "En années", "以岁计"],
    header=["type", "name", "label::Français (fr)", "label::中文", "hint::Français (fr)", "hint::中文"],
    choices=[
        ["list_name", "name", "label::Français (fr)", "label::中文"],
        ["ages", "young", "18 à 39 ans", "18 至 39 岁"],
        ["ages", "old", "40 ans et plus", "40 岁以上"],
    ],
    asked=["age"],
    languages=("fr", "zh-hans"),
    settings=[["form_title", "default_language"], ["Enquête", "Français (fr)"]],
)
BARE_AND_SWAHILI = of(
    [*AGE, "Una umri gani?"],
    header=[*H, "label::Kiswahili (sw)"],
    choices=[[*AGES[0], "label::Kiswahili (sw)"], [*AGES[1], "18 hadi 39"], [*AGES[2], "40 au zaidi"]],
    asked=["age"],
    languages=("en", "sw"),
)
UNKNOWN_LANGUAGE = of(
    [*AGE, "nuqDaq"], header=[*H, "label::tlhIngan Hol"], asked=["age"], languages=("en", "qaa")
)
TABLE = of(
    ["begin_group", "t", "How true is this?", "table-list"],
    ["select_one yn", "l1", "I like my work", ""],
    ["select_one yn", "l2", "I like my pay", ""],
    ["end_group"],
    AGE,
    header=[*H, "appearance"],
    asked=["l1", "l2", "age"],
)
TABLE_BY_HAND = of(
    ["begin_group", "g", "", "field-list"],
    ["select_one yn", "head", "How true is this?", "label"],
    ["select_one yn", "l1", "I like my work", "list-nolabel"],
    ["note", "n", "Almost done", ""],
    ["select_one yn", "l2", "I like my pay", "list-nolabel"],
    ["end_group"],
    header=[*H, "appearance"],
    asked=["l1", "l2"],
)
KOBO_SCORE = of(
    ["begin_score", "s", "Rate these", "yn"],
    ["score__row", "r1", "The food", ""],
    ["score__row", "r2", "The rooms", ""],
    ["end_score"],
    ["begin_rank", "k", "Order these", ""],
    ["rank__level", "k1", "First place", ""],
    ["end_rank"],
    header=[*H, "kobo--score-choices"],
    asked=["r1", "r2"],
    left=(6, 7, 8),
)
KOBO_MATRIX = of(
    ["begin_kobomatrix", "m", "Your goods", "ages"],
    ["select_one yn", "own", "Do you own one?", ""],
    ["end_kobomatrix"],
    AGE,
    header=[*H, "kobo--matrix_list"],
    asked=["age"],
    left=(2, 3),
)
RELEVANT = of(
    [*AGE, ""],
    [*YES, "${age} = 'old'"],
    ["select_one yn", "r", "Is it still so?", "selected(${q}, '1') and ${age} != 'young'"],
    ["select_one yn", "s", "Since when?", "count-selected(${q}) > 1"],
    header=[*H, "bind::relevant"],
    asked=["age", "q", "r", "s"],
)
DISABLED = of(
    [*AGE, "yes"],
    [*YES, "no"],
    ["begin_group", "g", "Not shown", "yes"],
    ["select_one yn", "r", "Inside", ""],
    ["end_group", "", "", "yes"],
    header=[*H, "disabled"],
    asked=["q", "r"],
    left=(2, 4, 6),
)
MARKUP = of(
    ["note", "n", "# Welcome\n**Read** this <span style='color:red'>first</span>&nbsp;please"],
    ["select_one ages", "age", "How *old* are you, \\*really\\*?<br>In [years](https://example.org)"],
    ["select_one yn", "q", "![logo](jr://images/a.png) Is __it__ so?"],
    asked=["age", "q"],
)
PICTURES = of(
    [*AGE, "age.png", ""],
    ["select_one yn", "q", "", "q.png", "q.mp3"],
    ["note", "n", "", "logo.png"],
    header=[*H, "media::image", "media::audio::English (en)"],
    choices=[[*AGES[0], "image"], *([*row, f"{row[1]}.png"] for row in AGES[1:])],
    asked=["age", "q"],
    left=(4,),
)
CASCADE = of(
    ["select_one ages", "region", "Which region?", ""],
    ["select_one_external ages", "village", "Which village?", "region=${region}"],
    ["select_one_from_file clinics.csv", "clinic", "Which clinic?", ""],
    ["select_multiple ages", "seen", "Which did you see?", "x=${region}"],
    ["select_one ${region}", "one", "Which of them?", ""],
    header=[*H, "choice_filter"],
    asked=["region", "seen-young", "seen-old"],
    left=(3, 4, 6),
    external_choices=[["list_name", "name", "label"], ["v", "a", "A village"]],
)
DOUBLE_CHOICES = of(
    AGE,
    choices=[*AGES, ["ages", "old", "70 or older"], ["ages", "old", "70 or older"]],
    asked=["age"],
    settings=[["form_title", "allow_choice_duplicates"], ["Doubles", "yes"]],
)
DOUBLE_HEADERS = of(
    [*AGE, "Second"],
    ["select_one yn", "q", "", "Only in the second"],
    header=[*H, "label"],
    asked=["age", "q"],
)
OTHER_SHEETS = WildForm(
    {
        "Readme": [["How to use this"]],
        "Questions": [H, AGE, YES],
        "Answer options": AGES,
        "Help": [["Ask us"]],
    },
    ["age", "q"],
)
CAPITALS = WildForm(
    {
        "SURVEY": [["Type", "NAME", "Label", "Required"], ["Select_One Ages", "age", "How old?", True]],
        "Choices": [["List Name", "Name", "Label"], *AGES[1:3]],
        "Settings": [["Form_Title"], ["In capitals"]],
    },
    ["age"],
)
EMPTY_ROWS = of(
    [], ["", "", ""], AGE, [None, None, "Words without a type"], [], YES, asked=["age", "q"], left=(5,)
)
BLANK_ABOVE = WildForm({"survey": [[], [], H, AGE, YES], "choices": [[], *AGES]}, ["age", "q"])
NUMERIC = of(
    ["select_one ages", 1, 2020],
    ["select_one yn", 2.5, True],
    ["select_one yn", None, "No name"],
    asked=["1", "2.5", "q4"],
)
SHIPPED_WORDS = of(
    ["select_one ages or_other", "a", "Or another?"],
    ["select_multiple ages or_other", "b", "Or others?"],
    ["integer", "n", "How many, without limits?"],
    ["date", "d", "When?"],
    ["acknowledge", "k", "Please agree"],
    ["rank ages", "r", "Order them"],
    asked=["a", "b-young", "b-old", "b-other", "n"],
    left=(5, 6, 7),
)
UNCLOSED = of(
    ["begin_group", "g", "Never closed"],
    AGE,
    ["begin_repeat", "r", "Nor this"],
    YES,
    asked=["age"],
    left=(4, 5),
)
REFERENCES = of(
    AGE,
    ["select_one yn", "q", "You said ${age}. Is it so?"],
    ["note", "n", "Bye, ${age}"],
    asked=["age", "q"],
)
THANKS = of(["note", "a", "Hello"], AGE, ["note", "b", "Thank you"], ["note", "c", "Goodbye"], asked=["age"])
CODES_OF_NO_ANSWER = of(
    ["integer", "n", "How many?", ". >= 0 and . <= 20 or . = 99"],
    ["integer", "m", "How much?", "(. >= 0 and . <= 20) or .=-99 or . = -88"],
    ["integer", "h", "On how many days?", ". <= 7"],
    ["integer", "x", "How many of these?", ". <= ${n}"],
    header=[*H, "constraint"],
    asked=["n", "m", "h"],
    left=(5,),
)
NUMBERS_WITH_ENDS = of(
    *(
        ["integer", f"n{number}", f"How many of the kind {number}?", constraint]
        for number, constraint in enumerate(
            (
                *(".>=0 and .<=24", ". > 0 and . < 100", "(.>=0) and (.<=30)", ". <= 10 and . >= 1"),
                *(".>=0 AND .<=50", "0 <= . and . <= 10", ". >= 1900 and . <= 2030", ". > -1 and . < 31"),
            )
        )
    ),
    header=[*H, "constraint"],
    asked=[f"n{number}" for number in range(8)],
)
NUMBERS_WITH_ONE_END = of(
    *(
        ["integer", f"n{number}", f"How much of the kind {number}?", constraint]
        for number, constraint in enumerate((".>=0", ". > 0", ".>=18", ". < 8", "(. <= 366)", ". >= -1"))
    ),
    header=[*H, "constraint"],
    asked=[f"n{number}" for number in range(6)],
)
NUMBERS_WITH_CODES = of(
    *(
        ["integer", f"n{number}", f"How often of the kind {number}?", constraint]
        for number, constraint in enumerate(
            (
                *(". = 98 or . = 99 or (. >= 0 and . <= 60)", ". <= 20 or . = 99", ".=99 or .<=24"),
                *(". >= 0 and (. <= 120 or . = 999)", ".>=0 and .<=365 or .=-77 or .=-88 or .=-99"),
                *(". >= 0 or . = -99", ". < 100 or . = 999 or . = 998", ". >= 0 and . <= 20 and . != 5"),
            )
        )
    ),
    header=[*H, "constraint"],
    asked=[f"n{number}" for number in range(8)],
)
NUMBERS_OF_OTHERS = of(
    ["integer", "all", "How many live here?", ". >= 1 and . <= 30"],
    ["integer", "young", "How many of them are children?", ". >= 0 and . <= ${all}"],
    ["integer", "old", "How many are older than these?", ". > ${young}"],
    ["integer", "code", "A number of two digits", "regex(., '^[0-9]{2}$')"],
    ["decimal", "part", "Which part?", ". >= 0.5 and . <= 1"],
    header=[*H, "constraint"],
    asked=["all", "young"],
    left=(4, 5, 6),
)
SURVEYCTO = of(
    ["select_one wards", "ward", "In which ward do you live?", "minimal search('wards')", ""],
    ["calculate", "name", "", "", "pulldata('wards', 'name', 'id', ${ward})"],
    YES,
    ["select_one one", "only", "Is there a choice?"],
    header=[*H, "appearance", "calculation"],
    choices=[*AGES, ["wards", "id", "name"], ["one", "a", "The only one"]],
    asked=["q", "only"],
    left=(2, 3),
)
NONE_ALONE = of(
    [
        "select_multiple ill",
        "ill",
        "What did you have?",
        "not(selected(., 'none') and count-selected(.) > 1)",
    ],
    ["select_multiple ill", "had", "And before?", "count-selected(.)=1 or not(selected(., 'none'))"],
    ["select_multiple ill", "two", "At most two of these", "count-selected(.) <= 2"],
    ["select_multiple ill", "now", "And now?", "not(selected(., 'none') and count-selected(.) > 1)"],
    ["select_one yn", "q", "Are you well?", "", "selected(${now}, 'none')"],
    header=[*H, "constraint", "relevant"],
    choices=[*AGES, ["ill", "flu", "Flu"], ["ill", "cold", "A cold"], ["ill", "none", "None of these"]],
    asked=[
        *("ill-flu", "ill-cold", "had-flu", "had-cold", "two-flu", "two-cold", "two-none"),
        *("now-flu", "now-cold", "now-none", "q"),
    ],
)
YES_FIRST = of(
    ["select_one yes_no", "q", "Is it so?"],
    choices=[AGES[0], ["yes_no", "yes", "Yes"], ["yes_no", "no", "No"]],
    asked=["q"],
)
WORDS_FOR_SOME = of(
    AGE,
    ["note", "n", "Thank them and leave the house", "${age} = 'young'"],
    YES,
    header=[*H, "relevant"],
    asked=["age", "q"],
    left=(3,),
)

CORPUS = {name.lower(): form for name, form in list(vars().items()) if isinstance(form, WildForm)}
