"""Asked of Airflow itself: that every DAG loads, what the pod is told, and what the sensor makes of one look. Prints JSON."""

import json
import sys

from airflow.dag_processing.dagbag import DagBag
from airflow.sdk.exceptions import AirflowFailException

# As Airflow's own commands do.
sys.path.insert(0, sys.argv[1])
bag = DagBag(sys.argv[1])
pod = bag.dags["fettle_suppliers_pod"].get_task("match")
wait = bag.dags["fettle_suppliers"].get_task("wait")
try:
    look = wait.poke({})
except AirflowFailException as error:
    look = str(error)


def ended(code: int) -> str:
    """How a command that ends with a code ends its task."""
    from fettle_operator import FettleOperator

    try:
        FettleOperator(task_id=f"code-{code}", bash_command=f"exit {code}").execute({})
    except Exception as error:
        return type(error).__name__
    return "success"


print(
    json.dumps(
        {
            "errors": bag.import_errors,
            "dags": sorted(bag.dags),
            "pod": [*pod.cmds, *pod.arguments],
            "look": look,
            "codes": {code: ended(code) for code in (75, 99, 2)},
        }
    )
)
