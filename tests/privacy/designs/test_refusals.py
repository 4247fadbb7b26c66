"""Whatever is wrong with a design is refused with its path and the reason."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from privacy.designs import InputError, parse_design, parse_design_file
from privacy.grammar import question_reading
from privacy.grammar.json_node import read_json
from privacy.grammar.question_reading import MOST_QUESTIONS
from tests.privacy import questionnaires as q

THEFT = q.question("theft", *q.HALF)
OK = q.sensitive("0.5", THEFT)


def one_question(**changes: Any) -> dict[str, Any]:
    """A design of one sensitive question, changed."""
    return q.make_design(q.sensitive("0.5", {**THEFT, **changes}))


def copy_without_key(source: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in source.items() if name != key}


def choose_many(name: str, of: str = "all") -> dict[str, Any]:
    return q.question(name, *q.HALF, form="many", of=of)


def design_with_rule(*choices: str) -> dict[str, Any]:
    return q.make_design(q.plain(q.WORK), q.sensitive("0.5", {**THEFT, "show_if": {"work": list(choices)}}))


Q, RULE = "sections[0].questions[0]", "sections[1].questions[0].show_if"
APART = "the questions of 'all' are not next to each other"
TELLS = "'theft' is sensitive: what is shown after it would tell"
LATER = q.make_design(
    q.plain(q.WORK | {"show_if": {"later": ["no"]}}, {"name": "later", "choices": q.YES_NO})
)
REFUSED: list[tuple[Any, str]] = [
    # the whole
    ([], "design: must be an object"),
    (copy_without_key(q.make_design(OK), "format"), "design: 'format' is missing"),
    (q.make_design(), "sections: at least one section"),
    (q.make_design(OK, languages=[]), "languages: at least one language"),
    (q.make_design(OK, languages=["en", "en"]), "languages[1]: 'en' appears twice"),
    (q.make_design(OK, languages=["English"]), "languages[0]: 'English' is not a language code"),
    (q.make_design(OK, minutes=-1), "minutes: must lie between 0 and 1440"),
    *((q.make_design(OK, minutes=of), "minutes: must be an integer") for of in (True, 4.0, "4")),
    (q.make_design(OK, least=19), "least: must lie between 20 and 1000000000"),
    (q.make_design(OK, least=10**30), "least: must be an integer"),
    *(
        (q.make_design(OK, retention=of), f"retention: '{of}' is not a day")
        for of in ("2027-02-29", "20271231")
    ),
    (q.make_design(OK, phrases=["leave"]), "phrases: must be an object"),
    (q.make_design(OK, phrases={"Leave!": "Go"}), "phrases['Leave!']: 'Leave!' is not the id of a phrase"),
    (
        q.make_design(OK, phrases={"leave": {"de": "Gehen"}}),
        "phrases.leave: 'de' is not one of the languages",
    ),
    (q.make_design(OK, phrases={"leave": {"en": 4}}), "phrases.leave.en: must be a text"),
    # sections
    (q.make_design({"kind": "place"}), "sections[0]: 'questions' is missing"),
    (q.make_design(OK, {"kind": "place", "keep": "0.5"}), "sections[1]: unknown key 'keep'"),
    (q.make_design({"kind": "plain"}), "sections[0]: 'questions' is missing"),
    (q.make_design({"kind": "plain", "questions": []}), "sections[0].questions: at least one question"),
    (q.make_design({**q.plain(q.WORK), "keep": "0.5"}), "sections[0]: unknown key 'keep'"),
    (q.make_design(copy_without_key(OK, "keep")), "sections[0]: 'keep' is missing"),
    *((q.make_design({**OK, "asked": of}), "sections[0].asked: must lie between 1 and 1") for of in (0, 2)),
    (q.make_design({**OK, "asked": True}), "sections[0].asked: must be an integer"),
    # probabilities
    *[
        (q.make_design({**OK, "keep": keep}), f"sections[0].keep: a probability of {keep} is not allowed")
        for keep in ("0", "1", "0.0", "1.0000", "1.5")
    ],
    *[
        (q.make_design({**OK, "keep": keep}), f"sections[0].keep: {keep!r} is not a probability")
        for keep in (".5", "0.50000", "0.5 ", "-0.5", "5e-1", "0,5", "½", "٠.٥", "0.", "2", "")
    ],
    (one_question(noise=["0.5"]), f"{Q}.noise: 1 probabilities for 2 choices"),
    (one_question(noise=["0.4", "0.7"]), f"{Q}.noise: the probabilities sum to 1.1000, not 1"),
    (one_question(noise=["0.0", "1.0"]), f"{Q}.noise[0]: a probability of 0.0 is not allowed"),
    (one_question(noise="0.5"), f"{Q}.noise: must be a list"),
    # questions
    (q.make_design(q.sensitive("0.5", copy_without_key(THEFT, "name"))), f"{Q}: 'name' is missing"),
    (q.make_design(q.sensitive("0.5", copy_without_key(THEFT, "choices"))), f"{Q}: 'choices' is missing"),
    (one_question(name=""), f"{Q}.name: a name is not empty"),
    (one_question(name=" theft"), f"{Q}.name: a name neither begins nor ends with a space"),
    (one_question(name="a=b"), f"{Q}.name: a question's name holds no ="),
    (one_question(name="group"), f"{Q}.name: 'group' is the name of a column of record files"),
    *(
        (one_question(name=f"the{of}ft"), f"{Q}.name: a name holds no U+{ord(of):04X}")
        for of in "\n\u202e\u200b\u00ad"
    ),
    *(
        (one_question(name=f"{of}theft"), f"{Q}.name: a name holds no U+{ord(of):04X}")
        for of in "\u2067\ufeff"
    ),
    (one_question(name="nul\x00"), f"{Q}.name: holds the character U+0000"),
    (one_question(choices=["\u200fyes", "no"]), f"{Q}.choices[0]: a name holds no U+200F"),
    (one_question(form="many", of="a\u2066ll"), f"{Q}.of: a name holds no U+2066"),
    (one_question(name="\ud800"), f"{Q}.name: holds the character U+D800"),
    (one_question(name="e" + "\u0301" * 31), f"{Q}.name: holds more than 30 accents in a row"),
    (one_question(name="n" * 201), f"{Q}.name: a name has at most 200 characters"),
    (
        q.make_design(q.sensitive("0.5", THEFT, THEFT)),
        "sections[0].questions[1].name: two questions are called",
    ),
    (q.make_design(OK, OK), "sections[1].questions[0].name: two questions are called 'theft'"),
    *((one_question(choices=of), f"{Q}.choices: at least two choices") for of in (["yes"], [])),
    (one_question(choices=["a", "a"]), f"{Q}.choices[1]: two choices are called 'a'"),
    (one_question(choices=["\u00e9", "e\u0301"]), f"{Q}.choices[1]: two choices are called 'é'"),
    (one_question(choices=["-", "a"]), f"{Q}.choices[0]: '-' has a meaning of its own in record files"),
    (
        one_question(choices=[{"name": "?"}, "a"]),
        f"{Q}.choices[0].name: '?' has a meaning of its own in record files",
    ),
    (
        one_question(choices=[str(n) for n in range(10_001)], noise=[]),
        f"{Q}.choices: more than 10000 choices",
    ),
    (one_question(form="text"), f"{Q}.form: 'text' is not a form (yes-no, one, scale, many)"),
    # groups
    (one_question(form="many"), f"{Q}: a question of the form many says of which group"),
    (
        one_question(of="all"),
        f"{Q}.of: only questions of the form many share a group, and of the forms one, scale a",
    ),
    (one_question(form="many", of=""), f"{Q}.of: a name is not empty"),
    (
        one_question(form="many", of="x", choices=["a", "b"]),
        f"{Q}.form: many needs the choices no, yes in this order",
    ),
    (
        q.make_design(q.sensitive("0.5", choose_many("a"), THEFT, choose_many("b"))),
        f"sections[0].questions[2].of: {APART}",
    ),
    (
        q.make_design(*(q.sensitive("0.5", choose_many(of)) for of in "ab")),
        f"sections[1].questions[0].of: {APART}",
    ),
    # rules
    (one_question(show_if={"work": ["employed"]}), f"{Q}.show_if.work: no earlier question is called 'work'"),
    (one_question(show_if={"theft": ["no"]}), f"{Q}.show_if.theft: no earlier question is called 'theft'"),
    (one_question(show_if=[]), f"{Q}.show_if: must be an object"),
    (
        q.make_design(q.sensitive("0.5", THEFT, q.question("drugs", *q.HALF, show_if={"theft": ["yes"]}))),
        f"sections[0].questions[1].show_if.theft: {TELLS}",
    ),
    (q.make_design(OK, q.plain({**q.WORK, "show_if": {"theft": ["yes"]}})), f"{RULE}.theft: {TELLS}"),
    (design_with_rule("retired"), f"{RULE}.work[0]: 'retired' is not a choice of 'work'"),
    (design_with_rule(), f"{RULE}.work: at least one choice"),
    (design_with_rule("not", "not"), f"{RULE}.work[1]: 'not' appears twice"),
    (LATER, f"{Q}.show_if.later: no earlier question is called 'later'"),
]


TEXTS = [
    ("", "design: line 1, column 1: not JSON"),
    ('{"format":\n "candor-design/1",}', "design: line 2, column 19: not JSON"),
    ("nonsense", "design: line 1, column 1: not JSON"),
    ("[" * 100_000, "design: is nested too deeply"),
    ('{"format":1,"format":2}', "design: the key 'format' appears twice"),
    ('{"\u00e9":1,"e\u0301":2}', "design: the key 'é' appears twice"),
    (
        '{"format":"candor-design/1","sections":[{"kind":"plain","kind":"plain"}]}',
        "sections[0]: the key 'kind' appears",
    ),
    *(
        (f'{{"format":"candor-design/1","sections":[],"minutes":{of}}}', "minutes: must be an integer")
        for of in ("NaN", "-Infinity", "9" * 10_000, "1e400")
    ),
    (" " * 4_000_001, "design: is longer than 4000000 bytes"),
]


def test_a_design_is_refused_with_the_place_and_the_reason() -> None:
    assert q.refused_otherwise(lambda source: parse_design(json.dumps(source)), REFUSED) == []
    assert q.refused_otherwise(parse_design, TEXTS) == []
    for source in (b"\xff{}", b"{\x00", "{}".encode("utf-16"), b'{"a":"\xed\xa0\x80"}'):
        assert q.refusal(parse_design, source).startswith("design: "), source
    # A long run of accents does not take long to refuse.
    hostile = q.make_design(OK, title="a" + "\u0301" * 300_000 + "\u0316" * 300_000)
    assert "accents in a row" in q.refusal(parse_design, json.dumps(hostile))


@contextmanager
def within_seconds(seconds: float) -> Iterator[None]:
    """Less of this process's time than what takes quadratic time would need several times over."""
    start = process_time()
    yield
    assert process_time() - start < seconds


def test_many_languages_are_refused_at_once() -> None:
    codes = [f"aa-{number:06d}" for number in range(50_000)]
    with within_seconds(5):
        said = q.refusal(parse_design, json.dumps(q.make_design(OK, languages=codes)))
    assert said.startswith("languages: at most 100 languages")
    assert len(parse_design(json.dumps(q.make_design(OK, languages=codes[:100]))).languages) == 100


@pytest.mark.proof
def test_many_choices_and_many_rules_are_read_in_time() -> None:
    names = [f"{number:06d}" for number in range(20_000)]
    ruling = q.plain({"name": "job", "choices": names})
    theft = q.sensitive("0.5", {**THEFT, "show_if": {"job": names}})
    with within_seconds(2):
        found = parse_design(json.dumps(q.make_design(ruling, theft)))
    assert found.questions[1].show_if[0].codes == frozenset(range(20_000))
    few = names[:4_000]
    ruled = [{"name": f"q{name}", "choices": ["a", "b"], "show_if": {"job": ["000007"]}} for name in few]
    with within_seconds(2):
        found = parse_design(json.dumps(q.make_design(q.plain({"name": "job", "choices": few}, *ruled))))
    assert found.questions[-1].show_if[0].codes == frozenset([7])


def test_a_name_may_hold_the_joiners_that_its_script_is_spelt_with() -> None:
    persian, emoji = "می\u200cخواهم", "👩\u200d🌾"
    found = parse_design(json.dumps(one_question(name=persian, choices=[emoji, "no"])))
    assert (found.questions[0].name, found.questions[0].choices[0].name) == (persian, emoji)


def test_a_refusal_is_one_short_line_and_keeps_what_a_translation_needs() -> None:
    said = q.refusal(parse_design, json.dumps(q.make_design(OK) | {"a\nb\u2028" + "c" * 1000: 1}))
    assert (len(said.splitlines()), len(said) < 120) == (1, True)
    with pytest.raises(InputError) as caught:
        parse_design(json.dumps(q.make_design({**OK, "asked": 5})))
    assert (caught.value.path, caught.value.reason) == ("sections[0].asked", "must lie between 1 and 1")
    assert caught.value.template % caught.value.values == caught.value.reason


def test_a_design_file_is_refused_by_its_name_and_read_no_further_than_a_design(tmp_path: Path) -> None:
    (tmp_path / "survey.json").write_text("[1]")
    said = [q.refusal(parse_design_file, path) for path in (tmp_path / "survey.json", tmp_path / "gone.json")]
    assert said[0].endswith("survey.json: design: must be an object")
    assert "gone.json: cannot be read" in said[1]
    endless = q.refusal(parse_design_file, Path("/dev/zero"))
    assert endless == "/dev/zero: design: is longer than 4000000 bytes"


@pytest.mark.proof
def test_a_design_has_no_more_questions_than_can_be_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    most = [{"name": f"q{number}", "choices": ["a", "b"]} for number in range(3)]
    assert MOST_QUESTIONS == 25_000
    monkeypatch.setattr(question_reading, "MOST_QUESTIONS", 3)
    assert len(parse_design(json.dumps(q.make_design(q.plain(*most)))).questions) == 3
    with pytest.raises(InputError, match=r"sections\[1\]\.questions\[0\]: a design has at most 3 questions"):
        parse_design(json.dumps(q.make_design(q.plain(*most), q.plain(q.WORK))))


@pytest.mark.proof
def test_a_number_with_a_fraction_is_read_between_its_bounds() -> None:
    def read(text: str) -> float:
        return read_json(text, "x").real_number(-2.5, 100)

    values = {"1": 1.0, "-2.5": -2.5, "1e2": 100.0, "0." + "3" * 398: 1 / 3}
    assert {text: read(text) for text in values} == values
    beyond, long = "x: must lie between -2.5 and 100", "x: a number has at most 400 characters"
    cases = [(text, beyond) for text in ("100.01", "-3", "NaN", "Infinity", "1e999999999")]
    cases += [(text, long) for text in ("0." + "3" * 399, "9" * 10_000)]
    cases += [(text, "x: must be a number") for text in ('"1"', "true", "null", "[1]")]
    assert [(text, q.refusal(read, text)) for text, _words in cases] == cases


def test_long_keys_deep_in_a_file_are_shortened_and_cost_nothing() -> None:
    values = ",".join(f'"b{number}":0' for number in range(50_000))
    long = "a" * 1_000_000
    with within_seconds(5), pytest.raises(InputError) as caught:
        read_json(f'{{"{long}":{{{values}}}}}', "design").object_members()[long].object_members()["b7"].text()
    assert str(caught.value).endswith("…].b7: must be a text")
    assert len(str(caught.value)) < 120
