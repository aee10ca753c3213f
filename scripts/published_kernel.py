"""Build the advantage kernel of the published PufferLib for the CPU, in place of the one that needs CUDA.

usage: PYTHON published_kernel.py FOLDER     PYTHON is that of the environment; objects go to FOLDER
"""

import sys
import sysconfig
from pathlib import Path

from setuptools import setup  # type: ignore[import-untyped]
from torch.utils.cpp_extension import BuildExtension, CppExtension


def build(folder: str) -> None:
    site = Path(sysconfig.get_path("platlib"))
    source = site / "pufferlib" / "extensions" / "pufferlib.cpp"
    setup(
        name="pufferlib-cpu-kernel",
        ext_modules=[CppExtension("pufferlib._C", [str(source)], extra_compile_args=["-O3"])],
        cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)},
        script_args=["build_ext", f"--build-lib={site}", f"--build-temp={folder}"],
    )


if __name__ == "__main__":
    build(sys.argv[1])
