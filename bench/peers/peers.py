"""The Python packages that people use for record linkage, on labelled sets: for each row of a set its best company and a score.

    python peers.py FOLDER/SET name,country ROWS PEER     prints a line of JSON: {"peer", "perSecond", "mb", "answers": {qid: [id, score]}}

ROWS: at most so many queries of each split. Learned peers learn from the `train` queries; a train query is scored by a model that has not
seen it. `perSecond` is of processor time, `mb` the peak of the process.
"""
import csv
import io
import json
import logging
import os
import re
import resource
import sqlite3
import sys
import time
from importlib.metadata import version

import numpy
import pandas
from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

folder, columns, most, wanted = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3]), sys.argv[4]
CANDIDATES = 20


def plain(text):
    return re.sub(r"[^\w]+", " ", text.lower()).strip()


def read(name, key):
    with open(os.path.join(folder, name), newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    frame = pandas.DataFrame(rows).set_index(key, drop=False).fillna("")
    frame["written"] = frame["name"]
    frame["name"] = frame["name"].map(plain)
    for column in ["country", "postcode", "address1"]:
        frame[column] = frame[column].map(plain) if column in columns else ""
    frame["area"] = frame["postcode"].str.split(" ").str[0]
    frame["first"] = frame["name"].str.split(" ").str[0]
    return frame


register, queries = read("register.csv", "id"), read("queries.csv", "qid")
queries = queries[queries["split"].isin(["train", "dev"])].groupby("split").head(most)
ids, names = list(register.index), list(register["name"])


def shown(peer, started, answers):
    seconds = time.process_time() - started
    mb = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps({"peer": peer, "perSecond": round(len(queries) / seconds), "mb": mb, "answers": answers}), flush=True)


def best_of(pairs, scores):
    """The best company of each query; `pairs` is a list of (qid, id)."""
    best = {qid: ["", 0.0] for qid in queries.index}
    for (qid, company), score in zip(pairs, scores):
        if score > best[qid][1]:
            best[qid] = [company, float(score)]
    return best


def letters(text):
    return TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit(text)


def nearest_by_letters():
    """The companies of the most similar letter triples, of each query."""
    vectors = letters(names)
    likeness = vectors.transform(queries["name"]) @ vectors.transform(names).T
    for row, qid in enumerate(queries.index):
        one = likeness.getrow(row)
        top = one.indices[numpy.argsort(-one.data, kind="stable")[:CANDIDATES]]
        yield [(qid, ids[at], one[0, at]) for at in top]


def tf_idf():
    started = time.process_time()
    found = [entry for entries in nearest_by_letters() for entry in entries[:1]]
    shown("tf-idf of letter triples (scikit-learn)", started, best_of([one[:2] for one in found], [one[2] for one in found]))


def full_text():
    started = time.process_time()
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE names USING fts5(name)")
    database.executemany("INSERT INTO names (rowid, name) VALUES (?, ?)", enumerate(names))
    pairs, scores = [], []
    for qid, name in queries["name"].items():
        words = " OR ".join(f'"{word}"' for word in name.split())
        if words == "":
            continue
        for (at,) in database.execute("SELECT rowid FROM names WHERE names MATCH ? ORDER BY rank LIMIT 50", [words]):
            pairs.append((qid, ids[at]))
            scores.append(JaroWinkler.similarity(name, names[at]))
    shown("SQLite FTS5, then Jaro-Winkler", started, best_of(pairs, scores))


def rapidfuzz():
    started = time.process_time()
    answers = {}
    for qid, name in queries["name"].items():
        found = process.extractOne(name, names, scorer=fuzz.token_sort_ratio)
        answers[qid] = ["", 0.0] if found is None else [ids[found[2]], found[1] / 100]
    shown("rapidfuzz token_sort_ratio", started, answers)


def name_matching():
    from name_matching.name_matcher import NameMatcher

    started = time.process_time()
    matcher = NameMatcher(number_of_matches=1, legal_suffixes=True, common_words=False, top_n=20, verbose=False)
    matcher.set_distance_metrics(["bag", "typo", "refined_soundex"])
    matcher.load_and_process_master_data("name", pandas.DataFrame({"name": names}))
    found = matcher.match_names(to_be_matched=queries[["name"]].reset_index(drop=True), column_matching="name")
    answers = {qid: ["", 0.0] for qid in queries.index}
    for qid, at, score in zip(queries.index, found["match_index"], found["score"]):
        if not pandas.isna(at):
            answers[qid] = [ids[int(at)], float(score) / 100]
    shown("name_matching", started, answers)


def compared(peer, model):
    """Up to eight comparisons of each row with the nearest by name, and with all companies at its postcode, by recordlinkage."""
    import recordlinkage

    started = time.process_time()
    by_postcode = register[register["postcode"] != ""].groupby("postcode").groups
    pairs = []
    for entries, (qid, postcode) in zip(nearest_by_letters(), queries["postcode"].items()):
        near = [one[1] for one in entries]
        pairs += [(qid, company) for company in dict.fromkeys([*near, *list(by_postcode.get(postcode, []))[:200]])]
    index = pandas.MultiIndex.from_tuples(pairs)
    compare = recordlinkage.Compare()
    for method in ["jarowinkler", "levenshtein", "qgram", "cosine"]:
        compare.string("name", "name", method=method)
    places = [one for one in ["address1", "postcode", "country"] if one in columns]
    places += ["area"] if "postcode" in columns else []
    for column in places:
        if column == "address1":
            compare.string(column, column, method="qgram")
        else:
            compare.exact(column, column)
    features = compare.compute(index, queries, register).to_numpy()
    for at, column in enumerate(places):
        blank = (queries[column].loc[index.get_level_values(0)] == "").to_numpy() | (
            register[column].loc[index.get_level_values(1)] == ""
        ).to_numpy()
        features[blank, 4 + at] = 0
    labels = numpy.array([queries["expected"][qid] == company for qid, company in pairs])
    learned = (queries["split"] == "train")[index.get_level_values(0)].to_numpy()
    groups = index.get_level_values(0)[learned]
    scores = numpy.zeros(len(pairs))
    folds = GroupKFold(5)
    scores[learned] = cross_val_predict(model, features[learned], labels[learned], groups=groups, cv=folds, method="predict_proba")[:, 1]
    scores[~learned] = model.fit(features[learned], labels[learned]).predict_proba(features[~learned])[:, 1]
    shown(peer, started, best_of(pairs, scores))


def splink():
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    started = time.process_time()
    used = ["id", "name", "first", *[one for one in ["postcode", "address1", "country"] if one in columns]]
    sides = [queries.assign(id=queries["qid"]), register]
    sides = [side[used].reset_index(drop=True).replace("", None) for side in sides]
    comparisons = [cl.JaroWinklerAtThresholds("name", [0.97, 0.92, 0.88, 0.8])]
    if "postcode" in columns:
        comparisons += [cl.PostcodeComparison("postcode"), cl.JaroWinklerAtThresholds("address1", [0.95, 0.85])]
    if "country" in columns:
        comparisons.append(cl.ExactMatch("country"))
    rules = [block_on("first"), block_on("substr(name, 1, 4)"), *([block_on("postcode")] if "postcode" in columns else [])]
    settings = SettingsCreator(
        link_type="link_only", unique_id_column_name="id", comparisons=comparisons, blocking_rules_to_generate_predictions=rules
    )
    logging.getLogger("splink").setLevel(logging.ERROR)
    database = DuckDBAPI()
    linker = Linker([database.register(side) for side in sides], settings)
    # Without a name that both sides have, the estimate fails.
    sure = "name" if set(names) & set(queries["name"]) else "first"
    linker.training.estimate_probability_two_random_records_match([block_on(sure)], recall=0.6)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e7, seed=1)
    for rule in rules[:1] + rules[2:]:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    predicted = linker.inference.predict().as_pandas_dataframe()
    left = predicted["id_l"].isin(set(queries["qid"]))
    asked = predicted["id_l"].where(left, predicted["id_r"])
    company = predicted["id_r"].where(left, predicted["id_l"])
    # The weight orders matches whose probability is 1.
    order = 1 / (1 + 2.0 ** (-predicted["match_weight"].clip(-60, 45)))
    shown(f"Splink {version('splink')}", started, best_of(list(zip(asked, company)), list(order)))


def in_folds(answer):
    """`answer(learned, asked)` for each half of `train` by what is learned from the other, and for `dev` by all of `train`."""
    train, dev = [queries[queries["split"] == split] for split in ["train", "dev"]]
    found = {qid: ["", 0.0] for qid in queries.index}
    for learned, asked in [(train[::2], train[1::2]), (train[1::2], train[::2]), (train, dev)]:
        found.update(answer(learned, asked))
    return found


def dedupe():
    import dedupe
    from dedupe import variables

    started = time.process_time()
    kinds = {"name": variables.String, "address1": variables.String, "postcode": variables.ShortString, "country": variables.Exact}
    used = {column: kind for column, kind in kinds.items() if column in columns}

    def records(frame):
        return {key: {column: row[column] or None for column in used} for key, row in zip(frame.index, frame[[*used]].to_dict("records"))}

    companies = records(register)
    near = {qid: [one[1] for one in entries] for qid, entries in zip(queries.index, nearest_by_letters())}

    def answer(learned, asked):
        rows, pairs = records(learned), {"match": [], "distinct": []}
        for qid, right in learned["expected"].items():
            if right != "":
                pairs["match"].append((rows[qid], companies[right]))
            pairs["distinct"] += [(rows[qid], companies[company]) for company in near[qid][:5] if company != right]
        labelled = io.StringIO()
        dedupe.serializer.write_training(pairs, labelled)
        labelled.seek(0)
        gazetteer = dedupe.Gazetteer([kind(column, has_missing=True) for column, kind in used.items()], num_cores=0)
        gazetteer.classifier.n_jobs = 1
        gazetteer.prepare_training(rows, companies, labelled)
        gazetteer.train()
        gazetteer.index(companies)
        found = gazetteer.search(records(asked), threshold=0.0, n_matches=1)
        return {qid: [best[0][0], float(best[0][1])] for qid, best in found if best}

    shown(f"dedupe {version('dedupe')}, its Gazetteer", started, in_folds(answer))


def emm():
    from emm import PandasEntityMatching

    started = time.process_time()
    names_only = "country" not in columns
    used = ["id", "written", *([] if names_only else ["country"])]
    companies = register[used].reset_index(drop=True)
    asked_for = queries.assign(id=queries["expected"])[used]

    def answer(learned, asked):
        options = {"entity_id_col": "id", "name_col": "written", "name_only": names_only, "with_legal_entity_forms_match": True}
        matcher = PandasEntityMatching(options, n_jobs=1)
        matcher.fit(companies)
        known = asked_for.loc[learned.index[learned["expected"] != ""]]
        matcher.fit_classifier(known.reset_index(drop=True), create_negative_sample_fraction=0.5, n_jobs=1)
        found = matcher.transform(asked_for.loc[asked.index].reset_index(drop=True))
        best = found[found["best_match"]]
        return {asked.index[at]: [company, float(score)] for at, company, score in zip(best["uid"], best["gt_entity_id"], best["nm_score"])}

    shown(f"EMM {version('emm')}", started, in_folds(answer))


def nomenklatura():
    from followthemoney import model
    from nomenklatura.matching import get_algorithm

    started = time.process_time()

    def entity(row):
        properties = {"name": [row["written"]], "country": [row["country"]], "address": [row["address1"]]}
        return model.get_proxy({"id": row.name, "schema": "Company", "properties": properties})

    companies = {company: entity(row) for company, row in register.iterrows()}
    algorithm = get_algorithm("logic-v2")
    config = algorithm.default_config()
    pairs, scores = [], []
    for entries, (_, row) in zip(nearest_by_letters(), queries.iterrows()):
        query = entity(row)
        for qid, company, _ in entries:
            pairs.append((qid, company))
            scores.append(algorithm.compare(query, companies[company], config).score)
    shown(f"nomenklatura {version('nomenklatura')} logic-v2", started, best_of(pairs, scores))


PEERS = {
    "tf-idf": tf_idf,
    "fts5": full_text,
    "rapidfuzz": rapidfuzz,
    "name_matching": name_matching,
    "recordlinkage": lambda: compared("recordlinkage, logistic regression", LogisticRegression(max_iter=1000)),
    "trees": lambda: compared("the same comparisons, boosted trees", HistGradientBoostingClassifier(random_state=1)),
    "splink": splink,
    "dedupe": dedupe,
    "emm": emm,
    "nomenklatura": nomenklatura,
}
PEERS[wanted]()
