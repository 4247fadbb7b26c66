"""Whatever is wrong with a design is refused with its path and the reason."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from privacy.designs import InputError, parse, parse_file
from privacy.grammar import question_reading
from privacy.grammar.json_node import read_json
from privacy.grammar.question_reading import MOST_QUESTIONS
from tests.privacy.questionnaires import HALF, WORK, plain, question, sensitive, written

THEFT = question("theft", *HALF)
OK = sensitive("0.5", THEFT)


def one(**changes: Any) -> dict[str, Any]:
    """A design of one sensitive question, changed."""
    return written(sensitive("0.5", {**THEFT, **changes}))


def plain_one(**changes: Any) -> dict[str, Any]:
    return written(plain({**WORK, **changes}))


def without(source: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in source.items() if name != key}


def many(name: str, of: str = "all") -> dict[str, Any]:
    return question(name, *HALF, form="many", of=of)


Q = "sections[0].questions[0]"
REFUSED = [
    # the whole
    ([], "design: must be an object"),
    (without(written(OK), "format"), "design: 'format' is missing"),
    (without(written(OK), "sections"), "design: 'sections' is missing"),
    (written(OK, colour="red"), "design: unknown key 'colour'"),
    (written(OK, format="candor-design/2"), "format: must be candor-design/1"),
    (written(), "sections: at least one section"),
    (written(OK, sections={}), "sections: must be a list"),
    (written(OK, languages=[]), "languages: at least one language"),
    (written(OK, languages=["en", "en"]), "languages[1]: 'en' appears twice"),
    (written(OK, languages=["English"]), "languages[0]: 'English' is not a language code"),
    (written(OK, languages="en"), "languages: must be a list"),
    (written(OK, title={"de": "Arbeit"}), "title: 'de' is not one of the languages"),
    (written(OK, title=4), "title: must be an object"),
    (written(OK, title={"en": None}), "title.en: must be a text"),
    (written(OK, contact=None), "contact: must be a text"),
    (written(OK, minutes=-1), "minutes: must lie between 0 and 1440"),
    (written(OK, minutes=True), "minutes: must be an integer"),
    (written(OK, minutes=4.0), "minutes: must be an integer"),
    (written(OK, minutes="4"), "minutes: must be an integer"),
    (written(OK, least=19), "least: must lie between 20 and 1000000000"),
    (written(OK, least=10**30), "least: must be an integer"),
    (written(OK, retention="2027-02-29"), "retention: '2027-02-29' is not a day"),
    (written(OK, retention="20271231"), "retention: '20271231' is not a day"),
    (written(OK, open_answers=1), "open_answers: must be true or false"),
    (written(OK, phrases=["leave"]), "phrases: must be an object"),
    (written(OK, phrases={"Leave!": "Go"}), "phrases['Leave!']: 'Leave!' is not the id of a phrase"),
    (written(OK, phrases={"leave": {"de": "Gehen"}}), "phrases.leave: 'de' is not one of the languages"),
    (written(OK, phrases={"leave": {"en": 4}}), "phrases.leave.en: must be a text"),
    (written(OK, rehearsal="no"), "rehearsal: must be true or false"),
    # sections
    (written({}), "sections[0]: 'kind' is missing"),
    (written("plain"), "sections[0]: must be an object"),
    (written({"kind": "mirror"}), "sections[0].kind: 'mirror' is not a kind of section"),
    (written({"kind": "place"}), "sections[0]: 'questions' is missing"),
    (written(OK, {"kind": "place", "keep": "0.5"}), "sections[1]: unknown key 'keep'"),
    (written({"kind": ["plain"]}), "sections[0].kind: must be a text"),
    (written({"kind": "plain"}), "sections[0]: 'questions' is missing"),
    (written({"kind": "plain", "questions": []}), "sections[0].questions: at least one question"),
    (written({**plain(WORK), "keep": "0.5"}), "sections[0]: unknown key 'keep'"),
    (written(without(OK, "keep")), "sections[0]: 'keep' is missing"),
    (written({**OK, "asked": 2}), "sections[0].asked: must lie between 1 and 1"),
    (written({**OK, "asked": 0}), "sections[0].asked: must lie between 1 and 1"),
    (written({**OK, "asked": True}), "sections[0].asked: must be an integer"),
    # probabilities
    *[
        (written({**OK, "keep": keep}), f"sections[0].keep: a probability of {keep} is not allowed")
        for keep in ("0", "1", "0.0", "1.0000", "1.5")
    ],
    *[
        (written({**OK, "keep": keep}), f"sections[0].keep: {keep!r} is not a probability")
        for keep in (".5", "0.50000", "0.5 ", "-0.5", "5e-1", "0,5", "½", "٠.٥", "0.", "2", "")
    ],
    (written({**OK, "keep": 0.5}), "sections[0].keep: a probability is a text"),
    (one(noise=["0.5"]), f"{Q}.noise: 1 probabilities for 2 choices"),
    (one(noise=["0.4", "0.7"]), f"{Q}.noise: the probabilities sum to 1.1000, not 1"),
    (one(noise=["0.0", "1.0"]), f"{Q}.noise[0]: a probability of 0.0 is not allowed"),
    (one(noise="0.5"), f"{Q}.noise: must be a list"),
    # questions
    (one(role="quasi"), f"{Q}: unknown key 'role'"),
    (plain_one(noise=["0.5", "0.5"]), f"{Q}: unknown key 'noise'"),
    (plain_one(role="secret"), f"{Q}.role: 'secret' is not a role (quasi, other)"),
    (written(sensitive("0.5", without(THEFT, "name"))), f"{Q}: 'name' is missing"),
    (written(sensitive("0.5", without(THEFT, "choices"))), f"{Q}: 'choices' is missing"),
    (one(name=""), f"{Q}.name: a name is not empty"),
    (one(name=" theft"), f"{Q}.name: a name neither begins nor ends with a space"),
    (one(name="a=b"), f"{Q}.name: a question's name holds no ="),
    (one(name="group"), f"{Q}.name: 'group' is the name of a column of record files"),
    (one(name="two\nlines"), f"{Q}.name: a name holds no U+000A"),
    (one(name="nul\x00"), f"{Q}.name: holds the character U+0000"),
    (one(name="the\u202eft"), f"{Q}.name: a name holds no U+202E"),
    (one(name="\u2067theft"), f"{Q}.name: a name holds no U+2067"),
    (one(name="the\u200bft"), f"{Q}.name: a name holds no U+200B"),
    (one(name="\ufefftheft"), f"{Q}.name: a name holds no U+FEFF"),
    (one(name="the\u00adft"), f"{Q}.name: a name holds no U+00AD"),
    (one(choices=["\u200fyes", "no"]), f"{Q}.choices[0]: a name holds no U+200F"),
    (one(form="many", of="a\u2066ll"), f"{Q}.of: a name holds no U+2066"),
    (one(name="\ud800"), f"{Q}.name: holds the character U+D800"),
    (one(name="e" + "\u0301" * 31), f"{Q}.name: holds more than 30 accents in a row"),
    (one(name="n" * 201), f"{Q}.name: a name has at most 200 characters"),
    (
        written(sensitive("0.5", THEFT, THEFT)),
        "sections[0].questions[1].name: two questions are called 'theft'",
    ),
    (written(OK, OK), "sections[1].questions[0].name: two questions are called 'theft'"),
    (one(choices=["yes"]), f"{Q}.choices: at least two choices"),
    (one(choices=[]), f"{Q}.choices: at least two choices"),
    (one(choices=["a", "a"]), f"{Q}.choices[1]: two choices are called 'a'"),
    (one(choices=["\u00e9", "e\u0301"]), f"{Q}.choices[1]: two choices are called 'é'"),
    (one(choices=["", "a"]), f"{Q}.choices[0]: a name is not empty"),
    (one(choices=["-", "a"]), f"{Q}.choices[0]: '-' has a meaning of its own in record files"),
    (one(choices=[{"name": "?"}, "a"]), f"{Q}.choices[0].name: '?' has a meaning of its own in record files"),
    (one(choices=[1, 2]), f"{Q}.choices[0]: must be an object"),
    (one(choices=[{"name": "a", "code": 1}, "b"]), f"{Q}.choices[0]: unknown key 'code'"),
    (one(choices=[str(n) for n in range(10_001)], noise=[]), f"{Q}.choices: more than 10000 choices"),
    (one(form="text"), f"{Q}.form: 'text' is not a form (yes-no, one, scale, many)"),
    (one(form="yes-no", choices=["yes", "no"]), f"{Q}.form: yes-no needs the choices no, yes in this order"),
    # groups
    (one(form="many"), f"{Q}: a question of the form many says of which group"),
    (
        one(of="all"),
        f"{Q}.of: only questions of the form many share a group, and of the forms one, scale a table",
    ),
    (one(form="many", of=""), f"{Q}.of: a name is not empty"),
    (one(form="many", of="x", choices=["a", "b"]), f"{Q}.form: many needs the choices no, yes in this order"),
    (
        written(sensitive("0.5", many("a"), THEFT, many("b"))),
        "sections[0].questions[2].of: the questions of 'all' are not next to each other",
    ),
    (
        written(sensitive("0.5", many("a")), sensitive("0.5", many("b"))),
        "sections[1].questions[0].of: the questions of 'all' are not next to each other",
    ),
    # rules
    (one(show_if={"work": ["employed"]}), f"{Q}.show_if.work: no earlier question is called 'work'"),
    (one(show_if={"theft": ["no"]}), f"{Q}.show_if.theft: no earlier question is called 'theft'"),
    (one(show_if=[]), f"{Q}.show_if: must be an object"),
    (
        written(sensitive("0.5", THEFT, question("drugs", *HALF, show_if={"theft": ["yes"]}))),
        "sections[0].questions[1].show_if.theft: 'theft' is sensitive: what is shown after it would tell",
    ),
    (
        written(OK, plain({**WORK, "show_if": {"theft": ["yes"]}})),
        "sections[1].questions[0].show_if.theft: 'theft' is sensitive",
    ),
    (
        written(plain(WORK), sensitive("0.5", {**THEFT, "show_if": {"work": ["retired"]}})),
        "sections[1].questions[0].show_if.work[0]: 'retired' is not a choice of 'work'",
    ),
    (
        written(plain(WORK), sensitive("0.5", {**THEFT, "show_if": {"work": []}})),
        "sections[1].questions[0].show_if.work: at least one choice",
    ),
    (
        written(plain(WORK), sensitive("0.5", {**THEFT, "show_if": {"work": ["not", "not"]}})),
        "sections[1].questions[0].show_if.work[1]: 'not' appears twice",
    ),
    (
        written(plain({**WORK, "show_if": {"later": ["no"]}}, {"name": "later", "choices": ["no", "yes"]})),
        "sections[0].questions[0].show_if.later: no earlier question is called 'later'",
    ),
]


def test_a_design_is_refused_with_the_place_and_the_reason(subtests: pytest.Subtests) -> None:
    for source, said in REFUSED:
        with subtests.test(f"{source!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                parse(json.dumps(source))
            assert str(caught.value).startswith(said)


TEXTS = [
    ("", "design: line 1, column 1: not JSON"),
    ('{"format":\n "candor-design/1",}', "design: line 2, column"),
    ("nonsense", "design: line 1, column 1: not JSON"),
    ("[" * 100_000, "design: is nested too deeply"),
    ('{"format":1,"format":2}', "design: the key 'format' appears twice"),
    ('{"\u00e9":1,"e\u0301":2}', "design: the key 'é' appears twice"),
    (
        '{"format":"candor-design/1","sections":[{"kind":"plain","kind":"plain"}]}',
        "sections[0]: the key 'kind' appears",
    ),
    ('{"format":"candor-design/1","sections":[],"minutes":NaN}', "minutes: must be an integer"),
    ('{"format":"candor-design/1","sections":[],"minutes":-Infinity}', "minutes: must be an integer"),
    (
        '{"format":"candor-design/1","sections":[],"minutes":' + "9" * 10_000 + "}",
        "minutes: must be an integer",
    ),
    ('{"format":"candor-design/1","sections":[],"minutes":1e400}', "minutes: must be an integer"),
    (" " * 4_000_001, "design: is longer than 4000000 bytes"),
]


def test_a_text_that_is_no_strict_json_is_refused(subtests: pytest.Subtests) -> None:
    for text, said in TEXTS:
        with subtests.test(f"{text!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                parse(text)
            assert str(caught.value).startswith(said)


def test_bytes_that_are_not_utf8_json_are_refused(subtests: pytest.Subtests) -> None:
    for source in [b"\xff{}", b"{\x00", "{}".encode("utf-16"), b'{"a":"\xed\xa0\x80"}']:
        with subtests.test(f"{source!r:.60}"), pytest.raises(InputError, match=r"^design: "):
            parse(source)


def test_a_long_run_of_accents_does_not_take_long_to_refuse() -> None:
    hostile = written(OK, title="a" + "\u0301" * 300_000 + "\u0316" * 300_000)
    with pytest.raises(InputError, match="accents in a row"):
        parse(json.dumps(hostile))


@contextmanager
def soon(seconds: float) -> Iterator[None]:
    """Less of this process's time than what takes quadratic time would need several times over."""
    start = process_time()
    yield
    assert process_time() - start < seconds


def test_many_languages_are_refused_at_once() -> None:
    codes = [f"aa-{number:06d}" for number in range(50_000)]
    with soon(5), pytest.raises(InputError, match="languages: at most 100 languages"):
        parse(json.dumps(written(OK, languages=codes)))
    assert len(parse(json.dumps(written(OK, languages=codes[:100]))).languages) == 100


@pytest.mark.proof
def test_a_rule_with_many_choices_is_read_in_time() -> None:
    names = [f"{number:06d}" for number in range(20_000)]
    ruling = plain({"name": "job", "choices": names})
    with soon(2):
        found = parse(json.dumps(written(ruling, sensitive("0.5", {**THEFT, "show_if": {"job": names}}))))
    assert found.questions[1].show_if[0].codes == frozenset(range(20_000))


@pytest.mark.proof
def test_many_rules_on_a_question_of_many_choices_are_read_in_time() -> None:
    names = [f"{number:04d}" for number in range(4_000)]
    ruled = [{"name": f"q{name}", "choices": ["a", "b"], "show_if": {"job": ["0007"]}} for name in names]
    with soon(2):
        found = parse(json.dumps(written(plain({"name": "job", "choices": names}, *ruled))))
    assert found.questions[-1].show_if[0].codes == frozenset([7])


def test_a_name_may_hold_the_joiners_that_its_script_is_spelt_with() -> None:
    persian, emoji = "می\u200cخواهم", "👩\u200d🌾"
    found = parse(json.dumps(one(name=persian, choices=[emoji, "no"])))
    assert (found.questions[0].name, found.questions[0].choices[0].name) == (persian, emoji)


def test_a_refusal_is_one_line_whatever_it_quotes() -> None:
    with pytest.raises(InputError) as caught:
        parse(json.dumps(written(OK) | {"a\nb\u2028" + "c" * 1000: 1}))
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 120


def test_a_refusal_keeps_place_reason_and_what_a_translation_needs() -> None:
    with pytest.raises(InputError) as caught:
        parse(json.dumps(written({**OK, "asked": 5})))
    refusal = caught.value
    assert refusal.path == "sections[0].asked"
    assert refusal.reason == "must lie between 1 and 1"
    assert refusal.template % refusal.values == refusal.reason


def test_a_design_file_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "survey.json"
    path.write_text("[1]")
    with pytest.raises(InputError, match=r"survey\.json: design: must be an object"):
        parse_file(path)


def test_a_design_file_that_is_not_there_is_a_refusal(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.json: cannot be read"):
        parse_file(tmp_path / "gone.json")


@pytest.mark.proof
def test_a_design_has_no_more_questions_than_can_be_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    most = [{"name": f"q{number}", "choices": ["a", "b"]} for number in range(3)]
    assert MOST_QUESTIONS == 25_000
    monkeypatch.setattr(question_reading, "MOST_QUESTIONS", 3)
    assert len(parse(json.dumps(written(plain(*most)))).questions) == 3
    with pytest.raises(InputError, match=r"sections\[1\]\.questions\[0\]: a design has at most 3 questions"):
        parse(json.dumps(written(plain(*most), plain(WORK))))


def test_a_file_without_end_is_read_no_further_than_a_design() -> None:
    with pytest.raises(InputError, match="/dev/zero: design: is longer than 4000000 bytes"):
        parse_file(Path("/dev/zero"))


@pytest.mark.proof
def test_a_number_with_a_fraction_is_read_between_its_bounds(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, float]] = [("1", 1.0), ("-2.5", -2.5), ("1e2", 100.0), ("0." + "3" * 398, 1 / 3)]
    for text, value in cases:
        with subtests.test(f"{text!r:.60} {value}"):
            assert read_json(text, "x").real_number(-2.5, 100) == value


def test_what_is_no_number_between_its_bounds_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("100.01", "x: must lie between -2.5 and 100"),
        ("-3", "x: must lie between -2.5 and 100"),
        ("NaN", "x: must lie between -2.5 and 100"),
        ("Infinity", "x: must lie between -2.5 and 100"),
        ("1e999999999", "x: must lie between -2.5 and 100"),
        ("0." + "3" * 399, "x: a number has at most 400 characters"),
        ("9" * 10_000, "x: a number has at most 400 characters"),
        ('"1"', "x: must be a number"),
        ("true", "x: must be a number"),
        ("null", "x: must be a number"),
        ("[1]", "x: must be a number"),
    ]
    for text, said in cases:
        with subtests.test(f"{text!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                read_json(text, "x").real_number(-2.5, 100)
            assert str(caught.value) == said


def test_long_keys_deep_in_a_file_are_shortened_and_cost_nothing() -> None:
    values = ",".join(f'"b{number}":0' for number in range(50_000))
    long = "a" * 1_000_000
    with soon(5), pytest.raises(InputError) as caught:
        read_json(f'{{"{long}":{{{values}}}}}', "design").object_members()[long].object_members()["b7"].text()
    assert str(caught.value).endswith("…].b7: must be a text")
    assert len(str(caught.value)) < 120
