"""A list matched by fettle as three assets of Dagster, with the counts as metadata and the pipeline's checks as asset checks."""

import os
import re
from pathlib import Path

import dagster as dg
import yaml
from dagster._core.errors import DagsterPipesExecutionError

#: The folder with pipelines/, samples/ and fettle-runs/.
PROJECT = Path(os.environ.get("SUPPLIERS_PROJECT", os.getcwd()))
PIPELINE = "pipelines/suppliers.yml"

#: Dagster wants to know of its checks beforehand; fettle reports those that are named to it.
CHECKS = list(yaml.safe_load((PROJECT / PIPELINE).read_text()).get("checks", {}))

#: Exit code 1 says that a check was not met. Dagster judges that by the checks themselves, so the step goes on. "Terminate run" stops
#: the shell, which tells fettle to stop and waits for its end.
RUN = f"""fettle run {PIPELINE} --json -q &
trap 'kill -TERM $!' INT TERM
wait $!; code=$?
while [ "$code" -ge 129 ] && kill -0 $! 2>/dev/null; do wait $!; code=$?; done
[ "$code" -eq 1 ] && exit 0
exit "$code"
"""

#: 75: stopped, and resumed by the same command; 130, 143, 137 and -9: told to stop, or killed. Everything else wants a person.
AGAIN = re.compile(r"code (75|130|137|143|-\d+)$")


@dg.multi_asset(
    specs=[
        dg.AssetSpec("suppliers", description="The list with what the register knows of each company."),
        dg.AssetSpec("suppliers_unmatched", description="Rows that found no company."),
        dg.AssetSpec("suppliers_review", description="Rows for a person to decide about."),
    ],
    check_specs=[dg.AssetCheckSpec(name, asset="suppliers") for name in CHECKS],
)
def suppliers(context: dg.AssetExecutionContext, fettle: dg.PipesSubprocessClient):
    """fettle itself tells Dagster what it made: there is nothing to read here."""
    try:
        # A retry of the run has another id and the same root: after fettle has finished it sends nothing.
        key = {"FETTLE_RUN_KEY": context.run.root_run_id or context.run.run_id}
        done = fettle.run(context=context, command=["bash", "-c", RUN], env=key, extras={"checks": CHECKS})
    except DagsterPipesExecutionError as error:
        if AGAIN.search(str(error)):
            raise dg.RetryRequested(max_retries=3, seconds_to_wait=300) from error
        raise dg.Failure(str(error), allow_retries=False) from error
    yield from done.get_results()


nightly = dg.ScheduleDefinition(
    name="nightly",
    target=dg.AssetSelection.assets("suppliers", "suppliers_unmatched", "suppliers_review"),
    cron_schedule="17 3 * * *",
)

defs = dg.Definitions(
    assets=[suppliers],
    schedules=[nightly],
    resources={"fettle": dg.PipesSubprocessClient(cwd=str(PROJECT))},
)
