"""Reads the SAML responses of a provider, and gives them the form of OpenID claims.

Only signed assertions that answer our requests are accepted. python3-saml is loaded when a response is read, never at
the start.
"""

from typing import TYPE_CHECKING, Any

from allauth.socialaccount.providers.saml.provider import SAMLProvider
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from accounts.password_guess_limits import hash_for_cache

if TYPE_CHECKING:
    from allauth.socialaccount.models import SocialApp
    from onelogin.saml2.auth import OneLogin_Saml2_Auth

PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
ADVANCED = {
    "strict": True,
    "want_assertion_signed": True,
    "want_name_id": True,
    "want_attribute_statement": False,
    "reject_idp_initiated_sso": True,
    "reject_deprecated_algorithm": True,
    "allow_single_label_domains": True,
    "name_id_format": PERSISTENT,
}
"""Security settings of python3-saml, which no entry of the file or the administration can loosen."""
ANSWERED_WITHIN = 10 * 60
"""Seconds within which a provider must answer a request, as long as django-allauth keeps the state of a sign-in."""


def is_usable_saml_entry(app: "SocialApp") -> bool:
    """Returns True if a SAML provider entry is complete, and its accounts cannot be confused with those of another
    entry."""
    keys = ("entity_id", "sso_url", "certificate")
    has_all = all(isinstance(app.settings.get(key), str) and app.settings[key] for key in keys)
    has_names = isinstance(app.settings.get("attributes", {}), dict)
    return has_all and has_names and bool(app.client_id) and app.provider_id == app.client_id


def convert_to_allauth_settings(app: "SocialApp") -> None:
    """Converts the settings of a provider entry into django-allauth's form, in place."""
    own = app.settings
    app.settings = {
        key: own[key] for key in ("trust_email", "roles_claim", "researchers", "reviewers") if key in own
    } | {
        "idp": {
            "entity_id": own["entity_id"],
            "sso_url": own["sso_url"],
            "x509cert": own["certificate"],
        },
        "attribute_mapping": SAMLProvider.default_attribute_mapping | own.get("attributes", {}),
        "advanced": ADVANCED,
    }


class Provider(SAMLProvider):
    def redirect(
        self,
        request: HttpRequest,
        process: str,
        next_url: str | None = None,
        data: Any = None,
        **kwargs: Any,
    ) -> HttpResponse:
        """Redirects to the provider; a person who is signed in already must authenticate there again."""
        from allauth.socialaccount.providers.saml.utils import build_auth  # late for cost

        auth = build_auth(request, self)
        address = auth.login(return_to="", force_authn=request.user.is_authenticated)
        state_id = auth.get_last_request_id()
        cache.set(_request_cache_key(self.app.client_id, state_id), 1, ANSWERED_WITHIN)
        self.stash_redirect_state(request, process, next_url, data, state_id=state_id, **kwargs)
        return HttpResponseRedirect(address)

    def extract_uid(self, data: "OneLogin_Saml2_Auth") -> str:
        """Returns the provider's identifier of the person; raises ValueError if it would be a new one at each
        sign-in."""
        fields = self._extract(data)  # type: ignore[no-untyped-call]
        if "uid" not in fields and data.get_nameid_format() == TRANSIENT:
            raise ValueError("a transient name would make an account at each sign-in")
        uid: str = super().extract_uid(data)  # type: ignore[no-untyped-call]
        return uid

    def extract_extra_data(self, data: "OneLogin_Saml2_Auth") -> dict[str, Any]:
        """Returns the assertion's attributes and times as OpenID claims."""
        verified = self._extract(data).get("email_verified", True)  # type: ignore[no-untyped-call]
        return {"id_token": {**data.get_attributes(), "email_verified": verified, **assertion_times(data)}}


def use_up_request_id(organization: str, answer: str) -> bool:
    """Returns True if this is the first response to a SAML request that we sent; a second response gets False.

    Raises ValueError or SyntaxError if it is no SAML response. Its signature is not checked here, so nothing else in it
    is trusted yet.
    """
    from onelogin.saml2.utils import OneLogin_Saml2_Utils as Utils  # late for cost
    from onelogin.saml2.xml_utils import OneLogin_Saml2_XML as Xml  # late for cost

    question = Xml.to_etree(Utils.b64decode(answer)).get("InResponseTo")
    return bool(question) and bool(cache.delete(_request_cache_key(organization, question)))


def _request_cache_key(organization: str, identifier: str) -> str:
    return hash_for_cache(f"saml-question {organization} {identifier}")


def assertion_times(auth: "OneLogin_Saml2_Auth") -> dict[str, int]:
    """Returns when the assertion was issued and when the person authenticated, by the provider's clock.

    Raises ValueError if the signed part lacks audience, expiry or request id: python3-saml compares these
    only if they are present, and the InResponseTo of the response itself may be unsigned.
    """
    from onelogin.saml2.utils import OneLogin_Saml2_Utils as Utils  # late for cost
    from onelogin.saml2.xml_utils import OneLogin_Saml2_XML as Xml  # late for cost

    (assertion,) = Xml.query(Xml.to_etree(auth.get_last_response_xml()), "/samlp:Response/saml:Assertion")
    confirmed = Xml.query(assertion, "./saml:Subject/saml:SubjectConfirmation/saml:SubjectConfirmationData")
    question = auth.get_last_response_in_response_to()
    if not question or {row.get("InResponseTo") for row in confirmed} != {question}:
        raise ValueError("the assertion does not answer this question")
    audiences = Xml.query(assertion, "./saml:Conditions/saml:AudienceRestriction/saml:Audience")
    if not audiences or not all(row.get("NotOnOrAfter") and row.get("Recipient") for row in confirmed):
        raise ValueError("the assertion is for everybody or for ever")
    (statement,) = Xml.query(assertion, "./saml:AuthnStatement")
    issued, shown = assertion.get("IssueInstant"), statement.get("AuthnInstant")
    return {"iat": Utils.parse_SAML_to_time(issued), "auth_time": Utils.parse_SAML_to_time(shown)}
