"""Drafts as the builder keeps them, of every shape that it knows."""

from typing import Any

from hypothesis import strategies as st

from surveys.draft import PREFER_NOT, Draft
from tests.surveys.drafts import normalized

LANGUAGES = ("en", "zh-hans", "de", "gsw")
WORDS = st.text(
    st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"), min_size=1, max_size=30
).filter(lambda text: bool(text.strip()) and "${" not in text)
NAMES = st.one_of(
    st.from_regex(r"[a-z][a-z0-9]{0,4}", fullmatch=True),
    st.sampled_from(
        [
            "18-39",
            "40+",
            "group",
            "q1",
            "c1",
            "section_1",
            "not at all",
            "1",
            "true",
            "若い",
            "a'b",
            'a"b',
            "=",
            "a;b",
            "x,y",
        ]
    ),
    WORDS,
)
PROBABILITIES = st.integers(1, 9_999).map(lambda parts: f"0.{parts:04d}")


@st.composite
def texts(draw: st.DrawFn, spoken: tuple[str, ...], empty: bool = True) -> dict[str, str]:
    codes = draw(st.lists(st.sampled_from(spoken), unique=True, min_size=0 if empty else 1))
    return {code: draw(WORDS) for code in codes}


@st.composite
def choices(draw: st.DrawFn, spoken: tuple[str, ...]) -> list[dict[str, Any]]:
    names: list[str] = draw(
        st.one_of(
            st.sampled_from([["no", "yes"], ["yes", "no"], ["no", "yes", PREFER_NOT], ["1", "2", "3"]]),
            st.lists(NAMES, min_size=1, max_size=5, unique=True),
        )
    )
    return [{"name": name, "label": draw(texts(spoken))} for name in names]


@st.composite
def noise(draw: st.DrawFn, count: int) -> list[str]:
    cuts = draw(st.lists(st.integers(1, 9_999), min_size=count - 1, max_size=count - 1, unique=True))
    parts = [b - a for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 10_000], strict=True)]
    return [f"0.{part:04d}" for part in parts]


@st.composite
def questions(draw: st.DrawFn, spoken: tuple[str, ...], sensitive: bool) -> list[dict[str, Any]]:
    """One question, or the options of a question of several."""
    common: dict[str, Any] = {
        "name": draw(NAMES),
        "label": draw(st.sampled_from([{}, {spoken[0]: "In short"}, {spoken[-1]: "Kurz"}])),
        "text": draw(texts(spoken, empty=False)),
        "help": draw(texts(spoken)),
    }
    if not sensitive:
        common["role"] = draw(st.sampled_from(["quasi", "other"]))
    if draw(st.integers(0, 3)):
        found = {**common, "choices": draw(choices(spoken))}
        if draw(st.booleans()):
            found["form"] = draw(st.sampled_from(["one", "scale"]))
            if draw(st.integers(0, 2)) == 0:
                found["of"] = draw(NAMES)
                lines = [{**found, "name": draw(NAMES), "text": draw(texts(spoken, empty=False))}]
                return [found, *lines]
        if sensitive and draw(st.booleans()):
            found["noise"] = draw(noise(len(found["choices"])))
        return [found]
    group = draw(NAMES)
    members = []
    for number in range(draw(st.integers(1, 3))):
        own = draw(st.sampled_from([f"{group}-{number}", f"{group}-{PREFER_NOT}", draw(NAMES)]))
        labels = [{"name": "no", "label": {}}, {"name": "yes", "label": draw(texts(spoken))}]
        member = {**common, "name": own, "form": "many", "of": group, "choices": labels}
        if sensitive and draw(st.booleans()):
            member["noise"] = draw(noise(2))
        if draw(st.integers(0, 9)) == 0:
            member[draw(st.sampled_from(["help", "label"]))] = draw(texts(spoken))
        members.append(member)
    if draw(st.booleans()):
        members[0]["none"] = draw(texts(spoken))
    return members


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    spoken = tuple(draw(st.lists(st.sampled_from(LANGUAGES), min_size=1, max_size=3, unique=True)))
    sections: list[dict[str, Any]] = []
    for _number in range(draw(st.integers(0, 3))):
        sensitive = draw(st.booleans())
        blocks = draw(st.lists(questions(spoken, sensitive), max_size=4))
        section: dict[str, Any] = {"kind": "plain", "questions": [each for block in blocks for each in block]}
        if sensitive:
            section |= {
                "kind": "unrelated-question",
                "keep": draw(PROBABILITIES),
                "asked": draw(st.integers(1, 4)),
            }
        section["intro"] = draw(texts(spoken))
        section |= draw(st.sampled_from([{}, {"order": "random"}]))
        sections.append(section)
    day = draw(st.sampled_from(["", "2099-12-31"]))
    start = {
        key: draw(texts(spoken)) for key in ("title", "asker", "why", "intro", "consent", "thanks", "panel")
    }
    numbers = {
        "minutes": draw(st.integers(0, 60)),
        "least": draw(st.integers(20, 500)),
        "expected": draw(st.integers(0, 10**6)),
    }
    switches = {"open_answers": draw(st.booleans()), "rehearsal": draw(st.booleans())}
    contact = draw(st.sampled_from(["", "council@example.org", "=1+1"]))
    whole = {"languages": list(spoken), "contact": contact, "retention": day, "sections": sections}
    return draw(ruled(normalized({**whole, **start, **numbers, **switches})))


@st.composite
def ruled(draw: st.DrawFn, draft: Draft) -> Draft:
    """With rules on earlier plain questions, the same for all options of a question of several."""
    above: list[dict[str, Any]] = []
    groups: dict[str, dict[str, list[str]]] = {}
    sections = []
    for section in draft["sections"]:
        made = []
        for question in section["questions"]:
            is_option = question["form"] == "many"
            if is_option and question["of"] in groups:
                rules = groups[question["of"]]
            else:
                rules = draw(rules_on(above)) if draw(st.booleans()) else {}
            if is_option:
                groups[question["of"]] = rules
            made.append({**question, "show_if": rules})
        if section["kind"] == "plain":
            above += made
        sections.append({**section, "questions": made})
    return {**draft, "sections": sections}


@st.composite
def rules_on(draw: st.DrawFn, above: list[dict[str, Any]]) -> dict[str, list[str]]:
    if not above:
        return {}
    looked_at = draw(
        st.lists(st.sampled_from(above), max_size=2, unique_by=lambda question: question["name"])
    )
    return {
        question["name"]: draw(
            st.lists(st.sampled_from([each["name"] for each in question["choices"]]), min_size=1, unique=True)
        )
        for question in looked_at
    }
