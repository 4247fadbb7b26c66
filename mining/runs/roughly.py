"""How many, to one digit: enough to choose a threshold by, too little to tell supports from before a review."""


def roughly(number: int) -> int:
    unit: int = 10 ** (len(str(abs(number))) - 1)
    return (number + unit // 2) // unit * unit
