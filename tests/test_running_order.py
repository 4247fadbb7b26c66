from tests.running_order import spread


def test_what_waits_is_spread_over_what_works() -> None:
    places = spread(["a", "b"], [str(number) for number in range(6)])
    assert sorted(places, key=places.__getitem__) == ["a", "0", "1", "2", "b", "3", "4", "5"]


def test_where_nothing_waits_the_order_stays() -> None:
    places = spread([], ["x", "y", "z"])
    assert sorted(places, key=places.__getitem__) == ["x", "y", "z"]
