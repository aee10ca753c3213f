"""Images of a container engine: configuration, user, platform, digest, pull policy, and the choice of an engine."""

import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import cogbox
from cogbox._guard import guard_path
from cogbox.container_engines import run_engine
from coworld.engines import auto, container, container_images
from coworld.engines.auto import AutoEngine
from coworld.engines.base import EngineError, ImageUnreachable, RunnableSpec
from coworld.engines.choice import choose_engine
from coworld.engines.container import ContainerEngine, EngineMissing
from coworld.engines.container_images import ContainerImages, emulation_problem
from coworld.engines.local_images import LocalImages
from packages.coworld.tests import worlds
from packages.coworld.tests.images import python_image, require_engine

PASSWD = "root:x:0:0::/root:\nplayer:x:1234:2345::/home/player:\n"
GROUP = "root:x:0:\npainters:x:77:player\n"


@pytest.fixture(scope="module", params=worlds.CONTAINER_ENGINES)
def engine_name(request: pytest.FixtureRequest) -> str:
    return require_engine(request.param)


@pytest.fixture(scope="module")
def make_image(engine_name: str) -> Iterator[Callable[..., str]]:
    """Import an image with one static program, `/program`, and nothing else; removed afterwards."""
    made: list[str] = []

    def make(*changes: str, arch: str = "amd64", program: str = "program") -> str:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            archive.add(guard_path(), program)
            for name, text in (("passwd", PASSWD), ("group", GROUP)):
                info = tarfile.TarInfo(f"etc/{name}")
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        name = f"localhost/coworld-tests-tiny:{os.getpid()}-{len(made)}"
        options = [word for change in changes for word in ("--change", change)]
        platform = ["--arch", arch] if engine_name == "podman" else ["--platform", f"linux/{arch}"]
        ran = run_engine(engine_name, "import", *platform, *options, "-", name, input=buffer.getvalue())
        assert ran.returncode == 0, ran.stderr
        made.append(name)
        return name

    yield make
    for name in made:
        run_engine(engine_name, "rmi", "--force", name)


def images(engine_name: str, **options: str) -> ContainerImages:
    return ContainerImages(engine_name, pull="never", **options)  # type: ignore[arg-type]


def test_the_configuration_of_an_image_is_read(engine_name: str, make_image: Callable[..., str]) -> None:
    changes = ["ENV PATH=/bin", "ENV GREETING=a=b", "WORKDIR /srv", 'ENTRYPOINT ["/program"]', 'CMD ["x", "y z"]']
    config = images(engine_name).find(make_image(*changes, "USER player"))
    assert config.argv == ("/program", "x", "y z")
    assert dict(config.env) == {"PATH": "/bin", "GREETING": "a=b"}
    assert (config.workdir, config.platform) == ("/srv", "linux/amd64")
    assert (config.uid, config.gid, config.home) == (1234, 2345, "/home/player")


@pytest.mark.parametrize(
    ("user", "ids", "home"),
    [
        ("", "0:0", "/root"),
        ("1234", "1234:2345", "/home/player"),
        ("4321", "4321:0", "/"),
        ("player:painters", "1234:77", "/home/player"),
        ("player:88", "1234:88", "/home/player"),
    ],
)
def test_the_user_of_an_image_is_resolved_inside_it(
    user: str, ids: str, home: str, engine_name: str, make_image: Callable[..., str]
) -> None:
    config = images(engine_name).find(make_image(*([f"USER {user}"] if user else [])))
    assert (config.user, config.home) == (ids, home)


def test_an_unknown_user_is_named(engine_name: str, make_image: Callable[..., str]) -> None:
    with pytest.raises(ImageUnreachable, match="its user 'ghost' is not in its /etc/passwd"):
        images(engine_name).find(make_image("USER ghost"))


def test_a_program_runs_as_the_user_of_its_image_in_its_folder(engine_name: str, tmp_path: Path) -> None:
    base, name = python_image(engine_name), f"localhost/coworld-tests-user:{os.getpid()}"
    lines = [f"FROM {base}", "ENV KIND=image OTHER=image", "USER player", 'ENTRYPOINT ["python", "-c"]', 'CMD ["0"]']
    (tmp_path / "Containerfile").write_text("\n".join(lines))
    built = run_engine(
        engine_name, "build", "--network", "none", "--tag", name, "-f", f"{tmp_path}/Containerfile", str(tmp_path)
    )
    assert built.returncode == 0, built.stderr
    code = (
        "import os, json\n"
        "open('/coworld/out.json', 'w').write(json.dumps([os.getuid(), os.getgid(), os.getcwd(), os.environ['HOME'],\n"
        "    os.environ['KIND'], os.environ['OTHER'], open('/coworld/given').read()]))\n"
    )
    engine = ContainerEngine(images(engine_name))
    spec = RunnableSpec(
        role="reporter",
        name=f"coworld-test-{os.getpid()}",
        image=name,
        run=["python", "-c", code],
        env={"OTHER": "manifest"},
        files={"given": b"a file"},
    )
    try:
        running = engine.start(spec)
        assert running.wait(60).clean, running.log("stderr")
        seen = json.loads(running.read("out.json", 1 << 20) or b"null")
        running.close()
    finally:
        run_engine(engine_name, "rmi", "--force", name)
    assert seen == [1234, 2345, "/app", "/home/player", "image", "manifest", "a file"]


def test_an_image_with_one_static_program_and_no_libraries_runs(
    engine_name: str, make_image: Callable[..., str]
) -> None:
    engine = ContainerEngine(images(engine_name))
    name = make_image('ENTRYPOINT ["/program"]')
    assert engine.resolve(name).has_command
    running = engine.start(RunnableSpec(role="reporter", name=f"coworld-test-tiny-{os.getpid()}", image=name))
    ended = running.wait(60)
    running.close()
    assert ended.code is not None and not ended.clean  # the guard without arguments


def test_an_image_for_another_platform_is_refused_with_the_remedy(
    engine_name: str, make_image: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = make_image(arch="arm64")
    if engine_name == "docker":  # its `import` ignores the platform
        monkeypatch.setattr(container_images, "_platform_of", lambda document: "linux/arm64")
    with pytest.raises(
        ImageUnreachable, match=r"built for linux/arm64, and linux/amd64 is required.*--platform linux/arm64"
    ):
        images(engine_name).find(name)
    monkeypatch.setattr(container_images, "emulation_problem", lambda wanted: None)
    assert images(engine_name, platform="linux/arm64").find(name).platform == "linux/arm64"


def test_a_machine_without_an_emulator_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_images.platform, "machine", lambda: "riscv64")
    emulation_problem.cache_clear()
    problem = emulation_problem("linux/amd64")
    emulation_problem.cache_clear()
    assert problem is not None and "apt install qemu-user-static" in problem and "--platform linux/riscv64" in problem
    assert "only Linux programs" in str(emulation_problem("windows/amd64"))


def test_a_digest_is_verified(
    engine_name: str, make_image: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = make_image('CMD ["/program"]')
    config = images(engine_name).find(name)
    digest = config.digest or config.id
    document = json.loads(run_engine(engine_name, "image", "inspect", name).stdout)[0]
    monkeypatch.setattr(ContainerImages, "_inspect", lambda self, image: document)
    assert images(engine_name).find(f"localhost/pinned@{digest}").id == config.id
    with pytest.raises(ImageUnreachable, match="has another digest for it"):
        images(engine_name).find(f"localhost/pinned@sha256:{'0' * 64}")


def test_an_image_that_is_not_there_is_told_in_a_sentence(engine_name: str) -> None:
    with pytest.raises(ImageUnreachable, match="`--pull never` forbids a download"):
        images(engine_name).find("localhost/absent:1")
    told: list[str] = []
    pulling = ContainerImages(engine_name, say=told.append)
    for _ in range(2):  # the second answer comes from the cache
        with pytest.raises(ImageUnreachable, match=f"{engine_name} does not have it and could not pull it"):
            pulling.find("localhost:1/absent:1")
    assert told == [f"Pulling localhost:1/absent:1 (linux/amd64) with {engine_name}"]
    with pytest.raises(ImageUnreachable, match="never resolved"):
        pulling.find("img_0123")
    with pytest.raises(ImageUnreachable, match="not an image reference"):
        pulling.find("--privileged")


def test_auto_prefers_a_local_program_then_an_image_then_explains_both_remedies(
    engine_name: str, make_image: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = make_image('CMD ["/program"]')
    local = worlds.engine()
    chosen = AutoEngine(local, lambda _: images(engine_name))
    assert chosen.resolve(worlds.GAME).how == local.resolve(worlds.GAME).how
    assert (chosen.name, chosen.level) == ("process", local.level)
    assert chosen.resolve(name).how.startswith("image sha256:")
    assert chosen.name == f"{engine_name} and process"
    with pytest.raises(ImageUnreachable, match=r"build --tag localhost/absent:1 DIR.*--map localhost/absent:1=DIR"):
        chosen.resolve("localhost/absent:1")
    monkeypatch.setattr(auto, "engine_problem", lambda name: f"`{name}` is not installed")
    with pytest.raises(ImageUnreachable, match=r"--map localhost/absent:2=DIR.*`podman` is not.*apt install podman"):
        chosen.resolve("localhost/absent:2")


def test_an_engine_points_to_a_local_program_for_an_image_it_does_not_have(engine_name: str) -> None:
    engine = choose_engine(engine_name, worlds.engine().images, pull="never")
    with pytest.raises(ImageUnreachable, match=r"run the local program that stands for it with `--engine auto`"):
        engine.resolve(worlds.GAME)


def test_a_missing_engine_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "engine_problem", lambda name: f"`{name}` is not installed")
    with pytest.raises(EngineMissing, match=r"^podman cannot be used here .*`sudo apt install podman runc uidmap`"):
        choose_engine("podman", LocalImages())
    with pytest.raises(EngineMissing, match="Start its daemon, or install podman"):
        choose_engine("docker", LocalImages())
    with pytest.raises(EngineError, match="allowed: auto, process, podman, docker"):
        choose_engine("kvm", LocalImages())


def test_an_image_needs_the_level_container() -> None:
    root = cogbox.ImageRoot(image="localhost/a", name="a")
    with pytest.raises(cogbox.BadRequest, match="an image needs the level `container`"):
        cogbox.Sandbox(cogbox.Level.NONE).start(["true"], image=root)
    for wrong in ({"name": "a b"}, {"hosts": ["a b"]}, {"image": "--privileged"}):
        with pytest.raises(cogbox.BadRequest, match="is not a"):
            cogbox.ImageRoot(**{"image": "localhost/a", "name": "a", **wrong})  # type: ignore[arg-type]
