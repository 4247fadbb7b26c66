"""What a draft that asks again promises together with the surveys that it follows, and the form that ends it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.forms import Form

from privacy import designs
from privacy.guarantee.chain import normal_secret, secrets
from surveys.kinds.crosswise.draft import crosswise_questions
from surveys.lifecycle.waves import earlier_designs, earlier_laws, is_stored
from surveys.questionnaire.protection import PRIOR, Protection
from surveys.questionnaire.questionnaire import Questionnaire


@dataclass(frozen=True)
class Repetition:
    """`follows` is the fingerprint of the survey that is asked again."""

    draft: Questionnaire
    follows: str

    @cached_property
    def designs(self) -> list[designs.Design]:
        """The nearest first."""
        return earlier_designs(self.follows)

    @property
    def titles(self) -> list[str]:
        language = self.draft.first_language
        return [design.title.in_language(language) or design.fingerprint[:12] for design in self.designs]

    @property
    def is_known(self) -> bool:
        return is_stored(self.follows)

    @cached_property
    def has_pairs(self) -> bool:
        return any(crosswise_questions(self.draft))

    @cached_property
    def repeats_secret(self) -> bool:
        """Whether a crosswise question has a secret of an earlier survey."""
        before = {text for design in self.designs for _name, text in secrets(design)}
        own = (text for _number, question in crosswise_questions(self.draft) for text in question.secrets)
        return any(normal_secret(text) in before for text in own)

    @cached_property
    def person(self) -> Protection | None:
        """Of a person who answers all of them: the gammas multiply, but a disguise that lasts counts once. None where a
        secret is asked again."""
        if self.repeats_secret:
            return None
        own = (section.law() for section in self.draft.sections if not section.lasts)
        combined = tuple(law for law in own if law) + earlier_laws(self.follows)
        return Protection(combined, self.draft.respondents, PRIOR) if combined else None


def repetition(draft: Questionnaire) -> Repetition | None:
    return Repetition(draft, draft.follows) if draft.follows else None


@dataclass(frozen=True)
class FollowsPart:
    """Its form has no field: saving it removes what is followed."""

    @property
    def dom_id(self) -> str:
        return "follows"

    def value(self, draft: Questionnaire) -> Any:
        return draft.follows

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> Form:
        return Form(data, auto_id="follows-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, follows="", study="")
