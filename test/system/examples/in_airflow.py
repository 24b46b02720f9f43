"""Asked of Airflow itself: that every DAG loads, what the pod is told, and what the sensor makes of one look. Prints JSON."""

import json
import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from airflow.dag_processing.dagbag import DagBag
from airflow.sdk.exceptions import AirflowFailException

# As Airflow's own commands do.
sys.path.insert(0, sys.argv[1])
bag = DagBag(sys.argv[1])
pod = bag.dags["fettle_suppliers_pod"].get_task("match")
wait = bag.dags["fettle_suppliers"].get_task("wait")
# As its template is rendered, the name of a pipeline in place of a run id.
wait.bash_command = re.sub(r"\{\{.*?\}\}", "suppliers", wait.bash_command)
try:
    look = wait.poke({})
except AirflowFailException as error:
    look = str(error)


def ended(code: int) -> str:
    """How a command that ends with a code ends its task."""
    from fettle_operator import FettleOperator

    try:
        FettleOperator(task_id=f"code-{code}", bash_command=f"exit {code}" if code > 0 else f"kill {code} $$").execute({})
    except Exception as error:
        return type(error).__name__
    return "success"


class Cluster(BaseHTTPRequestHandler):
    """A cluster as far as the end of a pod goes: whatever is asked of it, it answers with a pod."""

    def answer(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.dumps(
            {
                "kind": "Pod",
                "apiVersion": "v1",
                "metadata": {"name": "p", "namespace": "n", "labels": {}},
                "spec": {"containers": [{"name": "base"}]},
                "status": {"phase": "Failed"},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass


def pod_ended(code: int, result: dict | None) -> str:
    """How a pod that ends with a code, and leaves a result or none, ends its task."""
    from kubernetes.client import models as k8s

    state = k8s.V1ContainerState(terminated=k8s.V1ContainerStateTerminated(exit_code=code))
    of = {"name": "base", "image": "fettle", "image_id": "fettle", "ready": False, "restart_count": 0}
    left = k8s.V1Pod(
        metadata=k8s.V1ObjectMeta(name="p", namespace="n", labels={}),
        spec=k8s.V1PodSpec(containers=[k8s.V1Container(name="base")]),
        status=k8s.V1PodStatus(phase="Failed", container_statuses=[k8s.V1ContainerStatus(state=state, **of)]),
    )
    try:
        pod.cleanup(left, left, xcom_result=result, context=None)
    except Exception as error:
        return type(error).__name__
    return "success"


cluster = HTTPServer(("127.0.0.1", 0), Cluster)
threading.Thread(target=cluster.serve_forever, daemon=True).start()
with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as kube:
    json.dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{cluster.server_port}"}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        },
        kube,
    )
pod.config_file = kube.name
container = pod.build_pod_request_obj().spec.containers[0]
pods = {code: pod_ended(code, {"exitCode": code}) for code in (1, 2, 65, 75, 76, 130, 143)}
pods |= {99: pod_ended(99, {"exitCode": 99}), 137: pod_ended(137, None)}
os.unlink(kube.name)

print(
    json.dumps(
        {
            "errors": bag.import_errors,
            "dags": sorted(bag.dags),
            "pod": [*pod.cmds, *pod.arguments],
            "place": [container.working_dir, *(mount.mount_path for mount in container.volume_mounts)],
            "pods": pods,
            "look": look,
            "codes": {code: ended(code) for code in (75, 130, 137, 143, -9, 99, 1, 2, 76)},
        }
    )
)
