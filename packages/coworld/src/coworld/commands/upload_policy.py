"""`coworld upload-policy`: upload a player."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from coworld.cli.league import LeagueServer, print_document, print_line
from coworld.cli.options import Json, Words
from coworld.cli.pairs import text_pairs
from softmax.cli.errors import UsageError
from softmax.cli.output import note
from softmax.cli.program import examples

__all__ = ["upload_policy"]

ImageArg = Annotated[
    str | None, typer.Argument(metavar="[IMAGE]", help="The player's image, or the folder of a player.")
]
FileOption = Annotated[
    Path | None, typer.Option("--file", metavar="PATH", help="A file or folder: a player without an image.")
]
Name = Annotated[str | None, typer.Option("--name", "-n", metavar="NAME", help="[default: the active player's name]")]
SecretEnv = Annotated[
    list[str] | None,
    typer.Option("--secret-env", metavar="KEY=VALUE", help="A variable that only this player sees (repeatable)."),
]
Tag = Annotated[
    list[str] | None, typer.Option("--tag", metavar="KEY=VALUE", help="A label for this version (repeatable).")
]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="This version in one line.")]
Description = Annotated[str | None, typer.Option("--description", metavar="TEXT", help="What changed, and why.")]
Gpu = Annotated[bool, typer.Option("--gpu", help="The player needs a GPU.")]
InstanceType = Annotated[str | None, typer.Option("--instance-type", metavar="TYPE", help="For administrators.")]
StartupPort = Annotated[
    int | None, typer.Option("--startup-port", metavar="PORT", help="Begin when this port answers over HTTP.")
]
StartupPath = Annotated[str, typer.Option("--startup-path", metavar="PATH", help="The address that has to answer.")]
StartupTimeout = Annotated[
    int, typer.Option("--startup-timeout", metavar="SECONDS", min=1, max=1200, help="How long it may take to start.")
]
Cpu = Annotated[str | None, typer.Option("--cpu", metavar="CPU", help="Processors it needs, such as 2 or 500m.")]
Memory = Annotated[str | None, typer.Option("--memory", metavar="MEMORY", help="Memory it needs, such as 4Gi.")]
CpuLimit = Annotated[str | None, typer.Option("--cpu-limit", metavar="CPU", help="The most processors it may use.")]
UseLlm = Annotated[bool, typer.Option("--use-llm", help="Let it use the models of the server's operator.")]
LlmModel = Annotated[str | None, typer.Option("--llm-model", metavar="MODEL", help="The model; needs --use-llm.")]
LlmEndpoint = Annotated[
    str | None, typer.Option("--llm-endpoint", metavar="URL", help="Your own model API, with https.")
]
LlmApiKeyEnv = Annotated[
    str | None, typer.Option("--llm-api-key-env", metavar="VARIABLE", help="Variable here with that API's key.")
]
HttpsHost = Annotated[
    list[str] | None,
    typer.Option("--https-host", metavar="HOST", help="A host that it wants to reach over https (repeatable)."),
]
UseBedrock = Annotated[bool, typer.Option("--use-bedrock", help="Older spelling of --use-llm, for Bedrock models.")]
BedrockModel = Annotated[str | None, typer.Option("--bedrock-model", metavar="MODEL", help="The model on Bedrock.")]


@examples(
    "coworld upload-policy my-player:latest --name my-player",
    "coworld upload-policy --file my-player --name my-player",
)
def upload_policy(
    image: ImageArg = None,
    file: FileOption = None,
    name: Name = None,
    run: Words = None,
    gpu: Gpu = False,
    instance_type: InstanceType = None,
    startup_port: StartupPort = None,
    startup_path: StartupPath = "/healthz",
    startup_timeout: StartupTimeout = 1200,
    cpu: Cpu = None,
    memory: Memory = None,
    cpu_limit: CpuLimit = None,
    secret_env: SecretEnv = None,
    tag: Tag = None,
    title: Title = None,
    description: Description = None,
    use_llm: UseLlm = False,
    llm_model: LlmModel = None,
    llm_endpoint: LlmEndpoint = None,
    llm_api_key_env: LlmApiKeyEnv = None,
    https_host: HttpsHost = None,
    use_bedrock: UseBedrock = False,
    bedrock_model: BedrockModel = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Upload a player as a new version of your policy: an image, a file, or a folder."""
    from coworld.cli.support import validate_run_argv
    from coworld.server.policy_upload import upload_file_policy, upload_image
    from coworld.server.upload_client import CoworldUploadClient

    if image is not None and file is None and Path(image).is_dir():
        file = Path(image)
        image = None
    if (image is None) == (file is None):
        raise UsageError("Give either an image or --file", ["coworld upload-policy my-player:latest"])
    if llm_model is not None and not (use_llm or use_bedrock):
        raise UsageError("--llm-model needs --use-llm", ["add it"])
    validate_run_argv(run)
    tags = text_pairs(tag, "--tag")
    tags |= {key: text for key, text in (("title", title), ("description", description)) if text is not None}
    secrets = text_pairs(secret_env, "--secret-env")
    secrets |= _models(use_llm, llm_model, llm_endpoint, llm_api_key_env, use_bedrock, bedrock_model)
    if https_host:
        import json as format

        secrets["COWORLD_HTTPS_HOSTS"] = format.dumps(https_host)
    needs = {
        "cpu": cpu,
        "memory": memory,
        "gpu": 1 if gpu else None,
        "instance_type": instance_type,
    }
    resources: dict[str, Any] = {"requests": {key: value for key, value in needs.items() if value is not None}}
    if cpu_limit is not None:
        resources["limits"] = {"cpu": cpu_limit}
    startup = {"port": startup_port, "path": startup_path, "timeout_seconds": startup_timeout}
    with CoworldUploadClient.from_login(server) as client:
        if file is not None:
            version = upload_file_policy(client, file, name=name, tags=tags, secret_env=secrets, run=run)
        else:
            version = client.complete_docker_image_policy(
                name=name,
                container_image_id=upload_image(client, image or "", say=note),
                run=run,
                secret_env=secrets,
                tags=tags,
                resources=resources if resources["requests"] or cpu_limit else None,
                startup=startup if startup_port is not None else None,
            )
    if json:
        print_document(version)
        return
    print_line(f"Upload complete: {version.name}:v{version.version}")
    print_line(f"Policy version ID: {version.id}")


def _models(
    use_llm: bool,
    model: str | None,
    endpoint: str | None,
    key_variable: str | None,
    use_bedrock: bool,
    bedrock_model: str | None,
) -> dict[str, str]:
    """Return the variables by which a player asks for models."""
    import json as format

    found: dict[str, str] = {}
    if use_llm:
        found["COWORLD_LLM_ENABLED"] = "true"
        if model is not None:
            found["COWORLD_LLM_MODEL"] = model
    if endpoint is not None:
        if not endpoint.startswith("https://"):
            raise UsageError("--llm-endpoint must begin with https://", ["give the base address of the API"])
        api: dict[str, str] = {"base_url": endpoint}
        if key_variable is not None:
            key = os.environ.get(key_variable)
            if not key:
                raise UsageError(f"The variable {key_variable} is not set", ["export it first"])
            api["api_key"] = key
        found["COWORLD_LLM_EXTERNAL_ENDPOINT"] = format.dumps(api)
    if use_bedrock:
        found["USE_BEDROCK"] = "true"
        if bedrock_model is not None:
            found["BEDROCK_MODEL"] = bedrock_model
    return found
