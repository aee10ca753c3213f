"""The program behind `make run`."""

import re

import pytest

from mettagrid import demo


def test_the_demo_shows_the_first_and_the_last_map_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--render", "log", "--agents", "3", "--steps", "20", "--width", "9", "--height", "7"]) == 0
    text = capsys.readouterr().out
    first, last = re.search(r"step 0\n(.*?)\n\nstep 20\n(.*?)\n\n", text, flags=re.S).groups()  # type: ignore[union-attr]
    for picture in (first, last):
        rows = picture.splitlines()
        assert [len(row) for row in rows] == [9] * 7
        assert sorted(re.sub(r"\D", "", picture)) == ["0", "1", "2"]
    assert first != last
    assert text.splitlines()[-1].startswith("20 steps, ")


def test_the_same_seed_gives_the_same_text_and_another_seed_another(capsys: pytest.CaptureFixture[str]) -> None:
    def play(seed: int) -> str:
        demo.main(["--render", "log", "--seed", str(seed)])
        return capsys.readouterr().out

    assert play(5) == play(5)
    assert play(5) != play(6)


def test_no_ore_is_lost_and_every_delivery_is_rewarded() -> None:
    sim = demo.Simulation(demo.demo_config(agents=6, width=16, height=12, steps=400, seed=2), seed=2)
    before = _ore(sim)
    demo.play(sim, seed=2, animate=False)
    assert _ore(sim) == before
    delivered = [agent.get("ore.delivered", 0) for agent in sim.episode_stats["agent"]]
    assert sum(delivered) > 0
    assert list(sim.episode_rewards) == delivered


def test_a_room_that_is_too_small_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        demo.main(["--agents", "9", "--width", "5", "--height", "5"])
    assert stopped.value.code == 2
    assert "9 agents and 2 objects do not fit in a 5x5 room" in capsys.readouterr().err


def _ore(sim: demo.Simulation) -> int:
    ore = sim.resource_names.index("ore")
    return sum(item["inventory"].get(ore, 0) for item in sim.grid_objects().values())
