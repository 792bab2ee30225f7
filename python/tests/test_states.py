"""Games and positions."""

import json
import pickle
import random

import numpy as np
import pytest
import watershed
from watershed import Game, WatershedError

GAMES = [
    ("the_river", 2),
    ("the_river", 4),
    ("glassworks", 3),
    ("common_river", 1),
    ("common_river", 3),
]


def play(state, chooser, on_position=lambda state: None):
    """Plays a game to its end, with chance outcomes by the same chooser."""
    while not state.is_terminal:
        on_position(state)
        state.apply(chooser.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_positions_answer_consistently_in_random_games(name, players):
    game = Game(name, players)
    names = game.action_names
    assert len(set(names)) == game.num_actions

    def check(state):
        numbers, texts = state.legal_actions(), state.legal_names()
        assert numbers and len(set(numbers)) == len(numbers) == len(texts)
        assert [state.action_name(number) for number in numbers] == texts
        if state.is_chance:
            assert state.current_player is None
            outcomes = state.chance_outcomes()
            assert [number for number, _ in outcomes] == numbers
            assert sum(probability for _, probability in outcomes) == pytest.approx(1)
        else:
            assert [names[number] for number in numbers] == texts
            assert np.flatnonzero(state.legal_mask()).tolist() == sorted(numbers)
            observation = state.observation()
            assert observation.dtype == np.float32 and observation.shape == (game.observation_size,)
            assert observation.any()
        by_number, by_name = state.clone(), state.clone()
        by_number.apply(numbers[-1])
        by_name.apply(texts[-1])
        assert str(by_number) == str(by_name) != str(state)
        assert state.returns() == [0.0] * players

    for seed in range(3):
        end = play(game.new_state(), random.Random(seed), check)
        assert end.legal_actions() == [] and not end.legal_mask().any()
        parts = [sum(parts.values()) for parts in end.score_parts()]
        assert parts == end.scores()
        if name != "common_river":
            assert sum(end.returns()) == pytest.approx(1)


def test_text_of_a_position_is_read_back():
    game = Game("glassworks", 4)
    state = game.new_state(seed=3)
    for _ in range(20):
        state.apply(state.legal_actions()[0])
    again = game.state(str(state))
    assert str(again) == str(state) and again.legal_names() == state.legal_names()
    with pytest.raises(WatershedError, match="position"):
        game.state("the_river/2 nonsense")


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_deals_and_scores_are_those_of_recorded_games(name, players, tmp_path):
    records = tmp_path / "games.jsonl"
    watershed.simulate(name, players=players, bots="random", games=4, seed=9, records=records)
    game = Game(name, players)
    for line in records.read_text().splitlines():
        record = json.loads(line)
        state = game.new_state(seed=9, block=record["index"])
        for decider, action in record["events"]:
            if decider != "chance":
                assert state.current_player == decider
                state.apply(action)
        assert state.is_terminal and state.scores() == record["scores"]


def test_equal_seeds_give_equal_games_and_a_copy_continues_alike():
    game = Game("the_river", 3)
    texts = [str(play(game.new_state(seed=5), random.Random(1))) for _ in range(2)]
    assert texts[0] == texts[1]
    state = game.new_state(seed=5)
    ends = {str(play(copy, random.Random(2))) for copy in (state.clone(), state.clone())}
    assert len(ends) == 1 and str(state) == str(game.new_state(seed=5))


def test_a_seat_cannot_distinguish_a_determinization():
    game = Game("common_river", 3)
    state = game.new_state(seed=2)
    chooser = random.Random(0)
    differing = 0
    for step in range(60):
        seat = state.current_player
        other = state.determinize(seed=step)
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert np.array_equal(other.observation(seat), state.observation(seat))
        differing += str(other) != str(state)
        state.apply(chooser.choice(state.legal_actions()))
    assert differing > 0


def test_bots_choose_legal_actions_that_follow_from_the_seed():
    game = Game("glassworks", 2)
    state = game.new_state(seed=1)
    assert {"balanced", "expert"} <= set(game.bots)
    for name in ("random", "balanced", "expert", "mcts:iterations=50"):
        bot = game.bot(name)
        assert bot.choose(state, 3) == bot.choose(state, 3) in state.legal_actions()
    random_bot = game.bot("random")
    assert len({random_bot.choose(state, seed) for seed in range(50)}) > 1
    with pytest.raises(WatershedError, match="data"):
        game.bot("expert").choose(Game("the_river").new_state(seed=1))


def test_games_and_positions_are_pickled():
    game = Game("the_river", 3).with_value("rules.start_pioneers", 5)
    state = play(game.new_state(), random.Random(1))
    copies = pickle.loads(pickle.dumps([game, state]))
    assert copies[0].data == game.data and copies[0].players == 3
    assert str(copies[1]) == str(state) and copies[1].scores() == state.scores()
    with pytest.raises(WatershedError, match="draws its chance"):
        pickle.dumps(game.new_state(seed=1))


def test_boards_are_drawn():
    state = Game("the_river").new_state(seed=1)
    assert state._repr_svg_().startswith("<svg") and state.svg(width=300) != state.svg()
    assert "\n" in state.board()


def test_values_of_the_data_file_are_replaced():
    game = Game("the_river")
    assert game.value("rules.start_pioneers") == "4" and game.is_built_in
    changed = game.with_value("rules.start_pioneers", 5)
    assert changed.value("rules.start_pioneers") == "5" and not changed.is_built_in
    assert "pioneers:5" in str(changed.new_state(seed=1))


def test_errors_name_their_place(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(Game("the_river").data.replace("start_pioneers = 4", "start_pioneers = -4"))
    with pytest.raises(WatershedError) as caught:
        Game("the_river", data=path)
    error = caught.value
    assert error.file == str(path) and error.key == "rules.start_pioneers"
    assert "start_pioneers" in path.read_text().splitlines()[error.line - 1]
    with pytest.raises(WatershedError) as caught:
        watershed.simulate("the_river", config=path, games=10, bots="random")
    assert (caught.value.line, caught.value.key) == (error.line, error.key)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Game("the_rivr"), "did you mean the_river"),
        (lambda: Game("the_river", 9), "2 to 4 players"),
        (lambda: Game("the_river").bot("expret"), "expert"),
        (lambda: Game("the_river").new_state(seed=1).apply(100_000), "not legal here; expected"),
        (lambda: Game("the_river").new_state(seed=1).apply(-1), "no action has the number -1"),
        (lambda: Game("the_river").new_state(seed=1).apply("nonsense"), "action"),
        (lambda: Game("the_river").new_state(seed=1).observation(7), "expected 0 to 1"),
        (lambda: Game("the_river").new_state().observation(), "no seat decides"),
    ],
)
def test_wrong_arguments_are_refused_with_what_is_expected(call, message):
    with pytest.raises(WatershedError, match=message):
        call()
