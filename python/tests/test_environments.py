"""PettingZoo and OpenSpiel."""

import random

import numpy as np
import pytest
import watershed

pettingzoo_test = pytest.importorskip("pettingzoo.test")
pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts  # noqa: E402
from watershed import openspiel, pettingzoo  # noqa: E402

GAMES = [("the_river", 2), ("the_river", 4), ("glassworks", 5), ("common_river", 3)]


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_pettingzoo_accepts_the_environment(name, players):
    pettingzoo_test.api_test(pettingzoo.env(name, players), num_cycles=1500)


def test_equal_seeds_give_equal_episodes():
    pettingzoo_test.seed_test(lambda: pettingzoo.env("glassworks"), num_cycles=300)


def test_rewards_are_the_win_shares():
    env = pettingzoo.env("the_river", 3)
    env.reset(seed=4)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    chooser = np.random.default_rng(0)
    for agent in env.agent_iter():
        observation, reward, is_over, _, info = env.last()
        totals[agent] += reward
        mask = observation["action_mask"]
        env.step(None if is_over else int(chooser.choice(np.flatnonzero(mask))))
    assert sum(totals.values()) == pytest.approx(1) and "score" in info
    env.reset(seed=4)
    with pytest.raises(watershed.WatershedError, match="not legal"):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_openspiel_accepts_the_game(name, players):
    game = pyspiel.load_game(f"python_watershed_{name}(players={players})")
    assert game.num_players() == players
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


# The texts of observations of The River take a minute.
@pytest.mark.parametrize("name", ["glassworks", "common_river(players=2)"])
def test_openspiel_playthroughs_are_replayed(name):
    text = generate_playthrough.playthrough(f"python_watershed_{name}", None, seed=3)
    actions = [
        int(line.split(":")[1]) for line in text.splitlines() if line.startswith("action: ")
    ]
    again = generate_playthrough.playthrough(f"python_watershed_{name}", action_sequence=actions)
    assert len(actions) > 20 and without_description(text) == without_description(again)


def without_description(text):
    """Returns the positions of a playthrough."""
    return text[text.index("# State 0"):]


def test_openspiel_resamples_hidden_roles():
    game = pyspiel.load_game("python_watershed_common_river(players=3)")
    state = game.new_initial_state()
    chooser = random.Random(1)
    seen = set()
    for _ in range(80):
        if state.is_chance_node():
            state.apply_action(chooser.choices(*zip(*state.chance_outcomes()))[0])
            continue
        seat = state.current_player()
        other = state.resample_from_infostate(seat, chooser.random)
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.legal_actions() == state.legal_actions()
        seen.add(str(other) == str(state))
        state.apply_action(chooser.choice(state.legal_actions()))
    assert seen == {True, False}


def test_searches_of_openspiel_play():
    generator = np.random.RandomState(5)
    evaluator = mcts.RandomRolloutEvaluator(1, generator)
    game = pyspiel.load_game("python_watershed_glassworks")
    bots = [mcts.MCTSBot(game, 1.4, 5, evaluator, random_state=generator)]
    game_with_roles = pyspiel.load_game("python_watershed_common_river(players=2)")
    bots.append(ismcts.ISMCTSBot(game_with_roles, evaluator, 1.4, 5, random_state=generator))
    for rules, bot in zip((game, game_with_roles), bots):
        state = rules.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        assert bot.step(state) in state.legal_actions()


def test_openspiel_refuses_other_parameters():
    with pytest.raises(Exception, match="unknown"):
        pyspiel.load_game("python_watershed_glassworks(unknown=3)")
    assert openspiel.WatershedGame("the_river", {"players": 4}).num_players() == 4
