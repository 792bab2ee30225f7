"""Measures games per second of random players: an environment of PettingZoo, batches of playouts, and Catanatron.

    pip install ./python 'pettingzoo' gymnasium catanatron
    python python/benchmark.py
"""

import random
import time

import numpy as np

import watershed
from watershed.pettingzoo import env

SECONDS = 10.0


def rate(play):
    """Calls a function again and again for some seconds and returns how often it was called per second."""
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
            environment.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))


rng = np.random.default_rng(1)
for name, players in [("the_river", 2), ("the_river", 4), ("glassworks", 2), ("common_river", 3)]:
    environment = env(name, players)
    games = rate(lambda: random_game(environment, rng))
    state = watershed.Game(name, players).new_state(seed=1)
    batches = rate(lambda: state.playouts(1000, seed=1))
    print(f"{name}, {players} players: {games:,.0f} games/s in PettingZoo, {1000 * batches:,.0f} in batches")

try:
    from catanatron import Color, Game, RandomPlayer
except ImportError:
    print("catanatron is not installed")
else:
    random.seed(1)
    for players in [2, 4]:
        seats = [RandomPlayer(color) for color in list(Color)[:players]]
        print(f"Catanatron, {players} players: {rate(lambda: Game(seats).play()):,.1f} games/s")
