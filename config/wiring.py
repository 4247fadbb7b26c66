"""The one list of hooks: functions that a room calls although it may not import their room (docs/architecture.md,
The layers).

The room that calls has a registry or a signal, and a comment here names this room. Each line puts one function into
it, named with its own room. `config.apps` calls `connect_rooms` once, when all models are loaded. Links, tabs, items
and calls come in the order of these lines.
"""

from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

import accounts.deactivated_account_activities
import accounts.home_page_news
import accounts.lockout
import api.apps
import api.idempotency
import api.webhooks.outbox
import api.webhooks.webhook_http
import builder.protection.summary
import config.backup.apps
import config.backup.irreversible_changes
import config.metrics.capacity_benchmark_result
import config.operator_facts
import deposits.apps
import intake.apps
import intake.batches.automatic_sealing
import intake.batches.sealed_batch_reader
import intake.disclosure.count_and_publish_full_quotas
import intake.disclosure.ledger
import intake.endpoint.people_asked_to_wait
import intake.field_devices.apps
import intake.field_devices.devices
import intake.invitations.researcher_views
import intake.pages.respondent_views
import intake.rehearsal.apps
import intake.rehearsal.true_counts
import intake.rehearsal.views
import jobs.job_queue
import jobs.job_status
import jobs.running_job_heartbeats
import own_tables.experiments
import own_tables.views
import proof.models
import releases.apps
import releases.lifecycle.attack_job
import releases.lifecycle.making_job
import releases.lifecycle.release_decisions
import releases.pages.tabs_and_next_step
import releases.survey_tables
import releases.uploads
import reports.apps
import reports.pages.home_cards
import reports.review.public_page_switch
import reports.review.report_links_for_runs
import reports.review.report_state_changes
import reports.sentences.draft_sentence_preview
import runs.apps
import runs.copied_record_detection
import runs.mlxtend_check
import runs.regression_job
import runs.result_storage
import runs.run_start
import surveys.apps
import surveys.home_cards
import surveys.lifecycle.due_surveys
import surveys.lifecycle.survey_people
from accounts.credentials import all_ended
from accounts.deactivated_account_activities import register_activity_source
from accounts.history_texts import register_action_texts
from accounts.second_factor.factors import register_reviewer_test
from builder.pages.preview import register_respondents_page
from intake.batches.automatic_sealing import everything_deleted
from intake.batches.sealed_batch_reader import register_merge_boundaries
from intake.batches.sealing import batch_sealed, invitations_spent
from intake.hosted.frozen_page import register_fetch
from intake.pages.last_prove_result import register_last_proof_reader
from intake.rehearsal.respondent_simulation import tried_out
from jobs.job_queue import register_celery_task
from jobs.job_status import register_background_page_fact
from jobs.tick import Function, register_periodic_function
from releases.lifecycle.release_decisions import release_approved
from reports.review.report_state_changes import report_published
from runs.result_reading_permissions import register_report_functions
from runs.row_check import engines_disagreed
from runs.run_job import run_finished
from surveys import tabs_and_warnings
from surveys.home_cards import register_findings_getter
from surveys.lifecycle.next_step import register_report_steps
from surveys.lifecycle.opening import register_draft_warnings, survey_opened
from surveys.lifecycle.quota_states import register_full_quota_finder
from surveys.lifecycle.record_counts import register_counters
from surveys.lifecycle.state_changes import survey_closed, survey_destroyed, survey_finishing
from surveys.questionnaire.report_sentence_proposals import register_report_line
from surveys.tabs_and_warnings import register_tab, register_warnings
from ui import navigation
from ui.admin_site import register_operator_facts
from ui.home_page_items import acts_shown_as_findings, register_cards, register_news, register_waiting
from ui.navigation import register_entry

if TYPE_CHECKING:
    from celery import Task

MINUTE, HOUR, EACH_TICK = timedelta(minutes=1), timedelta(hours=1), timedelta(0)
PERIODIC_FUNCTIONS: tuple[tuple[str, Function, timedelta], ...] = (
    ("accounts.forget_lapsed", accounts.lockout.delete_expired_counts_and_sessions, 10 * MINUTE),
    ("jobs.reap", jobs.running_job_heartbeats.requeue_or_fail_dead_jobs, EACH_TICK),
    ("jobs.job_queue", jobs.job_queue.wake_free_processes, EACH_TICK),
    ("jobs.forget", jobs.running_job_heartbeats.delete_old_workers_and_trials, 10 * MINUTE),
    ("surveys.open", surveys.lifecycle.due_surveys.open_due_surveys, EACH_TICK),
    ("surveys.close", surveys.lifecycle.due_surveys.close_due_or_full_surveys, EACH_TICK),
    ("surveys.destroy", surveys.lifecycle.due_surveys.destroy_due_surveys, EACH_TICK),
    ("surveys.people", surveys.lifecycle.survey_people.delete_lapsed_invitations, HOUR),
    ("surveys.logos", surveys.lifecycle.due_surveys.delete_unused_logos, HOUR),
    ("intake", intake.batches.automatic_sealing.on_tick, EACH_TICK),
    ("copies", runs.copied_record_detection.find_copies_in_new_batches, runs.copied_record_detection.EVERY),
    ("models", runs.regression_job.store_models_of_failed_jobs, MINUTE),
    ("reports", reports.review.report_state_changes.create_reviews_of_finished_runs, EACH_TICK),
    ("releases.uploads", releases.uploads.delete_expired_uploads, MINUTE),
    ("releases.registers", releases.lifecycle.attack_job.delete_unused_attacker_files, EACH_TICK),
    ("releases.makings", releases.lifecycle.making_job.end_failed_makings, EACH_TICK),
    ("webhooks", api.webhooks.outbox.on_tick, EACH_TICK),
    ("api.replies", api.idempotency.delete_old_replies, HOUR),
    ("webhooks.forget", api.webhooks.outbox.delete_old_events, HOUR),
    ("own_tables.delete", own_tables.experiments.delete_expired_tables, MINUTE),
    ("backup", config.backup.irreversible_changes.on_tick, EACH_TICK),
)
"""What the tick calls, and how often at most."""


def connect_rooms() -> None:
    """Fills every registry, and connects every signal."""
    link_pages()
    fill_pages()
    answer_lower_rooms()
    connect_signals()
    for name, function, every in PERIODIC_FUNCTIONS:
        register_periodic_function(name, function, every)


def link_pages() -> None:
    # ui: the links in the head of every page
    register_entry(_("How it works"), "ui:method", navigation.is_visitor)
    register_entry(_("Limits"), "ui:limits", navigation.is_visitor)
    register_entry(_("Surveys"), "surveys:index", navigation.is_signed_in)
    register_entry(_("Approvals"), "surveys:queue", navigation.is_reviewer)
    register_entry(_("Reports"), "reports:index", navigation.is_signed_in, also="/app/admin/reports/review/")
    register_entry(_("Releases"), "releases:index", navigation.is_signed_in)
    register_entry(_("Jobs"), "jobs:background", navigation.is_staff)
    register_entry(_("Administration"), "admin:index", navigation.is_staff)

    # surveys: the tabs of a survey's pages, each with the test whether a person sees it
    may_invite = intake.invitations.researcher_views.may_invite
    may_rehearse = intake.rehearsal.views.may_simulate_respondents
    register_tab("overview", _("Overview"), "surveys:survey")
    register_tab("edit", _("Edit"), "builder:edit", tabs_and_warnings.may_edit_draft)
    register_tab("preview", _("Preview"), "builder:preview")
    register_tab("invitations", _("Invitations"), "invitations:invitations", may_invite)
    register_tab("rehearse", _("Rehearse"), "rehearsal:rehearse", may_rehearse)
    register_tab("runs", _("Runs"), "runs:runs", tabs_and_warnings.can_have_records)
    register_tab("records", _("Record files"), "recordfiles:records", tabs_and_warnings.can_have_records)
    register_tab("settings", _("Settings"), "surveys:settings", tabs_and_warnings.may_see_settings)
    register_tab("releases", _("Releases"), "releases:of_survey", tabs_and_warnings.can_have_records)
    register_tab("people", _("People"), "surveys:people")
    register_tab("history", _("Activity log"), "surveys:history")


def fill_pages() -> None:
    # ui: the home page
    register_waiting(accounts.home_page_news.propose_more_accounts)
    register_waiting(accounts.deactivated_account_activities.accounts_with_undecided_activities)
    register_waiting(surveys.home_cards.waiting_approval_items)
    register_waiting(surveys.home_cards.waiting_invitation_items)
    register_waiting(surveys.lifecycle.survey_people.proposed_reviewer_items)
    register_waiting(reports.pages.home_cards.reports_to_review)
    register_waiting(releases.pages.tabs_and_next_step.waiting_reviews)
    register_cards(surveys.home_cards.newest_survey_cards)
    register_news(accounts.home_page_news.recent_news)
    register_news(reports.pages.home_cards.report_news)
    acts_shown_as_findings.add("reports.published")

    # surveys: a survey's card, its next step and its warnings
    register_findings_getter(reports.pages.home_cards.published_findings)
    register_report_steps(reports.pages.home_cards.next_report_steps)
    register_warnings(runs.copied_record_detection.copied_record_warnings)

    # jobs: the page of background work
    register_background_page_fact(config.metrics.capacity_benchmark_result.capacity_fact)
    register_background_page_fact(runs.copied_record_detection.surveys_with_copies_fact)
    register_background_page_fact(runs.mlxtend_check.disagreements_fact)
    register_operator_facts(config.operator_facts.operator_facts)

    # accounts: the activity log
    register_action_texts(surveys.apps.ACTION_TEXTS)
    register_action_texts(intake.apps.ACTION_TEXTS)
    register_action_texts(intake.field_devices.apps.ACTION_TEXTS)
    register_action_texts(intake.rehearsal.apps.ACTION_TEXTS)
    register_action_texts(runs.apps.ACTION_TEXTS)
    register_action_texts(reports.apps.ACTION_TEXTS)
    register_action_texts(releases.apps.ACTION_TEXTS)
    register_action_texts(api.apps.ACTION_TEXTS)
    register_action_texts(deposits.apps.ACTION_TEXTS)
    register_action_texts(config.backup.apps.ACTION_TEXTS)


def answer_lower_rooms() -> None:
    # accounts: what goes on after an account was switched off, and who reviews without the role
    register_activity_source(jobs.job_status.researchers_cancellable_jobs)
    register_activity_source(surveys.lifecycle.due_surveys.active_surveys_of_switched_off_account)
    register_activity_source(reports.review.public_page_switch.open_pages_of_owner)
    register_reviewer_test(surveys.lifecycle.survey_people.may_review_without_role)

    # jobs: the task that does waiting jobs
    register_celery_task(celery_task)

    # surveys: how many records there are, how many people wait, and which quotas are full
    count_records = intake.batches.sealed_batch_reader.count_records
    register_counters(count_records, intake.endpoint.people_asked_to_wait.total_wait_counts)
    register_full_quota_finder(intake.disclosure.count_and_publish_full_quotas.full_quotas_by_survey)

    register_draft_warnings(builder.protection.summary.opening_warnings)

    # builder: a draft as respondents see it; and surveys: the line that its report would have of a question
    register_respondents_page(intake.pages.respondent_views.preview)
    register_report_line(reports.sentences.draft_sentence_preview.line_of_report)

    # intake: batches across which none are merged, and the last proof of a survey
    register_merge_boundaries(intake.disclosure.ledger.last_batches_of_disclosures)
    register_merge_boundaries(runs.result_storage.last_batches_of_runs)
    register_merge_boundaries(runs.copied_record_detection.merge_barriers_of_untested_batches)
    register_merge_boundaries(releases.survey_tables.last_batches_of_releases)
    register_last_proof_reader(proof.models.last_proof)
    register_fetch(api.webhooks.webhook_http.fetch_page)

    # runs: what is published of a run
    register_report_functions(reports.review.report_links_for_runs)


def connect_signals() -> None:
    # accounts
    all_ended.connect(api.webhooks.outbox.on_credentials_ended)

    # surveys
    survey_opened.connect(intake.hosted.frozen_page.store_page_for_tool)
    survey_closed.connect(intake.batches.automatic_sealing.on_closing)
    survey_closed.connect(api.webhooks.outbox.on_survey_closed)
    survey_finishing.connect(intake.batches.automatic_sealing.expire_keys_on_finishing)
    survey_finishing.connect(intake.disclosure.ledger.select_open_records_on_finishing)
    survey_finishing.connect(intake.field_devices.devices.on_finishing)
    survey_destroyed.connect(intake.batches.automatic_sealing.on_destruction)
    survey_destroyed.connect(intake.disclosure.ledger.on_destruction)
    survey_destroyed.connect(runs.result_storage.delete_runs)
    survey_destroyed.connect(reports.review.report_state_changes.schedule_report_overwriting)
    survey_destroyed.connect(releases.lifecycle.release_decisions.delete_releases)
    survey_destroyed.connect(config.backup.irreversible_changes.on_destruction)

    # intake
    everything_deleted.connect(intake.field_devices.devices.on_everything_deleted)
    everything_deleted.connect(intake.rehearsal.true_counts.delete_true_counts)
    batch_sealed.connect(intake.disclosure.count_and_publish_full_quotas.on_batch_sealed)
    invitations_spent.connect(config.backup.irreversible_changes.on_sealing)
    tried_out.connect(runs.run_start.start_first_rehearsal_run)

    # runs, reports, releases
    engines_disagreed.connect(reports.review.report_state_changes.email_owner_of_disputed_report)
    run_finished.connect(api.webhooks.outbox.on_run_finished)
    report_published.connect(api.webhooks.outbox.on_report_published)
    release_approved.connect(api.webhooks.outbox.on_release_approved)


def celery_task() -> "Task[[], None]":
    """Returns the Celery task that does waiting jobs; imports Celery only when called."""
    from config.celery import perform_waiting_jobs  # late for cost

    return perform_waiting_jobs
