"""The options of the audit commands."""

from typing import Annotated

import typer

WORLD, POLICY, TRACES, OUTPUT = "World", "Policy", "Traces", "Output"
FORMS = "NAME, metta://policy/NAME?key=value, or any other form of `cogames run -p`"

Steps = Annotated[int, typer.Option("--steps", "-s", metavar="N", min=1, help="Steps to play.", rich_help_panel=WORLD)]
Agents = Annotated[
    int, typer.Option("--agents", "--cogs", "-c", metavar="N", min=1, help="Number of agents.", rich_help_panel=WORLD)
]
MaxSteps = Annotated[
    int, typer.Option("--max-steps", metavar="N", min=1, help="Length of the episode.", rich_help_panel=WORLD)
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Seed of the map and the engine.", rich_help_panel=WORLD)
]
Mission = Annotated[
    str, typer.Option("--mission", "-m", metavar="MISSION", help="Mission to play.", rich_help_panel=WORLD)
]
Variants = Annotated[
    list[str] | None,
    typer.Option("--variant", "-v", metavar="VARIANT", help="Change the rules (repeatable).", rich_help_panel=WORLD),
]
Recipe = Annotated[
    bool, typer.Option("--recipe", help="Play with the rewards of the training recipe.", rich_help_panel=WORLD)
]

PolicyUri = Annotated[
    str, typer.Option("--policy-uri", "--policy", "-p", metavar="POLICY", help=f"{FORMS}.", rich_help_panel=POLICY)
]
PolicyA = Annotated[
    str, typer.Option("--policy-a", "-a", metavar="POLICY", help=f"First policy: {FORMS}.", rich_help_panel=POLICY)
]
PolicyB = Annotated[
    str, typer.Option("--policy-b", "-b", metavar="POLICY", help="Second policy.", rich_help_panel=POLICY)
]

TracePrereqs = Annotated[
    bool,
    typer.Option("--trace-prereqs", help="Print changes of what an agent's role needs.", rich_help_panel=TRACES),
]
TraceRoles = Annotated[bool, typer.Option("--trace-roles", help="Print the agents per role.", rich_help_panel=TRACES)]
RoleEvery = Annotated[
    int, typer.Option("--trace-role-every", metavar="N", min=1, help="Trace every N-th step.", rich_help_panel=TRACES)
]
RoleLimit = Annotated[
    int, typer.Option("--trace-role-limit", metavar="N", min=0, help="Most lines; 0 for all.", rich_help_panel=TRACES)
]
TraceResources = Annotated[
    bool, typer.Option("--trace-resources", help="Print the hub's resources.", rich_help_panel=TRACES)
]
ResourceEvery = Annotated[
    int,
    typer.Option("--trace-resource-every", metavar="N", min=1, help="Trace every N-th step.", rich_help_panel=TRACES),
]
ResourceLimit = Annotated[
    int,
    typer.Option("--trace-resource-limit", metavar="N", min=0, help="Most lines; 0 for all.", rich_help_panel=TRACES),
]
TraceEvery = Annotated[
    int, typer.Option("--trace-every", metavar="N", min=1, help="Trace every N-th step.", rich_help_panel=TRACES)
]

Roles = Annotated[
    str,
    typer.Option(
        "--roles", metavar="ROLE,...", help="Roles that the policy is expected to play.", rich_help_panel=OUTPUT
    ),
]
AllowMissingRoles = Annotated[
    bool,
    typer.Option(
        "--allow-missing-roles", help="Report problems of roles and targets without failing.", rich_help_panel=OUTPUT
    ),
]
TopActions = Annotated[
    int, typer.Option("--top-actions", metavar="N", min=0, help="Actions to list.", rich_help_panel=OUTPUT)
]
TopDeltas = Annotated[
    int, typer.Option("--top-deltas", metavar="N", min=0, help="Deltas to list.", rich_help_panel=OUTPUT)
]
ExpectEqual = Annotated[
    bool, typer.Option("--expect-equal", help="Exit with code 1 if the policies differ.", rich_help_panel=OUTPUT)
]
