"""
Judges what AWS does for functions: Lambda with the role of a function, EventBridge with the policy of a queue, and the scheduler with
the role of a schedule. The emulator (ministack 1.5.33) does it without rights.
"""

from ministack.core import iam_evaluator, lambda_runtime
from ministack.services import eventbridge, iam, lambda_svc, sqs

from judge import faults, judging

# The rights to read from a source, by the source's service.
reads = {
    "sqs": ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"),
    "dynamodb": ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"),
}
logs = ("logs:CreateLogStream", "logs:PutLogEvents")
# The rights to join a VPC. The interfaces have no names before.
joins = (
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:DeleteNetworkInterface",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
)
# The right to reach a target, by the target's service.
reaches = {"sqs": "sqs:SendMessage", "lambda": "lambda:InvokeFunction", "events": "events:PutEvents", "sns": "sns:Publish"}

judged = set()


def service_of(arn):
    return arn.split(":")[2]


def judge_run(config):
    """Judges Lambda once for each function and its settings: its sources, its logs, its network, its letters."""
    sources = [esm for _, _, esm in lambda_svc._iter_all_esms() if esm["FunctionArn"] == config["FunctionArn"]]
    needed = {(right, esm["EventSourceArn"]) for esm in sources for right in reads[service_of(esm["EventSourceArn"])]}
    _, _, _, region, account, *_ = config["FunctionArn"].split(":")
    group = (config.get("LoggingConfig") or {}).get("LogGroup") or f"/aws/lambda/{config['FunctionName']}"
    needed |= {(right, f"arn:aws:logs:{region}:{account}:log-group:{group}:log-stream:one") for right in logs}
    if (config.get("VpcConfig") or {}).get("SubnetIds"):
        needed |= {(right, "*") for right in joins}
    letters = [(config.get("DeadLetterConfig") or {}).get("TargetArn")]
    letters += [((esm.get("DestinationConfig") or {}).get("OnFailure") or {}).get("Destination") for esm in sources]
    needed |= {(reaches[service_of(arn)], arn) for arn in letters if arn}
    key = (config["FunctionName"], config["Role"], frozenset(needed))
    if key in judged:
        return
    judged.add(key)
    session = lambda_runtime.execution_credentials(config)["AWS_ACCESS_KEY_ID"]
    iam_evaluator.pin_request_origin("127.0.0.1", True)
    with judging(config["FunctionName"]):
        for right, resource in sorted(needed):
            iam_evaluator.enforce(session, right, right.split(":")[0], region, resource_arn=resource)


def judge_target(target, source, principal):
    """Judges the delivery to a target: by its role, else by the policy of a queue."""
    arn, role = target["Arn"], target.get("RoleArn")
    _, _, service, region, account, *_ = arn.split(":")
    if role:
        judge_role(role, reaches[service], arn, principal, source)
    elif service == "sqs" and not sqs.queue_policy_allows(arn, principal, source["Arn"], account):
        faults.add(principal, reaches[service], arn, "the policy of the queue does not allow it")
    letters = (target.get("DeadLetterConfig") or {}).get("Arn")
    if letters and principal.startswith("scheduler"):
        judge_role(role, "sqs:SendMessage", letters, principal, source)
    elif letters and not sqs.queue_policy_allows(letters, principal, source["Arn"], account):
        faults.add(principal, "sqs:SendMessage", letters, "the policy of the queue does not allow it")


def judge_role(role, right, resource, principal, source):
    """Judges a call of an AWS service with a role that it assumes."""
    account, name = role.split(":")[4], role.split("/")[-1]
    known = iam._roles.get_scoped(account, None, name) or {}
    arn = f"arn:aws:sts::{account}:assumed-role/{name}/{principal}"
    context = iam_evaluator.EvalContext(arn, "AssumedRole", account, right, resource, "")
    policies = iam_evaluator._gather_role_policies(name, account)
    if iam_evaluator.evaluate(context, policies).decision != "Allow":
        faults.add(f"{principal} as {name}", right, resource, "no policy allows it")
    keys = {"aws:sourceaccount": account, "aws:sourcearn": known_source(source)}
    service = iam_evaluator.EvalContext("*", "Service", "", "sts:AssumeRole", role, "", service_context=keys)
    trust = known.get("AssumeRolePolicyDocument")
    if iam_evaluator.evaluate_resource_policy(trust, service, principal).decision != "Allow":
        faults.add(f"{principal} as {name}", "sts:AssumeRole", role, "the role does not trust the service")


def known_source(source):
    """Returns the ARN that AWS shows to a role: of a rule, or of a schedule's group."""
    arn = source["Arn"]
    return arn.rsplit("/", 1)[0].replace(":schedule/", ":schedule-group/") if ":schedule/" in arn else arn


def judge_deliveries():
    """Turns the checks of deliveries on."""
    invoke = eventbridge._invoke_target

    def invoked(target, event, rule, *rest, **named):
        principal = "scheduler.amazonaws.com" if event.get("Source") == "aws.scheduler" else "events.amazonaws.com"
        iam_evaluator.pin_request_origin("127.0.0.1", True)
        with judging(principal):
            judge_target(target, rule, principal)
        return invoke(target, event, rule, *rest, **named)

    eventbridge._invoke_target = invoked
