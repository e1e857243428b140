"""
Runs the AWS emulator (ministack 1.5.33) with what the tests need beside it. Each change says why; docs/aws-emulator.md lists what it means.
"""

import json
import os
import sys
import threading
import time
from collections import Counter
from urllib.parse import parse_qs

from ministack import app as emulator
from ministack.core import lambda_runtime
from ministack.services import eventbridge, lambda_svc, scheduler
from ministack.services.cloudformation import provisioners

from deliveries import judge_deliveries, judge_run
from failing import answer, failing, whole
from gathering import gather_writes
from judge import faults, judge, judging
from secrets_by_arn import refer_by_arn
from sizes import size_of_item

# The emulator sends no events of ECR, so the tests send them: PutEvents accepts the source "aws.ecr", which AWS refuses.
eventbridge._put_events.__defaults__ = (True,)

# The emulator checks one-shot schedules every ten seconds, which is too coarse for timers that are exact to the second.
scheduler._SCHEDULE_TICK_INTERVAL = 0.25

# The emulator waits 50 ms for the log of each run without log lines.
lambda_runtime.Worker._drain_stderr_bounded.__defaults__ = (0.004, 0.002, 0.25)

gather_writes()
refer_by_arn()


def accept(resource_type, attributes=lambda name: {}):
    """Accepts a resource type that the emulator does not support, and creates only its name."""

    def create(logical_id, properties, stack_name):
        name = f"{stack_name}-{logical_id}"
        return name, attributes(name)

    def update(physical_id, old_properties, properties, stack_name):
        return physical_id, attributes(physical_id)

    def delete(physical_id, properties):
        return None

    provisioners._RESOURCE_HANDLERS[resource_type] = {"create": create, "update": update, "delete": delete}


for name in (
    # The emulator supports alarms of one metric.
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::CompositeAlarm",
    "AWS::EKS::AccessEntry",
    "AWS::Events::Archive",
    "AWS::Events::EventBusPolicy",
    "AWS::Logs::MetricFilter",
    "AWS::Logs::QueryDefinition",
):
    accept(name, lambda physical: {"Arn": f"arn:aws:emulator:::{physical}", "ArchiveName": physical})


class Clock:
    """The clock of the emulator and of its functions. Tests advance the clock instead of waiting for a quarter of an hour."""

    def __init__(self, path):
        self._path = path
        self._real = time.time
        self._ahead = 0.0
        self.put_forward(0)
        time.time = lambda: self._real() + self._ahead

    def put_forward(self, seconds):
        self._ahead += seconds
        with open(self._path, "w") as file:
            file.write(str(round(self._ahead * 1000)))


clock_file = os.path.join(os.environ["TMPDIR"], "clock-ahead-ms")
clock = Clock(clock_file)

# The emulator turns https requests to this machine into http, for custom resources of the CDK. The cluster needs https.
unpatched = lambda_runtime._NODEJS_WORKER_SCRIPT.replace("      patchAwsSdk();\n", "")
assert unpatched != lambda_runtime._NODEJS_WORKER_SCRIPT

lambda_runtime._NODEJS_WORKER_SCRIPT = (
    """
{
  const { readFileSync } = require("fs");
  const realNow = Date.now;
  const RealDate = Date;
  let readAt = 0;
  let aheadMs = 0;
  const now = () => {
    const real = realNow();
    if (Math.abs(real - readAt) > 50) {
      readAt = real;
      aheadMs = Number(readFileSync(CLOCK_FILE, "utf8"));
    }
    return real + aheadMs;
  };
  globalThis.Date = class Date extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(now());
      else super(...given);
    }
    static now() {
      return now();
    }
  };
}
""".replace("CLOCK_FILE", json.dumps(clock_file))
    + unpatched
)


class Killing:
    """Kills the process of a function during a run, at its n-th call of AWS, as a broken machine would."""

    def __init__(self):
        self._armed = {}
        self._running = {}
        self._lock = threading.Lock()
        self._done = 0
        invoke = lambda_runtime.Worker.invoke

        def watched(worker, *given, **named):
            self._running[worker.func_name] = worker
            return invoke(worker, *given, **named)

        lambda_runtime.Worker.invoke = watched

    def arm(self, function, call):
        with self._lock:
            self._armed[function] = call

    def state(self):
        with self._lock:
            return {"killed": self._done}

    def asked(self, name):
        """Returns whether the caller is killed. Its call then has no effect."""
        with self._lock:
            function = next((function for function in self._armed if function in name), None)
            if function is None:
                return False
            self._armed[function] -= 1
            if self._armed[function] > 0:
                return False
            del self._armed[function]
            self._done += 1
            self._running[name]._proc.kill()
            return True


killing = Killing()


class Calls:
    """Counts the calls of functions by function, service and operation, with the billed units."""

    def __init__(self):
        self._lock = threading.Lock()
        self._counts = {}

    def add(self, function, operation, units=0, logged=0, milliseconds=0):
        with self._lock:
            row = self._counts.setdefault(
                (function, operation), {"count": 0, "units": 0, "logged": 0, "milliseconds": 0}
            )
            row["count"] += 1
            row["units"] += units
            row["logged"] += logged
            row["milliseconds"] += milliseconds

    def taken(self):
        with self._lock:
            return [
                {"function": function, "operation": operation, **row}
                for (function, operation), row in self._counts.items()
            ]


calls = Calls()

judge()
judge_deliveries()

# An AWS client sends the name of its application in each request. The name is the function here.
credentials_of = lambda_runtime.execution_credentials
lambda_runtime.execution_credentials = lambda config: {
    **credentials_of(config),
    "AWS_SDK_UA_APP_ID": config["FunctionName"],
}


def header(scope, name):
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name), "")


def function_of(scope):
    agent = header(scope, b"user-agent") + " "
    # Powertools adds its own mark to the user agent.
    return agent.split("app/")[1].split(" ")[0].split("-PT-")[0] if "app/" in agent else ""


def service_of(scope):
    """Returns the service of the signature. None without a signature."""
    signed = header(scope, b"authorization")
    return signed.split("Credential=")[1].split("/")[3] if "Credential=" in signed else None


def operation_of(scope, body):
    """Returns the service of the signature and the operation: `sqs:SendMessage`."""
    service = service_of(scope)
    if service is None:
        return None
    target = header(scope, b"x-amz-target")
    if target:
        return f"{service}:{target.split('.')[-1]}"
    action = parse_qs(body.decode("latin-1")).get("Action") if b"Action=" in body[:4096] else None
    return f"{service}:{action[0]}" if action else f"{service}:{scope['method']} {scope['path'].split('/')[1]}"


# The index positions of items that functions have written.
places = {}


def units_of_index(item):
    """Returns the index writes of an item: none for the same position, one for an added or removed item, two for a moved item."""
    if item.get("sk", {}).get("S") != "WORKLOAD":
        return 0
    key, place = item["pk"]["S"], item.get("dueSk", {}).get("S")
    before = places.get(key)
    places[key] = place
    return 0 if place == before else sum(1 for one in (before, place) if one)


def units_written(asked):
    """Returns the write units: one for each KiB of an item, and its index writes. An update or a deletion counts as one KiB."""
    item = asked.get("Item", {})
    return max(1, -(-size_of_item(item) // 1024)) + units_of_index(item)


def units_of(operation, sent, answer):
    """Returns the billed units of DynamoDB and EventBridge."""
    asked = json.loads(sent or b"{}")
    service, name = operation.split(":")
    if service == "events":
        return sum(-(-len(entry["Detail"]) // 65536) for entry in asked.get("Entries", []))
    if name == "TransactWriteItems":
        return sum(2 * units_written(one) for entry in asked["TransactItems"] for one in entry.values())
    if name == "BatchWriteItem":
        requests = [one for table in asked["RequestItems"].values() for entry in table for one in entry.values()]
        return sum(units_written(one) for one in requests)
    if name in ("PutItem", "UpdateItem", "DeleteItem"):
        return units_written(asked)
    tables = asked.get("RequestItems", {"": asked}).values()
    items = sum(max(1, len(table.get("Keys", []))) for table in tables)
    strong = any(table.get("ConsistentRead") for table in tables)
    return max(items, -(-len(answer) // 4096)) * (1 if strong else 0.5)


def check(scope, function, body):
    """Checks a request against the model of its service."""
    headers = {key.decode().lower(): value.decode("latin-1") for key, value in scope["headers"]}
    # A path keeps its escapes, because names can have slashes.
    path = scope.get("raw_path", scope["path"].encode()).decode().split("?")[0]
    faults.check(function, service_of(scope), scope["method"], path, scope["query_string"].decode(), headers, body)


original_app = emulator.app


async def bed(scope, receive):
    """Serves the requests that only tests send."""
    body = b""
    while scope["method"] == "POST":
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    asked = json.loads(body or b"{}")
    what = scope["path"].removeprefix("/_bed/")
    if what == "clock":
        clock.put_forward(asked["seconds"])
        return {}
    if what == "kill":
        killing.arm(asked["function"], asked["call"])
        return {}
    if what == "fail":
        failing.arm(asked)
        return {}
    return {"calls": calls.taken(), "faults": faults.taken(), **killing.state(), **failing.state()}


async def app(scope, receive, send):
    if scope["type"] != "http":
        return await original_app(scope, receive, send)
    if scope["path"].startswith("/_bed/"):
        told = json.dumps(await bed(scope, receive)).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        return await send({"type": "http.response.body", "body": told})

    function = function_of(scope)
    if killing.asked(function):
        return await send({"type": "http.response.start", "status": 500, "headers": []})
    failure = None
    if failing.waits_for(function):
        sent, receive = await whole(receive)
        failure = failing.of(function, operation_of(scope, sent), sent)
        if failure and not failure["lands"]:
            return await answer(failure, sent, send)
    chunks = []
    answered = []

    async def remembering():
        message = await receive()
        if message["type"] == "http.request":
            chunks.append(message.get("body", b""))
        return message

    async def measured(message):
        answered.append(message.get("body", b""))
        if failure is None:
            await send(message)

    with judging(function):
        await original_app(scope, remembering, measured)
    body = b"".join(chunks)
    operation = operation_of(scope, body)
    if operation:
        check(scope, function, body)
        has_units = operation.startswith(("dynamodb:", "events:"))
        units = units_of(operation, body, b"".join(answered)) if has_units else 0
        calls.add(function, operation, units=units)
    if failure:
        await answer(failure, body, send)


emulator.app = app


# The steps of AWS itself that AWS bills.
execute = lambda_svc._execute_function


def timed(function, event, *rest, **named):
    began = time.monotonic()
    result = {}
    try:
        result = execute(function, event, *rest, **named)
        return result
    finally:
        config = function.get("config", {})
        judge_run(config)
        name = config.get("FunctionName", "")
        # CloudWatch charges 26 more bytes for each line.
        logged = sum(len(line.encode()) + 26 for line in result.get("log", "").splitlines())
        calls.add(name, "lambda:Run", logged=logged, milliseconds=round((time.monotonic() - began) * 1000))


lambda_svc._execute_function = timed

if __name__ == "__main__":
    sys.argv = ["ministack"]
    emulator.main()
