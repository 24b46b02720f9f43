"""The whole run in a pod: its result is the XCom by the file that Airflow's side-car reads."""

from datetime import datetime, timedelta

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import DAG
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException
from kubernetes.client import models as k8s


class FettlePod(KubernetesPodOperator):
    """A pod that is tried again on exit code 75, after a signal, and when it left no result; everything else wants a person."""

    def cleanup(self, pod, remote_pod, xcom_result=None, **more):
        try:
            super().cleanup(pod, remote_pod, xcom_result=xcom_result, **more)
        except AirflowSkipException:
            raise
        except AirflowException as error:
            code = xcom_result.get("exitCode") if isinstance(xcom_result, dict) else None
            if code in (None, 0, 75, 130, 143):
                raise
            raise AirflowFailException(f"exit code {code}: {error}") from error


with DAG(
    "fettle_suppliers_pod",
    schedule=None,
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5)},
):
    # The result file is written whole on every outcome, bad usage included: the side-car never waits for one that does not come.
    FettlePod(
        task_id="match",
        name="fettle-suppliers",
        image="fettle:0.1.0",
        cmds=["fettle"],
        arguments=[
            *["run", "pipelines/suppliers.yml", "--skip-code", "99"],
            *["--result-file", "/airflow/xcom/return.json"],
        ],
        # A volume that several pods may use, with pipelines/ and the list: a retry finds fettle-runs/ there, and goes on with the same job.
        volumes=[
            k8s.V1Volume(
                name="work",
                persistent_volume_claim=k8s.V1PersistentVolumeClaimVolumeSource(claim_name="suppliers"),
            )
        ],
        volume_mounts=[k8s.V1VolumeMount(name="work", mount_path="/work")],
        full_pod_spec=k8s.V1Pod(
            metadata=k8s.V1ObjectMeta(),
            spec=k8s.V1PodSpec(containers=[k8s.V1Container(name="base", working_dir="/work")]),
        ),
        # Another pod for the same run of the DAG, after fettle has finished, sends nothing.
        env_vars={"FETTLE_RUN_KEY": "{{ dag.dag_id }}/{{ run_id }}/{{ task.task_id }}"},
        # FETTLE_URL, FETTLE_USERNAME, FETTLE_PASSWORD.
        env_from=[k8s.V1EnvFromSource(secret_ref=k8s.V1SecretEnvSource(name="fettle", optional=True))],
        do_xcom_push=True,
        skip_on_exit_code=99,
        # Longer than the ten seconds in which fettle hears a request out.
        termination_grace_period=30,
    )
