"""The commands as functions."""

import os
import signal
import threading
import time

import numpy as np
import pandas
import polars
import pytest
import watershed
from watershed import Game, WatershedError


def first_action(state):
    """A bot that chooses the first legal action."""
    return state.legal_actions()[0]


def random_action(state):
    """A bot that chooses a random action by its notation."""
    names = state.legal_names()
    return names[state.seed % len(names)]


def test_simulate_returns_the_tables_of_the_command(tmp_path):
    flags = {"players": 2, "bots": "balanced", "games": 60, "seed": 3}
    kept = watershed.simulate("the_river", out=tmp_path / "run", **flags)
    again = watershed.simulate(Game("the_river", 2), **{**flags, "players": None, "threads": 1})
    assert kept.status == 0 and kept.manifest["seed"] == 3
    assert (tmp_path / "run" / "report.html").exists()
    assert kept.tables.keys() == again.tables.keys() >= {"win_rates", "tiles", "openings"}
    for name, table in kept.tables.items():
        for column, values in table.items():
            if isinstance(values, list):
                assert values == again[name][column]
            else:
                assert np.array_equal(values, again[name][column], equal_nan=True)
    turns = kept["turn_order"]
    assert turns["turn_position"].dtype == np.int64 and turns["bot"] == ["balanced"] * 2
    assert turns["win_rate"].sum() == pytest.approx(1)
    assert "first player wins" in kept.text
    with pytest.raises(KeyError, match="expected one of"):
        kept["tile"]


def test_pandas_and_polars_take_numbers_without_copying():
    table = watershed.simulate("glassworks", bots="random", games=50)["win_rates"]
    numeric = [name for name, values in table.items() if isinstance(values, np.ndarray)]
    assert len(numeric) > 5
    frames = pandas.DataFrame(table, copy=False), polars.DataFrame(table)
    for frame in frames:
        assert list(frame.columns) == list(table)
        for name in numeric:
            assert np.shares_memory(frame[name].to_numpy(), table[name]), name


@pytest.mark.parametrize(
    ("command", "flags", "table"),
    [
        ("balance sweep", {"key": "rules.start_pioneers", "values": [3, 4], "bots": "random",
                           "games": 40}, "sweep"),
        ("balance turn-order", {"bots": "random", "games": 60}, "verdicts"),
        ("balance restrict", {"bots": "random", "games": 60, "never": "food"}, "restricted"),
        ("balance ablate", {"bots": "random", "games": 20}, "forks"),
    ],
)
def test_every_study_returns_columns(command, flags, table):
    study = watershed.study(command, game="the_river", **flags)
    assert study.manifest["kind"] and len(next(iter(study[table].values()))) > 0


def test_a_changed_data_file_is_played():
    rounds = [
        watershed.simulate(Game("the_river").with_value("rules.start_pioneers", pioneers),
                           bots="balanced", games=60)["panel"]["rounds"][0]
        for pioneers in (3, 5)
    ]
    assert rounds[1] < rounds[0]


def test_analyze_ranks_the_actions_of_a_position():
    game = Game("the_river")
    state = game.new_state(seed=1)
    analysis = watershed.analyze(state, iterations=100, rollouts=10)
    actions = analysis["actions"]
    assert set(actions["action"]) <= set(state.legal_names())
    assert actions["visits"].dtype == np.int64 and 0 <= actions["value"][0] <= 1
    assert len(analysis["seats"]["score"]) == 2
    changed = game.with_value("rules.start_pioneers", 5)
    assert watershed.analyze(changed.new_state(seed=1), game=changed, rollouts=0)["actions"]


@pytest.mark.parametrize("name", watershed.GAMES)
def test_bots_written_in_python_play_in_match(name):
    bots = [first_action, random_action, "balanced"]
    results = [
        watershed.match(bots, Game(name, 2), games=20, threads=threads) for threads in (1, 2)
    ]
    pairs = [result["crosstable"] for result in results]
    assert pairs[0].keys() == pairs[1].keys()
    for column, values in pairs[0].items():
        assert np.array_equal(values, pairs[1][column], equal_nan=isinstance(values, np.ndarray))
    text = results[0].text
    assert all(bot in text for bot in ("first_action", "random_action", "balanced"))


def test_a_python_bot_uses_bots_of_the_game():
    expert = Game("the_river").bot("expert")

    def pupil(state):
        return expert.choose(state, state.seed)

    ratings = watershed.match([pupil, "random"], games=20)["ratings"]
    assert ratings["bot"][0] == "pupil"


def test_exceptions_of_python_bots_are_raised():
    def broken(state):
        raise ZeroDivisionError("in a bot")

    def illegal(state):
        state.apply(state.legal_actions()[0])
        return 1_000_000

    with pytest.raises(ZeroDivisionError, match="in a bot"):
        watershed.match([broken, "random"], games=1000)
    with pytest.raises(WatershedError, match="illegal.*chose 1000000, which is not legal"):
        watershed.match([illegal, "random"], games=1000)
    with pytest.raises(WatershedError, match="name of the bot"):
        watershed.match([renamed(broken, "random"), "random"])
    assert watershed.match(["random", "balanced"], games=10).status == 0


def renamed(function, name):
    """Returns a function under another name."""
    function.__name__ = name
    return function


def test_an_interrupt_stops_a_study_and_leaves_the_interpreter_as_it_was():
    handler = signal.getsignal(signal.SIGINT)
    for _ in range(2):
        timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            watershed.simulate("the_river", bots="balanced", games=10_000_000)
        assert time.monotonic() - start < 20
    assert signal.getsignal(signal.SIGINT) is handler
    assert watershed.simulate("the_river", bots="random", games=10).status == 0


def test_errors_of_flags_are_those_of_the_command():
    with pytest.raises(WatershedError, match="gmes.*did you mean"):
        watershed.simulate("the_river", gmes=10)
    with pytest.raises(WatershedError, match="unrecognized subcommand"):
        watershed.study("balance lukc")
    assert "--games" in watershed.run("simulate --help")
    with pytest.raises(WatershedError, match="on the command line"):
        watershed.run("play --game glassworks")


def test_progress_is_silent_unless_stderr_is_a_terminal(capfd):
    watershed.simulate("the_river", bots="random", games=10)
    assert capfd.readouterr() == ("", "")
    watershed.simulate("the_river", bots="random", games=10, quiet=False)
    assert "10 games" in capfd.readouterr().err
