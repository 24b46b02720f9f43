"""Runs the flow of examples/prefect with a server of its own and prints, as JSON, what that server knows of it then."""

import importlib.util
import json
import sys

from prefect.client.orchestration import get_client
from prefect.states import Failed

spec = importlib.util.spec_from_file_location("suppliers", sys.argv[1])
suppliers = importlib.util.module_from_spec(spec)
sys.modules["suppliers"] = suppliers
spec.loader.exec_module(suppliers)

result = suppliers.suppliers()
try:
    suppliers.suppliers(pipeline="pipelines/missing.yml")
    refused = None
except suppliers.FettleFailed as error:
    refused = str(error)
again = [
    suppliers.is_worth_another_try(None, None, Failed(data=suppliers.FettleFailed(code, "")))
    for code in (75, 130, 137, 143, -9, 76, 2, 1)
]
with get_client(sync_client=True) as client:
    runs = client.read_task_runs()
    artifacts = client.read_artifacts()
    print(
        json.dumps(
            {
                "result": result,
                "refused": refused,
                "again": again,
                "states": sorted(run.state.name for run in runs),
                "artifacts": {artifact.key: [artifact.type, artifact.data] for artifact in artifacts},
            }
        )
    )
