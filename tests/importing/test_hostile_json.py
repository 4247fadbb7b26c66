"""Questionnaires of our own format that are damaged, too large, or made to be slow to read."""

import json
import time
from collections.abc import Iterable

import pytest
from hypothesis import given, settings, strategies as st

from importing import candor_format
from importing.faults import FileRefused
from privacy.designs.design import FORMAT
from surveys.draft_json import Draft
from tests.surveys.drafts import bilingual, complete, normalize_draft


def refused_json(data: bytes) -> str:
    with pytest.raises(FileRefused) as found:
        candor_format.read(data)
    ((place, reason),) = found.value.faults
    return f"{place}: {reason}"


HEAD = b'{"format": "candor-design/1", "sections": ['
ASKED = HEAD + b'{"kind": "plain", "questions": [{"name": %s}]}]}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "design: line 1, column 1: not JSON"),
        (b"\xff\xfe", "design: byte 0: not UTF-8"),
        (b"[]", "design: must be an object"),
        (b"{}", "design: 'format' is missing"),
        (b'{"format": "candor-design/2", "sections": []}', "format: must be candor-design/1"),
        (HEAD + b"], \"minutes\": 1e9}", "minutes: must be an integer"),
        (HEAD + b'], "expected": "many"}', "expected: must be an integer"),
        (HEAD + b'], "owner": 1}', "design: unknown key 'owner'"),
        (HEAD + b'], "title": {"de": "T"}}', "title: 'de' is not one of the languages"),
        (HEAD + b'{"kind": "plain", "kind": "plain", "questions": []}]}', "sections[0]: the key 'kind' appears twice"),
        (HEAD + b'{"kind": "place", "name": "home"}]}', "sections[0]: unknown key 'name'"),
        (ASKED % b'"a=b", "choices": []', "sections[0].questions[0].name: a question's name holds no ="),
        (ASKED % b'"a", "choices": ["x", "x"]', "sections[0].questions[0].choices[1]: two choices are called 'x'"),
        (b"[" * 100_000, "design: is nested too deeply"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "design: is nested too deeply"),
        (b'{"a":' * 100 + b"1" + b"}" * 100, "design: unknown key 'a'"),
        (b" " * 4_000_001, "design: is longer than 4000000 bytes"),
    ],
)  # fmt: skip
def test_impossible_own_file_is_refused_by_path_and_reason(data: bytes, said: str) -> None:
    assert refused_json(data).startswith(said)


def choices_file(names: Iterable[str]) -> bytes:
    return json.dumps(
        {"format": FORMAT, "sections": [{"kind": "plain", "questions": [{"name": "q", "choices": [*names]}]}]}
    ).encode()


@pytest.mark.page
def test_answers_up_to_the_limit_are_read_in_seconds_and_no_more() -> None:
    began = time.process_time()
    draft = candor_format.read(choices_file(str(number) for number in range(20_000)))
    assert time.process_time() - began < 3
    assert len(draft["sections"][0]["questions"][0]["choices"]) == 20_000
    refusal = refused_json(choices_file(str(number) for number in range(20_001)))
    assert refusal == "sections: hold more answers in all than a questionnaire can have"


@pytest.mark.night
@pytest.mark.page
@pytest.mark.parametrize(
    "names",
    [["1"] * 20_000, [*map(str, range(10_000))] * 2, ["a"] * 20_000],
    ids=["one number", "every number twice", "one word"],
)
def test_repeated_names_are_made_unique_in_seconds(names: list[str]) -> None:
    questions = [{"name": name, "choices": ["x", "y"]} for name in names]
    many = [{**question, "form": "many", "of": f"g{place % 3}"} for place, question in enumerate(questions)]
    began = time.process_time()
    alike, asked, options = (
        normalize_draft({"sections": [{"kind": "plain", "questions": each}]})["sections"][0]["questions"]
        for each in ([{"name": "q", "choices": names}], questions, many)
    )
    assert time.process_time() - began < 6
    assert len({choice["name"] for choice in alike[0]["choices"]}) == 20_000
    assert len({question["name"] for question in asked}) == 20_000
    assert len(options) == 20_000


def test_text_no_page_could_show_is_refused() -> None:
    languages = [f"{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]
    long = {"kind": "plain", "questions": [{"choices": ["a", "b"]}] * 84}
    texts = "questions and answers, in all languages together, than a questionnaire can have"
    for more, said in (
        ({"sections": [{"kind": "plain", "questions": []}] * 501}, "500 sections"),
        ({"sections": [{"kind": "plain", "questions": [{"name": "q"}] * 501}]}, "500 questions"),
        ({"languages": languages, "sections": [long]}, texts),
    ):
        refusal = refused_json(json.dumps({"format": FORMAT, **more}).encode())
        assert refusal.startswith("sections: hold more ")
        assert said in refusal


@pytest.mark.page
def test_a_questionnaire_in_chinese_may_be_as_long_as_its_file() -> None:
    said = {"en": "字" * 1_200_000}
    draft = normalize_draft(complete(why=said))
    assert candor_format.read(candor_format.write(draft))["why"] == said


@pytest.mark.night
@pytest.mark.page
def test_long_keys_deep_in_a_file_cost_no_more_than_short_ones() -> None:
    long, many = "a" * 1_000_000, ",".join(f'"b{number}":0' for number in range(200_000))
    began = time.process_time()
    refusal = refused_json(f'{{"format": "{FORMAT}", "{long}": {{{many}}}, "sections": []}}'.encode())
    assert time.process_time() - began < 5
    assert refusal.startswith("design: unknown key 'aaa")
    assert len(refusal) < 200


def test_rule_on_a_sensitive_answer_is_refused_and_an_unfinished_draft_accepted() -> None:
    draft = json.loads(candor_format.write(normalize_draft(complete())))
    more = {"name": "more", "choices": ["a", "b"], "show_if": {"theft": ["yes"]}}
    draft["sections"].append({"kind": "plain", "questions": [more]})
    assert refused_json(json.dumps(draft).encode()) == (
        "sections[2].questions[0].show_if.theft: 'theft' is sensitive: what is shown after it would tell its answer"
    )
    first = {"name": "q1", "choices": [{"name": "1"}]}
    second = {"name": "q2", "choices": [], "show_if": {"q1": []}}
    sections: list[dict[str, object]] = [{"kind": "plain", "questions": each} for each in ([], [first])]
    sections.append({"kind": "unrelated-question", "keep": "0.5", "questions": [second]})
    draft = candor_format.read(json.dumps({"format": FORMAT, "sections": sections}).encode())
    assert [len(section["questions"]) for section in draft["sections"]] == [0, 1, 1]


@pytest.mark.page
@settings(max_examples=50)
@given(data=st.data())
def test_damaged_json_is_taken_or_refused_in_words(data: st.DataObject) -> None:
    text = candor_format.write(normalize_draft(bilingual())).decode()
    place = data.draw(st.integers(0, len(text) - 1))
    cut = data.draw(st.integers(0, 30))
    put = data.draw(
        st.sampled_from(["", "{", "}", "[", "]", '"', "null", "1", "-1", "1.5", "\\ud800", ":", ","])
    )
    try:
        found: Draft = candor_format.read((text[:place] + put + text[place + cut :]).encode())
    except FileRefused:
        return
    assert normalize_draft(found) == found
