"""Writes Parquet files by pyarrow and DuckDB into the working directory, and prints the text of each row as JSON."""

import datetime as d
import decimal
import json

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

N = 500
START = d.datetime(2026, 1, 1)


def fraction(parts, digits):
    return f".{parts:0{digits}}" if parts else ""


def each(make):
    return [make(i) for i in range(N)]


# A column: its values, their type, and the text of each.
COLUMNS = {
    "text": (each(lambda i: None if i % 9 == 0 else f'Żółw "{i}",\n'), pa.string(), lambda v: v),
    "decimal": (each(lambda i: decimal.Decimal(i - 250).scaleb(-2)), pa.decimal128(20, 2), lambda v: f"{v:.2f}"),
    "wide": (each(lambda i: decimal.Decimal(i) * 10**30), pa.decimal128(38, 0), lambda v: f"{v:f}"),
    "flag": (each(lambda i: None if i % 5 == 0 else i % 2 == 0), pa.bool_(), lambda v: "true" if v else "false"),
    "int64": (each(lambda i: i - 2**63), pa.int64(), str),
    "uint64": (each(lambda i: 2**64 - 1 - i), pa.uint64(), str),
    "uint32": (each(lambda i: 2**32 - 1 - i), pa.uint32(), str),
    "int8": (each(lambda i: i % 256 - 128), pa.int8(), str),
    "uint8": (each(lambda i: i % 256), pa.uint8(), str),
    "double": (each(lambda i: i + 0.25), pa.float64(), lambda v: f"{v:g}"),
    "float": (each(lambda i: i / 4), pa.float32(), lambda v: f"{v:g}"),
    "date": (each(lambda i: d.date(1969, 6, 1) + d.timedelta(days=i)), pa.date32(), str),
    "utc": (
        each(lambda i: START + d.timedelta(seconds=i, microseconds=i)),
        pa.timestamp("us", "UTC"),
        lambda v: f"{v:%Y-%m-%dT%H:%M:%S}{fraction(v.microsecond, 6)}Z",
    ),
    "local": (
        each(lambda i: START - d.timedelta(days=i * 100, milliseconds=i)),
        pa.timestamp("ms"),
        lambda v: f"{v:%Y-%m-%dT%H:%M:%S}{fraction(v.microsecond // 1000, 3)}",
    ),
    "time": (
        each(lambda i: d.time(i % 24, i % 60, 1, i)),
        pa.time64("us"),
        lambda v: f"{v:%H:%M:%S}{fraction(v.microsecond, 6)}",
    ),
}
table = pa.table({name: pa.array(values, kind) for name, (values, kind, _) in COLUMNS.items()})
table = table.append_column("dictionary", pa.array(each(lambda i: f"v{i % 7}")).dictionary_encode())
texts = {name: ["" if v is None else text(v) for v in values] for name, (values, _, text) in COLUMNS.items()}
texts["dictionary"] = each(lambda i: f"v{i % 7}")

files = []
for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
    files.append(f"pyarrow-{codec}.parquet")
    pq.write_table(table, files[-1], compression=codec, row_group_size=170)
files.append("pyarrow-pages-2.parquet")
pq.write_table(table, files[-1], data_page_version="2.0", data_page_size=512, write_page_index=True)
for codec in ["snappy", "zstd"]:
    files.append(f"duckdb-{codec}.parquet")
    duckdb.sql(f"copy (from 'pyarrow-none.parquet') to '{files[-1]}' (format parquet, codec '{codec}', row_group_size 2048)")
print(json.dumps({"files": files, "columns": list(texts), "rows": [list(row) for row in zip(*texts.values())]}))
