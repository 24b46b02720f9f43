"""Scores of nomenklatura's algorithms, which yente runs, for questions and their candidates.

    python screening.py FILE     prints a line of JSON for each: {"peer", "threshold", "perSecond", "scores": [[of each candidate]]}

FILE: {"entries": [{"type", "names", "weak"}], "questions": [{"type", "name", "candidates"}]}. `perSecond` is of processor time.
"""
import json
import sys
import time
from importlib.metadata import version

from followthemoney import model
from nomenklatura.matching import get_algorithm

# The threshold of yente's /match when a caller gives none.
THRESHOLD = 70
SCHEMA = {"individual": "Person", "entity": "Organization"}

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)


def proxy(number, kind, names, weak=()):
    properties = {"name": names, "weakAlias": list(weak)}
    return model.get_proxy({"id": str(number), "schema": SCHEMA[kind], "properties": properties})


entries = [proxy(at, entry["type"], entry["names"], entry["weak"]) for at, entry in enumerate(given["entries"])]
questions = [(proxy(f"q{at}", one["type"], [one["name"]]), one["candidates"]) for at, one in enumerate(given["questions"])]
for name in ["logic-v2", "logic-v1", "name-based"]:
    algorithm = get_algorithm(name)
    config = algorithm.default_config()
    started = time.process_time()
    scores = [[100 * algorithm.compare(query, entries[at], config).score for at in found] for query, found in questions]
    per_second = len(questions) / (time.process_time() - started)
    peer = f"nomenklatura {version('nomenklatura')} {name}"
    print(json.dumps({"peer": peer, "threshold": THRESHOLD, "perSecond": per_second, "scores": scores}), flush=True)
