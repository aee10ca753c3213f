"""Explain an episode from its replay: timelines, turning points, and what its policies did differently.

    explanation = explain(load_replay("episode.json.z"))
    print("\n".join(moment.text for moment in explanation.moments))

- `episode`: the replay as arrays: one value for each agent and step
- `teams`: teams, and the objects that change hands
- `moments`: turning points
- `differences`: rates in which policies differ
- `explaining`: all of it, as the model that the server sends
- `job`: the file `explanation.json` of a league match
"""

from cogames.explain.explaining import Seats, explain

__all__ = ["Seats", "explain"]
