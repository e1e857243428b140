"""The limits of AWS that botocore's service models do not have. Each function yields faults: a member, and why."""

import re

from sizes import size_of_item

kib = 1024
mib = 1024 * kib


def numbers(asked, ranges):
    for member, (least, most) in ranges.items():
        if member in asked and not least <= int(asked[member]) <= most:
            yield member, f"{asked[member]} is not from {least} to {most}"


def twice(values):
    return len(set(values)) < len(values)


def message(asked):
    yield from numbers(asked, {"DelaySeconds": (0, 900)})
    if not 1 <= len(asked.get("MessageBody", "").encode()) <= mib:
        yield "MessageBody", "the size is not from 1 byte to 1 MiB"
    if len(asked.get("MessageAttributes", {})) > 10:
        yield "MessageAttributes", "more than 10"


def visibility(asked):
    yield from numbers(asked, {"VisibilityTimeout": (0, 43_200)})


def receive(asked):
    yield from numbers(asked, {"MaxNumberOfMessages": (1, 10), "WaitTimeSeconds": (0, 20)})
    yield from visibility(asked)


def nothing(asked):
    return ()


def batch(each):
    def faults(asked):
        entries = asked.get("Entries", [])
        ids = [entry.get("Id", "") for entry in entries]
        if not 1 <= len(entries) <= 10:
            yield "Entries", f"{len(entries)} entries are not from 1 to 10"
        if twice(ids):
            yield "Entries", "two entries have the same Id"
        for position, entry in enumerate(entries):
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,80}", entry.get("Id", "")):
                yield f"Entries[{position}].Id", "not 1 to 80 letters, digits, dashes and underscores"
            for member, why in each(entry):
                yield f"Entries[{position}].{member}", why
        if sum(len(entry.get("MessageBody", "").encode()) for entry in entries) > mib:
            yield "Entries", "the messages have more than 1 MiB"

    return faults


def events(asked):
    for position, entry in enumerate(asked.get("Entries", [])):
        members = ("Source", "DetailType", "Detail")
        if sum(len(entry.get(member, "").encode()) for member in members) > 256 * kib:
            yield f"Entries[{position}]", "more than 256 KiB"


def expressions(asked):
    for member, value in asked.items():
        if member.endswith("Expression") and len(value.encode()) > 4 * kib:
            yield member, "more than 4 KiB"


def item(asked):
    if size_of_item(asked.get("Item", {})) > 400 * kib:
        yield "Item", "more than 400 KiB"
    yield from expressions(asked)


def key_of(table, one):
    """Returns the table and the key. Both parts of all keys are texts."""
    key = one.get("Key") or one.get("Item") or {}
    return table, *(key.get(name, {}).get("S") for name in ("pk", "sk"))


def transaction(asked):
    ones = [one for entry in asked.get("TransactItems", []) for one in entry.values()]
    if twice([key_of(one.get("TableName"), one) for one in ones]):
        yield "TransactItems", "two operations on one item"
    if sum(size_of_item(one.get("Item", {})) for one in ones) > 4 * mib:
        yield "TransactItems", "more than 4 MiB"
    for position, one in enumerate(ones):
        for member, why in item(one):
            yield f"TransactItems[{position}].{member}", why


def writes(asked):
    for table, entries in asked.get("RequestItems", {}).items():
        ones = [one for entry in entries for one in entry.values()]
        if twice([key_of(table, one) for one in ones]):
            yield "RequestItems", "two operations on one item"
        for one in ones:
            yield from item(one)


def reads(asked):
    for table, entry in asked.get("RequestItems", {}).items():
        if twice([key_of(table, {"Key": key}) for key in entry.get("Keys", [])]):
            yield "RequestItems", "one key twice"


limits = {
    "sqs:SendMessage": message,
    "sqs:SendMessageBatch": batch(message),
    "sqs:ChangeMessageVisibility": visibility,
    "sqs:ChangeMessageVisibilityBatch": batch(visibility),
    "sqs:DeleteMessageBatch": batch(nothing),
    "sqs:ReceiveMessage": receive,
    "events:PutEvents": events,
    "dynamodb:PutItem": item,
    "dynamodb:UpdateItem": expressions,
    "dynamodb:DeleteItem": expressions,
    "dynamodb:Query": expressions,
    "dynamodb:Scan": expressions,
    "dynamodb:TransactWriteItems": transaction,
    "dynamodb:BatchWriteItem": writes,
    "dynamodb:BatchGetItem": reads,
}
