"""Board games between AI players: rules, bots, studies of balance, and environments.

>>> import watershed
>>> state = watershed.Game("the_river").new_state(seed=1)
>>> state.apply(state.legal_actions()[0])
"""

from ._watershed import GAMES, VERSION, Batch, Bot, Game, State, WatershedError
from .study import Study, analyze, match, run, simulate, study

__all__ = [
    "GAMES",
    "VERSION",
    "Batch",
    "Bot",
    "Game",
    "State",
    "Study",
    "WatershedError",
    "analyze",
    "match",
    "run",
    "simulate",
    "study",
]
