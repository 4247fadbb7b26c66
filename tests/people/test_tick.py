from jobs import tick
from people import lockout


def test_time_makes_the_instance_forget_who_failed() -> None:
    assert tick.registered()["people.forget_lapsed"].function is lockout.forget_lapsed
