"""The RSA key with which a survey signs blinded tokens, for which devices exchange their invitations (RFC
9474, privacy.blind_signatures).

A draft that exchanges invitations names the public half, which so becomes part of the design and its
fingerprint. All devices then use the same key; with several keys the server could tell devices apart. A key
belongs to one survey and never changes after opening.
"""

from privacy.blind_signatures.protocol import BITS, EXPONENT, SALT, PrivateKey, RandomBytes, prepare
from privacy.blind_signatures.tokens import make_token
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.lifecycle.design_from_draft import needed_phrases
from surveys.models import InvitationKey, Survey
from surveys.phrases.arms_crosswise_and_rounds import FORM

PRIME = BITS // 16
"""Size in bytes of a prime."""


def add_invitation_key_to_draft(survey: Survey, draft: Draft) -> Draft:
    """Adds the public half of the survey's key to the draft; creates the key if there is none."""
    key = private_invitation_key(survey.pk)
    if key is None:
        primes = make_primes()
        key = key_from_primes(primes)
        InvitationKey.objects.create(survey=survey, primes=primes)
    return draft_json.draft_with_values(draft, invitation_key=key.public.text)


def delete_invitation_key_from_draft(survey: Survey, draft: Draft) -> Draft:
    """Deletes the survey's key, and removes its public half from the draft."""
    InvitationKey.objects.filter(survey=survey).delete()
    return draft_json.draft_without_keys(draft, draft_json.INVITATION_KEY)


def private_invitation_key(survey: int) -> PrivateKey | None:
    row = InvitationKey.objects.filter(survey=survey).first()
    return key_from_primes(bytes(row.primes)) if row else None


def make_primes() -> bytes:
    """Returns the two primes of a new RSA key for signing blinded tokens, as bytes of the database row."""
    from cryptography.hazmat.primitives.asymmetric import rsa  # late for cost

    numbers = rsa.generate_private_key(EXPONENT, BITS).private_numbers()
    return b"".join(prime.to_bytes(PRIME, "big") for prime in (numbers.p, numbers.q))


def key_from_primes(primes: bytes) -> PrivateKey:
    return PrivateKey(*(int.from_bytes(half, "big") for half in (primes[:PRIME], primes[PRIME:])))


def make_tokens_for_simulation(survey: int, count: int, random_bytes: RandomBytes) -> list[str]:
    """Returns `count` signed tokens for simulated respondents, who have no invitation; signs about a thousand
    a second (RSASSA-PSS)."""
    from cryptography.hazmat.primitives import hashes  # late for cost
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # late for cost

    key = private_invitation_key(survey)
    assert key is not None
    d = pow(EXPONENT, -1, (key.p - 1) * (key.q - 1))
    numbers = rsa.RSAPrivateNumbers(
        key.p,
        key.q,
        d,
        d % (key.p - 1),
        d % (key.q - 1),
        pow(key.q, -1, key.p),
        rsa.RSAPublicNumbers(EXPONENT, key.public.n),
    )
    signer, pss = numbers.private_key(), padding.PSS(padding.MGF1(hashes.SHA384()), SALT)
    messages = [prepare(b"", random_bytes) for _person in range(count)]
    return [make_token(message, signer.sign(message, pss, hashes.SHA384())) for message in messages]


def has_no_foreign_invitation_key(survey: Survey, draft: Draft) -> bool:
    """True if the draft has no key, or this survey's own.

    A key that came with a file or a copy belongs to another survey, and cannot sign here.
    """
    named = draft_json.read_text(draft, draft_json.INVITATION_KEY)
    key = private_invitation_key(survey.pk) if named else None
    return not named or (key is not None and key.public.text == named)


def exchanges_invitations_by_default(draft: Draft) -> bool:
    """True if a survey of this draft should exchange invitations for tokens, which needs JavaScript on the device.

    False if the survey could be answered on a page without JavaScript.
    """
    return (
        not FORM.keys()
        <= needed_phrases(draft_json.draft_without_keys(draft, draft_json.INVITATION_KEY)).keys()
    )
