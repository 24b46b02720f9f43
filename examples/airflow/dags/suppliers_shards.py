"""One list on several workers: a task for each shard that `plan` names, and one that joins them."""

from datetime import datetime, timedelta

from airflow.sdk import DAG
from fettle_operator import FettleOperator

PIPELINE = "pipelines/suppliers.yml"
NAME = "suppliers"

with DAG(
    "fettle_suppliers_shards",
    schedule=None,
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5)},
):
    plan = FettleOperator(task_id="plan", bash_command=f"fettle plan {PIPELINE} --shards 4 --json")

    # The shard goes by the environment: what a task is mapped over never becomes part of a command.
    shard = FettleOperator.partial(
        task_id="shard",
        bash_command=f'fettle run {PIPELINE} --shard "$SHARD" --json -q',
        max_active_tis_per_dagrun=2,
    ).expand(env=plan.output.map(lambda text: {"SHARD": text}))

    merge = FettleOperator(task_id="merge", bash_command=f"fettle merge {NAME} --json -q --skip-code 99")

    shard >> merge
