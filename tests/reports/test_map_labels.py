from hypothesis import given, strategies as st

from reports.kinds.place.map_labels import (
    NAME_SIZE,
    MapLabel,
    box_around,
    boxes_overlap,
    fit_labels,
    text_width,
)

SIZE = (640, 400)


def region(middle: tuple[str, str], number: str, name: str) -> tuple[str, MapLabel]:
    return number, MapLabel(*middle, "17 %", name)


def test_names_stand_where_there_is_room() -> None:
    # A name stands below its figure.
    (label,) = fit_labels(*SIZE, [region(("320", "200"), "1", "North")])
    assert (label.x, label.y, label.words) == ("320", "200", "17 %")
    assert (label.name, label.name_x, label.name_y) == ("North", "320.0", "224.0")
    # It touches its figure at any place, and covers it at none.
    tenths = range(200, 3000)
    assert all(fit_labels(*SIZE, [region(("320", str(y / 10)), "1", "Hills")])[0].name for y in tenths)
    # A name at the edge is moved inside.
    west, east = fit_labels(
        *SIZE, [region(("5", "50"), "1", "Westerland"), region(("635", "50"), "2", "Easterland")]
    )
    half = text_width("Westerland", NAME_SIZE) / 2
    assert float(west.name_x) == round(half, 1)
    assert float(east.name_x) == round(640 - half, 1)
    # A name that would cover another label is left out and the number stays.
    first, second = fit_labels(
        *SIZE, [region(("300", "200"), "1", "North"), region(("310", "222"), "2", "South")]
    )
    assert (first.name, second.name) == ("", "South")
    assert (first.words, second.words) == ("1", "17 %")
    # A name below the drawing is left out.
    (label,) = fit_labels(*SIZE, [region(("320", "390"), "1", "North")])
    assert label.name == ""
    # A long name is cut between words.
    (label,) = fit_labels(*SIZE, [region(("320", "200"), "1", "The old town and everything around it")])
    assert label.name == "The old town and…"
    # Where that has no room it is shortened further, and keeps its figure.
    first, second = fit_labels(
        *SIZE,
        [region(("200", "200"), "1", "Harbour and the docks"), region(("330", "224"), "2", "South")],
    )
    assert (first.name, first.words) == ("Harbour…", "17 %")
    assert second.name == "South"


@given(st.lists(st.tuples(st.integers(0, 640), st.integers(0, 400)), max_size=12))
def test_no_name_lies_outside_or_on_another(points: list[tuple[int, int]]) -> None:
    named = [
        label
        for label in fit_labels(*SIZE, [region((str(x), str(y)), "1", "Region") for x, y in points])
        if label.name
    ]
    boxes = [
        box_around(
            float(label.name_x), float(label.name_y), text_width(label.name, NAME_SIZE) - 0.2, NAME_SIZE - 0.2
        )
        for label in named
    ]
    assert all(left >= 0 and right <= 640 and bottom <= 400 for left, _top, right, bottom in boxes)
    assert not any(boxes_overlap(one, other) for n, one in enumerate(boxes) for other in boxes[:n])
