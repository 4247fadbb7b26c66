"""What tells a search that it is enough."""


def stop(_steps: int, _loss: float) -> bool:
    return True


class After:
    """Says enough after so many questions."""

    def __init__(self, questions: int) -> None:
        self.questions = questions
        self.losses: list[float] = []

    def __call__(self, _steps: int, loss: float) -> bool:
        self.losses.append(loss)
        return len(self.losses) > self.questions
