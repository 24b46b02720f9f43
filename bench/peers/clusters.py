"""The Python packages that people use to find duplicates, on a list of names, each by the recipe of its documentation.

    python clusters.py ROWS.csv PEER     prints a line of JSON: {"peer", "seconds", "train": {cut: [cluster of each row]}, "dev": …}

The halves are grouped apart. dedupe learns from the labelled pairs of `train`; Splink learns without labels from the half that it groups.
"""
import csv
import io
import json
import logging
import re
import sys
import time
from importlib.metadata import version

path, wanted = sys.argv[1:]
CUTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]

with open(path, newline="", encoding="utf-8-sig") as file:
    rows = list(csv.DictReader(file))
for row in rows:
    row["name"] = re.sub(r"[^\w]+", " ", row["name"].lower()).strip()
halves = {split: [row for row in rows if row["split"] == split] for split in ["train", "dev"]}


def dedupe():
    from dedupe import Dedupe, training_data_dedupe, variables

    def table(half):
        return {at: {"name": row["name"] or None, "cluster": row["cluster"]} for at, row in enumerate(halves[half])}

    deduper = Dedupe([variables.String("name", has_missing=True)], num_cores=1)
    pairs = training_data_dedupe(table("train"), "cluster", 5000)
    labelled = io.StringIO(json.dumps(pairs))
    deduper.prepare_training({at: {"name": row["name"]} for at, row in table("train").items()}, labelled)
    deduper.train()

    def group(half, cut):
        data = {at: {"name": row["name"]} for at, row in table(half).items()}
        found = [0] * len(data)
        for number, (members, _) in enumerate(deduper.partition(data, cut)):
            for at in members:
                found[at] = number
        return found

    return {half: {cut: group(half, cut) for cut in CUTS} for half in halves}


def splink():
    import pandas
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    logging.getLogger("splink").setLevel(logging.ERROR)

    def group(half):
        frame = pandas.DataFrame({"unique_id": range(len(halves[half])), "name": [row["name"] for row in halves[half]]})
        frame["first"] = frame["name"].str.split(" ").str[0]
        settings = SettingsCreator(
            link_type="dedupe_only",
            comparisons=[cl.JaroWinklerAtThresholds("name", [0.97, 0.92, 0.88, 0.8]).configure(term_frequency_adjustments=True)],
            blocking_rules_to_generate_predictions=[block_on("first"), block_on("substr(name, 1, 4)")],
        )
        database = DuckDBAPI()
        linker = Linker(database.register(frame), settings)
        # Without a name that two rows have, the estimate fails.
        sure = "name" if frame["name"].duplicated().any() else "first"
        linker.training.estimate_probability_two_random_records_match([block_on(sure)], recall=0.6)
        linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
        linker.training.estimate_parameters_using_expectation_maximisation(block_on("first"))
        predicted = linker.inference.predict()
        found = {}
        for cut in CUTS:
            clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(predicted, threshold_match_probability=cut)
            table = clusters.as_pandas_dataframe().sort_values("unique_id")
            found[cut] = [int(number) for number in table["cluster_id"]]
        return found

    return {half: group(half) for half in halves}


if __name__ == "__main__":
    started = time.process_time()
    found = {"dedupe": dedupe, "splink": splink}[wanted]()
    seconds = round(time.process_time() - started, 1)
    print(json.dumps({"peer": f"{wanted} {version(wanted)}", "seconds": seconds, **found}), flush=True)
