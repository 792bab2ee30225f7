"""The commands of the program as functions whose results are tables of columns."""

from __future__ import annotations

import csv
import json
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Union

import numpy as np

from ._watershed import Bot, Game, State, WatershedError, run_command

#: A column: an array of numbers, with NaN for missing ones, or a list of texts, with None.
Column = Union[np.ndarray, list]
#: A table: its columns by name. `pandas.DataFrame(table, copy=False)` and
#: `polars.DataFrame(table)` use the arrays without copying them.
Table = dict[str, Column]
#: A bot: its name, or a function of a `State` that returns a number or a notation of an action.
BotLike = Union[str, Bot, Callable[[State], Union[int, str]]]

_INTEGER = re.compile(r"-?[0-9]{1,18}\Z")


@dataclass(frozen=True)
class Study:
    """The results of a command."""

    #: Arguments of the command, without the name of the program.
    arguments: list[str]
    #: Exit status: 0, 1 if the answer is no, as in a test that fails, or 3 if a bot that is a
    #: program failed in all its games.
    status: int
    #: Text that the command prints.
    text: str
    #: Tables by the names of their files, without `.csv`.
    tables: dict[str, Table] = field(repr=False)
    #: Content of `run.json`, or the JSON that the command prints; empty if there is none.
    manifest: dict[str, Any] = field(repr=False)

    def __getitem__(self, table: str) -> Table:
        """Returns a table."""
        try:
            return self.tables[table]
        except KeyError:
            known = ", ".join(sorted(self.tables)) or "none"
            raise KeyError(f"no table {table!r}; expected one of {known}") from None

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def simulate(
    game: str | Game = "the_river", *, out: str | Path | None = None, **flags: Any
) -> Study:
    """Plays games between bots and returns win rates, item statistics and openings.

    The flags are those of `watershed simulate`, with underscores: `players`, `bots`, `games`,
    `seed`, `threads`, `opening_depth` and so on. Without `out`, no file is kept.
    """
    return study("simulate", game=game, out=out, **flags)


def match(
    bots: Sequence[BotLike],
    game: str | Game = "the_river",
    *,
    out: str | Path | None = None,
    **flags: Any,
) -> Study:
    """Rates bots against each other. A bot can be a Python function of a `State`.

    A function gets the position as its seat sees it. To be reproducible, it depends on the state
    only; `state.seed` is a random number for it.
    """
    return study("match", game=game, bots=bots, out=out, **flags)


def analyze(state: State | str, *, game: Game | None = None, **flags: Any) -> Study:
    """Finds the best actions of a position, with win chances and intervals.

    The tables are `actions`, the best one first, and `seats`. A position of another data file
    needs its `game`.
    """
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["analyze", "--position", str(state), "--json", "--quiet"]
        if game is not None:
            arguments += _data_flags(game, Path(folder))
        arguments += _flags(flags)
        status, text = run_command(arguments, [])
    answer = json.loads(text)
    names = [name for name in ("actions", "seats") if name in answer]
    tables = {name: _columns_of_records(answer[name]) for name in names}
    return Study(arguments, status, text, tables, answer)


def study(
    command: str,
    *arguments: str | Path,
    game: str | Game | None = None,
    bots: BotLike | Sequence[BotLike] | None = None,
    out: str | Path | None = None,
    quiet: bool | None = None,
    **flags: Any,
) -> Study:
    """Runs a study by its command, such as `balance sweep`, and returns its tables.

    By default, progress is shown if stderr is a terminal. Ctrl-C stops the study after its current
    games. With `out`, the folder has the page and all files of the command.
    """
    words = [*command.split(), *(str(argument) for argument in arguments)]
    with tempfile.TemporaryDirectory() as temporary:
        if isinstance(game, Game):
            flags.setdefault("players", game.players)
            words += ["--game", game.name, *_data_flags(game, Path(temporary))]
        elif game is not None:
            words += ["--game", game]
        names, callables = _name_bots(bots)
        words += ["--bots", ",".join(names)] if names else []
        words += _flags(flags)
        folder = Path(temporary, "run") if out is None else Path(out)
        words += ["--out", str(folder)]
        if quiet is True or (quiet is None and not sys.stderr.isatty()):
            words.append("--quiet")
        status, text = run_command(words, callables)
        manifest = folder / "run.json"
        values = json.loads(manifest.read_text("utf-8")) if manifest.exists() else {}
        return Study(words, status, text, read_tables(folder), values)


def run(command: str | Iterable[str]) -> str:
    """Runs a command as on the command line and returns the text that it prints.

    >>> run("list bots --game glassworks")  # doctest: +SKIP
    """
    words = shlex.split(command) if isinstance(command, str) else list(command)
    if words[:1] in (["play"], ["engine"]) or words[:2] == ["puzzles", "solve"]:
        raise WatershedError(f"`{words[0]}` reads stdin; expected it on the command line")
    _, text = run_command(words, [])
    return text


def read_tables(folder: str | Path) -> dict[str, Table]:
    """Reads all tables of an output folder and of its subfolders."""
    folder = Path(folder)
    paths = sorted(folder.rglob("*.csv"))
    return {str(path.relative_to(folder).with_suffix("")): read_table(path) for path in paths}


def read_table(path: str | Path) -> Table:
    """Reads a table in CSV. A column is an array of numbers if all of its values are numbers."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file)
        names = next(rows, [])
        columns = list(zip(*rows)) or [()] * len(names)
    return {name: _column(list(cells)) for name, cells in zip(names, columns)}


def _column(cells: list[str]) -> Column:
    """Returns the values of a column of texts."""
    present = [cell for cell in cells if cell]
    if present and len(present) == len(cells) and all(map(_INTEGER.match, cells)):
        return np.array(cells, dtype=np.int64)
    try:
        if not present:
            raise ValueError("a column without values")
        return np.array([cell or "nan" for cell in cells], dtype=np.float64)
    except ValueError:
        return [cell or None for cell in cells]


def _columns_of_records(records: list[dict[str, Any]]) -> Table:
    """Returns the columns of JSON objects with the same keys."""
    table: Table = {}
    for name in records[0] if records else []:
        values = [record[name] for record in records]
        numbers = [isinstance(value, (int, float)) for value in values if value is not None]
        if numbers and all(numbers):
            table[name] = np.array([np.nan if value is None else value for value in values])
        else:
            table[name] = values
    return table


def _data_flags(game: Game, folder: Path) -> list[str]:
    """Returns the flag of a data file that is not the built-in one, and writes the file."""
    if game.is_built_in:
        return []
    path = folder / f"{game.name}.toml"
    path.write_text(game.data, encoding="utf-8")
    return ["--config", str(path)]


def _flags(values: Mapping[str, Any]) -> list[str]:
    """Returns flags for keyword arguments."""
    words: list[str] = []
    for name, value in values.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [flag, ",".join(map(str, value))]
        elif value is not None and value is not False:
            words += [flag, str(value)]
    return words


def _name_bots(bots: BotLike | Sequence[BotLike] | None) -> tuple[list[str], list[tuple[str, Any]]]:
    """Returns the names of bots, and those of them that are functions."""
    if bots is None:
        return [], []
    several = bots if isinstance(bots, (list, tuple)) else [bots]
    names: list[str] = []
    functions: dict[str, Any] = {}
    for bot in several:
        if isinstance(bot, (str, Bot)):
            names.append(bot if isinstance(bot, str) else bot.name)
            continue
        if not callable(bot):
            raise TypeError(f"expected a name or a function as a bot, found {bot!r}")
        name = re.sub(r"\W", "", getattr(bot, "__name__", type(bot).__name__)) or "bot"
        if functions.setdefault(name, bot) is not bot:
            raise WatershedError(f"two bots have the name {name!r}; expected one of each name")
        names.append(name)
    clash = functions.keys() & {name for name, bot in zip(names, several) if isinstance(bot, str)}
    if clash:
        raise WatershedError(f"a function has the name of the bot {min(clash)!r}")
    return names, list(functions.items())
