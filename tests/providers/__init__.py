"""Loopback providers: real HTTP servers on 127.0.0.1 that speak a provider's wire format, scripted per test.

    with anthropic(said("..."), status(529)) as fake:   # or openai(...), embeddings(...)
        AnthropicBackend(model="m", api_key="k", base_url=fake.url).send(...)
    fake.requests[0]["messages"]

The script is used up step by step; a request beyond its end is answered with 418, which no test can overlook.
`fake.closed` is set once a client has closed its connection before its answer was whole.
"""

from tests.providers.server import FakeProvider, anthropic, embeddings, openai
from tests.providers.steps import (
    Step,
    broken,
    called,
    cut_off,
    garbage,
    refused,
    said,
    silent,
    slow,
    stalled,
    status,
    vectors,
)

__all__ = [
    "FakeProvider",
    "Step",
    "anthropic",
    "broken",
    "called",
    "cut_off",
    "embeddings",
    "garbage",
    "openai",
    "refused",
    "said",
    "silent",
    "slow",
    "stalled",
    "status",
    "vectors",
]
