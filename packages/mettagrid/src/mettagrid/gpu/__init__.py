"""Many worlds of one game on a GPU.

    from mettagrid.gpu import Batch

    with Batch(program, program.map(rows), seeds=range(16384)) as batch:
        batch.actions[:] = policy(batch.observations)   # torch tensors on the GPU
        batch.step()

The results are those of `mettagrid.batch`, bit for bit. Errors: `mettagrid.gpu.errors`.
"""

from typing import TYPE_CHECKING, Any

from mettagrid.gpu.errors import GpuOutOfMemory, GpuUnavailable

if TYPE_CHECKING:
    from mettagrid.gpu.batch import Batch

__all__ = ["Batch", "GpuOutOfMemory", "GpuUnavailable"]


def __getattr__(name: str) -> Any:
    """Load PyTorch only when the batch is used."""
    if name != "Batch":
        raise AttributeError(f"module 'mettagrid.gpu' has no attribute {name!r}")
    try:
        from mettagrid.gpu.batch import Batch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise GpuUnavailable("Playing on a GPU needs PyTorch: pip install 'mettagrid[gpu]'.") from None
    return Batch
