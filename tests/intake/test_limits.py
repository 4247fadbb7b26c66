from intake.endpoint.limits import Limits

TOKEN, OTHER = "0a1b" + "0" * 60, "0a1c" + "0" * 60


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_process_admits_so_many_in_a_minute() -> None:
    limits = Limits(in_total=3, clock=Clock())
    assert [limits.admits() for _ in range(5)] == [True, True, True, False, False]


def test_the_next_minute_begins_anew() -> None:
    clock = Clock()
    limits = Limits(in_total=1, by_token=1, clock=clock)
    assert limits.admits()
    limits.count_refused(TOKEN)
    assert not limits.admits_token(TOKEN)
    clock.now = 60.0
    assert limits.admits()
    assert limits.admits_token(TOKEN)


def test_a_refused_token_is_limited_and_another_is_not() -> None:
    limits = Limits(by_token=2, clock=Clock())
    admitted = []
    for _ in range(3):
        admitted.append(limits.admits_token(TOKEN))
        limits.count_refused(TOKEN)
    assert admitted == [True, True, False]
    assert limits.admits_token(OTHER)


def test_asking_alone_does_not_use_up_what_a_token_may() -> None:
    limits = Limits(by_token=1, clock=Clock())
    assert all(limits.admits_token(TOKEN) for _ in range(5))


def test_the_standard_limits_are_far_above_a_town_hall() -> None:
    limits = Limits(clock=Clock())
    assert all(limits.admits() for _ in range(5_000))
