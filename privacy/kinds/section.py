"""What every kind of section says of itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MinedLaw:
    """What mining sees of a section: keep, and by question and choice the probability under noise, in ten-thousandths.

    A plain section always keeps and has no noise.
    """

    keep_parts: int
    noise_parts: tuple[tuple[int, ...], ...]
