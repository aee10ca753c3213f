"""An actor and a critic that see pictures of 16 colours."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

__all__ = ["PictureNetwork"]

COLOURS = 16


class PictureNetwork(nn.Module):
    """Two convolutions and one layer, shared by actor and critic.

    The network looks at one pixel of every `pitch` x `pitch`, which is enough for games that draw in cells of that
    size, and `pitch`^2 times cheaper on a CPU. Pictures are uint8 [n, stack, height, width].
    """

    one_hot: torch.Tensor

    def __init__(
        self, stack: int, num_actions: int, *, side: int = 128, pitch: int = 4, channels: int = 16, hidden: int = 128
    ) -> None:
        super().__init__()
        self.pitch = pitch
        self.seen = side // pitch
        self.features = nn.Sequential(
            _scaled(nn.Conv2d(stack * COLOURS, channels, 4, stride=2, padding=1)),
            nn.ReLU(),
            _scaled(nn.Conv2d(channels, 2 * channels, 4, stride=2, padding=1)),
            nn.ReLU(),
            nn.Flatten(),
            _scaled(nn.Linear(2 * channels * (self.seen // 4) ** 2, hidden)),
            nn.ReLU(),
        )
        self.register_buffer("one_hot", torch.eye(COLOURS), persistent=False)
        self.actor = _scaled(nn.Linear(hidden, num_actions), 0.01)
        self.critic = _scaled(nn.Linear(hidden, 1), 1.0)

    def look(self, pictures: np.ndarray) -> torch.Tensor:
        """Return the pixels that the network sees, uint8 [n, stack, seen, seen]: what `forward` takes."""
        first = self.pitch // 4
        return torch.from_numpy(np.ascontiguousarray(pictures[..., first :: self.pitch, first :: self.pitch]))

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits of the actions [n, actions] and the values [n]."""
        planes = functional.embedding(pixels.int(), self.one_hot)  # [n, stack, seen, seen, colours]
        features = self.features(planes.permute(0, 1, 4, 2, 3).flatten(1, 2))
        return self.actor(features), self.critic(features)[:, 0]


def _scaled(layer: nn.Conv2d | nn.Linear, gain: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(layer.weight, gain)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer
