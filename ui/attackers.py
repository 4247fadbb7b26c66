"""The possible attackers, with the protections against each and their limits, for the page of limits."""

from dataclasses import dataclass

from django.utils.translation.trans_null import gettext_noop as _  # marks texts, and needs no settings


@dataclass(frozen=True)
class Attacker:
    """A possible attacker.

    `promises` and `limits` are keys of the statements in templates/ui/limits/: protections, and their limits. `tests`:
    paths of tests about this attacker. `checks`: names of checks of `manage.py prove` (docs/prove.md).
    """

    key: str
    title: str
    promises: tuple[str, ...]
    tests: tuple[str, ...]
    checks: tuple[str, ...]
    limits: tuple[str, ...]


ATTACKERS = [
    Attacker(
        "the-operator",
        _("The operator, with this program as it is"),
        ("nothing-but-the-record", "nobody-is-tied", "exchanged-invitations", "no-small-batch"),
        (
            "browser/test_journeys.py::test_two_truths_whose_coins_give_the_same_record_leave_the_same_traces",
            "intake/test_raw_files.py::test_sqlite_files_hold_no_used_token_and_keys_only_as_hashes",
            "intake/test_raw_files.py::test_postgresql_files_hold_no_sealed_record_or_used_token",
        ),
        ("submission", "traces", "logs", "storage"),
        ("waiting-in-the-inbox", "exchange-times", "logs-and-backups", "statement-logs"),
    ),
    Attacker(
        "the-operator-who-changes-the-code",
        _("The operator who changes the program"),
        ("exact-law", "opened-stays"),
        ("proof/test_mutants.py::test_a_planted_fault_makes_the_check_of_its_name_fail",),
        ("hash", "source", "composition", "law", "twin"),
        ("operator-serves-the-code",),
    ),
    Attacker(
        "the-network",
        _("Somebody who watches the network"),
        ("nothing-fetched",),
        ("privacy/records/test_record.py::test_all_requests_of_a_design_have_the_same_number_of_bytes",),
        ("one-request", "headers"),
        ("network-observers",),
    ),
    Attacker(
        "the-forger",
        _("Somebody who invents records"),
        ("one-record-once",),
        (
            "intake/test_endpoint.py::test_unknown_or_missing_token_is_refused_after_an_impossible_record",
            "intake/test_exchange.py::test_token_signed_by_another_surveys_key_is_refused",
            "intake/test_rate.py::test_flood_over_two_processes_is_slowed_to_the_rate",
        ),
        (),
        ("forged-records", "full-quotas", "invented-people", "signing-time", "floods"),
    ),
    Attacker(
        "another-user",
        _("Another user of this site"),
        ("publications", "buttons", "releases-tell", "uploads", "history"),
        ("mining/disclosure/test_attack.py::test_no_open_answer_or_small_cell_can_be_inferred",),
        ("ledger", "triggers"),
        ("few-people", "published-models", "releases"),
    ),
    Attacker(
        "the-people-who-ask",
        _("The people who ask, without the operator"),
        ("candors-words", "opened-stays", "no-small-batch"),
        (
            "surveys/phrases/test_own_wording.py::test_in_a_shipped_language_and_its_variants_every_phrase_is_candors",
            "surveys/phrases/test_own_wording.py::test_the_kind_and_the_chance_stay_candors_in_a_language_that_it_lacks",
        ),
        ("words",),
        ("own-words",),
    ),
    Attacker(
        "the-holder-of-the-list",
        _("Somebody who holds the list of invitations"),
        ("nobody-is-tied", "exchanged-invitations"),
        (
            "intake/test_probing.py::test_probe_gets_the_same_answer_whatever_the_state_of_an_invitation",
            "intake/test_probing.py::test_state_of_an_invitation_is_learned_only_by_using_it",
        ),
        (),
        ("invitation-list", "exchange-times", "invented-people"),
    ),
    Attacker(
        "another-survey",
        _("Another survey on the same server"),
        ("guarantee",),
        ("intake/test_start_page.py::test_odds_of_two_waves_multiply_and_the_page_says_so",),
        ("same-for-all", "guarantee"),
        ("answering-twice",),
    ),
    Attacker(
        "your-phone",
        _("Somebody with your phone"),
        ("nothing-but-the-record",),
        (
            "browser/test_answering_disk.py::test_disk_gets_no_coin_or_true_answer_while_answering",
            "intake/test_pages.py::test_respondent_page_is_uncached_sends_no_referrer_and_sets_no_cookie",
        ),
        ("submission",),
        ("shared-device", "coercion"),
    ),
]
