"""Many positions and playouts at once."""

import json
import threading
import time

import numpy as np
import pytest
import watershed
from watershed import Game, WatershedError


def test_playouts_do_not_depend_on_threads():
    state = Game("the_river", 3).new_state()
    results = [state.playouts(3000, seed=4, threads=threads) for threads in (1, 2)]
    for name, shape in (("returns", (3000, 3)), ("scores", (3000, 3)), ("events", (3000,))):
        assert results[0][name].shape == shape
        assert np.array_equal(results[0][name], results[1][name])
    assert np.allclose(results[0]["returns"].sum(axis=1), 1, atol=1e-6)
    assert not np.array_equal(results[0]["scores"], state.playouts(3000, seed=5)["scores"])


def test_other_threads_run_during_playouts():
    state = Game("common_river", 3).new_state()
    steps = 0
    worker = threading.Thread(target=lambda: state.clone().playouts(20_000, threads=1))
    worker.start()
    while worker.is_alive():
        steps += 1
        time.sleep(0.001)
    assert steps > 20


@pytest.mark.parametrize("name", watershed.GAMES)
def test_playouts_reach_the_rate_of_the_program(name):
    state = Game(name).new_state()
    command = f"bench --game {name} --workload playouts --repetitions 1 --json --quiet"
    native, ours = 0.0, 0.0
    for _ in range(6):
        report = json.loads(watershed.run(command))
        native = max(native, report["games"][name]["playouts_per_s"])
        start = time.process_time()
        state.playouts(20_000, threads=1)
        ours = max(ours, 20_000 / (time.process_time() - start))
        if ours > 0.8 * native:
            break
    print(f"{name}: {ours:.0f} of {native:.0f} playouts a second")
    assert ours > 0.8 * native


def test_sizes_beyond_the_memory_are_errors():
    game = Game("glassworks")
    state = game.new_state(seed=1)
    for games in (10_000_001, 2**40, 2**62):
        with pytest.raises(WatershedError, match="games: expected at most 1000000,"):
            game.batch(games)
        with pytest.raises(WatershedError, match="playouts: expected at most 10000000,"):
            state.playouts(games)
    for draw in (state.board, state.svg):
        with pytest.raises(WatershedError, match="width: expected at most 10000"):
            draw(width=2**62)


def test_a_batch_plays_the_games_of_its_blocks():
    game = Game("glassworks", 2)
    batch = game.batch(32, seed=6)
    states = [game.new_state(seed=6, block=block) for block in range(32)]
    while True:
        players, masks = batch.current_players(), batch.legal_masks()
        assert masks.shape == (32, game.num_actions)
        assert [-1 if s.is_terminal else s.current_player for s in states] == players.tolist()
        if (players == -1).all():
            break
        observations = batch.observations()
        for state, mask, observation in zip(states, masks, observations):
            assert np.array_equal(state.legal_mask(), mask)
            if not state.is_terminal:
                assert np.array_equal(state.observation(), observation)
        actions = masks.argmax(axis=1)
        batch.apply(actions)
        for state, action in zip(states, actions):
            if not state.is_terminal:
                state.apply(int(action))
    assert batch.scores().tolist() == [state.scores() for state in states]
    assert np.allclose(batch.returns().sum(axis=1), 1)
    assert batch.renew_finished() == 32
    assert str(batch[0]) == str(game.new_state(seed=6, block=32))


def test_a_batch_refuses_illegal_actions_and_changes_no_game():
    batch = Game("the_river").batch(8, seed=1)
    before = [str(batch[index]) for index in range(8)]
    actions = batch.legal_masks().argmax(axis=1)
    actions[5] = -1
    with pytest.raises(WatershedError, match="game 5: action -1 is not legal; expected"):
        batch.apply(actions)
    with pytest.raises(WatershedError, match="expected 8 actions, found 3"):
        batch.apply(actions[:3])
    assert before == [str(batch[index]) for index in range(8)]
    with pytest.raises(IndexError):
        batch[8]
