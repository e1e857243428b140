"""Lets calls of functions fail as AWS fails for a moment: before the call has an effect, or after it, so that only the answer is lost."""

import json
import threading


class BrokenConnection(Exception):
    """Ends an answer before its end."""


class Failing:
    """The armed failures. Each has a part of a function's name, an operation, texts in the request, and a number of times."""

    def __init__(self):
        self._armed = []
        self._lock = threading.Lock()
        self._done = 0

    def arm(self, failure):
        with self._lock:
            self._armed.append(failure)

    def state(self):
        with self._lock:
            return {"failed": self._done, "failuresLeft": sum(failure["times"] for failure in self._armed)}

    def waits_for(self, function):
        with self._lock:
            return any(failure["function"] in function for failure in self._armed)

    def of(self, function, operation, body):
        """Returns the failure of a call. None if the call does not fail."""
        with self._lock:
            for failure in self._armed:
                if (
                    failure["function"] in function
                    and failure["operation"] == operation
                    and all(text.encode() in body for text in failure["about"])
                ):
                    self._done += 1
                    failure["times"] -= 1
                    if failure["times"] == 0:
                        self._armed.remove(failure)
                    return failure
            return None


failing = Failing()


async def whole(receive):
    """Returns the body of a request, and a function that receives it again."""
    messages = [await receive()]
    while messages[-1].get("more_body"):
        messages.append(await receive())
    body = b"".join(message.get("body", b"") for message in messages)

    async def again():
        return messages.pop(0) if messages else await receive()

    return body, again


async def answer(failure, request, send):
    """Answers a failed call in the form that the JSON protocols of AWS share."""
    error = failure["error"]
    code = error["code"]
    said = {"__type": code, "message": "the call failed for a moment"}
    if code == "TransactionCanceledException":
        parts = len(json.loads(request)["TransactItems"])
        said["CancellationReasons"] = [{"Code": "TransactionConflict"}] + [{"Code": "None"}] * (parts - 1)
    body = json.dumps(said).encode()
    headers = [(b"content-type", b"application/x-amz-json-1.0"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error["status"], "headers": headers})
    if error.get("isBroken"):
        await send({"type": "http.response.body", "body": body[:1], "more_body": True})
        raise BrokenConnection
    await send({"type": "http.response.body", "body": body})
