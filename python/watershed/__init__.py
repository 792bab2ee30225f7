"""Board games between AI players: rules, bots, studies of balance, and environments.

>>> import watershed
>>> state = watershed.Game("the_river").new_state(seed=1)
>>> state.apply(state.legal_actions()[0])
"""

from __future__ import annotations

import copyreg

from ._watershed import GAMES, VERSION, Batch, Bot, Game, State, WatershedError
from .study import Study, analyze, match, run, simulate, study


def _restore_state(source: tuple[str, int, str, str], position: str) -> State:
    return Game._from_text(*source).state(position)


copyreg.pickle(Game, lambda game: (Game._from_text, game._source()))
copyreg.pickle(State, lambda state: (_restore_state, (state._source(), str(state))))

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
