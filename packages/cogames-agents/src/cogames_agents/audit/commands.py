"""`cogames agents rollout`, `parity` and `audit`: parse, call one function, print."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from cogames.commands.shared import choices
from cogames.commands.shared.options import OutputFormat
from cogames.commands.shared.redirection import prints_to_stderr
from cogames_agents.audit import options
from cogames_agents.audit.report import Report
from cogames_agents.audit.setting import Setting
from cogames_agents.audit.world import ROLES
from softmax.cli.errors import UsageError
from softmax.cli.output import Format
from softmax.cli.program import examples

__all__ = ["audit", "parity", "rollout"]


@examples(
    "cogames agents rollout --steps 200 --agents 10",
    "cogames agents rollout -p starter --roles miner,aligner",
    "cogames agents rollout --steps 500 --trace-roles --trace-role-every 50 --trace-prereqs",
)
def rollout(
    steps: options.Steps = 200,
    agents: options.Agents = 10,
    max_steps: options.MaxSteps = 1000,
    seed: options.Seed = 42,
    recipe: options.Recipe = False,
    mission: options.Mission = "arena",
    variant: options.Variants = None,
    policy_uri: options.PolicyUri = "metta://policy/role?miner=4&scout=2&aligner=2&scrambler=2",
    roles: options.Roles = "miner,scout,aligner,scrambler",
    allow_missing_roles: options.AllowMissingRoles = False,
    trace_prereqs: options.TracePrereqs = False,
    trace_roles: options.TraceRoles = False,
    trace_role_every: options.RoleEvery = 1,
    trace_role_limit: options.RoleLimit = 0,
    trace_resources: options.TraceResources = False,
    trace_resource_every: options.ResourceEvery = 1,
    trace_resource_limit: options.ResourceLimit = 0,
    format: OutputFormat = None,
) -> None:
    """Check a policy in a short episode.

    Plays the policy and reports hub discovery, junction alignment, role behavior, gear stations, resources and role
    coverage, as they happened in the simulation and as the policy's infos tell. Exits with code 1 if a check fails.
    """
    from cogames_agents.audit.rollout import Traces, run_rollout
    from cogames_agents.audit.tracing import Trace

    setting = _setting(steps, agents, max_steps, seed, mission, variant, recipe)
    expected = _roles(roles)
    traces = Traces(
        Trace(trace_roles, trace_role_every, trace_role_limit),
        Trace(trace_resources, trace_resource_every, trace_resource_limit),
        trace_prereqs,
    )
    with _printed(f"Rollout of {policy_uri} on {setting}", format) as report:
        rollout = run_rollout(setting, policy_uri, expected_roles=expected, traces=traces, say=report.trace.append)
        failed = rollout.failed(allow_missing_roles=allow_missing_roles)
        report.sections = rollout.sections()
        report.checks = rollout.verdicts(allow_missing_roles=allow_missing_roles)
        report.result = f"{len(failed)} of {len(rollout.checks)} checks failed" if failed else "pass"
    if failed:
        raise typer.Exit(1)


@examples(
    "cogames agents parity --policy-a role --policy-b role_py --steps 500",
    "cogames agents parity -a starter -b my_policy.MyPolicy --expect-equal",
)
def parity(
    steps: options.Steps = 500,
    agents: options.Agents = 10,
    max_steps: options.MaxSteps = 1000,
    seed: options.Seed = 42,
    mission: options.Mission = "arena",
    variant: options.Variants = None,
    policy_a: options.PolicyA = "role",
    policy_b: options.PolicyB = "role_py",
    top_actions: options.TopActions = 5,
    top_deltas: options.TopDeltas = 5,
    expect_equal: options.ExpectEqual = False,
    format: OutputFormat = None,
) -> None:
    """Compare the actions of two policies.

    Plays both in worlds with the same seed, and lets the second one watch the world of the first. Reports action
    counts, move success rates, the largest deltas, and the first step and agent whose actions differ.
    """
    from cogames_agents.audit.parity import run_parity

    setting = _setting(steps, agents, max_steps, seed, mission, variant)
    with _printed(f"Parity on {setting}", format) as report:
        parity = run_parity(setting, policy_a, policy_b)
        report.sections = parity.sections(top_actions=top_actions, top_deltas=top_deltas)
        report.result = "equal" if parity.is_equal else "different"
    if expect_equal and not parity.is_equal:
        raise typer.Exit(1)


@examples(
    "cogames agents audit",
    "cogames agents audit -p role --steps 1000 --agents 10 --trace-every 50",
)
def audit(
    steps: options.Steps = 1000,
    agents: options.Agents = 2,
    max_steps: options.MaxSteps = 1000,
    seed: options.Seed = 42,
    mission: options.Mission = "arena",
    variant: options.Variants = None,
    policy_uri: options.PolicyUri = "metta://policy/role_py?miner=1&scout=1",
    trace_every: options.TraceEvery = 200,
    format: OutputFormat = None,
) -> None:
    """Trace roles and resources of a policy.

    Prints the agents per role and the hub's resources every few steps, then role changes, gear and the structures that
    each agent knows.
    """
    from cogames_agents.audit.instrumented import run_instrumented

    setting = _setting(steps, agents, max_steps, seed, mission, variant)
    with _printed(f"Audit of {policy_uri} on {setting}", format) as report:
        report.sections = run_instrumented(setting, policy_uri, trace_every=trace_every, say=report.trace.append)


def _setting(
    steps: int, agents: int, max_steps: int, seed: int, mission: str, variants: list[str] | None, recipe: bool = False
) -> Setting:
    return Setting(steps, agents, max_steps, seed, recipe, mission, tuple(variants or ()))


def _roles(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in ROLES:
            raise UsageError(f"Unknown role {name!r} in --roles; the roles are {', '.join(ROLES)}.")
    return names


@contextmanager
def _printed(title: str, format: Format | None) -> Iterator[Report]:
    """Fill a report while policies run, and print it at the end: also the traces of a policy that raises.

    Bad missions and policies become usage errors.
    """
    from cogames_agents.audit.players import PolicyFailed, PolicyNotLoaded
    from mettagrid.cogame.errors import MissionError

    choices.use_working_folder()
    report = Report(title)
    try:
        with prints_to_stderr():
            yield report
    except (MissionError, PolicyNotLoaded) as error:
        raise UsageError(str(error)) from error
    except PolicyFailed:
        report.print(format)
        raise
    report.print(format)
