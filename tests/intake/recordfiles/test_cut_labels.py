"""Labels in SPSS files, which have few bytes: nothing is cut inside a word."""

import pytest

from intake.recordfiles.streamed_frame import cut_to


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("Took home", 120, "Took home"),
        ("Took something home", 19, "Took something home"),
        ("Took something home", 18, "Took something…"),
        ("Ein schöner\nlanger Satz", 15, "Ein schöner…"),
        ("您是否曾经带走过东西", 15, "您是否曾…"),
    ],
)
def test_a_label_is_cut_between_words(text: str, most: int, cut: str) -> None:
    assert cut_to(text, most) == cut
    assert len(cut.encode()) <= most
