"""The form of a forced-response question: words, name and rules alone; its answers are yes and no."""

from typing import Any

from surveys.kinds.forms.block_form import BlockForm
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.questionnaire import Questionnaire


class ForcedForm(BlockForm):
    template = "builder/question-forced.html"

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(draft, key, language, data, **options)
        self._add_name()
        self._add_rules()

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        return block
