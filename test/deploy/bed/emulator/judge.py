"""
Judges each call of a function as AWS does: by the policies of its role, and by the service's model.

The emulator (ministack 1.5.33) checks rights only if it checks them for all callers. Here it checks them for functions, which then
have sessions of their roles. Tests and the CDK keep the account's rights. A call without the right is reported and not refused, so
that one run finds all missing rights.
"""

import json
import threading
from contextlib import contextmanager
from contextvars import ContextVar

from ministack import app as emulator
from ministack.core import iam_actions, iam_evaluator, lambda_runtime

from models import faults_of

# The function whose call is judged. Empty: rights are not checked.
caller = ContextVar("caller", default="")


class ForFunctions:
    """The emulator's switch for rights, which is on during the calls of functions."""

    def __bool__(self):
        return caller.get() != ""


@contextmanager
def judging(function):
    token = caller.set(function)
    try:
        yield
    finally:
        caller.reset(token)


class Faults:
    """What AWS would have refused, each once with its count."""

    def __init__(self):
        self._lock = threading.Lock()
        self._counts = {}

    def add(self, function, operation, member, why):
        with self._lock:
            key = (function, operation, member, why)
            self._counts[key] = self._counts.get(key, 0) + 1

    def taken(self):
        with self._lock:
            return [
                {"function": function, "operation": operation, "member": member, "why": why, "count": count}
                for (function, operation, member, why), count in self._counts.items()
            ]

    def check(self, function, service, method, path, query, headers, body):
        """Adds what the service's model refuses in a request, and a role that the function must not pass."""
        operation, asked, found = faults_of(service, method, path, query, headers, body)
        for member, why in found:
            self.add(function, f"{service}:{operation}", member, why)
        role = asked.get("Target", {}).get("RoleArn") if service == "scheduler" and isinstance(asked, dict) else None
        if role and function:
            with judging(function):
                key = emulator.extract_access_key_id(headers, {})
                passed_to = {"iam:PassedToService": "scheduler.amazonaws.com"}
                iam_evaluator.enforce(key, "iam:PassRole", "iam", "", resource_arn=role, service_context=passed_to)


faults = Faults()
# The rights of operations that have no right of their own name. The emulator knows only those of transactions.
rights = {
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
}
reasons = {"Deny": "a policy denies it", "ImplicitDeny": "no policy allows it"}


def judge():
    """Turns the checks of rights on, for functions."""
    emulator.AUTH = ForFunctions()

    # Functions reach AWS with TLS, and the emulator without. Policies require TLS.
    pin_origin = emulator.pin_request_origin
    emulator.pin_request_origin = lambda address, secure: pin_origin(address, True)

    # Signatures are not checked: the emulator's check knows only the real time, and tests advance the clock.
    iam_evaluator.authenticate = lambda access_key, account: None

    credentials_of = lambda_runtime.execution_credentials

    def session_of_role(config):
        with judging(config["FunctionName"]):
            return credentials_of(config)

    lambda_runtime.execution_credentials = session_of_role

    resource_of = iam_actions.extract_resource_arn

    def resource_with_group(service, method, path, headers, body, *rest):
        """Returns the ARN of a request's resource. The emulator takes each schedule for one of the default group."""
        arn = resource_of(service, method, path, headers, body, *rest)
        group = json.loads(body or b"{}").get("GroupName", "default") if service == "scheduler" else ""
        return arn.replace(":schedule/default/", f":schedule/{group}/") if group else arn

    iam_actions.extract_resource_arn = resource_with_group

    enforce = iam_evaluator.enforce

    def enforced(access_key, action, service, region, resource_arn="*", **rest):
        action = rights.get(action, action)
        denied = enforce(access_key, action, service, region, resource_arn=resource_arn, **rest)
        if isinstance(denied, iam_evaluator.EvalResult):
            faults.add(caller.get(), action, resource_arn, reasons[denied.decision])
            return None
        if denied is not None:
            faults.add(caller.get(), action, resource_arn, f"{denied.code}: {denied.message}")
        return denied

    iam_evaluator.enforce = enforced

    trusts = iam_evaluator.evaluate_trust_policy

    def trusted(document, caller_arn, context):
        if not trusts(document, caller_arn, context):
            faults.add(caller.get(), "sts:AssumeRole", context.resource_arn, "the role does not trust the caller")
        return True

    iam_evaluator.evaluate_trust_policy = trusted
