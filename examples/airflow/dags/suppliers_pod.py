"""The whole run in a pod: its result is the XCom by the file that Airflow's side-car reads."""

from datetime import datetime, timedelta

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import DAG

with DAG(
    "fettle_suppliers_pod",
    schedule=None,
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5)},
):
    # The result file is written whole on every outcome, bad usage included: the side-car never waits for one that does not come.
    KubernetesPodOperator(
        task_id="match",
        name="fettle-suppliers",
        image="fettle:0.1.0",
        cmds=["fettle"],
        arguments=[
            *["run", "pipelines/suppliers.yml", "--skip-code", "99"],
            *["--result-file", "/airflow/xcom/return.json"],
        ],
        do_xcom_push=True,
        skip_on_exit_code=99,
        # Longer than the ten seconds in which fettle hears a request out.
        termination_grace_period=30,
    )
