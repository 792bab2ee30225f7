"""The games as games of OpenSpiel: `pyspiel.load_game("python_watershed_glassworks(players=3)")`.

Importing the module registers them. Chance is explicit. What is hidden is resampled: a state has
`resample_from_infostate`, which the search IS-MCTS calls.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pyspiel

from ._watershed import GAMES, Game, State

#: Upper limit of the outcomes of one chance event in all games.
_MAX_CHANCE_OUTCOMES = 1024
#: Upper limit of the decisions and chance outcomes of a game.
_MAX_EVENTS = 10_000


def _game_type(name: str) -> pyspiel.GameType:
    """Returns the properties of a game for all numbers of players."""
    game = Game(name)
    min_players, max_players = game.player_range
    # The seats of We All Take from the River have secret roles, and can all win.
    is_shared = name == "common_river"
    information = pyspiel.GameType.Information
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=f"python_watershed_{name}",
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=(
            information.IMPERFECT_INFORMATION if is_shared else information.PERFECT_INFORMATION
        ),
        utility=utility.GENERAL_SUM if is_shared else utility.CONSTANT_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max_players,
        min_num_players=min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": game.players},
    )


class WatershedGame(pyspiel.Game):
    """A game on its built-in data file."""

    def __init__(self, name: str, params: dict[str, Any] | None = None) -> None:
        parameters = {"players": Game(name).players, **(params or {})}
        self.rules = Game(name, int(parameters["players"]))
        game_type = _game_type(name)
        is_constant = game_type.utility == pyspiel.GameType.Utility.CONSTANT_SUM
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.num_actions,
            max_chance_outcomes=_MAX_CHANCE_OUTCOMES,
            num_players=self.rules.players,
            min_utility=0.0,
            max_utility=1.0,
            utility_sum=1.0 if is_constant else None,
            max_game_length=_MAX_EVENTS,
        )
        super().__init__(game_type, info, parameters)

    def new_initial_state(self) -> WatershedState:
        """Returns the position before the first event."""
        return WatershedState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> WatershedObserver:
        """Returns an observer of what a seat sees."""
        if params:
            raise ValueError(f"expected no parameters of the observation, found {params}")
        return WatershedObserver(self.rules)


class WatershedState(pyspiel.State):
    """A position with its history."""

    def __init__(self, game: WatershedGame) -> None:
        super().__init__(game)
        self.position = game.rules.new_state()

    def current_player(self) -> int:
        """Returns the seat that decides, or the constant for chance or the end."""
        seat = self.position.current_player
        if seat is not None:
            return seat
        is_chance = self.position.is_chance
        return pyspiel.PlayerId.CHANCE if is_chance else pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.position.legal_actions())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the outcomes that are due, with their probabilities."""
        return self.position.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.position.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.action_name(action)

    def is_terminal(self) -> bool:
        """Returns true if the game is over."""
        return self.position.is_terminal

    def returns(self) -> list[float]:
        """Returns the win shares of the seats."""
        return self.position.returns()

    def information_state_string(self, player: int | None = None) -> str:
        """Returns the position as a seat sees it."""
        return self.position.information_state_string(player)

    def resample_from_infostate(
        self, player: int, probability_sampler: Callable[[], float]
    ) -> WatershedState:
        """Returns a state that the seat cannot distinguish from this one, drawn uniformly."""
        state = self.clone()
        seed = int(probability_sampler() * 2**53)
        state.position = self.position.determinize(player, seed)
        return state

    def __str__(self) -> str:
        return str(self.position)


class WatershedObserver:
    """What a seat sees, as a text and as numbers."""

    def __init__(self, rules: Game) -> None:
        self.tensor = np.zeros(rules.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: WatershedState, player: int) -> None:
        """Writes the numbers that a seat sees."""
        self.tensor[:] = state.position.observation(player)

    def string_from(self, state: WatershedState, player: int) -> str:
        """Returns the position as a seat sees it."""
        return state.position.information_state_string(player)


def _register(name: str) -> None:
    """Makes a game known to OpenSpiel."""

    class Registered(WatershedGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(name, params)

    pyspiel.register_game(_game_type(name), Registered)


for _name in GAMES:
    _register(_name)
