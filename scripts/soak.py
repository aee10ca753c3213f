"""Run the long tests: mutated configurations under the sanitizers, a million steps, a long replay, replayed matches,
200 Coworld episodes, 50 in containers, images through a server's registry, a ladder that is killed, players on every
mission and variant, 20,000 games in both engines, attacks on a server, policies that send and print too much, full
disks, 100 kills of a training run and of a league, what `make test` only samples, the container images.

usage: soak.py [--only STAGE[,STAGE]] [--count N] [--steps N] [--kills N] [--seasons N] [--minutes M] [--seed S]
               [--jobs N] [--case SEED|FILE]

stages, in this order:
  fuzz     10,000 mutated configs, 50 steps each, in the sanitized build (tests/soak/fuzz.py)
  steps    a million random steps with invariants checked, in the build of `.venv/` (tests/soak/steps.py)
  viewer   every frame of all 10,000 steps of a machina_1 episode, in the viewer's decoder and in the engine;
           500 damaged files in the viewer
  league   20 matches of a league, each replayed by another process
  coworld  200 Coworld episodes, every fourth with something bad in it, and what they leave (tests/soak/coworld.py)
  bitworld  the five BitWorld games certified as Coworlds
  podman   50 Coworld episodes in containers and what they leave; there also every scripted failure, an attack from
           inside and a killed tool
  containers  a Coworld and policies of images, pushed to a server, certified, pulled by a worker and played
  ladder   8 policies, 3 missions, 4 maps: same bytes with 1 and 2 workers and after 5 kills (tests/soak/ladder.py)
  agents   the planner and `starter` on every mission with every variant, and with the fewest and the most cogs: no
           exception; in random order for 5 minutes (benchmarks/agents.py)
  among_them  100 games of Among Them with eight scripted players, and 100 with a short kill cooldown: each has a
           winner, imposters win 25 % to 75 %
  compat   20,000 other games through the published engine and ours (scripts/compat.py)
  gpu      the kernels for GPUs compiled for sm_80 and sm_90; every recorded episode with 8 worlds through them, on the
           CPU: equal after every step
  attacks  60 MB of nested JSON, 2,000 half-sent requests, 1,150 idle connections at 1,024 files: `/healthz` in a second
  output   five steps of 4,000 infos, 200 steps of 60 kB, 66 matches of a policy that prints 98 MB (output.py)
  hostile  policies that send and print too much: at every level, by root and by a user, and through a worker; every
           hostile program in a container; every schema made to keep a server busy; 500 boxes in a row
  databases  all tests of the server on PostgreSQL
  disks    a worker on disks of 4 kB to 1.4 MB, until one is large enough: no policy is blamed, the match is played
  training a training run killed 100 times and continued: same weights and curve as without kills
  kills    server and workers of a league killed 100 times, on SQLite and on PostgreSQL: same tables as without kills
  requests server and workers killed 50 times while episodes are requested and played, and the server 50 times while
           images, policies and Coworlds are uploaded, on SQLite and on PostgreSQL: every acknowledged request is
           played once, every acknowledged upload is there once; the feed of changes read in 60 orders of events
  commissioners  20 rounds of a scripted commissioner; server, workers and the commissioner killed 72 times, on SQLite
           and on PostgreSQL: same results as without kills
  rounds   server and workers of a platform league killed 50 times, on SQLite and on PostgreSQL: same ratings as without
           kills; 50 policies in 5 divisions play 20 rounds each by themselves (rounds.py); 2,000 seatings
  fleet    2,000 matches on two Ray nodes, PostgreSQL and S3, while a node, a server and the connections to the database
           are killed in turn: same table as undisturbed, no match twice (tests/soak/fleet.py)
  simulation  10,000 simulated seasons with faults, each with the table of its season without; four planted bugs, each
           found within 1,000 seasons (tests/simulation)
  samples  every recorded mission saved and loaded, the intervals of 2,000 seasons, 10 requests of every operation in
           the OpenAPI document, every tutorial as a notebook
  pixels   10,000 configurations and event sequences of Among Them per property, in the sanitized build
  image    the images of the Containerfile, built from Debian packages and wheels: a server, a worker, episodes on a
           machine and of Cogs vs Clips in its images, the sandbox, the same image twice
  compose  `compose.yaml` with podman, from nothing to a league that plays a season; each container killed once: no
           result lost or changed, tables recomputed without differences; the alerts by `promtool`

--case replays one case of the fuzz, by number or from its file, and shows its output. The last lines list what ran, was
skipped and failed; the exit status is 0 only if nothing failed.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable

from sanitized import sanitized_bitworld, sanitized_engine
from setup import install_tools
from workspace import PYTHON, ROOT, locked, say, shared_dir

HOME = ROOT / "build" / "soak"
IMAGE_TOOLS = {"mmdebstrap": "mmdebstrap", "promtool": "prometheus"}
"""Programs of the stages that build images -> Debian package."""


def run(*words: object, **variables: str) -> bool:
    """Run a program of `.venv/`; return whether it succeeded."""
    return subprocess.run([str(PYTHON), *map(str, words)], cwd=ROOT, env={**os.environ, **variables}).returncode == 0


def fuzz(args: argparse.Namespace) -> bool:
    # A single case has its own copy of the engine, so that it can be debugged while the long run continues.
    home = HOME / ("case" if args.case else "fuzz")
    with locked(f"soak-{home.name}"):
        say("soak: building with sanitizers")
        with locked("sanitize"):  # shares the build of `make sanitize`
            python, env = sanitized_engine("soak", home / "site")
        words: list[object] = [
            "tests/soak/fuzz.py",
            "--python",
            python,
            "--folder",
            home / "cases",
            "--jobs",
            args.jobs,
        ]
        words += [f"--env={name}={value}" for name, value in env.items()]
        words += ["--case", args.case] if args.case else ["--count", args.count, "--seed", args.seed]
        return run(*words)


def steps(args: argparse.Namespace) -> bool:
    return run("tests/soak/steps.py", "--steps", args.steps, "--seed", args.seed)


def viewer(args: argparse.Namespace) -> bool:
    tests = [f"packages/mettagrid/tests/viewer/test_{name}.py" for name in ("decoding", "hostile")]
    return run("-m", "pytest", "-q", *tests, VIEWER_STEPS="10000", VIEWER_MUTATIONS="500")


def league(args: argparse.Namespace) -> bool:
    return run("-m", "pytest", "-q", "tests/trust/test_played_league.py", LEAGUE_REPRODUCED_MATCHES="20")


def coworld(args: argparse.Namespace) -> bool:
    return run("tests/soak/coworld.py", "--episodes", args.episodes, "--seed", args.seed)


def bitworld(args: argparse.Namespace) -> bool:
    return run("-m", "pytest", "-q", "packages/bitworld/tests/coworld/test_certified.py", BITWORLD_CERTIFY="all")


def podman(args: argparse.Namespace) -> bool:
    tests = "packages/coworld/tests"
    files = [f"{tests}/engines", f"{tests}/runner/test_failures.py", f"{tests}/runner/test_hostile_player.py"]
    played = run("tests/soak/coworld.py", "--engine", "podman", "--episodes", 50, "--seed", args.seed)
    return run("-m", "pytest", "-q", *files, "-k", "container or podman", CONTAINER_TESTS="all") and played


def containers(args: argparse.Namespace) -> bool:
    return run("tests/soak/containers.py")


def ladder(args: argparse.Namespace) -> bool:
    return run("tests/soak/ladder.py", "--seed", args.seed)


def agents(args: argparse.Namespace) -> bool:
    seeds = ["--first-seed", args.seed, "--seeds", 1, "--confirm", 0]
    return run("benchmarks/agents.py", "variants", *seeds, "--steps", 100, "--minutes", args.minutes)


def among_them(args: argparse.Namespace) -> bool:
    words = ("tests/soak/among_them.py", "--seed", args.seed, "--jobs", args.jobs)
    return run(*words) and run(*words, "--cooldown", 300)


def compat(args: argparse.Namespace) -> bool:
    # Different games from those of `make compat`.
    return run("scripts/compat.py", "--count", args.games, "--seed", 1_000_000 + args.seed, "--jobs", args.jobs)


def gpu(args: argparse.Namespace) -> bool:
    episodes = HOME / "gpu"
    if not (run("scripts/gpu_compile.py") and run("scripts/gpu_episode.py", "--out", episodes)):
        return False
    paths = sorted(episodes.glob("*.episode"))
    return run("scripts/gpu_batch_check.py", "check", "--device", "emulated", *paths)


def attacks(args: argparse.Namespace) -> bool:
    return run("tests/soak/attacks.py")


def output(args: argparse.Namespace) -> bool:
    return run("tests/soak/output.py")


def hostile(args: argparse.Namespace) -> bool:
    levels = "packages/mettagrid/tests/runner/boxed/test_every_level.py"
    worker = "packages/observatory/tests/jobs/test_hostile_policies.py"
    players = "packages/coworld/tests/runner/test_hostile_administrator.py"
    authors = "packages/observatory/tests/matches/test_voices.py"
    schemas = "packages/observatory/tests/coworlds/test_hostile_schemas.py"
    programs = ["packages/cogbox/tests/test_hostile.py", "packages/cogbox/tests/test_leftovers.py"]
    tests = [levels, worker, players, authors, schemas, *programs]
    return run("-m", "pytest", "-q", *tests, HOSTILE_LEVELS="all", BOXES="500", DATABASES="all")


def databases(args: argparse.Namespace) -> bool:
    return run("-m", "pytest", "-q", "packages/observatory/tests", "-k", "postgresql", DATABASES="all")


def disks(args: argparse.Namespace) -> bool:
    sizes = "4,16,32,48,64,96,128,160,200,240,280,300,320,340,360,380,400,500,700,1000,1400"
    test = "packages/observatory/tests/jobs/test_machine_faults.py"
    return run("-m", "pytest", "-q", test, "-k", "too_small", FULL_DISKS=sizes)


def training(args: argparse.Namespace) -> bool:
    test = "packages/cogames-training/tests/test_kills.py"
    return run("-m", "pytest", "-q", test, TRAINING_KILLS=str(args.kills), TRAINING_KILLS_SEED=str(7 + args.seed))


def kills(args: argparse.Namespace) -> bool:
    test = "packages/observatory/tests/commissioner/test_kills.py"
    return run("-m", "pytest", "-q", test, KILLS=str(args.kills), KILLS_SEED=str(7 + args.seed), DATABASES="all")


def requests(args: argparse.Namespace) -> bool:
    names = ("requests/test_kills", "requests/test_lists_and_downloads", "uploads/test_kills")
    kills = str(args.kills // 2)
    sizes = {"REQUEST_KILLS": kills, "UPLOAD_KILLS": kills, "KILLS_SEED": str(7 + args.seed), "DATABASES": "all"}
    return run("-m", "pytest", "-q", *(f"packages/observatory/tests/{name}.py" for name in names), **sizes)


def commissioners(args: argparse.Namespace) -> bool:
    test = "packages/observatory/tests/commissioners"
    sizes = {"SCRIPT_ROUNDS": "20", "COMMISSIONER_KILLS": "60", "KILLS_SEED": str(7 + args.seed), "DATABASES": "all"}
    is_fine = run("-m", "pytest", "-q", test, f"--deselect={test}/test_kills.py", DATABASES="all")
    return run("-m", "pytest", "-q", f"{test}/test_kills.py", **sizes) and is_fine


def rounds(args: argparse.Namespace) -> bool:
    test = "packages/observatory/tests/rounds/test_kills.py"
    sizes = {"ROUND_KILLS": str(args.kills // 2), "KILLS_SEED": str(7 + args.seed), "DATABASES": "all"}
    seating = run("-m", "pytest", "-q", "packages/observatory/tests/ladder", SEATING_EXAMPLES="2000")
    return run("-m", "pytest", "-q", test, **sizes) and run("-m", "tests.soak.rounds") and seating


def fleet(args: argparse.Namespace) -> bool:
    return run("tests/soak/fleet.py", "--matches", args.matches, "--servers", args.servers)


def simulation(args: argparse.Namespace) -> bool:
    words = ("-m", "tests.simulation", "--jobs", args.jobs)
    played = run(*words, "--seasons", args.seasons, "--seed", 10_000 * args.seed)
    for name in ("lost_lease", "double_count", "stale_cache", "early_share"):
        played = run(*words, "--seasons", 1000, "--plant", name) and played
    return played


def samples(args: argparse.Namespace) -> bool:
    missions = "packages/mettagrid/tests/config/test_recorded_configs.py"
    seasons = "packages/observatory/tests/standings/test_intervals.py"
    documents = "packages/observatory/tests/test_openapi.py"
    tutorials = "tests/test_tutorials.py"
    sizes = {"RECORDED_EVERY": "1", "INTERVAL_SEASONS": "2000", "OPENAPI_EXAMPLES": "10", "TUTORIAL_NOTEBOOKS": "all"}
    return run("-m", "pytest", "-q", missions, seasons, documents, tutorials, **sizes)


def image(args: argparse.Namespace) -> bool:
    install_tools(IMAGE_TOOLS)
    return run("-m", "pytest", "-q", "-m", "", "tests/wheels/test_image.py")


def compose(args: argparse.Namespace) -> bool:
    install_tools(IMAGE_TOOLS)
    # With CI set a missing program fails the test, which would be skipped and count as passed.
    return run("-m", "pytest", "-q", "-m", "", "tests/wheels/test_compose.py", "tests/test_deployments.py", CI="true")


def pixels(args: argparse.Namespace) -> bool:
    with locked("sanitize"):
        python, env = sanitized_bitworld("soak", HOME / "pixels" / "site")
    words = ["-m", "pytest", "-q", "-n", "0", "--capture=sys", "packages/bitworld/tests/among_them/test_properties.py"]
    variables = {**os.environ, **env, "BITWORLD_EXAMPLES": str(args.count)}
    return subprocess.run([python, *words], cwd=ROOT, env=variables).returncode == 0


STAGES: dict[str, Callable[[argparse.Namespace], bool]] = {
    "fuzz": fuzz,
    "steps": steps,
    "viewer": viewer,
    "league": league,
    "coworld": coworld,
    "bitworld": bitworld,
    "podman": podman,
    "containers": containers,
    "ladder": ladder,
    "agents": agents,
    "among_them": among_them,
    "compat": compat,
    "gpu": gpu,
    "attacks": attacks,
    "output": output,
    "hostile": hostile,
    "databases": databases,
    "disks": disks,
    "training": training,
    "kills": kills,
    "requests": requests,
    "commissioners": commissioners,
    "rounds": rounds,
    "fleet": fleet,
    "simulation": simulation,
    "samples": samples,
    "pixels": pixels,
    "image": image,
    "compose": compose,
}


def chosen(args: argparse.Namespace) -> list[str]:
    if args.case:
        return ["fuzz"]
    return args.only or list(STAGES)


def stage_names(text: str) -> list[str]:
    names = text.split(",")
    if not set(names) <= STAGES.keys():
        raise argparse.ArgumentTypeError(f"{text!r} is not one or more of {','.join(STAGES)}")
    return names


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=stage_names, metavar="STAGES", help="stages to run, separated by commas")
    parser.add_argument("--count", type=int, default=10_000, help="cases of the fuzz and of pixels (10000)")
    parser.add_argument("--steps", type=int, default=1_000_000, help="random steps (1000000)")
    parser.add_argument("--games", type=int, default=20_000, help="games of compat (20000)")
    parser.add_argument("--kills", type=int, default=100, help="kills in a season and in a training run (100)")
    parser.add_argument("--episodes", type=int, default=200, help="Coworld episodes (200)")
    parser.add_argument("--matches", type=int, default=2000, help="matches of the fleet (2000)")
    parser.add_argument("--servers", type=int, default=2, help="servers of the fleet, on one database (2)")
    parser.add_argument("--seasons", type=int, default=10_000, help="simulated seasons (10000)")
    parser.add_argument("--minutes", type=float, default=5.0, help="time of the agents (5)")
    parser.add_argument("--seed", type=int, default=0, help="first seed (0)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="processes at a time")
    parser.add_argument("--case", metavar="SEED|FILE", help="one case of the fuzz")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    if shared_dir() is None:
        say(
            "soak: no recorded episodes (put `shared` beside the repository or set LEAGUE_SHARED): generated games only"
        )
    results: dict[str, str] = {}
    for name, stage in STAGES.items():
        if name not in chosen(args):
            results[name] = "skipped: not selected"
            continue
        if name == "compat" and shared_dir() is None:
            results[name] = "skipped: it needs the scripts beside the recorded episodes"
            continue
        say(f"soak: {name}")
        started = time.monotonic()
        passed = stage(args)
        results[name] = f"{'passed' if passed else 'FAILED'} in {(time.monotonic() - started) / 60:.1f} minutes"
    print("soak:")
    for name, result in results.items():
        print(f"  {name:14}{result}")
    sys.exit(any(result.startswith("FAILED") for result in results.values()))


if __name__ == "__main__":
    main()
