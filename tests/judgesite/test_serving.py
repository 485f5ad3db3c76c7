from __future__ import annotations

import socket

import pytest

from judgesite.problems import SetupError
from judgesite.serving import address_of, listening_socket


def test_a_port_in_use_is_told_with_another_to_try() -> None:
    with listening_socket("127.0.0.1", "0") as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(SetupError, match=rf"port {port} on 127.0.0.1 is in use.*--port"),
            listening_socket("127.0.0.1", str(port)),
        ):
            pass


@pytest.mark.parametrize("port", ["", "eighty", "-1", "65536", "8000.5", "٨"])
def test_a_port_that_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(SetupError, match="number from 0 to 65535"), listening_socket("127.0.0.1", port):
        pass


@pytest.mark.parametrize("host", ["999.1.1.1", "no such host"])
def test_an_address_that_is_none_of_ours_is_told(host: str) -> None:
    with pytest.raises(SetupError, match="cannot serve on address"), listening_socket(host, "0"):
        pass


def test_the_address_is_one_to_click() -> None:
    with listening_socket("127.0.0.1", "0") as listener:
        assert address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}/"


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_an_ipv6_address_stands_in_brackets() -> None:
    try:
        with listening_socket("::1", "0") as listener:
            assert address_of(listener).startswith("http://[::1]:")
    except SetupError:
        pytest.skip("this machine has no ::1")
