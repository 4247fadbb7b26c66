"""How many, to one digit: enough to choose a threshold by, too little to tell supports from before a review."""

FEW = 10


def roughly(number: int) -> int:
    """0 where there are fewer than `FEW`: one digit of those would be all there is to know."""
    if number < FEW:
        return 0
    unit: int = 10 ** (len(str(number)) - 1)
    return (number + unit // 2) // unit * unit
