"""The memory of a recurrent network between steps, in the shapes that trainers and policies use."""

from __future__ import annotations

from dataclasses import dataclass

from mettagrid.envs._optional import extra

with extra("neural"):
    import torch

__all__ = ["LSTMState", "LSTMStateDict", "LSTMStateTuple"]

LSTMStateTuple = tuple[torch.Tensor, torch.Tensor]
LSTMStateDict = dict[str, torch.Tensor]

_HIDDEN, _CELL = "lstm_h", "lstm_c"


@dataclass
class LSTMState:
    """Hidden and cell state of an LSTM, each [layers, batch, size] as `nn.LSTM` takes them."""

    hidden: torch.Tensor
    cell: torch.Tensor

    @classmethod
    def from_tuple(cls, state: LSTMStateTuple, expected_layers: int | None) -> LSTMState:
        """Convert (hidden, cell), each [layers, batch, size], [batch, layers, size], [batch, size] or [layers, size].

        Raises `ValueError` if the number of layers is not the expected one.
        """
        hidden, cell = state
        return cls(_canonical(hidden, expected_layers), _canonical(cell, expected_layers))

    @classmethod
    def from_dict(cls, state: LSTMStateDict, expected_layers: int | None) -> LSTMState | None:
        """Convert `lstm_h` and `lstm_c`; return None if one of them is missing or None."""
        hidden, cell = state.get(_HIDDEN), state.get(_CELL)
        return None if hidden is None or cell is None else cls.from_tuple((hidden, cell), expected_layers)

    @classmethod
    def from_any(
        cls, state: LSTMState | LSTMStateTuple | LSTMStateDict | None, expected_layers: int | None
    ) -> LSTMState | None:
        if state is None or isinstance(state, LSTMState):
            return state
        if isinstance(state, tuple):
            return cls.from_tuple(state, expected_layers)
        if isinstance(state, dict):
            return cls.from_dict(state, expected_layers)
        raise TypeError(f"Unsupported LSTM state container type: {type(state)}; use a tuple, a dict or an LSTMState")

    def to_tuple(self) -> LSTMStateTuple:
        return self.hidden, self.cell

    def write_dict(self, target: LSTMStateDict) -> None:
        """Replace the content of a dict by `lstm_h` and `lstm_c`, each [batch, layers, size]."""
        target.clear()
        target[_HIDDEN] = self.hidden.transpose(0, 1)
        target[_CELL] = self.cell.transpose(0, 1)

    def detach(self) -> LSTMState:
        """Return a copy that is detached from the gradient graph."""
        return LSTMState(self.hidden.detach(), self.cell.detach())


def _canonical(component: torch.Tensor, expected_layers: int | None) -> torch.Tensor:
    """Reshape a tensor of the shapes that `from_tuple` takes to [layers, batch, size]."""
    if component.dim() > 3:
        raise ValueError(f"Expected tensor with <=3 dims, got {component.dim()}")
    if component.dim() == 1:
        component = component[None, None]
    elif component.dim() == 2:
        is_by_layer = expected_layers is not None and expected_layers > 1 and component.shape[0] == expected_layers
        component = component[:, None] if is_by_layer else component[None]
    if expected_layers is not None and component.shape[0] != expected_layers:
        if component.shape[1] != expected_layers:
            raise ValueError(
                f"Hidden state has unexpected layer dimension. Expected {expected_layers}, got {component.shape[0]}."
            )
        component = component.transpose(0, 1)
    return component.contiguous()
