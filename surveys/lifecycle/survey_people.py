"""The people of a survey: collaborators who work on it, reviewers, and the emailed invitations to become one
of these.

An owner must not learn whether an address has an account here. So every address gets the same email, and
nobody is added before they accept. Following the emailed link proves that the mailbox is theirs; somebody
without an account makes one there, without a role.
"""

import secrets
import unicodedata
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import mail, password_links, site_address
from accounts.activity_log import log_activity
from accounts.models import REVIEWERS, History, Person
from accounts.password_guess_limits import SharedTries, hash_for_cache
from surveys.models import Collaborator, NamedReviewer, PeopleInvitation, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.home_page_items import TodoItem

if TYPE_CHECKING:
    from django.db.models import QuerySet

InvitedRole = PeopleInvitation.InvitedRole
LAPSES = timedelta(days=14)
MOST_WAITING, MOST_A_DAY = 50, 100
"""Highest numbers of pending invitations of a survey, and of emails that a person sends a day, so that nobody
can flood mailboxes."""
SECONDS_BETWEEN_LETTERS = 600
"""Least seconds between two emails of one person to the same mailbox."""
ACTIONS = {
    InvitedRole.VIEWER: "surveys.people-invited",
    InvitedRole.EDITOR: "surveys.people-invited",
    InvitedRole.REVIEWER: "surveys.reviewer-proposed",
}


def invite_by_email(
    survey: Survey, person: Person, address: str, role: InvitedRole, now: datetime
) -> PeopleInvitation:
    """Sends an invitation to work on the survey or to review it, the same whether or not the address has an account."""
    address = address.lower()
    token = secrets.token_urlsafe(16)
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        if why := _invitation_obstacle(locked, person, address, role, now):
            raise NotAllowed(why)
        # Most servers deliver an address to the same mailbox whatever follows a plus sign.
        local, _at, domain = unicodedata.normalize("NFKC", address).rpartition("@")
        mailbox = f"{local.partition('+')[0] or local}@{domain}"
        key = hash_for_cache(f"people {person.pk} {mailbox}")
        tries = SharedTries([key], SECONDS_BETWEEN_LETTERS)
        if not tries.use_try(now.timestamp()):
            raise NotAllowed(
                _("A letter went to %(address)s in the last ten minutes. Try again later.")
                % {"address": address}
            )
        invitation = PeopleInvitation.objects.create(
            survey=locked, address=address, part=role, by=person, when=now, token=token_digest(token)
        )
        log_activity(person, ACTIONS[role], survey, note=str(role.label), when=now)
        transaction.on_commit(partial(_send_invitation_email, invitation, token))
    return invitation


def _invitation_obstacle(
    survey: Survey, person: Person, address: str, role: InvitedRole, now: datetime
) -> str:
    """Returns the reason why this address cannot be invited, using only what the owner knows; empty if it can."""
    values = {"address": address}
    is_review = role == InvitedRole.REVIEWER
    if survey.state == Survey.State.DESTROYED:
        return _("This survey has been deleted. You cannot change it.")
    if address == person.email.lower():
        if not is_review:
            return _("This is your own address, and you own the survey.")
        if settings.ONE_PERSON_DOES_BOTH:
            return _("You may review this survey already: on this site one person may do both.")
        return _(
            "You own this survey, and nobody reviews their own. Propose somebody else. If you work alone, the operator "
            "of this site can set ONE_PERSON_DOES_BOTH."
        )
    if survey.people_invitations.filter(address=address).exists():
        return (
            _("%(address)s is invited already. Wait for the answer, or remove that invitation first.")
            % values
        )
    if survey.collaborators.filter(address=address).exists():
        if is_review:
            return (
                _("%(address)s works on this survey, and so never reviews it. Propose somebody else.")
                % values
            )
        return _("%(address)s is already a collaborator. Change what they may do in the list.") % values
    if is_review and survey.named_reviewers.filter(address=address).exists():
        return _("%(address)s has accepted to review this survey already.") % values
    if survey.people_invitations.count() >= MOST_WAITING:
        return _("%(most)s invitations of this survey wait for an answer. Remove some first.") % {
            "most": MOST_WAITING
        }
    sent = History.objects.filter(who=person, what__in=ACTIONS.values(), when__gt=now - timedelta(days=1))
    if sent.count() >= MOST_A_DAY:
        return _("You sent %(most)s invitations within a day. Send the others tomorrow.") % {
            "most": MOST_A_DAY
        }
    return ""


def _send_invitation_email(invitation: PeopleInvitation, token: str) -> None:
    """Emails an invitation with a link that contains `token`."""
    account = Person.objects.filter(email__iexact=invitation.address).first()
    context = {
        "who": invitation.by,
        "survey": str(invitation.survey),
        "part": invitation.part,
        "link": site_address.site_url(reverse("surveys:invitation-link", args=[token])),
        "site": site_address.site_host(),
        "days": LAPSES.days,
    }
    language = account.language if account else ""
    mail.send_in_background(
        mail.compose_from_template("surveys/mail/invited.txt", language, invitation.address, context)
    )


def token_digest(token: str) -> str:
    """Returns the SHA-256 of a link's secret, under which the invitation is stored."""
    return sha256(token.encode()).hexdigest()


def pending_invitations(now: datetime) -> "QuerySet[PeopleInvitation]":
    """Returns the invitations that can still be accepted."""
    live = PeopleInvitation.objects.filter(when__gt=now - LAPSES, by__is_active=True)
    return live.exclude(survey__state=Survey.State.DESTROYED).select_related("survey", "by")


def find_invitation_by_token(token: str, now: datetime) -> PeopleInvitation | None:
    return pending_invitations(now).filter(token=token_digest(token)).first()


def accept_invitation(invitation: PeopleInvitation, person: Person, now: datetime) -> None:
    """Makes the invited person a collaborator or a proposed reviewer.

    Raises NotAllowed if the invitation is no longer valid, or if the account is inactive or has another address.
    """
    survey = invitation.survey
    with transaction.atomic():
        # One at a time: nobody becomes a reviewer while they become a collaborator.
        Survey.objects.get_locked(survey.pk)
        row = pending_invitations(now).filter(pk=invitation.pk).first()
        account = Person.objects.filter(pk=person.pk, is_active=True).first()
        if row is None or account is None or account.email.lower() != row.address:
            raise NotAllowed(_invalid_invitation_text())
        if row.part == InvitedRole.REVIEWER:
            if survey.involvements.filter(person=account).exists():
                raise NotAllowed(_("Nobody reviews a survey that they own, work on or have worked on."))
            NamedReviewer.objects.get_or_create(
                survey=survey, person=account, defaults={"address": row.address, "when": now}
            )
            log_activity(account, "surveys.reviewer-accepted", survey, when=now)
        else:
            if account.pk == survey.owner_id:
                raise NotAllowed(_("You own this survey."))
            defaults = {"address": row.address, "may_edit": row.part == InvitedRole.EDITOR}
            Collaborator.objects.get_or_create(survey=survey, person=account, defaults=defaults)
            log_activity(
                account, "surveys.collaborator-joined", survey, note=str(row.get_part_display()), when=now
            )
        if not row.delete()[0]:
            raise NotAllowed(_invalid_invitation_text())  # taken back since it was read
        transaction.on_commit(partial(_notify_inviter, row, account))


def _invalid_invitation_text() -> str:
    """Returns the message for an invitation that is no longer valid."""
    return _("This invitation is over, or for another address. Ask for another one.")


def accept_with_new_account(invitation: PeopleInvitation, username: str, name: str, now: datetime) -> str:
    """Creates an account without a role for the invited address, and accepts the invitation with it.

    Returns the link that sets the password. The caller must have checked that the person followed the emailed
    link, and so owns the mailbox.
    """
    try:
        with transaction.atomic():
            account = Person(username=username, name=name, email=invitation.address)
            account.set_unusable_password()
            account.save()
            log_activity(account, "accounts.created-by-invitation", account, when=now)
            accept_invitation(invitation, account, now)
    except IntegrityError:
        raise NotAllowed(_("Somebody made this account at the same moment. Sign in with it.")) from None
    return password_links.path_to_set_password("accounts:invitation", account, password_links.invitations)


def _notify_inviter(invitation: PeopleInvitation, account: Person) -> None:
    """Emails the person who sent the invitation that it was accepted."""
    owner, survey = invitation.by, invitation.survey
    if owner.is_active and owner.email:
        context = {
            "person": owner,
            "who": account,
            "survey": str(survey),
            "part": invitation.part,
            "link": site_address.site_url(reverse("surveys:people", args=[survey.pk])),
        }
        mail.send_in_background(
            mail.compose_from_template("surveys/mail/accepted.txt", owner.language, owner.email, context)
        )


def decline_invitation(invitation: PeopleInvitation, person: Person, now: datetime) -> None:
    _delete_invitation(invitation, person, "surveys.invitation-declined", now)


def remove_invitation(invitation: PeopleInvitation, person: Person, now: datetime) -> None:
    _delete_invitation(invitation, person, "surveys.invitation-removed", now)


def _delete_invitation(invitation: PeopleInvitation, person: Person, action: str, now: datetime) -> None:
    with transaction.atomic():
        if PeopleInvitation.objects.filter(pk=invitation.pk).delete()[0]:
            note = str(invitation.get_part_display())
            log_activity(person, action, invitation.survey, note=note, when=now)


def remove_named_reviewer(reviewer: NamedReviewer, person: Person, now: datetime) -> None:
    """Removes a reviewer whom the owner proposed and who accepted; the reviewer's decisions remain."""
    note = reviewer.person.name_with_username
    with transaction.atomic():
        if NamedReviewer.objects.filter(pk=reviewer.pk).delete()[0]:
            log_activity(person, "surveys.reviewer-removed", reviewer.survey, note=note, when=now)


def delete_lapsed_invitations(now: datetime) -> None:
    """Deletes invitations, and the addresses in them, that nobody accepted in time."""
    PeopleInvitation.objects.filter(when__lte=now - LAPSES).delete()


def may_review_without_role(person: Person) -> bool:
    """True if the site's settings let this person review some survey without the role: as its owner, or as the owner's
    choice."""
    named = settings.OWNERS_NAME_REVIEWERS and NamedReviewer.objects.filter(person=person).exists()
    both = settings.ONE_PERSON_DOES_BOTH and Survey.objects.filter(owner=person).exists()
    return bool(named or both)


def add_collaborator(
    survey: Survey, person: Person, newcomer: Person, *, may_edit: bool, now: datetime
) -> None:
    if newcomer.pk == survey.owner_id:
        raise NotAllowed(_("%(person)s owns this survey.") % {"person": newcomer})
    if survey.state == Survey.State.DESTROYED:
        raise NotAllowed(_("This survey has been deleted. You cannot change it."))
    with transaction.atomic():
        _row, is_new = Collaborator.objects.get_or_create(
            survey=survey, person=newcomer, defaults={"may_edit": may_edit}
        )
        if not is_new:
            raise NotAllowed(_("%(person)s is already a collaborator.") % {"person": newcomer})
        log_activity(person, "surveys.collaborator-added", survey, note=newcomer.name_with_username, when=now)


def remove_collaborator(survey: Survey, person: Person, collaborator: Collaborator, now: datetime) -> None:
    note = collaborator.person.name_with_username
    with transaction.atomic():
        if Collaborator.objects.filter(pk=collaborator.pk, survey=survey).delete()[0]:
            log_activity(person, "surveys.collaborator-removed", survey, note=note, when=now)


def set_collaborator_may_edit(
    survey: Survey, person: Person, collaborator: Collaborator, may_edit: bool, now: datetime
) -> None:
    rows = Collaborator.objects.filter(pk=collaborator.pk, survey=survey).exclude(may_edit=may_edit)
    note = collaborator.person.name_with_username
    with transaction.atomic():
        if rows.update(may_edit=may_edit):
            log_activity(person, "surveys.collaborator-changed", survey, note=note, when=now)


# --- the home page


def pending_invitations_to_account(person: Person, now: datetime) -> "QuerySet[PeopleInvitation]":
    """Returns the invitations to the confirmed email address of this account, for the home page."""
    return (
        pending_invitations(now).filter(address=person.email.lower())
        if person.email
        else PeopleInvitation.objects.none()
    )


def proposed_reviewer_items(administrator: Person) -> Iterator[TodoItem]:
    """Yields to-do items for an administrator's home page: proposed reviewers who accepted but lack the
    reviewer role."""
    if not administrator.is_superuser or settings.OWNERS_NAME_REVIEWERS:
        return
    rows = NamedReviewer.objects.filter(person__is_active=True).exclude(person__groups__name=REVIEWERS)
    for row in rows.exclude(survey__state=Survey.State.DESTROYED).select_related("survey__owner", "person"):
        if row.survey.has_ever_involved(row.person):
            continue
        values = {"owner": row.survey.owner, "person": row.person, "survey": row.survey}
        detail = _(
            "%(owner)s proposes %(person)s for “%(survey)s”. The role of a reviewer is for all surveys that they do "
            "not work on."
        )
        url = reverse("surveys:people", args=[row.survey_id])
        yield TodoItem(_("A proposed reviewer without the role"), detail % values, url, _("Decide"))
