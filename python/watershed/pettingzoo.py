"""The games as an environment of PettingZoo, in which agents act one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from ._watershed import Game, State


class RawEnv(AECEnv):
    """A game whose agents are its seats.

    An observation has the facts that the networks of the game read, as its seat sees them, and the
    mask of the legal actions, which is zero for agents that do not decide. At the end of a game,
    each agent is rewarded with its win share: 1 for a win, a part of it for a shared win.
    """

    def __init__(
        self,
        game: str | Game = "the_river",
        players: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = game if isinstance(game, Game) else Game(game, players)
        self.metadata = {
            "name": f"watershed_{self.game.name}_v0",
            "render_modes": ["ansi", "svg"],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.game.players)]
        self.agents: list[str] = []
        numbers = (self.game.observation_size,)
        observation = spaces.Dict(
            {
                "observation": spaces.Box(0.0, np.inf, numbers, np.float32),
                "action_mask": spaces.Box(0, 1, (self.game.num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces = {
            agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents
        }
        self._seeds = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. Equal seeds give equal deals, also in later games without a seed."""
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        self.state_of_game = self.game.new_state(seed=int(self._seeds.integers(1 << 62)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._deciding_agent(self.state_of_game)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Returns what an agent sees."""
        seat, state = self.possible_agents.index(agent), self.state_of_game
        if state.current_player == seat:
            mask = state.legal_mask().view(np.int8)
        else:
            mask = np.zeros(self.game.num_actions, np.int8)
        return {"observation": state.observation(seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Applies the action of the agent that decides. An illegal one raises WatershedError."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        if action is None:
            raise ValueError("the action None is for agents whose game is over")
        self.state_of_game.apply(int(action))
        self._clear_rewards()
        if self.state_of_game.is_terminal:
            self.rewards = dict(zip(self.agents, self.state_of_game.returns()))
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {
                agent: {"score": score}
                for agent, score in zip(self.agents, self.state_of_game.scores())
            }
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self._deciding_agent(self.state_of_game)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Returns the board as text or as a picture, by the mode of the environment."""
        if self.render_mode == "svg":
            return self.state_of_game.svg()
        return self.state_of_game.board() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def _deciding_agent(self, state: State) -> str:
        seat = state.current_player
        assert seat is not None, "chance outcomes are drawn, and the game is not over"
        return self.possible_agents[seat]


class OrderEnforcingEnv(OrderEnforcingWrapper):
    """Refuses calls in a wrong order.

    The wrapper of PettingZoo looks each attribute up in two classes, which takes a third of the
    time of a random game.
    """

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Returns what the agent that acts sees, its reward, and whether its game is over."""
        if not self._has_reset:
            return super().last(observe)
        return self.env.last(observe)


def env(
    game: str | Game = "the_river", players: int | None = None, render_mode: str | None = None
) -> OrderEnforcingEnv:
    """Creates an environment that refuses calls in a wrong order."""
    return OrderEnforcingEnv(RawEnv(game, players, render_mode))
