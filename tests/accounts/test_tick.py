from accounts import lockout
from jobs import tick


def test_time_makes_the_instance_forget_who_failed() -> None:
    assert tick.registrations()["accounts.forget_lapsed"].function is lockout.delete_expired_counts
