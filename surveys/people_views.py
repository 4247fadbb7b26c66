"""Views of the people of a survey: collaborators and reviewers, invitations by email, and the page that an invitation
links to.
"""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted
from accounts.providers import sign_in_links
from surveys.lifecycle import survey_people
from surveys.models import PeopleInvitation, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, posting
from ui.errors import problem_page

InvitedRole = PeopleInvitation.InvitedRole


def clean_email_address(text: str) -> str:
    """Returns a valid email address in lower case; refuses an invalid one."""
    try:
        validate_email(text)
    except ValidationError:
        raise ValidationError(
            _("This is no email address. Write it whole, such as name@example.org.")
        ) from None
    return text.lower()


class CollaboratorForm(forms.Form):
    """Form that adds a collaborator: an email address is invited, a username (text without @) is added at once."""

    who = forms.CharField(
        label=gettext_lazy("Email address or username"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    may_edit = forms.BooleanField(
        label=gettext_lazy("May edit the draft, invite and start runs"), required=False
    )

    def clean_who(self) -> str | Person:
        who: str = self.cleaned_data["who"].strip()
        if "@" in who:
            return clean_email_address(who)
        person = Person.objects.filter(is_active=True, username=who).first()
        if person is None:
            raise ValidationError(
                _("There is no account with this username. Write the person’s email address instead.")
            )
        return person


class ReviewerForm(forms.Form):
    """Form that proposes a reviewer by email address."""

    reviewer = forms.CharField(
        label=gettext_lazy("Email address of the reviewer"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def clean_reviewer(self) -> str:
        """Returns the reviewer's address in lower case; whether this person may review is checked later."""
        return clean_email_address(self.cleaned_data["reviewer"].strip())


@form_page
def survey_people_page(request: PersonRequest, pk: int) -> HttpResponse:
    """Shows the people of a survey; a POST adds or invites a collaborator, or proposes a reviewer."""
    writing = request.method == "POST"
    survey = get_permitted(Survey.objects, request.user, pk, "collaborators" if writing else "see")
    is_proposal = "reviewer" in request.POST
    form = CollaboratorForm(request.POST if writing and not is_proposal else None)
    proposal = ReviewerForm(request.POST if is_proposal else None)
    if writing:
        try:
            if is_proposal:
                success = _propose_reviewer(request, survey, proposal)
            else:
                success = _add_or_invite_collaborator(request, survey, form)
            if success:
                messages.success(request, success)
                return redirect("surveys:people", survey.pk)
        except NotAllowed as refused:
            if survey.state == Survey.State.DESTROYED:
                # Its page has no form any more that could say it.
                messages.error(request, str(refused))
                return redirect("surveys:people", survey.pk)
            sent, field = (proposal, "reviewer") if is_proposal else (form, "who")
            sent.add_error(field, str(refused))
    return render(request, "surveys/people.html", _people_context(request, survey, form, proposal))


def _add_or_invite_collaborator(request: PersonRequest, survey: Survey, form: CollaboratorForm) -> str:
    """Adds a collaborator or sends an invitation; returns the success message, empty if the form is invalid."""
    if not form.is_valid():
        return ""
    who, may_edit, now = form.cleaned_data["who"], form.cleaned_data["may_edit"], timezone.now()
    if isinstance(who, Person):
        if survey.review_basis(who) and who.pk != survey.owner_id:
            # Nobody loses the right to review a survey without their own yes.
            raise NotAllowed(
                _(
                    "%(person)s may review this survey, and nobody who works on it does. Invite them by email address, "
                    "so that they choose."
                )
                % {"person": who}
            )
        survey_people.add_collaborator(survey, request.user, who, may_edit=may_edit, now=now)
        return _("%(person)s is now a collaborator.") % {"person": who}
    survey_people.invite_by_email(
        survey, request.user, who, InvitedRole.EDITOR if may_edit else InvitedRole.VIEWER, now
    )
    return _invitation_sent_message(who)


def _propose_reviewer(request: PersonRequest, survey: Survey, form: ReviewerForm) -> str:
    """Sends an invitation to review the survey; returns the success message, empty if the form is invalid."""
    if not form.is_valid():
        return ""
    address = form.cleaned_data["reviewer"]
    survey_people.invite_by_email(survey, request.user, address, InvitedRole.REVIEWER, timezone.now())
    return _invitation_sent_message(address)


def _invitation_sent_message(address: str) -> str:
    words = _(
        "An invitation was sent to %(address)s. It waits in the list until it is accepted or declined, at most "
        "%(days)s days."
    )
    return words % {"address": address, "days": survey_people.LAPSES.days}


def _people_context(
    request: PersonRequest, survey: Survey, form: CollaboratorForm, proposal: ReviewerForm
) -> dict[str, Any]:
    is_there = survey.state != Survey.State.DESTROYED
    may_change = survey.may(request.user, "collaborators") and is_there
    reviewers = survey.named_reviewers.select_related("person").order_by("person__username")

    def waits_for_role(person: Person) -> bool:
        """True if this proposed reviewer may review the survey once an administrator gives the role."""
        is_barred = survey.has_ever_involved(person) or not person.is_active
        return not (settings.OWNERS_NAME_REVIEWERS or is_barred or survey.review_basis(person))

    return {
        "survey": survey,
        "form": form,
        "proposal": proposal,
        "collaborators": survey.collaborators.select_related("person").order_by("person__username"),
        "reviewers": [
            (row, survey.review_basis(row.person), waits_for_role(row.person)) for row in reviewers
        ],
        "invitations": survey.people_invitations.order_by("address") if may_change else (),
        "lapses": survey_people.LAPSES.days,
        "may_change": may_change,
        "may_remove_reviewers": survey.may(request.user, "proposals") and is_there,
        "owners_name_reviewers": settings.OWNERS_NAME_REVIEWERS,
        "one_person_does_both": settings.ONE_PERSON_DOES_BOTH,
    }


@posting
def change_collaborator(request: PersonRequest, pk: int, person: int) -> HttpResponse:
    """Changes the role of a collaborator, or removes them."""
    survey = get_permitted(Survey.objects, request.user, pk, "collaborators")
    row = survey.collaborators.filter(person=person).select_related("person").first()
    if row is None:
        raise Http404
    if "remove" in request.POST:
        survey_people.remove_collaborator(survey, request.user, row, timezone.now())
        messages.success(request, _("%(person)s is no longer a collaborator.") % {"person": row.person})
    else:
        may_edit = request.POST.get("may_edit") == "yes"
        survey_people.set_collaborator_may_edit(survey, request.user, row, may_edit, timezone.now())
        messages.success(request, _("Saved."))
    return redirect("surveys:people", survey.pk)


@posting
def remove_invitation(request: PersonRequest, pk: int, invitation: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "collaborators")
    row = survey.people_invitations.filter(pk=invitation).first()
    if row is None:
        raise Http404
    survey_people.remove_invitation(row, request.user, timezone.now())
    messages.success(
        request,
        _("The invitation of %(address)s is removed. Its link no longer works.") % {"address": row.address},
    )
    return redirect("surveys:people", survey.pk)


@posting
def remove_reviewer(request: PersonRequest, pk: int, person: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "proposals")
    row = survey.named_reviewers.filter(person=person).select_related("person").first()
    if row is None:
        raise Http404
    survey_people.remove_named_reviewer(row, request.user, timezone.now())
    messages.success(request, _("%(person)s is no longer proposed as a reviewer.") % {"person": row.person})
    return redirect("surveys:people", survey.pk)


# --- the link of an invitation


class InvitedAccountForm(forms.ModelForm):  # type: ignore[type-arg]
    """Form for the username and the name of a new account, made by somebody who was invited."""

    class Meta:
        model = Person
        fields = ("username", "name")
        widgets = {
            "username": forms.TextInput(attrs={"autocomplete": "username", "spellcheck": "false"}),
            "name": forms.TextInput(attrs={"autocomplete": "name"}),
        }

    def clean_username(self) -> str:
        """Refuses an email address that is not the invited one before looking it up, since the result would
        reveal whether it has an account."""
        username: str = self.cleaned_data["username"]
        if "@" in username and username.lower() != self.instance.email:
            raise ValidationError(
                _(
                    "With an @ only the address that the letter went to can be the username. Or write one without @."
                )
            )
        return username


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_page(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the page that an emailed invitation links to, also to people without an account.

    The invited account's owner accepts or declines; others create an account or sign in.
    """
    invitation = survey_people.find_invitation_by_token(token, timezone.now())
    if invitation is None:
        return problem_page(
            request,
            404,
            _("This invitation is over"),
            _(
                "It was answered or taken back, it is more than two weeks old, the survey was deleted, or the account "
                "that sent it was switched off. Ask for another one."
            ),
        )
    account = Person.objects.filter(email__iexact=invitation.address).first()
    if request.user.is_authenticated:
        return _invitation_answer_page(
            request, invitation, is_theirs=account is not None and account.pk == request.user.pk
        )
    if account is None:
        return _invited_account_page(request, invitation)
    if not account.is_active:
        return problem_page(
            request,
            403,
            _("Your account is switched off"),
            _("The invitation is for an account that was switched off. Ask an administrator of this site."),
        )
    return redirect(f"{reverse('accounts:sign-in')}?{urlencode({'next': request.path})}")


@form_page
def invitation_page_for_account(request: PersonRequest, pk: int) -> HttpResponse:
    """Shows a signed-in person an invitation to their account's address, linked from the home page."""
    invitation = (
        survey_people.pending_invitations_to_account(request.user, timezone.now()).filter(pk=pk).first()
    )
    if invitation is None:
        raise Http404
    return _invitation_answer_page(request, invitation, is_theirs=True)


def _invitation_answer_page(request: Any, invitation: PeopleInvitation, *, is_theirs: bool) -> HttpResponse:
    """Shows the invitation to a signed-in person; a POST accepts or declines it.

    `is_theirs`: this is the invited person, who alone may answer.
    """
    survey, now = invitation.survey, timezone.now()
    needs_role = not (settings.OWNERS_NAME_REVIEWERS or request.user.is_reviewer)
    context: dict[str, Any] = {"invitation": invitation, "is_theirs": is_theirs, "needs_role": needs_role}
    if request.method == "POST" and is_theirs:
        if "decline" in request.POST:
            survey_people.decline_invitation(invitation, request.user, now)
            messages.success(request, _("You declined the invitation."))
            return redirect("ui:signed-in-home")
        try:
            survey_people.accept_invitation(invitation, request.user, now)
        except NotAllowed as refused:
            context["refusal"] = str(refused)
        else:
            messages.success(request, _("You accepted the invitation."))
            may_see = Survey.objects.visible_to(request.user).filter(pk=survey.pk).exists()
            return redirect(survey) if may_see else redirect("ui:signed-in-home")
    return render(request, "surveys/invited.html", context)


def _invited_account_page(request: HttpRequest, invitation: PeopleInvitation) -> HttpResponse:
    """Shows the form for a new account; a POST creates it, accepts, and redirects to the page that sets its password.

    Where passwords are switched off, the page links to the sign-in providers instead.
    """
    form = InvitedAccountForm(
        request.POST if request.method == "POST" else None,
        initial={"username": invitation.address},
        instance=Person(email=invitation.address),
    )
    by_password = settings.PASSWORD_SIGN_IN
    if request.method == "POST" and by_password and form.is_valid():
        given = form.cleaned_data
        try:
            link = survey_people.accept_with_new_account(
                invitation, given["username"], given["name"], timezone.now()
            )
            return redirect(link)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    context = {
        "invitation": invitation,
        "form": form if by_password else None,
        "needs_role": not settings.OWNERS_NAME_REVIEWERS,
        "providers": sign_in_links.provider_links(request, request.path),
    }
    return render(request, "surveys/invited.html", context)
