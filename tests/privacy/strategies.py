"""Random designs, answers and streams of words; everything shrinks towards few, small and zero."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from hypothesis import strategies as st

from privacy.mechanisms.coins import Words, seeded_words

PARTS = 10_000


@st.composite
def noise_laws(draw: st.DrawFn, choices: int) -> list[str]:
    """Ten-thousandths, none of them 0, summing to 10,000."""
    weights = draw(st.lists(st.integers(1, 99), min_size=choices, max_size=choices))
    parts = [max(1, weight * PARTS // sum(weights)) for weight in weights]
    parts[parts.index(max(parts))] += PARTS - sum(parts)
    return [f"0.{part:04d}" for part in parts]


@st.composite
def designs(draw: st.DrawFn) -> dict[str, Any]:
    """The JSON of a design: up to three sections of up to four questions of up to twelve choices."""
    earlier: list[tuple[str, int]] = []
    sections = []
    number = 0
    for _ in range(draw(st.integers(1, 3))):
        is_sensitive = draw(st.booleans())
        questions = []
        for _ in range(draw(st.integers(1, 4 if is_sensitive else 2))):
            choices = draw(st.integers(2, 12))
            question: dict[str, Any] = {
                "name": f"q{number}",
                "choices": [f"c{code}" for code in range(choices)],
            }
            number += 1
            if bool(earlier) and draw(st.booleans()):
                name, of = earlier[draw(st.integers(0, len(earlier) - 1))]
                allowed = draw(st.sets(st.integers(0, of - 1), min_size=1, max_size=of))
                question["show_if"] = {name: [f"c{code}" for code in sorted(allowed)]}
            if not is_sensitive:
                earlier.append((question["name"], choices))
            elif draw(st.booleans()):
                question["noise"] = draw(noise_laws(choices))
            questions.append(question)
        section: dict[str, Any] = {"kind": "plain", "questions": questions}
        if is_sensitive:
            section["kind"] = "unrelated-question"
            section["keep"] = f"0.{draw(st.integers(1, PARTS - 1)):04d}"
            section["asked"] = draw(st.integers(1, len(questions)))
        sections.append(section)
    return {"format": "candor-design/1", "open_answers": True, "sections": sections}


@st.composite
def answers_to(draw: st.DrawFn, design: dict[str, Any]) -> list[int]:
    """A choice of every question, hidden or not."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    numbers = draw(st.lists(st.integers(0, 11), min_size=len(questions), max_size=len(questions)))
    return [number % len(question["choices"]) for number, question in zip(numbers, questions, strict=True)]


def words_from(bits: int, first: list[int], seed: int) -> Iterator[int]:
    """Chosen words (the last ones of the span, say, which are thrown again), then those of a seed."""
    span = 1 << bits
    return chain((span - 1 - word % span for word in first), _narrowed(seeded_words(seed), bits))


def _narrowed(words: Words, bits: int) -> Iterator[int]:
    while True:
        yield words.draw() >> (words.bits - bits)


word_streams = st.builds(
    lambda bits, first, seed: (bits, first, seed),
    st.sampled_from([32, 14, 16]),
    st.lists(st.integers(0, 7_000), max_size=6),
    st.integers(0, 2**32),
)
