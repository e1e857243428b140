"""Keeps the writes of a table back for as long as the trigger of its stream says: the emulator (ministack 1.5.33) hands each on at once."""

import time

from ministack.services import dynamodb, lambda_svc


def gather_writes():
    """Has a function run once the first of its writes has waited for others, or there are as many as it takes."""
    read = dynamodb.stream_records_since
    first_seen = {}

    def gathered(table, position, limit):
        records = read(table, position, limit)
        trigger = trigger_of(table)
        wanted = lambda_svc._apply_filter_criteria(records, trigger)
        if not wanted or len(records) == limit:
            return records
        since = first_seen.setdefault(wanted[0]["eventID"], time.monotonic())
        return records if time.monotonic() >= since + trigger["MaximumBatchingWindowInSeconds"] else []

    dynamodb.stream_records_since = gathered


def trigger_of(table):
    """The stream of a table has one."""
    triggers = (trigger for _, _, trigger in lambda_svc._iter_all_esms())
    return next(trigger for trigger in triggers if f":table/{table}/stream/" in trigger["EventSourceArn"])
