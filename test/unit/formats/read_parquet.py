"""Reads the Parquet file named by the argument with pyarrow and DuckDB, and prints types and rows of both as JSON."""

import json
import sys

import duckdb
import pyarrow.parquet as pq

file = sys.argv[1]
table = pq.read_table(file)


def texts(rows):
    return [[None if cell is None else str(cell) for cell in row] for row in rows]


connection = duckdb.connect()
connection.sql("set timezone = 'UTC'")
relation = connection.sql(f"from '{file}'")
columns = [name.replace('"', '""') for name in relation.columns]
as_text = ", ".join(f'cast("{name}" as varchar)' for name in columns)
print(
    json.dumps(
        {
            "pyarrow": {
                "types": [str(field.type) for field in table.schema],
                "rows": texts(zip(*(column.to_pylist() for column in table.columns))),
                "groups": pq.ParquetFile(file).num_row_groups,
            },
            "duckdb": {
                "types": [str(one) for one in relation.types],
                "rows": connection.sql(f"select {as_text} from '{file}'").fetchall(),
                "bounded": connection.sql(f"""select count(*) from '{file}' where "int32" > 40000""").fetchall()[0][0],
            },
        }
    )
)
