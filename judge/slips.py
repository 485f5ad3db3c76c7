"""One slip of the finger: the misspellings that leave no doubt which name was meant."""

from __future__ import annotations

LONG = 10  # letters a name of several words has where a wrong or missing one leaves no doubt


def is_slip(one: str, other: str) -> bool:
    """Whether a letter is wrong, missing or too many in a long name: a slip, where no other name is near (D59).

    A single word a letter off another is often a word itself, so it has to be a name of several words.
    """
    long = " " in one and " " in other and min(len(one), len(other)) >= LONG
    return long and is_one_letter_off(one, other)


def is_swap(one: str, other: str) -> bool:
    """Whether two neighbouring letters changed places between the two, and nothing else."""
    if len(one) != len(other):
        return False
    apart = [i for i, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]
    if len(apart) != 2 or apart[1] != apart[0] + 1:
        return False
    first, second = apart
    return one[first] == other[second] and one[second] == other[first]


def is_one_letter_off(one: str, other: str) -> bool:
    """Whether one letter is wrong, missing or too many between the two, and nothing else."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    shorter, longer = sorted((one, other), key=len)
    at = next((i for i, letter in enumerate(shorter) if letter != longer[i]), len(shorter))
    if not (shorter[at : at + 1] or longer[at]).isalpha() or not longer[at].isalpha():
        return False  # another number is another thing, and a missing space is no letter
    return shorter[at + (len(one) == len(other)) :] == longer[at + 1 :]
