"""
For Schemathesis: refusals that no description can announce, because they depend on what exists or on two parts of a request. The
service answers them with 400, or in `failed`, as the interface does. Each has its reason.
"""

import json
import re
from functools import wraps

import schemathesis
import schemathesis.specs.openapi.checks as checks

# A part of `details`: what the refusal depends on.
CONDITIONS = {
    # Contract §5.6, §14.1: what a job allows depends on its status, and the answer is 400. No operation of jobs lists 409.
    "; needed is ": "status of the job",
    # Contract §5.4: the column is one of the uploaded file.
    " columns": "columns of the uploaded file",
    "occurs twice": "elements that exclude each other",
    # Contract §7.2: each country has its rules, and each rule its parameters.
    "is not a rule of this country": "rules of the country",
    "is not a valid parameter of rule": "parameters of the rule",
    # Contract §8, rows 42 to 44: companies are named, or all are meant by a parameter of the query.
    "companies: must ": "body and query",
    "is the portfolio the companies are in": "body and path",
    "must be the guid of the path": "body and path",
    "there is no user": "users",
    "is not a user of this service": "users",
    "is the owner": "users",
    # Contract §6.1: at most 200 characters, counted as `{lastName} {firstName} {middleName}`.
    "is longer than 200 characters": "sum of three fields",
    # Contract §8: the file is a CSV with a header.
    "importcsv: ": "content of the file",
    # Contract §11.5: what is absent stays, and a new tree has nothing yet.
    "a new tree needs a decision table": "trees",
    # Contract §11.5: the description leaves the content of an instance open; here it is a decision table.
    "configurationVariables.": "content of the table",
    # Contract §9.3: mandatory for companies of Germany.
    "de_reason_code": "country of the company",
    # Contract §8, row 38: 404, also for a company that no register has.
    "there is no company resource of this id": "companies",
    # A pattern for the letters of every script is not one that all generators read.
    "no letter and no digit": "letters of any script",
    # Contract §12: elements of a batch fail alone, and are then not there under the id of the request.
    "there is no schedule of this id": "searches",
}


def depends(response) -> bool:
    try:
        body = response.json()
    except ValueError:
        return False
    if not isinstance(body, dict):
        return False
    if response.status_code == 200:
        # An element of a batch fails alone (specification: `failed`, `successful`).
        return bool(body.get("failed"))
    return response.status_code in (400, 404) and any(part in str(body.get("details")) for part in CONDITIONS)


def is_valid_when_sent(form: str, value) -> bool:
    """A query is text: `true`, 1 or nothing for a parameter of any text is valid, also as the element of a list; an object is sent as its keys."""
    if isinstance(value, dict):
        value = list(value)
    limits = ('"enum"', '"pattern"', '"format"')
    is_free = '"type": "string"' in form and not any(limit in form for limit in limits)
    if isinstance(value, list) and value:
        longest = re.search(r'"maxLength": (\d+)', form)
        texts = [one for one in value if isinstance(one, str)]
        return all(is_free and (longest is None or len(one) <= int(longest[1])) for one in texts) and all(
            is_valid_when_sent(form, one) for one in value if not isinstance(one, str)
        )
    return value is None or (isinstance(value, (bool, int, float)) and is_free)


def is_epoch(case, name: str, value) -> bool:
    """Contract §14.1: the published description has a whole number with the format of a date here; milliseconds are read, too."""
    is_period = case.operation.label == "GET /dataCleaning/jobs" and name in ("fromDate", "toDate")
    return is_period and re.fullmatch(r"\d{10,14}", str(value)) is not None


def is_query_taken(case) -> bool:
    data = case.meta.phase.data
    names = [data.parameter] if data.parameter else [one.parameter for one in data.mutations]
    forms = {one.name: json.dumps(one.definition) for one in case.operation.query}
    query = case.query or {}
    return bool(names) and all(
        name in forms and (is_epoch(case, name, query.get(name)) or is_valid_when_sent(forms[name], query.get(name))) for name in names
    )


def is_taken_too(case) -> bool:
    """Forms that the description leaves out, since generated clients need one type, and values that are valid as they are sent."""
    if is_query_taken(case):
        return True
    if isinstance(case.body, list):
        # Contract §5.4, §15: one page of the vendor prints the bare array of mappings.
        return case.operation.label == "PUT /dataCleaning/jobs/{id}/mappings"
    # Contract §14.1: fields of forms are text, and this one is read in any case, or as 0 or 1.
    return isinstance(case.body, dict) and str(case.body.get("hasHeader")).lower() in ("true", "false", "0", "1")


def unless_it_depends(check):
    @wraps(check)
    def checked(ctx, response, case):
        return None if depends(response) or (response.status_code < 300 and is_taken_too(case)) else check(ctx, response, case)

    return checked


for name in ("positive_data_acceptance", "negative_data_rejection", "ensure_resource_availability"):
    schemathesis.check(unless_it_depends(getattr(checks, name)))


def unless_not_played(check):
    """An operation that a play lacks is 404, also where the play has another method of its path."""

    @wraps(check)
    def checked(ctx, response, case):
        return None if response.status_code == 404 else check(ctx, response, case)

    return checked


schemathesis.check(unless_not_played(checks.unsupported_method))
