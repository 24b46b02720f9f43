"""A list matched by fettle as a flow of Prefect: a task for each shard, one that joins them, and the report as an artifact."""

import json
import os
import subprocess
from pathlib import Path

from prefect import flow, get_run_logger, runtime, task
from prefect.artifacts import create_markdown_artifact

#: The folder with pipelines/, samples/ and fettle-runs/: one that every worker reaches.
PROJECT = Path(os.environ.get("SUPPLIERS_PROJECT", os.getcwd()))


#: Processes of fettle under way: a flow that is cancelled stops them, so that they spend nothing more.
CHILDREN: set[subprocess.Popen] = set()


class FettleFailed(Exception):
    """A command of fettle ended with another code than 0; its last line, if it got as far as a report."""

    def __init__(self, code: int, said: str, line: str = "null"):
        super().__init__(f"exit code {code}: {said}")
        self.code = code
        self.result = json.loads(line)


def is_worth_another_try(task, run, state) -> bool:
    """75, a stop (130, 143) and a kill (137, -9): the same command again goes on. Everything else wants a person."""
    try:
        state.result()
    except FettleFailed as error:
        return error.code in (75, 130, 137, 143) or error.code < 0
    except Exception:
        return False
    return False


@task(retries=3, retry_delay_seconds=300, retry_condition_fn=is_worth_another_try, cache_policy=None)
def fettle(*args: str):
    """Runs fettle; its last line, as a value."""
    # A task that is repeated after fettle has finished, and a retry of the flow run, send nothing.
    env = {**os.environ, "FETTLE_RUN_KEY": runtime.flow_run.root_flow_run_id or runtime.flow_run.id}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    child = subprocess.Popen(["fettle", *args, "--json"], cwd=PROJECT, env=env, **pipes)
    CHILDREN.add(child)
    try:
        out, err = child.communicate()
    finally:
        CHILDREN.discard(child)
    last = (out.splitlines() or ["null"])[-1]
    if child.returncode != 0:
        raise FettleFailed(child.returncode, (err or out).strip(), last)
    return json.loads(last)


def keep_report(result: dict | None) -> None:
    """The report as an artifact: also of a run whose checks failed."""
    if not result or not result.get("report"):
        return
    report = PROJECT / Path(result["report"]).with_name("report.md")
    create_markdown_artifact(key="suppliers", markdown=report.read_text(), description="What came of each row")


@flow(log_prints=True)
def suppliers(pipeline: str = "pipelines/suppliers.yml", shards: int = 4) -> dict:
    """Matches the list in shards."""
    planned = fettle("plan", pipeline, "--shards", str(shards))
    runs = [fettle.submit("run", pipeline, "--shard", shard, "-q") for shard in planned]
    try:
        done = [run.result() for run in runs]
    except BaseException:
        for child in [*CHILDREN]:
            child.terminate()
        raise
    try:
        result = fettle("merge", done[0]["pipeline"], "-q")
    except FettleFailed as failed:
        keep_report(failed.result)
        raise
    keep_report(result)
    totals = result["totals"]
    # As fettle counts: duplicates of a company and rows that a person matched are matched, too.
    matched = totals["matched"] + totals["manualMatched"] + totals["duplicates"]
    get_run_logger().info("%s of %s rows matched", matched, totals["rows"])
    return result


if __name__ == "__main__":
    suppliers()
