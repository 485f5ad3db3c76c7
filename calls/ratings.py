"""Rating calls: one rating a person and call, and what they make of the call together."""

from __future__ import annotations

from django.db import transaction

from calls.models import Call, Rating
from judge.ratings import Rated, Standing, Vote, standing


class NoSuchCall(LookupError):
    """There is no call of that number to rate."""


@transaction.atomic
def rate(call: int, rater: str, rated: Rated, *, is_judge: bool = False, note: str = "") -> Standing:
    """Keeps *rater*'s rating of *call* in place of an earlier one, and gives where the call stands now.

    rater: the door and who it was there ("discord:1234"). Raises NoSuchCall.
    """
    _locked(call)
    Rating.objects.update_or_create(
        call_id=call, rater=rater, defaults={"value": rated.value, "is_judge": is_judge, "note": note}
    )
    return restand(call)


@transaction.atomic
def approve(call: int, *, approved: bool = True) -> Standing:
    """A curator lets *call* serve as an example, or no longer. Raises NoSuchCall."""
    row = _locked(call)
    row.is_approved = approved
    row.save(update_fields=["is_approved"])
    return restand(call)


def withdraw(rater: str) -> int:
    """Deletes every rating *rater* gave and says how many they were; the calls stand as if they had never been."""
    calls = sorted(Rating.objects.filter(rater=rater).values_list("call_id", flat=True))
    for call in calls:
        with transaction.atomic():
            _locked(call)
            Rating.objects.filter(rater=rater, call_id=call).delete()
            restand(call)
    return len(calls)


def restand(call: int) -> Standing:
    """Works out where *call* stands by its ratings and writes it down. The caller holds the call's lock."""
    row = Call.objects.get(pk=call)
    votes = [Vote(Rated(value), judge) for value, judge in row.ratings.values_list("value", "is_judge")]
    stands = standing(votes, approved=row.is_approved)
    Call.objects.filter(pk=call).update(score=stands.score, votes=stands.votes, is_usable=stands.usable)
    return stands


def _locked(call: int) -> Call:
    """The call, locked: two ratings at once must both count."""
    row = Call.objects.select_for_update().filter(pk=call).first()
    if row is None:
        raise NoSuchCall(f"There is no call {call}; it may have been deleted.")
    return row
