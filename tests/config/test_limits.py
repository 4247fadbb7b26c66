"""Every limit that the page calls softened names the tests that hold its defence; the others say that nothing does."""

import re

import pytest
from django.test import Client

from tests.product import missing_tests
from ui.statements import read_limits

pytestmark = pytest.mark.page
HELD_BY = {
    "waiting-in-the-inbox": [
        "intake/test_raw_files.py::test_postgresql_files_hold_nothing_of_sealed_records_and_used_tokens",
        "intake/test_raw_files.py::test_sqlite_files_hold_no_token_that_was_used_and_keys_only_as_hashes",
        "intake/test_order.py::test_places_in_a_batch_and_among_its_keys_tell_nothing",
    ],
    "logs-and-backups": [
        "config/test_environment.py::test_sqlite_overwrites_what_is_deleted_and_waits_for_the_disk",
        "config/backup/test_backing_up.py::test_a_backup_holds_no_record_that_is_sealed_and_nothing_that_was_deleted",
        "config/backup/test_nothing_revived.py::test_over_the_living_database_nothing_comes_back",
        "config/backup/test_nothing_revived.py::test_on_a_new_machine_the_list_says_what_must_not_come_back",
        "config/backup/test_remembering.py::test_each_sealing_adds_what_was_used_in_one_order_that_tells_nothing",
    ],
    "statement-logs": [
        "config/test_statement_logs.py::test_a_role_that_may_set_it_has_nothing_of_it_logged",
        "config/test_statement_logs.py::test_where_the_role_may_not_production_does_not_start_and_names_the_lines_that_mend_it",
    ],
    "own-words": [
        "surveys/phrases/test_own_wording.py::test_own_words_of_protection_are_a_weak_setting",
        "surveys/phrases/test_own_wording.py::test_a_kind_is_found_however_it_is_written",
    ],
    "published-models": [
        "reports/test_models.py::test_editors_see_what_became_of_models_when_the_next_one_is_published",
    ],
    "completion-code": [
        "intake/test_completion.py::test_no_page_holds_it",
        "intake/test_completion.py::test_everybody_gets_the_same",
        "intake/test_page_scripts.py::test_an_address_with_parameters_is_redirected_to_the_one_without",
    ],
    "panel-parameter": [
        "browser/test_answering_framed.py::test_a_panels_parameter_reaches_its_link_and_no_request",
        "browser/test_answering_framed.py::test_the_parameter_ends_with_its_person",
        "intake/test_completion.py::test_the_start_page_says_whether_the_panel_learns_its_own_id",
    ],
    "inside-another-site": [
        "browser/test_answering_framed.py::test_a_survey_is_answered_inside_another_site_and_arrives",
        "browser/test_answering_framed.py::test_a_hidden_button_does_nothing",
        "browser/test_answering_framed.py::test_otherwise_buttons_are_held",
        "browser/test_answering_framed.py::test_an_unlisted_site_is_refused",
        "intake/test_framing.py::test_the_pages_of_that_survey_name_its_sites_and_nothing_else_changes",
    ],
    "invitation-list": [
        "intake/test_probing.py::test_a_probe_gets_the_same_answer_whatever_became_of_the_invitation",
        "intake/test_probing.py::test_whoever_holds_an_invitation_learns_its_state_only_by_using_it_up",
    ],
    "exchange-times": [
        "intake/test_exchange.py::test_the_rows_of_an_exchange_and_of_its_record_share_nothing",
        "intake/test_exchange.py::test_what_the_server_gets_and_stores_is_the_same_when_two_people_swap_their_tokens",
    ],
    "signing-time": [
        "intake/test_exchange.py::test_the_signature_does_not_depend_on_what_hides_the_private_operation",
        "intake/test_exchange.py::test_the_key_is_destroyed_when_the_survey_is_finished",
    ],
    "field-uploads": [
        "intake/field/test_set_up.py::test_a_report_is_in_fives_and_says_no_time",
        "intake/field/test_set_up.py::test_no_column_leads_from_a_device_or_lot_to_a_token_or_record",
    ],
    "stolen-field-device": [
        "intake/field/test_set_up.py::test_withdrawing_says_how_many_records_a_stolen_device_can_still_send",
        "intake/field/test_records.py::test_many_uploads_of_the_same_records_count_each_once",
    ],
    "field-device-in-use": [
        "browser/test_field.py::test_three_interviews_arrive_once_there_is_a_network",
        "intake/field/test_pages.py::test_the_service_worker_may_fetch_and_names_no_file",
    ],
    "field-device-traces": [
        "browser/test_field.py::test_three_interviews_arrive_once_there_is_a_network",
        "browser/test_field.py::test_a_forgotten_device_keeps_nothing",
    ],
    "field-keys-in-backups": [
        "intake/field/test_set_up.py::test_finishing_and_deleting_end_keys_and_devices",
        "config/backup/test_restoring.py::test_every_row_comes_back_as_it_was",
    ],
    "invented-people": [
        "intake/test_mailing.py::test_too_few_people_are_refused_whatever_the_browser_says",
        "intake/test_mailing.py::test_of_one_mailbox_only_the_first_address_gets_an_invitation",
    ],
    "answering-twice": [
        "intake/test_endpoint.py::test_a_token_is_spent_by_the_first_record",
        "browser/test_journeys.py::test_with_an_invitation_a_tab_and_its_copy_count_once",
        "browser/test_answering_ways.py::test_coins_are_thrown_once_when_somebody_agrees",
        "intake/test_start_page.py::test_two_waves_multiply_and_the_page_says_so_in_sight",
    ],
    "a-disguise-that-lasts": [
        "browser/test_journeys.py::test_one_code_gives_the_same_answers_on_two_devices",
        "privacy/designs/test_lasting.py::test_a_later_round_whose_lasting_sections_differ_is_refused",
        "privacy/mechanisms/test_lasting.py::test_two_truths_with_equal_permanent_draws_leave_equal_traces",
    ],
    "asked-directly": [
        "intake/test_start_page.py::test_nothing_is_promised_to_somebody_who_is_asked_directly",
        "browser/test_answering_studies.py::test_the_arm_is_told_and_kept",
        "privacy/designs/test_studies.py::test_the_minimum_batch_holds_twenty_direct_records_on_average",
        "reports/test_studies.py::test_before_the_survey_is_finished_the_arms_are_not_compared",
        "surveys/test_direct_arm.py::test_the_page_of_a_survey_says_for_whom_it_holds",
    ],
    "leaving-and-coming-back": [
        "browser/test_answering_studies.py::test_the_arm_is_told_and_kept",
        "reports/test_studies.py::test_who_left_stands_above_the_arms_with_every_number_of_them",
    ],
    "known-secrets": [
        "intake/test_start_page.py::test_the_share_of_the_secret_its_source_and_what_breaks_it_are_on_the_start_page",
        "intake/test_form_page.py::test_the_form_says_what_breaks_a_crosswise_answer_and_who_makes_the_key",
    ],
    "without-javascript": [
        "intake/test_form_page.py::test_the_form_says_what_breaks_a_crosswise_answer_and_who_makes_the_key",
        "intake/test_form_page.py::test_where_a_device_has_something_to_do_there_is_no_form",
    ],
    "random-answers": [
        "reports/test_studies.py::test_corrected_shares_stand_beside_the_others_and_under_each_table_what_it_assumes"
    ],
    "plain-answers": [
        "privacy/records/test_record_files.py::test_a_file_that_leaves_withholds_the_plain_answers_of_open_records"
    ],
    "full-quotas": [
        "mining/disclosure/test_quotas.py::test_being_in_two_cells_or_in_none_changes_no_probability_by_more_than_being_in_one",
        "privacy/designs/test_quotas.py::test_quotas_look_at_two_question_sets_at_most",
        "builder/test_quotas.py::test_a_quota_beside_an_open_link_gets_a_caution_that_recommends_invitations",
    ],
    "uploaded-tables": [
        "releases/test_permission.py::test_what_people_may_of_a_release_of_an_upload",
        "releases/test_uploading.py::test_after_seven_days_the_tick_deletes_it_and_sweeps_its_bytes",
        "releases/test_uploading.py::test_reading_it_after_its_day_writes_nothing",
        "releases/lifecycle/test_deciding.py::test_an_approval_deletes_the_upload_and_stands_in_the_history",
        "config/backup/test_restoring.py::test_who_was_signed_in_is_not_in_the_backup_and_what_lives_now_neither",
    ],
    "few-people": [
        "mining/disclosure/test_attack.py::test_no_open_answer_and_no_small_cell_can_be_worked_out",
        "mining/disclosure/test_attacker.py::test_nine_are_found_and_ten_are_not",
        "mining/disclosure/test_open_people.py::test_groups_are_by_what_rules_show",
    ],
    "releases": [
        "releases/lifecycle/test_creation.py::test_a_checker_that_disagrees_fails_the_job",
        "releases/lifecycle/test_joint.py::test_a_second_release_that_crosses_the_first_is_refused_with_reason_and_way_out",
        "releases/lifecycle/test_joint.py::test_a_release_of_later_batches_beside_an_earlier_table",
        "releases/lifecycle/test_joint.py::test_beside_a_published_table_no_cell_is_below_ten",
        "releases/lifecycle/test_joint.py::test_a_release_that_was_checked_while_another_was_made_is_noticed",
    ],
    "outside-the-regions": [
        "browser/test_places.py::test_the_page_says_what_a_place_gives_away",
        "mining/kinds/place/test_finding.py::test_a_cell_outside_with_fewer_than_ten_is_withheld_with_the_next_smallest",
    ],
    "forged-records": ["intake/test_endpoint.py::test_seventh_a_token_that_is_unknown_or_missing"],
    "floods": [
        "intake/test_rate.py::test_a_flood_over_two_processes_is_slowed_to_the_rate",
        "js/answering-sending.test.js",
        "config/web/test_slow.py::test_pages_are_answered_while_hundreds_dribble",
        "config/web/test_slow.py::test_requests_are_answered_while_many_read_nothing",
        "config/web/test_slow.py::test_who_reads_nothing_is_hung_up_on",
        "config/web/test_slow.py::test_a_request_that_does_not_become_whole_is_ended",
        "config/web/test_slow.py::test_where_all_connections_are_taken_it_answers_again_as_soon_as_they_end",
        "config/test_nginx.py::test_seven_hundred_connections_of_one_address_refuse_nobody_else_and_are_in_no_log",
        "mining/error/test_identical.py::test_a_flood_of_one_record_is_found",
        "runs/test_copies.py::test_who_works_on_it_is_warned_and_its_owner_can_pause_it",
        "reports/test_copies.py::test_the_whole_per_cent_is_told_and_no_number_below_ten",
    ],
    "network-observers": [
        "privacy/records/test_record.py::test_all_requests_of_a_design_have_the_same_number_of_bytes",
        "browser/test_journeys.py::test_two_truths_whose_coins_give_the_same_record_leave_the_same_traces",
    ],
    "shared-device": [
        "browser/test_answering_disk.py::test_the_disk_gets_no_coin_and_no_true_answer_by_answering_reloading_and_sending",
        "browser/test_answering_disk.py::test_while_it_is_sent_the_record_is_what_the_disk_gets",
        "intake/test_pages.py::test_a_respondents_page_is_kept_nowhere_tells_nobody_and_sets_no_cookie",
    ],
}


def test_just_the_limits_that_claim_a_defence_have_tests() -> None:
    assert {key for key, limit in read_limits().items() if limit.defence} == set(HELD_BY)


ATTACKED = {
    "shared-device": "answer in a private window",
    "invitation-list": "So the person who keeps the list learns who took part",
    "statement-logs": "A PostgreSQL server can be told to log every statement with its values.",
    "floods": "Connections on which nothing moves are closed",
}
"""What attacks left over, and what its row says of it."""


def test_what_attacks_left_over_stands_on_the_page_in_each_language() -> None:
    for language in ("en", "zh-hans"):
        page = Client(headers={"accept-language": language}).get("/app/limits").text
        for key, words in ATTACKED.items():
            row = page[page.index(f'id="{key}"') :].split("</li>")[0]
            assert (words in row) == (language == "en"), key
            assert language == "en" or re.search("[一-鿿]{20}", row), key


def test_each_of_these_tests_is_there() -> None:
    assert missing_tests(name for names in HELD_BY.values() for name in names) == []
