"""Every limit that the page calls softened names the tests that hold its defence; the others say that nothing does."""

import re

import pytest
from django.test import Client

from tests.product import missing_tests
from ui.statements import read_limits

pytestmark = pytest.mark.page
HELD_BY = {
    "waiting-in-the-inbox": [
        "intake/test_raw_files.py::test_postgresql_files_hold_no_sealed_record_or_used_token",
        "intake/test_raw_files.py::test_sqlite_files_hold_no_used_token_and_keys_only_as_hashes",
        "intake/test_order.py::test_order_in_a_batch_and_among_its_keys_reveals_nothing",
    ],
    "logs-and-backups": [
        "config/test_environment.py::test_sqlite_overwrites_deleted_rows_and_syncs",
        "config/backup/test_backing_up.py::test_backup_holds_no_sealed_record_and_nothing_deleted",
        "config/backup/test_nothing_revived.py::test_restore_over_a_live_database_revives_nothing_deleted",
        "config/backup/test_nothing_revived.py::test_list_of_deletions_prevents_revival_on_a_new_machine",
        "config/backup/test_remembering.py::test_each_sealing_adds_used_invitations_in_an_uninformative_order",
    ],
    "statement-logs": [
        "config/test_statement_logs.py::test_role_that_may_switch_logging_off_has_nothing_logged",
        "config/test_statement_logs.py::test_production_refuses_to_start_where_statements_would_be_logged",
    ],
    "own-words": [
        "surveys/phrases/test_own_wording.py::test_own_words_of_protection_are_a_weak_setting",
        "surveys/phrases/test_own_wording.py::test_a_kind_is_found_however_it_is_written",
    ],
    "published-models": [
        "reports/test_models.py::test_editors_see_what_became_of_models_when_the_next_one_is_published"
    ],
    "completion-code": [
        "intake/test_completion.py::test_no_page_holds_the_completion",
        "intake/test_completion.py::test_completion_is_the_same_for_everybody",
        "intake/test_page_scripts.py::test_address_with_parameters_redirects_to_the_one_without",
    ],
    "panel-parameter": [
        "browser/test_answering_framed.py::test_panel_parameter_reaches_the_completion_link_and_no_request",
        "browser/test_answering_framed.py::test_panel_parameter_is_forgotten_after_its_person",
        "intake/test_completion.py::test_start_page_says_whether_the_panel_learns_its_id",
    ],
    "inside-another-site": [
        "browser/test_answering_framed.py::test_framed_survey_is_answered_and_the_record_arrives",
        "browser/test_answering_framed.py::test_hidden_button_in_a_frame_does_nothing",
        "browser/test_answering_framed.py::test_buttons_must_be_held_where_the_frame_may_be_covered",
        "browser/test_answering_framed.py::test_site_that_is_not_listed_cannot_frame_the_survey",
        "intake/test_framing.py::test_pages_of_a_framed_survey_name_its_sites_only",
    ],
    "invitation-list": [
        "intake/test_probing.py::test_probe_gets_the_same_answer_whatever_the_state_of_an_invitation",
        "intake/test_probing.py::test_state_of_an_invitation_is_learned_only_by_using_it",
    ],
    "exchange-times": [
        "intake/test_exchange.py::test_rows_of_an_exchange_and_its_record_share_nothing",
        "intake/test_exchange.py::test_server_data_is_unchanged_if_two_people_swap_tokens",
    ],
    "signing-time": [
        "intake/test_exchange.py::test_signature_does_not_depend_on_the_blinding_randomness",
        "intake/test_exchange.py::test_signing_key_is_destroyed_when_the_survey_finishes",
    ],
    "field-uploads": [
        "intake/field/test_set_up.py::test_device_report_counts_in_fives_without_times",
        "intake/field/test_set_up.py::test_no_column_links_a_device_or_lot_to_a_token_or_record",
    ],
    "stolen-field-device": [
        "intake/field/test_set_up.py::test_withdrawing_states_how_many_records_a_stolen_device_may_send",
        "intake/field/test_records.py::test_repeated_uploads_count_each_record_once",
    ],
    "field-device-in-use": [
        "browser/test_field.py::test_three_offline_interviews_arrive_with_the_network",
        "intake/field/test_pages.py::test_service_worker_may_fetch_and_names_no_file",
    ],
    "field-device-traces": [
        "browser/test_field.py::test_three_offline_interviews_arrive_with_the_network",
        "browser/test_field.py::test_a_forgotten_device_keeps_nothing",
    ],
    "field-keys-in-backups": [
        "intake/field/test_set_up.py::test_finishing_and_deleting_end_device_keys",
        "config/backup/test_restoring.py::test_every_row_is_restored_unchanged",
    ],
    "invented-people": [
        "intake/test_mailing.py::test_too_few_people_are_refused_even_against_the_browser",
        "intake/test_mailing.py::test_only_the_first_address_of_a_mailbox_is_invited",
    ],
    "operator-serves-the-code": [
        "intake/hosted/test_frozen_page.py::test_a_survey_opens_only_after_its_frozen_page_was_seen_at_the_host",
        "proof/test_check_page.py::test_each_manipulation_is_one_sentence",
        "browser/test_answering_hosted.py::test_a_survey_is_answered_at_its_host_on_a_phone_and_the_record_arrives_behind_nginx",
    ],
    "inside-a-tool": [
        "privacy/designs/test_asked_at.py::test_each_feature_is_allowed_or_refused_by_one_sentence",
        "browser/test_answering_inside.py::test_three_people_at_one_computer_give_three_records_and_the_frame_keeps_nothing",
    ],
    "answering-twice": [
        "intake/test_endpoint.py::test_first_record_spends_the_token",
        "browser/test_journeys.py::test_tab_and_its_copy_count_once_with_an_invitation",
        "browser/test_answering_ways.py::test_coins_are_drawn_once_on_agreement",
        "intake/test_start_page.py::test_odds_of_two_waves_multiply_and_the_page_says_so",
    ],
    "a-disguise-that-lasts": [
        "browser/test_journeys.py::test_one_code_gives_the_same_answers_on_two_devices",
        "privacy/designs/test_lasting.py::test_a_later_round_whose_lasting_sections_differ_is_refused",
        "privacy/mechanisms/test_lasting.py::test_two_truths_with_equal_permanent_draws_leave_equal_traces",
    ],
    "asked-directly": [
        "intake/test_start_page.py::test_start_page_promises_directly_asked_people_no_disguise",
        "browser/test_answering_studies.py::test_study_arm_is_told_and_kept",
        "privacy/designs/test_studies.py::test_the_minimum_batch_holds_twenty_direct_records_on_average",
        "reports/test_studies.py::test_before_the_survey_is_finished_the_arms_are_not_compared",
        "surveys/test_direct_arm.py::test_the_page_of_a_survey_says_for_whom_it_holds",
    ],
    "leaving-and-coming-back": [
        "browser/test_answering_studies.py::test_study_arm_is_told_and_kept",
        "reports/test_studies.py::test_who_left_stands_above_the_arms_with_every_number_of_them",
    ],
    "known-secrets": [
        "intake/test_start_page.py::test_start_page_states_the_secrets_share_source_and_limits",
        "intake/test_form_page.py::test_form_states_crosswise_limits_and_who_makes_the_key",
    ],
    "without-javascript": [
        "intake/test_form_page.py::test_form_states_crosswise_limits_and_who_makes_the_key",
        "intake/test_form_page.py::test_form_is_missing_where_the_device_must_compute",
    ],
    "random-answers": [
        "reports/test_studies.py::test_corrected_shares_stand_beside_the_others_and_under_each_table_what_it_assumes"
    ],
    "plain-answers": [
        "privacy/records/test_record_files.py::test_exported_file_withholds_plain_answers_of_open_records"
    ],
    "full-quotas": [
        "mining/disclosure/test_quotas.py::test_two_cells_change_no_probability_more_than_one",
        "privacy/designs/test_quotas.py::test_quotas_look_at_two_question_sets_at_most",
        "builder/test_quotas.py::test_quota_with_an_open_link_recommends_invitations",
    ],
    "uploaded-tables": [
        "releases/test_permission.py::test_upload_release_permissions_match_the_table",
        "releases/test_uploading.py::test_upload_is_deleted_after_seven_days_and_its_bytes_overwritten",
        "releases/test_uploading.py::test_overdue_upload_is_refused_without_writing",
        "releases/lifecycle/test_deciding.py::test_an_approval_deletes_the_upload_and_stands_in_the_history",
        "config/backup/test_restoring.py::test_sessions_are_in_no_backup_and_live_ones_end",
    ],
    "few-people": [
        "mining/disclosure/test_attack.py::test_no_open_answer_or_small_cell_can_be_inferred",
        "mining/disclosure/test_attacker.py::test_attack_infers_counts_of_nine_but_not_of_ten",
        "mining/disclosure/test_open_people.py::test_open_people_are_grouped_by_what_rules_show",
    ],
    "releases": [
        "releases/lifecycle/test_creation.py::test_disagreeing_checker_fails_the_job",
        "releases/lifecycle/test_joint.py::test_a_second_release_that_crosses_the_first_is_refused_with_reason_and_way_out",
        "releases/lifecycle/test_joint.py::test_a_release_of_later_batches_beside_an_earlier_table",
        "releases/lifecycle/test_joint.py::test_release_beside_a_table_has_no_cell_below_ten",
        "releases/lifecycle/test_joint.py::test_concurrently_made_release_is_noticed",
    ],
    "outside-the-regions": [
        "browser/test_places.py::test_page_says_what_a_place_reveals",
        "mining/kinds/place/test_finding.py::test_outside_cell_below_ten_is_withheld_with_the_next_smallest",
    ],
    "forged-records": [
        "intake/test_endpoint.py::test_unknown_or_missing_token_is_refused_after_an_impossible_record"
    ],
    "floods": [
        "intake/test_rate.py::test_flood_over_two_processes_is_slowed_to_the_rate",
        "js/answering-sending.test.js",
        "config/web/test_slow.py::test_pages_are_answered_while_hundreds_send_slowly",
        "config/web/test_slow.py::test_requests_are_answered_while_many_clients_read_nothing",
        "config/web/test_slow.py::test_client_reading_nothing_is_disconnected",
        "config/web/test_slow.py::test_incomplete_request_is_ended",
        "config/web/test_slow.py::test_full_server_answers_again_once_connections_end",
        "config/test_nginx.py::test_connections_of_one_address_refuse_nobody_else_and_are_not_logged",
        "mining/error/test_identical.py::test_flood_of_one_record_is_detected",
        "runs/test_copies.py::test_copies_warning_reaches_collaborators_and_owner_may_pause",
        "reports/test_copies.py::test_the_whole_per_cent_is_told_and_no_number_below_ten",
    ],
    "network-observers": [
        "privacy/records/test_record.py::test_all_requests_of_a_design_have_the_same_number_of_bytes",
        "browser/test_journeys.py::test_two_truths_whose_coins_give_the_same_record_leave_the_same_traces",
    ],
    "shared-device": [
        "browser/test_answering_disk.py::test_disk_gets_no_coin_or_true_answer_while_answering",
        "browser/test_answering_disk.py::test_disk_gets_only_the_record_while_it_is_sent",
        "intake/test_pages.py::test_respondent_page_is_uncached_sends_no_referrer_and_sets_no_cookie",
    ],
}


def test_exactly_the_limits_that_claim_a_defence_name_tests() -> None:
    assert {key for key, limit in read_limits().items() if limit.defence} == set(HELD_BY)


ATTACKED = {
    "shared-device": "answer in a private window",
    "invitation-list": "So the person who keeps the list learns who took part",
    "statement-logs": "A PostgreSQL server can be told to log every statement with its values.",
    "floods": "Connections on which nothing moves are closed",
}
"""What attacks left over, and what its row says of it."""


def test_limits_page_states_remaining_attacks_in_each_language() -> None:
    for language in ("en", "zh-hans"):
        page = Client(headers={"accept-language": language}).get("/app/limits").text
        for key, words in ATTACKED.items():
            row = page[page.index(f'id="{key}"') :].split("</li>")[0]
            assert (words in row) == (language == "en"), key
            assert language == "en" or re.search("[一-鿿]{20}", row), key


def test_every_test_named_by_the_limits_exists() -> None:
    assert missing_tests(name for names in HELD_BY.values() for name in names) == []
