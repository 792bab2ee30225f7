#!/usr/bin/env python3
"""A bot for `watershed`: reads a request a line, and answers each with one of its actions.

    watershed match --bots 'exec:python3 examples/bot.py,random' --games 100

It prefers actions of the kind that it has chosen least often in this game, and chooses among them
at random. Watershed draws the seed of each request, so equal runs have equal games. Messages to
stderr are shown if the bot fails.
"""
import json
import random
import sys
from collections import Counter


def choose(request, chosen):
    """Returns one of the legal actions. `chosen` counts the kinds of this game so far."""
    kinds = {action: action.split(":")[0] for action in request["actions"]}
    least = min(chosen[kind] for kind in kinds.values())
    candidates = [action for action, kind in kinds.items() if chosen[kind] == least]
    action = random.Random(request["seed"]).choice(candidates)
    chosen[kinds[action]] += 1
    return action


chosen: Counter[str] = Counter()
for line in sys.stdin:
    request = json.loads(line)
    if request["new_game"]:
        chosen = Counter()
    answer = {"id": request["id"], "action": choose(request, chosen)}
    print(json.dumps(answer), flush=True)
