"""Every limit that the page calls softened names the tests that hold its defence; the others say that nothing does."""

import ast

import pytest

from look.limits import LIMITS
from tests import servers

HELD_BY = {
    "waiting-in-the-inbox": [
        "intake/test_raw_files.py::test_postgresql_files_hold_nothing_of_sealed_records_and_used_tokens",
        "intake/test_raw_files.py::test_sqlite_files_hold_no_token_that_was_used_and_keys_only_as_hashes",
        "intake/test_order.py::test_places_in_a_batch_of_ten_thousand_and_among_its_keys_tell_nothing",
    ],
    "logs-and-backups": [
        "config/test_environment.py::test_sqlite_overwrites_what_is_deleted_and_waits_for_the_disk"
    ],
    "answering-twice": [
        "intake/test_endpoint.py::test_a_token_is_spent_by_the_first_record",
        "browser/test_answering_ways.py::test_an_invitation_works_once",
        "browser/test_answering_states.py::test_reload_back_and_change_never_throw_a_coin_again",
    ],
    "plain-answers": [
        "privacy/designs/test_record_files.py::test_a_file_that_leaves_withholds_the_plain_answers_of_open_records"
    ],
    "forged-records": ["intake/test_endpoint.py::test_sixth_a_token_that_is_unknown_or_missing"],
    "network-observers": [
        "privacy/designs/test_record.py::test_all_requests_of_a_design_have_the_same_number_of_bytes",
        "browser/test_answering_traces.py::test_two_truths_whose_coins_give_the_same_record_leave_the_same_traces",
    ],
}


def test_just_the_limits_that_claim_a_defence_have_tests() -> None:
    assert {limit.key for limit in LIMITS if limit.defence is not None} == set(HELD_BY)


@pytest.mark.parametrize("named", [name for names in HELD_BY.values() for name in names])
def test_each_of_these_tests_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    tree = ast.parse((servers.ROOT / "tests" / path).read_text())
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
