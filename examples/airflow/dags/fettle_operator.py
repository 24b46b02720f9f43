"""What the DAGs beside it share: how fettle is called from Airflow. It knows no pipeline."""

import json
import os
import re

from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.sensors.bash import BashSensor
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException

#: The folder with pipelines/, samples/ and fettle-runs/: one that every worker reaches.
PROJECT = os.environ.get("SUPPLIERS_PROJECT", os.getcwd())


#: 75, a signal (130, 143) and a kill (137, -9): the same command again goes on. Everything else needs a person.
AGAIN = re.compile(r"code (75|130|137|143|-\d+)\b")


class FettleOperator(BashOperator):
    """A command of fettle. Its last line is the XCom, as a value.

    Airflow's variables name the run of the DAG: a task that is repeated after fettle has finished sends nothing.
    """

    def __init__(self, **kwargs):
        super().__init__(append_env=True, cwd=PROJECT, output_processor=json.loads, **kwargs)

    def execute(self, context):
        try:
            return super().execute(context)
        except AirflowSkipException:
            raise
        except AirflowException as error:
            if AGAIN.search(str(error)):
                raise
            raise AirflowFailException(str(error)) from error


class FettleSensor(BashSensor):
    """`fettle status` of a run. Ready: 0. Exit code 75, or a status that was killed: poke again. Anything else fails at once."""

    def __init__(self, *, run, **kwargs):
        super().__init__(bash_command=f"cd '{PROJECT}' && fettle status '{run}' --json", retry_exit_code=75, **kwargs)

    def poke(self, context):
        try:
            return super().poke(context)
        except AirflowFailException as error:
            if AGAIN.search(str(error)):
                return False
            raise
