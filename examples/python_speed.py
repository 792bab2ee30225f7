"""Measures random games per second: in PettingZoo, in batches of playouts, and in Catanatron.

    pip install ./python pettingzoo gymnasium catanatron
    python examples/python_speed.py
"""

import random
import time

import numpy as np

import watershed
from watershed.pettingzoo import env

SECONDS = 10.0


def rate(play):
    """Calls a function for some seconds and returns the number of calls per second."""
    play()
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        play()
        calls += 1
    return calls / (time.perf_counter() - start)


def random_game(environment, rng):
    """Plays a game of an environment of PettingZoo with random actions."""
    environment.reset(seed=int(rng.integers(1 << 31)))
    for agent in environment.agent_iter():
        observation, _, terminated, truncated, _ = environment.last()
        if terminated or truncated:
            environment.step(None)
        else:
            legal = np.flatnonzero(observation["action_mask"])
            environment.step(int(legal[rng.integers(len(legal))]))


rng = np.random.default_rng(1)
for name, players in [("the_river", 2), ("the_river", 4), ("glassworks", 2), ("common_river", 3)]:
    environment = env(name, players)
    games = rate(lambda: random_game(environment, rng))
    state = watershed.Game(name, players).new_state(seed=1)
    batches = rate(lambda: state.playouts(1000, seed=1))
    print(f"{name}, {players} players: {games:,.0f} games/s in PettingZoo,", end=" ")
    print(f"{1000 * batches:,.0f} in batches")

try:
    from catanatron import Color, Game, RandomPlayer
except ImportError:
    print("catanatron is not installed")
else:
    random.seed(1)
    for players in [2, 4]:
        seats = [RandomPlayer(color) for color in list(Color)[:players]]
        print(f"Catanatron, {players} players: {rate(lambda: Game(seats).play()):,.1f} games/s")
