"""Runs one job with the client that openapi-python-client made of the description, in the folder `made`. Arguments: address, user, password."""

import io
import sys
import time

sys.path.insert(0, ".")
from made import AuthenticatedClient, Client, models
from made.api.data_cleaning import create_job, enrich, enriched_file, read_job, set_enrichments, set_mappings, submit, upload
from made.api.login import authenticate
from made.types import File

url, username, password = sys.argv[1:]
token = authenticate.sync(client=Client(base_url=url), body=models.Credentials(username=username, password=password)).token
client = AuthenticatedClient(base_url=url, token=token)
job = create_job.sync(client=client, body=models.CreateJob(name="generated"))


def reach(status):
    for _ in range(600):
        found = read_job.sync(job.id, client=client)
        if found.status == status:
            return found
        time.sleep(0.1)
    raise SystemExit(f"the job did not become {status}")


file = File(payload=io.BytesIO(b"name\nAcme Ltd\n"), file_name="a.csv")
upload.sync(job.id, client=client, body=models.UploadBody(has_header=True, job_file=file))
mappings = {"mappings": [{"mapping": "name", "value": "0"}]}
set_mappings.sync(job.id, client=client, body=models.MappingsBody.from_dict(mappings))
submit.sync(job.id, client=client, body=models.EmptyBody())
reach("jobMatchingComplete")
enrichments = {"enrichments": [{"enrichment": "general.connectId"}]}
set_enrichments.sync(job.id, client=client, body=models.EnrichmentsBody.from_dict(enrichments))
enrich.sync(job.id, client=client, body=models.EmptyBody())
print(reach("enrichmentComplete").job_summary.matched, enriched_file.sync(job.id, client=client).file_path)
