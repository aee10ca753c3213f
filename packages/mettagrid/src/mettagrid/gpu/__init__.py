"""Many worlds of one game on a GPU.

    from mettagrid.gpu import Batch

    with Batch(program, program.map(rows), seeds=range(16384)) as batch:
        batch.actions[:] = policy(batch.observations)   # torch tensors on the GPU
        batch.step()

The results are those of `mettagrid.batch`, bit for bit. Errors: `mettagrid.gpu.errors`.
"""

from mettagrid.gpu.batch import Batch
from mettagrid.gpu.errors import GpuOutOfMemory, GpuUnavailable

__all__ = ["Batch", "GpuOutOfMemory", "GpuUnavailable"]
