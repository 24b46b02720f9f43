"""One remote job that no worker waits for: submit, look now and then, collect."""

from datetime import datetime, timedelta

from airflow.sdk import DAG, task
from fettle_operator import FettleOperator, FettleSensor

PIPELINE = "pipelines/suppliers.yml"
#: The run that `submit` named: another run of the same pipeline may have begun since.
RUN = "{{ ti.xcom_pull(task_ids='submit')['runId'] }}"

with DAG(
    "fettle_suppliers",
    schedule="17 3 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5)},
):
    # Repeated, it finds the run that is there: no second job. 99 is Airflow's code for a task that had nothing to do.
    submit = FettleOperator(task_id="submit", bash_command=f"fettle run {PIPELINE} --detach --json -q --skip-code 99")

    wait = FettleSensor(task_id="wait", run=RUN, mode="reschedule", poke_interval=60, timeout=2 * 60 * 60)

    collect = FettleOperator(task_id="collect", bash_command=f"fettle collect '{RUN}' --json -q")

    @task
    def tell(result: dict) -> str:
        """What came of it, from the XCom alone."""
        totals = result["totals"]
        # As fettle counts: duplicates of a company and rows that a person matched are matched, too.
        matched = totals["matched"] + totals["manualMatched"] + totals["duplicates"]
        return f"{result['status']}: {matched} of {totals['rows']} matched, {totals['review']} to review"

    submit >> wait >> collect
    tell(collect.output)
