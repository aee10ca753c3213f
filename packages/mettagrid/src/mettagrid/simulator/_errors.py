"""The errors of the simulation API.

KeyError
    UnknownActionError       an action name the game does not have
AttributeError
    SimulationClosedError    use of a simulation after `close()`
ValueError                   a talk, resource, seed or cache size that is refused
TypeError                    an argument of the wrong type
IndexError                   an agent that does not exist
"""

from collections.abc import Iterable


class UnknownActionError(KeyError):
    """Raised by `SimulationAgent.set_action` for a name that is not among the game's actions."""

    def __init__(self, name: object, known: Iterable[str]) -> None:
        self.name = name
        self._message = f"Unknown action {name!r}{did_you_mean(name, known)}; `Simulation.action_names` lists them all"
        super().__init__(self._message)

    def __str__(self) -> str:
        return self._message  # KeyError would print the repr

    def __reduce__(self) -> tuple[object, ...]:
        return _restore_unknown_action, (self.name, self._message)


def _restore_unknown_action(name: object, message: str) -> UnknownActionError:
    error = UnknownActionError(name, ())
    error._message = message
    error.args = (message,)
    return error


class SimulationClosedError(AttributeError):
    """Raised when the engine of a closed simulation is needed."""

    def __init__(self) -> None:
        super().__init__("This simulation is closed; one Simulation is one episode, so create a new one")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a hint such as " (did you mean 'move_east'?)" or an empty string."""
    if not isinstance(name, str):
        return ""
    from difflib import get_close_matches  # only needed on the way to an error

    close = get_close_matches(name, list(known), n=3)
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""
