"""Seven public sets of labelled organisation names, fetched from where they are published.

    python sets.py FOLDER     writes FOLDER/SET/register.csv and queries.csv for each set that is not there

Each source is checked by its SHA-256 digest; one that is in FOLDER/sources already is not fetched. An organisation and all its spellings
belong to `train` or `dev`, by the digest of its id. 15 % of them are left out of the register, so that refusing is measured too.
"""
import csv
import hashlib
import io
import json
import os
import sys
import urllib.request
import zipfile

folder = sys.argv[1]

AUTOFJ = "https://files.pythonhosted.org/packages/20/61/1c00d068ccfeec6767c5fa0905b3c57f8e6b23e6ec1ef88876a5f1f6d69c/autofj-0.0.6-py3-none-any.whl"
PUDL = "https://files.pythonhosted.org/packages/d0/84/98021128432269a98042f6217af66b296b5ee02e558033aa869310ed8bf0/catalystcoop.pudl-2024.2.6-py3-none-any.whl"
WATCHMAN = "https://raw.githubusercontent.com/moov-io/watchman/d299005fe25f511fe8abdb6425c745e16cb5ca2c/test/testdata/bench/"
GOC = "https://raw.githubusercontent.com/GoC-Spending/contracts-data/6e6e454e52ba8a59abee659bd5af58c867c5830a/data/vendors/vendor_normalization_data.csv"
WIKIDATA = "https://raw.githubusercontent.com/benseverndev-oss/goldenmatch/a1a9736cf3bc80ffeea2441e943d49c2b9d1e905/packages/python/goldenmatch/benchmarks/er-kg-bench/erkgbench/qa_e2e/fixtures/wikidata_companies_v1.json"
DIGESTS = {
    AUTOFJ: "647aac65288a03ef6eed24ece2f11d4e52d6a780fb1e6125dfe1874df6e6597b",
    PUDL: "cc0003b6cfbf53bdb79b8e52a3c10e7fe21e674955bcbee8d6324d1dd38b19e3",
    WATCHMAN + "sdn.csv": "2a08fac873a3be0b92208f8874b2e7c138b7938190eeeb7ef991c15ba60e855b",
    WATCHMAN + "alt.csv": "82403d348e2209bf9533fbecdd3c0e1ae4e30fd75af8a8da99ea749a7f914949",
    GOC: "a624f737b0115c4ef392118ff483318772e2008c548a66cb179274820dcef826",
    WIKIDATA: "9fb8116cd5a6b752b64839e4f2933b1d0ab0922edd9bcdbcfc73cf7e6f43aaae",
}


def fetch(url):
    path = os.path.join(folder, "sources", url.rsplit("/", 1)[1])
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        print(f"fetching {url}", file=sys.stderr)
        try:
            content = urllib.request.urlopen(url).read()
        except OSError as error:
            sys.exit(f"cannot fetch {url}: {error}. Fetch it in another way and save it as {path}")
        with open(path, "wb") as file:
            file.write(content)
    with open(path, "rb") as file:
        content = file.read()
    digest = hashlib.sha256(content).hexdigest()
    if digest != DIGESTS[url]:
        sys.exit(f"{path} has the SHA-256 digest {digest} in place of {DIGESTS[url]}: delete it, to fetch it again")
    return content


def rows_of(content, columns=None):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig")), columns))


def packed(url, name):
    with zipfile.ZipFile(io.BytesIO(fetch(url))) as archive:
        return archive.read(name)


# Each gives the names of the register by id, and labelled names as (name, id).


def goc():
    rows = rows_of(fetch(GOC))
    parents = {row["parent_company"]: row["parent_company"] for row in rows}
    return parents, [(row["company_name"], row["parent_company"]) for row in rows]


def ofac():
    entries = rows_of(fetch(WATCHMAN + "sdn.csv"), ["id", "name", "type"])
    organisations = {row["id"]: row["name"] for row in entries if (row["type"] or "").strip() == "-0-"}
    others = rows_of(fetch(WATCHMAN + "alt.csv"), ["id", "number", "type", "name"])
    return organisations, [(row["name"], row["id"]) for row in others if row["id"] in organisations]


def wikidata():
    entities = json.loads(fetch(WIKIDATA))["entities"]
    return {one["qid"]: one["canonical"] for one in entities}, [(name, one["qid"]) for one in entities for name in one["aliases"]]


def utilities():
    rows = [row for row in rows_of(packed(PUDL, "pudl/package_data/glue/utility_id_pudl.csv")) if row["utility_name_eia"]]
    names = {row["utility_id_eia"]: row["utility_name_eia"] for row in rows}
    return names, [(row["utility_name_ferc1"], row["utility_id_eia"]) for row in rows if row["utility_name_ferc1"]]


def joined(name):
    def read():
        left, right = [rows_of(packed(AUTOFJ, f"autofj/benchmark/{name}/{file}.csv")) for file in ["left", "gt"]]
        return {row["id"]: row["title"] for row in left}, [(row["title_r"], row["id_l"]) for row in right]

    return read


SETS = {
    "goc": goc,
    "ofac": ofac,
    "wikidata": wikidata,
    "utilities": utilities,
    "agencies": joined("GovernmentAgency"),
    "hospitals": joined("Hospital"),
    "museums": joined("Museum"),
}
REGISTER = "id,name,country,orgNumber,vatNumber,tradingNames,previousNames,address1,address2,town,postcode,phone,email,website,status".split(",")
QUERIES = "qid,name,address1,town,postcode,country,orgNumber,kind,split,expected".split(",")
LEFT_OUT = 0.15


def share(text):
    """A number from 0 to 1, the same for the same text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32


def write(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


for name, read in SETS.items():
    target = os.path.join(folder, name)
    if os.path.exists(target):
        continue
    names, labelled = read()
    kept = {key for key in names if share(f"left out {key}") >= LEFT_OUT}
    written = {pair: None for pair in labelled if pair[0].strip() != "" and pair[0] != names[pair[1]]}
    queries = [
        {
            "qid": f"{name}-{at}",
            "name": text,
            "split": "train" if share(f"split {key}") < 0.5 else "dev",
            "expected": key if key in kept else "",
        }
        for at, (text, key) in enumerate(written)
    ]
    os.makedirs(target)
    write(os.path.join(target, "register.csv"), REGISTER, [{"id": key, "name": names[key]} for key in names if key in kept])
    write(os.path.join(target, "queries.csv"), QUERIES, queries)
    print(f"{target}: {len(kept)} names, {len(queries)} spellings", file=sys.stderr)
