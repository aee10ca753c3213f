"""The attacks of the soak in small: a real server answers `/healthz` throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.soak.attacks import Attack, half_sent, idle, nested_bodies, running_server


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("server"), files=600) as address:
        yield address


def test_nested_bodies_without_a_token_are_refused_before_parsing(url: str) -> None:
    attack = nested_bodies(url, megabytes=2)
    assert set(attack.answers) <= {"401", "403", "404", "413", "429"}, attack.line()
    assert attack.health.seconds and not attack.health.problems, attack.line()


@pytest.mark.parametrize("attack", [half_sent, idle])
def test_idle_connections_do_not_exhaust_file_descriptors(
    url: str, attack: Callable[[str, int, float], Attack]
) -> None:
    # 600 files leave room for 88 connections.
    done = attack(url, 300, 0)
    assert done.answers["open"] <= 88 and done.answers.total() == 300, done.line()
    assert done.health.seconds and not done.health.problems, done.line()
