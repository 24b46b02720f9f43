"""Judges a workflow by the models of Argo's own interface. They pass over what they do not know, so nothing may be lost on the way."""

import sys

import yaml
from hera.workflows.models import Workflow


def lost(given, kept, at="") -> list[str]:
    """What stands in the file and did not come through."""
    if isinstance(given, dict) and isinstance(kept, dict):
        return [name for key, value in given.items() for name in lost(value, kept.get(key), f"{at}.{key}")]
    if isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        return [name for n, pair in enumerate(zip(given, kept)) for name in lost(*pair, f"{at}[{n}]")]
    return [] if str(given) == str(kept) else [at]


with open(sys.argv[1]) as file:
    workflow = yaml.safe_load(file)
missing = lost(workflow, Workflow.model_validate(workflow).model_dump(by_alias=True, exclude_none=True, mode="json"))
if missing:
    sys.exit(f"not known to Argo: {', '.join(missing)}")
