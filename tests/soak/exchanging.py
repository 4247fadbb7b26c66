"""Respondents whose invitations are exchanged for tokens, each tried once more than it is worth."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from intake.invitations.tokens import create_tokens
from privacy.designs import parse_design
from tests.intake import asked
from tests.privacy.blind_signatures.device import TokenExchange
from tests.soak.actors import Actor, Visitor
from tests.soak.load import ACKNOWLEDGED, REFUSED, Check, none
from tests.soak.system import Console

INVITED = 3
"""Invitations for a second of a soak."""


def open_survey(invitations: int) -> dict[str, Any]:
    asks = asked.exchange_design(least=20, digits=7)
    survey = asked.exchange_survey(asks)
    made = create_tokens(survey, invitations)
    return {"pk": survey.pk, "slug": survey.slug, "design": asks.canonical, "invitations": made}


class Exchanging(Actor):
    what = "exchanged invitations"

    def __init__(self, port: int, asking: Console, seed: int, seconds: float) -> None:
        self.opened = asking.call(open_survey, max(1000, round(INVITED * seconds)))
        self.visitor = Visitor(port)
        super().__init__(seed, self.visitor)
        self.design, self.left = parse_design(self.opened["design"]), list(self.opened["invitations"])
        self.exchanged: dict[str, str] = {}
        """Invitation -> the message that was signed for it."""
        self.acknowledged: list[int] = []
        self.twice: list[str] = []
        self.refused: list[str] = []

    def turn(self) -> None:
        if not self.left:
            return
        invitation, slug = self.left.pop(), self.opened["slug"]
        device = TokenExchange(self.design.invitation_key, os.urandom)
        body = asked.exchange_body(self.design, invitation, device.blinded)
        if self.random.random() < 0.3:
            # Its answer is not read; the same is sent again.
            self.visitor.ask("POST", f"/a/{slug}/exchange", body, Content_Type="application/json")
        self.exchanged[invitation] = device.blinded
        reply = self.visitor.send(f"/a/{slug}/exchange", body)
        if reply.status not in ACKNOWLEDGED:
            self.refused.append(f"{reply.status} {reply.text[:80]}")
            return
        other = TokenExchange(self.design.invitation_key, os.urandom)
        again = self.visitor.send(
            f"/a/{slug}/exchange", asked.exchange_body(self.design, invitation, other.blinded)
        )
        token = device.token(reply.json["signature"])
        number = 2 * len(self.exchanged)
        first, second = (
            self.visitor.record(slug, asked.sent(asked.numbered(self.design, n), token=token))
            for n in (number, number + 1)
        )
        if first:
            self.acknowledged.append(number)
        else:
            self.refused.append(f"the record {number}")
        if second or again.status != REFUSED:
            self.twice.append(invitation[:8])

    def checks(self, asking: Console) -> Iterator[Check]:
        stored = asking.stored(self.opened["pk"])
        times, secret = Counter(int(text, 8) for text in stored.all), bytes.fromhex(stored.secret)
        lost = sorted(set(self.acknowledged) - set(times))
        yield none(
            "records by exchanged invitations that are not stored", lost, f" of {len(self.acknowledged):,}"
        )
        doubled = [number for number, n in times.items() if n > 1 or number not in self.acknowledged]
        yield none("records by exchanged invitations stored twice, or never acknowledged", doubled)
        yield none("exchanges and tokens that were refused", self.refused)
        yield none("invitations exchanged for two messages, and tokens spent for two records", self.twice)
        keys = set(stored.keys)
        forgotten = [
            invitation[:8]
            for invitation, blinded in self.exchanged.items()
            if hash_with_secret(secret, HashedTextKind.EXCHANGE, f"{invitation} {blinded}").hex() not in keys
        ]
        yield none("exchanges that the database does not know", forgotten, f" of {len(self.exchanged):,}")
        unused = {hash_with_secret(secret, HashedTextKind.LINK, each).hex() for each in self.left}
        yield none(
            "invitations spent without being exchanged, or the reverse", sorted(unused ^ set(stored.unspent))
        )
