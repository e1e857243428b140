"""Batches the writes of a table for the window of its stream's trigger. The emulator (ministack 1.5.33) would deliver each write at once."""

import time

from ministack.services import dynamodb, lambda_svc


def gather_writes():
    """Delays a function until its first write has waited for the window, or its batch is full."""
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
    """Returns the trigger of a table's stream."""
    triggers = (trigger for _, _, trigger in lambda_svc._iter_all_esms())
    return next(trigger for trigger in triggers if f":table/{table}/stream/" in trigger["EventSourceArn"])
