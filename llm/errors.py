"""What can go wrong between the judge and a provider; every backend maps its SDK's failures to these.

judge.errors.ProviderError          retryable, retry_after
├── Overloaded                      the provider has no room (429, 503, 529); retryable
├── Unreachable                     no connection, a broken one, a 5xx; retryable
│   └── TooSlow                     no answer within the time there was
├── CredentialsRefused              the key is missing, wrong, not allowed this model or out of credit; an operator
│                                   has to act
├── RequestRefused                  the request will not be taken (400, 404, 413); a fault of ours or of judge.toml
├── Unreadable                      the reply breaks the provider's own wire format; retryable
└── CapReached                      our own spend cap; retry_after is the seconds until there is room again
    └── Crowded                     money is left, but set aside for requests under way
"""

from __future__ import annotations

from judge.errors import ProviderError, Trouble


class Overloaded(ProviderError):
    """The provider has no room for the request right now. may_be_billed: it said so in the midst of its answer."""

    trouble = Trouble.BUSY

    def __init__(self, message: str, *, retry_after: float | None = None, may_be_billed: bool = False) -> None:
        super().__init__(message, retryable=True, retry_after=retry_after)
        self.may_be_billed = may_be_billed


class Unreachable(ProviderError):
    """No connection, one that broke off or fell silent, or the provider failed on its side.

    may_be_billed: the request may have reached a model before that; False where no provider bills it.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, may_be_billed: bool = True) -> None:
        super().__init__(message, retryable=True, retry_after=retry_after)
        self.may_be_billed = may_be_billed


class TooSlow(Unreachable):
    """No answer within the time there was."""

    trouble = Trouble.SLOW


class CredentialsRefused(ProviderError):
    """The key is missing, wrong, not allowed to use the model or out of credit, or a platform lacks its set-up."""

    trouble = Trouble.MISCONFIGURED

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=False)


class RequestRefused(ProviderError):
    """The provider will not take the request as it is."""

    trouble = Trouble.MISCONFIGURED

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=False)


class Unreadable(ProviderError):
    """The provider's reply is not in its own format."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


class CapReached(ProviderError):
    """The operator's spend cap leaves no room for the request. Nothing was sent and nothing spent."""

    trouble = Trouble.OWN_CAP

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message, retryable=False, retry_after=retry_after)


class Crowded(CapReached):
    """There is money left, but what is set aside for requests under way leaves no room beside them.

    retry_after: when enough of them are over at the latest; most end much sooner.
    """
