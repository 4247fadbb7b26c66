"""The promises, each with the tests that hold it: docs/promises.md and the page of limits are made of this table.

`python -m ui.promises` writes the document.
"""

from dataclasses import dataclass
from pathlib import Path

from django.utils.translation.trans_null import gettext_noop as _  # marks texts, and needs no settings

from ui.attackers import table

DOCUMENT = Path(__file__).parent.parent / "docs" / "promises.md"
HEAD = """# Promises

What Candor promises, and the tests that hold each promise. Made of `ui/promises.py` by `python -m ui.promises`.
What it cannot promise is on the page `/limits` (`ui/limits.py`), below the promises. Comments in the code cite
the headings of this file.
"""


@dataclass(frozen=True)
class Promise:
    """`text` is for the page, `detail` for the document; `tests` are paths below tests/, with the name."""

    key: str
    title: str
    text: str
    detail: str
    tests: tuple[str, ...]

    def as_markdown(self) -> str:
        tests = "".join(f"* `tests/{test}`\n" for test in self.tests)
        return f"## {self.title}\n\n{self.detail}\n\n{tests}"


PROMISES = [
    Promise(
        "nothing-but-the-record",
        _("Nothing but the record leaves the page"),
        _(
            "What you truly answered to a sensitive question never leaves your device. Only the record "
            "does, disguised by chance, and nothing on the device or the site keeps anything else of it. If you ask "
            "for it, the device keeps that record until it can be sent, and so shows that somebody took part."
        ),
        (
            "Whatever leaves the memory of a respondent's page (request, log, cookie, storage, cache, "
            "history, database, error report) is a function of the record, the plain answers and the "
            "coins, and of the true sensitive answers in no other way; or, where the respondent's own "
            "secret is the coin, of the answer that the secret gave. Two truths whose coins give the same"
            " record leave the same bytes everywhere, in both arms. In the direct arm the record holds "
            "the answers; whatever else leaves follows from it. A record that waits is kept by its tab, "
            "or, where the person asks for it, by the browser, until it was sent or is deleted. A page "
            "without JavaScript holds no "
            "sensitive input but crosswise ones; with it, sensitive inputs stand in no form."
        ),
        (
            "browser/test_answering_traces.py::test_two_truths_whose_coins_give_the_same_record_leave_the_same_traces",
            "browser/test_answering_traces.py::test_a_true_answer_that_was_kept_travels_as_one_that_chance_drew",
            "browser/test_answering_studies.py::test_in_either_arm_the_same_record_leaves_the_same_traces",
            "browser/test_answering_studies.py::test_in_both_arms_requests_are_equally_long_and_the_completion_comes_after_them_and_not_before",
            "intake/test_form_page.py::test_where_a_device_has_something_to_do_there_is_no_form",
            "intake/test_form_outcomes.py::test_the_length_of_an_answer_does_not_tell_what_became_of_the_form",
            "browser/test_answering_traces.py::test_two_numbers_whose_coins_give_the_same_record_leave_the_same_traces",
            "browser/test_answering_traces.py::test_a_number_that_was_kept_travels_as_one_that_chance_drew",
            "browser/test_answering_traces.py::test_a_number_that_was_typed_is_found_nowhere_outside_the_page",
            "browser/test_answering_traces.py::test_two_places_whose_coins_give_the_same_record_leave_the_same_traces",
            "browser/test_answering_traces.py::test_a_place_near_the_true_one_travels_as_one_that_chance_drew",
            "browser/test_answering_traces.py::test_a_place_that_was_chosen_is_found_nowhere_outside_the_page_and_the_design",
            "browser/test_answering_numbers.py::test_no_browser_service_reads_or_remembers_the_number",
            "browser/test_answering_traces.py::test_the_one_request_after_the_first_load_is_the_record",
            "browser/test_answering_traces.py::test_the_names_of_true_answers_are_found_nowhere_outside_the_page_and_the_design",
            "browser/test_answering_traces.py::test_without_javascript_nothing_can_be_sent",
            "browser/test_answering_disk.py::test_the_disk_gets_no_coin_and_no_true_answer_by_answering_reloading_and_sending",
            "browser/test_answering_disk.py::test_while_it_is_sent_the_record_is_what_the_disk_gets",
            "browser/test_answering_kept.py::test_a_record_that_is_kept_is_all_that_the_device_holds_and_is_sent_at_the_next_visit",
            "browser/test_answering_kept.py::test_one_button_deletes_what_is_kept",
            "browser/test_answering_states.py::test_what_is_kept_says_nothing_of_answers_and_coins",
            "browser/test_answering_states.py::test_the_history_and_the_address_say_nothing_of_the_answers",
            "browser/test_answering_pages.py::test_sensitive_inputs_stand_in_no_form_and_no_browser_remembers_them",
            "intake/test_pages.py::test_without_a_script_the_page_holds_nothing_to_answer_with",
            "browser/test_answering_studies.py::test_what_a_panel_adds_to_the_address_is_found_nowhere",
            "intake/test_form_page.py::test_all_requests_are_equally_long",
            "intake/test_form_outcomes.py::test_whoever_is_refused_gets_no_completion_and_an_answer_as_long",
            "intake/test_personal_links.py::test_the_form_without_javascript_does_so_too",
            "intake/test_endpoint.py::test_two_requests_of_one_design_have_the_same_number_of_bytes",
            "intake/test_endpoint.py::test_every_answer_has_the_same_number_of_bytes",
            "intake/test_completion.py::test_all_answers_of_the_endpoint_have_one_length_with_and_without_it",
            "intake/test_completion.py::test_whoever_is_refused_does_not_get_it",
            "intake/test_completion.py::test_a_key_of_another_survey_does_not_get_it",
            "intake/test_completion.py::test_no_page_holds_it",
            "intake/test_personal_links.py::test_an_address_with_parameters_is_redirected_to_the_one_without",
            "intake/test_personal_links.py::test_nothing_of_it_is_logged",
            "intake/test_personal_links.py::test_the_products_own_server_keeps_nothing_of_it",
            "config/test_anonymous_wsgi.py::test_a_respondents_request_is_not_logged",
            "config/test_anonymous_wsgi.py::test_a_respondents_failure_is_logged_without_what_was_sent",
            "config/test_statement_logs.py::test_a_role_that_may_set_it_has_nothing_of_it_logged",
        ),
    ),
    Promise(
        "exact-law",
        _("The disguise has exactly the stated law"),
        _(
            "The disguise has exactly the chances that the page of the survey states. They are checked "
            "coin by coin, in the browser’s program and in the server’s."
        ),
        (
            "JavaScript and Python give the same record from the same coins. All coins of small designs, "
            "enumerated, give exactly the law of docs/mathematics.md, Disguise; crosswise questions and "
            "the direct arm are enumerated too. Changes of the code that break the law are caught. There "
            "is no other source of chance."
        ),
        (
            "privacy/mechanisms/test_twin.py::test_the_same_words_give_the_same_bytes",
            "privacy/mechanisms/test_twin.py::test_both_sides_agree_on_which_records_are_possible",
            "browser/test_answering_traces.py::test_what_is_sent_is_what_the_python_twin_makes_of_the_same_coins",
            "privacy/mechanisms/test_exact_law.py::test_all_coins_in_python_give_the_stated_law",
            "privacy/mechanisms/test_exact_law.py::test_all_coins_in_javascript_give_the_stated_law",
            "privacy/mechanisms/test_exact_law.py::test_all_coins_after_a_reload_give_the_stated_law",
            "privacy/mechanisms/test_exact_law.py::test_all_coins_of_a_place_in_both_languages_give_its_stated_probabilities",
            "privacy/mechanisms/test_exact_law.py::test_every_word_of_16_bits_gives_a_uniform_coin_in_python",
            "privacy/mechanisms/test_exact_law.py::test_every_word_of_16_bits_gives_a_uniform_coin_in_javascript",
            "privacy/mechanisms/test_mutants.py::test_the_exhaustive_test_catches_the_mutant_in_python",
            "privacy/mechanisms/test_mutants.py::test_the_exhaustive_test_catches_the_mutant_in_javascript",
            "privacy/mechanisms/test_mutants.py::test_the_exhaustive_test_catches_the_mutant_of_a_reload",
            "privacy/mechanisms/test_mutants.py::test_the_exhaustive_test_catches_the_mutant_of_a_number_in_python",
            "privacy/mechanisms/test_mutants.py::test_the_exhaustive_test_catches_the_mutant_of_a_number_in_javascript",
            "privacy/mechanisms/test_mutants.py::test_the_exhaustive_test_catches_the_mutant_of_a_place_in_python",
            "privacy/mechanisms/test_mutants.py::test_the_exhaustive_test_catches_the_mutant_of_a_place_in_javascript",
            "privacy/mechanisms/test_chi_square.py::test_records_from_the_secure_source_in_javascript_follow_the_law",
            "privacy/mechanisms/test_studies.py::test_all_coins_give_the_stated_law_in_both_languages",
            "privacy/mechanisms/test_studies.py::test_all_coins_of_everything_together_give_the_stated_law_in_both_languages",
            "privacy/mechanisms/test_studies.py::test_each_order_of_the_blocks_is_given_by_equally_many_coins",
            "privacy/mechanisms/test_studies.py::test_the_arm_is_the_only_source_of_the_group",
            "privacy/mechanisms/test_study_mutants.py::test_the_mutant_is_caught_in_javascript",
            "privacy/mechanisms/test_study_twin.py::test_the_same_words_give_the_same_record_and_the_same_order",
            "js/draws.test.js",
            "privacy/mechanisms/test_reach.py::test_no_other_chance_can_be_reached_by_import",
            "privacy/mechanisms/test_reach.py::test_no_script_of_the_respondents_pages_has_another_chance",
            "browser/test_answering_states.py::test_back_and_change_never_throw_a_coin_again",
            "js/disguise.test.js",
            "js/number.test.js",
            "js/place.test.js",
        ),
    ),
    Promise(
        "one-record-once",
        _("One record once"),
        _("Each answer counts once, however often it is sent and whatever crashes."),
        (
            "There is one record per submission key and per invitation, however often it is sent and "
            "whatever crashes."
        ),
        (
            "intake/test_endpoint.py::test_the_same_request_again_stores_nothing_more",
            "intake/test_endpoint.py::test_of_two_records_with_one_key_the_first_stands",
            "intake/test_endpoint.py::test_a_key_that_was_sealed_is_still_known",
            "intake/test_endpoint.py::test_a_token_is_spent_by_the_first_record",
            "intake/test_at_once.py::test_a_hundred_posts_of_one_key_store_one_record",
            "intake/test_at_once.py::test_a_hundred_posts_of_one_token_store_one_record",
            "intake/test_at_once.py::test_a_thousand_people_at_once_are_all_stored_once_while_batches_are_sealed",
            "intake/test_killed.py::test_two_thousand_posts_while_a_worker_and_a_web_process_are_killed_twice",
            "intake/test_killed.py::test_a_sealing_killed_at_any_statement_has_happened_or_has_not",
            "browser/test_answering_sending.py::test_a_reload_while_sending_sends_the_same_bytes",
            "browser/test_answering_sending.py::test_a_network_that_comes_back_delivers_the_same_record_once",
            "config/backup/test_nothing_revived.py::test_on_a_new_machine_the_list_says_what_must_not_come_back",
        ),
    ),
    Promise(
        "nobody-is-tied",
        _("Nobody is tied to a sealed record"),
        _(
            "Once a batch is sealed, nothing in the database ties a record to a person, an invitation "
            "link or a time finer than its batch."
        ),
        (
            "After the sealing nothing in the database ties a record to a key, an invitation, a position,"
            " or a time finer than its batch. This includes hidden columns, free pages and dead rows. The"
            " page `/limits` says what a database server's own logs and copies may hold."
        ),
        (
            "intake/test_sealing.py::test_which_records_are_sealed_and_in_which_order_is_random",
            "intake/test_sealing.py::test_what_goes_on_waiting_gets_new_ids_in_a_new_order",
            "intake/test_sealing.py::test_every_fresh_key_becomes_a_seen_one_in_hash_order",
            "intake/test_stored_order.py::test_the_order_of_rows_in_the_pages_ties_no_record_to_an_invitation",
            "intake/test_order.py::test_places_in_a_batch_of_ten_thousand_and_among_its_keys_tell_nothing",
            "intake/test_merging.py::test_merging_keeps_every_record_and_no_order",
            "intake/test_raw_files.py::test_sqlite_files_hold_the_text_of_those_records_only_that_wait",
            "intake/test_raw_files.py::test_sqlite_files_hold_no_token_that_was_used_and_keys_only_as_hashes",
            "intake/test_raw_files.py::test_postgresql_files_hold_nothing_of_sealed_records_and_used_tokens",
            "intake/test_raw_files.py::test_postgresql_transactions_and_places_of_keys_tell_only_the_sealing",
            "intake/test_raw_files.py::test_a_destroyed_survey_leaves_no_byte_in_sqlite_files",
            "intake/test_probing_on_servers.py::test_whoever_holds_the_list_learns_nothing_that_uses_no_invitation_up",
            "intake/recordfiles/test_rows.py::test_rows_are_permuted_over_all_batches",
        ),
    ),
    Promise(
        "exchanged-invitations",
        _("An exchanged invitation cannot be tied to a record"),
        _(
            "Where a survey exchanges its invitation links, this site signs a token that it cannot see, and nothing "
            "that it gets or stores says which token came of which link."
        ),
        (
            "By RSA blind signatures (RFC 9474) what the server gets and stores of two exchanges and two records "
            "fits both ways, also for whoever has the private key. A token is spent once, an exchange without an "
            "answer can be repeated, and the key is destroyed when the survey is finished. What times and network "
            "addresses say is on the page `/limits`."
        ),
        (
            "privacy/blind_signatures/test_protocol.py::test_a_vector_of_the_rfc_passes_step_by_step",
            "privacy/blind_signatures/test_protocol.py::test_the_server_sees_the_same_whatever_token_the_device_has",
            "intake/test_exchange.py::test_what_the_server_gets_and_stores_is_the_same_when_two_people_swap_their_tokens",
            "intake/test_exchange.py::test_the_rows_of_an_exchange_and_of_its_record_share_nothing",
            "intake/test_exchange.py::test_a_thousand_double_uses_are_refused_before_and_after_the_sealing",
            "intake/test_exchange.py::test_after_a_lost_answer_the_same_blinded_message_gets_the_same_signature",
            "intake/test_exchange.py::test_the_key_is_destroyed_when_the_survey_is_finished",
            "intake/test_exchange_on_servers.py::test_a_hundred_exchanges_while_both_web_processes_are_killed",
            "browser/test_answering_exchange.py::test_after_a_lost_answer_the_page_repeats_the_same_exchange",
        ),
    ),
    Promise(
        "no-small-batch",
        _("No batch is smaller than least"),
        _("Only batches of at least the survey’s minimum are counted, mined or exported."),
        (
            "A batch is sealed at 2.5 `least` waiting records: `least` of them and a number, drawn once a "
            "batch, from 0 to half of `least`. So at least `least` records go on waiting. At closing all "
            "that wait are sealed if they are at least `least`; otherwise they stay uncounted. Only sealed records "
            "are counted, mined or exported."
        ),
        (
            "intake/test_sealing.py::test_below_two_and_a_half_times_least_nothing_is_sealed",
            "intake/test_sealing.py::test_a_batch_holds_least_and_a_drawn_number_and_least_wait",
            "intake/test_sealing.py::test_what_came_in_meanwhile_is_sealed_too_so_that_least_wait",
            "intake/test_sealing.py::test_at_closing_too_few_stay_uncounted",
            "intake/recordfiles/test_rows.py::test_only_sealed_records_leave",
        ),
    ),
    Promise(
        "opened-stays",
        _("What was opened stays as it was"),
        _("What a survey asks and promises does not change once it is open."),
        (
            "A design does not change after the survey opens, and its hash is checked when it is loaded. "
            "Settings above the limits (a person's epsilon above 5, `least` below 100) need the yes of a "
            "reviewer."
        ),
        (
            "surveys/test_frozen.py::test_the_database_refuses",
            "surveys/test_frozen_on_postgresql.py::test_the_database_refuses",
            "surveys/test_frozen.py::test_the_model_refuses_to_change_what_an_opened_survey_asks",
            "surveys/test_frozen.py::TestBehindTheTriggers::test_every_load_notices",
            "privacy/designs/test_canonical.py::test_everything_a_person_is_promised_changes_the_fingerprint",
            "intake/test_pages.py::test_the_script_gets_the_canonical_design_to_the_last_byte",
            "surveys/test_opening.py::TestWeakSettings::test_do_not_open_without_a_reviewers_yes",
        ),
    ),
    Promise(
        "guarantee",
        _("A guarantee is never better than the truth"),
        _("A stated protection is never better than the true one, checked against all possible answers."),
        (
            "A stated gamma, epsilon or posterior is never better than the brute force over all answers. "
            "Nothing states a guarantee for an open answer, for the direct arm, or for both arms "
            "together: where people are asked directly it is of the disguised arm."
        ),
        (
            "privacy/test_guarantee_promise.py::test_a_sections_figures_are_never_better_than_the_truth",
            "privacy/test_guarantee_promise.py::test_a_persons_figures_are_never_better_than_the_truth",
            "privacy/test_guarantee_promise.py::test_what_is_called_admissible_breaches_under_no_prior",
            "privacy/test_guarantee_gamma.py::test_gamma_is_the_largest_ratio_of_all_answers_and_records",
            "privacy/test_guarantee_gamma.py::test_epsilon_agrees_with_opendps_randomised_response",
            "privacy/test_guarantee_breaches.py::test_below_the_strict_limit_nothing_is_breached_under_any_prior",
            "privacy/test_guarantee_show_if.py::test_gamma_is_an_upper_bound_where_questions_never_show_together",
            "privacy/test_guarantee_decimals.py::test_the_logarithm_is_never_below_the_true_one",
            "privacy/test_guarantee_gamma.py::test_nothing_disguised_makes_no_guarantee",
            "privacy/kinds/place/test_law.py::test_for_a_cell_inside_all_rows_are_within_the_odds",
            "privacy/kinds/place/test_law.py::test_the_stated_gamma_is_the_true_one",
            "privacy/kinds/crosswise/test_law.py::test_gamma_is_the_largest_ratio_of_the_law",
            "privacy/test_audit_studies.py::test_arms_are_said_and_gamma_is_of_the_disguised_arm",
            "surveys/test_arms_guarantee.py::test_the_page_of_a_survey_says_for_whom_it_holds",
            "privacy/kinds/crosswise/test_law.py::test_arms_together_have_no_gamma_since_a_direct_record_rules_answers_out",
        ),
    ),
    Promise(
        "estimates",
        _("Estimates are unbiased and intervals cover"),
        _(
            "Estimates are right on average, and their intervals hold as often as stated, checked in "
            "simulated surveys."
        ),
        (
            "`stratified` estimates are unbiased whoever is open. Above the floors, intervals of "
            "supports, confidence and lift cover, in simulation (`pooled`, `combined`: only if the groups"
            " are alike). So do differences of waves, versions, arms and groups, weighted shares, "
            "corrected shares and the coefficients of models. `docs/coverage.md` has every family of "
            "numbers with its worst cell and its bar. Of the badges of association at most 5 % are false,"
            " and of the intervals in the head of a list, of a filtered list and of a publication at most"
            " 5 % miss, in simulated whole searches. p is uniform or larger under independence."
        ),
        (
            "mining/reconstruction/test_exact_law.py::test_stratified_gives_the_truth_back_whoever_is_open",
            "mining/reconstruction/test_groups.py::test_stratified_is_unbiased",
            "mining/test_coverage.py::test_support_intervals_cover_over_the_whole_range",
            "mining/test_coverage.py::test_confidence_and_lift_cover_over_the_whole_range",
            "mining/test_coverage.py::test_they_cover_under_rotation_and_show_if",
            "mining/test_coverage.py::test_pooled_and_combined_cover_where_the_groups_are_alike",
            "mining/test_coverage.py::test_shares_by_group_cover_and_their_test_keeps_its_level",
            "mining/test_coverage.py::test_few_intervals_of_the_heads_of_lists_miss_and_few_badges_are_wrong",
            "mining/test_coverage.py::test_the_worst_cells_of_differences_keep_their_size",
            "mining/test_coverage.py::test_the_stated_difference_is_found_four_times_out_of_five",
            "bench/test_coverage_page.py::test_no_cell_misses_its_bar",
            "mining/test_coverage.py::test_under_independence_p_is_no_bolder_than_it_says",
            "mining/inference/test_score.py::test_z_is_that_of_the_definition_over_many_tables",
            "mining/engines/test_agreement.py::test_both_engines_agree_on_many_surveys",
        ),
    ),
    Promise(
        "repeatable",
        _("A run can be repeated to the digit"),
        _("The same records and settings give the same results, to the digit."),
        (
            "No merged batch reaches across the last batch of a stored run, so the same records can be "
            "counted again. Records that are read in pieces, or counted by several threads, give the same digits."
        ),
        (
            "runs/test_histogram_cache.py::test_every_run_keeps_its_last_batch_from_being_merged_across",
            "intake/test_merging.py::test_no_group_reaches_across_a_stored_run",
            "intake/test_merging.py::test_a_run_over_the_first_five_finds_them_as_they_were",
            "runs/test_reading.py::test_records_that_are_read_in_pieces_give_the_digits_of_a_run_that_keeps_them",
            "runs/test_reading.py::test_one_thread_and_two_give_the_same_digits",
            "runs/test_stacks.py::test_a_run_whose_worker_is_killed_begins_again_and_finds_the_same_digits",
        ),
    ),
    Promise(
        "nothing-fetched",
        _("Nothing is fetched from elsewhere"),
        _("Pages fetch nothing from other sites, and a respondent’s pages set no cookie."),
        (
            "Pages fetch nothing but from the site itself; the policy starts from `default-src 'none'`. A"
            " respondent's pages set no cookie and get none."
        ),
        (
            "config/test_headers.py::test_every_page_carries_the_headers",
            "config/test_anonymous_wsgi.py::test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline",
            "config/test_anonymous_wsgi.py::test_no_cookie_is_set_on_the_respondents_side",
            "config/test_anonymous_wsgi.py::test_no_path_with_cookies_reaches_a_respondents_page",
            "config/test_anonymous_wsgi.py::test_nothing_that_tells_who_asks_comes_through_to_pages_that_may_not_know",
            "intake/test_pages.py::test_the_policy_is_stricter_than_elsewhere",
            "intake/test_pages.py::test_a_respondents_page_is_kept_nowhere_tells_nobody_and_sets_no_cookie",
            "browser/test_cookies.py::test_a_respondents_page_gets_no_cookie_of_somebody_who_is_signed_in",
            "ui/test_vendored.py::test_the_files_that_are_not_ours_are_those_that_the_table_names",
        ),
    ),
    Promise(
        "publications",
        _("Publications give away no open answer and no small cell"),
        _(
            "From everything that readers are told of a survey, nobody can work out a true answer of "
            "fewer than ten people, or a count of one to nine people with given answers."
        ),
        (
            "From all that readers were ever told of a survey, nobody can work out the open answers of "
            "fewer than ten people, or a count of one to nine people with given plain answers, by any "
            "linear combination (docs/mathematics.md, What leaves). Every list, its order, places, q and "
            "size of family included, is made of what may be told alone: two surveys that differ only in "
            "what may not be told leave the same bytes. Open answers are used once, after the"
            " survey is finished. Only a reviewer without a share in the survey sees unpublished numbers."
        ),
        (
            "mining/disclosure/test_twins.py::test_twins_leave_the_same_bytes",
            "mining/disclosure/test_attack.py::test_no_open_answer_and_no_small_cell_can_be_worked_out",
            "mining/disclosure/test_reproduced.py::test_where_one_alone_answered_openly_nothing_sensitive_is_made_of_it",
            "mining/disclosure/test_reproduced.py::test_of_a_class_of_one_nothing_is_published_in_any_file",
            "mining/disclosure/test_reproduced.py::test_what_is_published_does_not_depend_on_what_one_open_person_said",
            "mining/disclosure/test_reproduced.py::test_two_reports_and_two_files",
            "mining/disclosure/test_attacker.py::test_nine_are_found_and_ten_are_not",
            "mining/disclosure/test_open_people.py::test_with_drawn_sizes_and_joined_spans_none_follows",
            "intake/disclosure/test_ledger.py::test_a_report_that_shows_how_few_chose_no_disguise_waits_for_the_next",
            "mining/rules/test_scores.py::test_open_records_change_nothing_of_what_joins_plain_and_sensitive_items",
            "privacy/records/test_record_files.py::test_a_file_that_leaves_withholds_the_plain_answers_of_open_records",
            "reports/test_publishing.py::test_nothing_of_a_rule_that_was_not_accepted_is_stored_as_published",
            "reports/test_same_verdict.py::test_a_publication_after_which_the_verdict_is_another_refuses_the_next_one",
            "reports/test_access.py::test_what_is_not_published_is_refused",
            "runs/test_unpublished.py::test_no_choice_of_runs_brackets_a_support",
            "surveys/test_permission.py::test_a_reviewer_reviews_no_survey_they_collaborate_on",
            "reports/test_studies_published.py::test_before_the_survey_is_finished_the_arms_are_not_compared",
            "mining/disclosure/test_study.py::test_a_control_item_of_a_few_is_withheld_with_what_is_corrected_by_it",
            "mining/disclosure/test_study.py::test_the_results_of_a_plan_are_withheld_one_by_one",
            "reports/modelling/test_differencing.py::test_one_record_apart_by_a_hidden_covariate_is_refused",
        ),
    ),
    Promise(
        "releases-tell",
        _("A release tells no more than its criteria, beside all that was told"),
        _(
            "An anonymised table keeps its criteria together with everything that readers were told of "
            "the survey before."
        ),
        (
            "What a release of a survey tells together with everything of the survey that readers were "
            "told before (earlier releases, reports, models) keeps the criteria of its specification "
            "(docs/mathematics.md, Joint classes). What does not is refused when it is made, and what "
            "comes later is held beside it. k is at least 10. What is said of a release to readers is a "
            "function of the published file and its specification."
        ),
        (
            "releases/making/test_joint.py::test_a_second_release_that_crosses_the_first_is_refused_with_reason_and_way_out",
            "releases/making/test_joint.py::test_joined_the_classes_of_the_first_stay_together",
            "releases/making/test_joint.py::test_three_that_break_nothing_two_by_two_are_held_beside_each_other_all_at_once",
            "releases/making/test_joint.py::test_a_file_and_a_release_in_either_order_tell_no_open_profile",
            "releases/making/test_joint.py::test_a_release_of_later_batches_beside_an_earlier_table",
            "releases/making/test_joint.py::test_beside_a_published_table_no_cell_is_below_ten",
            "releases/making/test_comparing.py::test_comparisons_of_a_survey_read_no_record",
            "releases/test_uploading.py::test_the_same_table_with_its_columns_in_another_order_is_known",
            "releases/making/test_joint.py::test_a_release_that_was_checked_while_another_was_made_is_noticed",
            "releases/test_survey_tables.py::test_a_specification_that_tells_too_much_or_does_not_fit_is_refused",
            "releases/making/test_downloading.py::test_two_sources_with_one_table_give_the_same_bytes",
            "releases/making/test_downloading.py::test_readers_of_a_survey_see_nothing_of_the_source",
            "releases/making/test_creation.py::test_a_checker_that_disagrees_fails_the_job",
            "releases/making/test_creation.py::test_killed_at_any_step_a_release_is_made_once",
        ),
    ),
    Promise(
        "uploads",
        _("An upload never outlives its day"),
        _(
            "A table that is uploaded to be anonymised is seen by its owner alone, is in no backup, and "
            "is deleted after seven days at the latest."
        ),
        (
            "A table that is uploaded to be anonymised is seen by its owner alone, stored in the database"
            " alone and in no backup, and deleted with the decision on its release, at the latest after "
            "seven days. A register of people that is uploaded to attack a release is seen by nobody, is "
            "in no backup, and is deleted before a worker reads it."
        ),
        (
            "releases/test_permission.py::test_what_people_may_of_a_release_of_an_upload",
            "releases/test_uploading.py::test_after_seven_days_the_tick_deletes_it_and_sweeps_its_bytes",
            "releases/test_uploading.py::test_reading_it_after_its_day_writes_nothing",
            "releases/test_uploading.py::test_of_a_released_upload_no_value_stays",
            "releases/test_uploading.py::test_what_a_backup_did_not_hold_is_gone_after_a_restore",
            "releases/making/test_attacking.py::test_no_name_and_no_cell_of_a_register_stays",
            "releases/making/test_attacking.py::test_the_register_is_deleted_before_it_is_read_so_that_a_killed_worker_leaves_none",
            "releases/making/test_attacking.py::test_the_register_of_a_cancelled_attack_is_deleted_by_the_tick",
            "releases/making/test_deciding.py::test_an_approval_deletes_the_upload_and_stands_in_the_history",
            "releases/making/test_deciding.py::test_a_refusal_deletes_the_upload_and_the_table",
            "config/backup/test_restoring.py::test_who_was_signed_in_is_not_in_the_backup_and_what_lives_now_neither",
        ),
    ),
    Promise(
        "destroyed",
        _("What was destroyed stays destroyed"),
        _("Deleted answers are gone, and a restored backup does not bring them back."),
        (
            "On the retention date, or when its owner destroys it, a survey's answers go, and a restored "
            "backup does not bring them back."
        ),
        (
            "surveys/test_scheduled.py::test_on_its_day_a_survey_is_destroyed_whatever_its_state",
            "surveys/test_lifecycle.py::TestSettling::test_never_puts_destruction_back",
            "intake/test_sealing.py::test_destruction_leaves_no_row_of_what_was_sent",
            "runs/test_histogram_cache.py::test_all_that_was_counted_is_destroyed_with_the_batches",
            "reports/test_publishing.py::test_what_was_found_goes_with_the_survey",
            "releases/making/test_deciding.py::test_destruction_takes_sources_releases_and_tables_approved_or_not",
            "config/backup/test_nothing_revived.py::test_over_the_living_database_nothing_comes_back",
            "config/backup/test_nothing_revived.py::test_without_the_list_a_restore_is_refused_and_may_be_asked_for_without_invitations",
        ),
    ),
    Promise(
        "history",
        _("The history is only added to"),
        _("Who did what, and when, is written once and never changed."),
        ("Who did what, when, to what, is written once and never changed."),
        (
            "accounts/test_history.py::test_no_way_through_the_models_changes_an_act",
            "accounts/test_history.py::test_the_database_itself_refuses",
            "reports/test_publishing.py::test_a_decision_is_never_rewritten",
        ),
    ),
]


def document() -> str:
    return "\n".join([HEAD, *(promise.as_markdown() for promise in PROMISES), "".join(table())])


if __name__ == "__main__":
    DOCUMENT.write_text(document())
