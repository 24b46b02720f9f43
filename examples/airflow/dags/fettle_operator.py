"""What the DAGs beside it share: how fettle is called from Airflow. It knows no pipeline."""

import json
import os
import re

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException

#: The folder with pipelines/, samples/ and fettle-runs/: one that every worker reaches.
PROJECT = os.environ.get("SUPPLIERS_PROJECT", os.getcwd())


class FettleOperator(BashOperator):
    """A command of fettle. Its last line is the XCom, as a value.

    Airflow's variables name the run of the DAG: a task that is repeated after fettle has finished sends nothing. Another try is worth it
    on exit code 75, after a signal (130, 143), and when the process was killed (137, -9).
    """

    def __init__(self, **kwargs):
        super().__init__(append_env=True, cwd=PROJECT, output_processor=json.loads, **kwargs)

    def execute(self, context):
        try:
            return super().execute(context)
        except AirflowSkipException:
            raise
        except AirflowException as error:
            if re.search(r"exit code (75|130|137|143|-\d+)\b", str(error)):
                raise
            raise AirflowFailException(str(error)) from error
