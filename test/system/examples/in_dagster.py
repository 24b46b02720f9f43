"""Materialises the assets of examples/dagster in an instance of its own and prints, as JSON, what Dagster knows of them then."""

import importlib.util
import json
import sys

import dagster as dg

spec = importlib.util.spec_from_file_location("suppliers", sys.argv[1])
suppliers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(suppliers)

with dg.DagsterInstance.ephemeral() as instance:
    result = dg.materialize(
        [suppliers.suppliers], resources=suppliers.defs.resources, instance=instance, raise_on_error=False
    )
    logs = instance.all_logs(result.run_id)
    print(
        json.dumps(
            {
                "success": result.success,
                "run": result.run_id,
                "assets": {
                    event.asset_key.to_user_string(): {
                        key: value.value for key, value in event.materialization.metadata.items()
                    }
                    for event in result.get_asset_materialization_events()
                },
                "versions": {
                    event.asset_key.to_user_string(): event.materialization.tags.get("dagster/data_version")
                    for event in result.get_asset_materialization_events()
                },
                "checks": {
                    check.check_name: [check.passed, check.severity.value, check.metadata["actual"].value]
                    for check in result.get_asset_check_evaluations()
                },
                "retries": sum(1 for entry in logs if entry.dagster_event and entry.dagster_event.is_step_up_for_retry),
                "exceptions": [
                    entry.dagster_event.engine_event_data.error.message
                    for entry in logs
                    if entry.dagster_event
                    and entry.dagster_event.is_engine_event
                    and entry.dagster_event.engine_event_data.error
                ],
                "failures": [
                    entry.dagster_event.step_failure_data.user_failure_data.description
                    for entry in logs
                    if entry.dagster_event
                    and entry.dagster_event.is_step_failure
                    and entry.dagster_event.step_failure_data.user_failure_data
                ],
                "log": [entry.user_message for entry in logs],
            },
            default=str,
        )
    )
