"""Checks requests against botocore's service models, which say what AWS accepts."""

import base64
import binascii
import functools
import json
import re
from urllib.parse import parse_qs, unquote

import regex
from botocore.exceptions import BotoCoreError
from botocore.loaders import Loader
from botocore.model import OperationNotFoundError, ServiceModel

from limits import limits

# The services by the name in signatures, where botocore has another name.
names = {"monitoring": "cloudwatch", "apigateway": "apigatewayv2"}
# S3 has another protocol, and only the CDK and the tests call it. The API of the stack has no model.
others = ("s3", "execute-api")

loader = Loader()


@functools.cache
def model_of(service):
    name = names.get(service, service)
    return ServiceModel(loader.load_service_model(name, "service-2"), name)


def faults_of(service, method, path, query, headers, body):
    """Returns the operation of a request, its input, and what AWS refuses in it: (member, why)."""
    if service in others:
        return "", {}, []
    try:
        model = model_of(service)
        operation, asked = read(model, method, path, query, headers, body)
        shape = model.operation_model(operation).input_shape
    except (BotoCoreError, OperationNotFoundError, ValueError) as error:
        return f"{method} {path}", {}, [("", f"{type(error).__name__}: {error}")]
    found = list(faults_in(shape, asked, "")) if shape is not None else []
    return operation, asked, found + list(limits.get(f"{service}:{operation}", lambda _: ())(asked))


def read(model, method, path, query, headers, body):
    """Returns the operation of a request and its input, with the names of the wire."""
    target = headers.get("x-amz-target", "")
    if target:
        return target.split(".")[-1], json.loads(body or b"{}")
    if model.metadata["protocol"] in ("query", "ec2"):
        pairs = {key: value for key, (value, *_) in parse_qs(body.decode() or query, keep_blank_values=True).items()}
        operation = pairs.pop("Action", "")
        pairs.pop("Version", None)
        return operation, from_query(model.operation_model(operation).input_shape, pairs)
    for operation, pattern in routes_of(model):
        found = pattern.fullmatch(f"{method} {path}")
        if found:
            labels = {name: unquote(value) for name, value in found.groupdict().items()}
            given = parse_qs(query, keep_blank_values=True)
            return operation, from_rest(model.operation_model(operation).input_shape, labels, given, headers, body)
    raise ValueError("no operation has this path")


@functools.cache
def routes_of(model):
    """Returns the operations and the patterns of their paths. Paths with fewer labels are first."""
    routes = []
    for name in model.operation_names:
        http = model.operation_model(name).http
        uri = http["requestUri"].split("?")[0].rstrip("/") or "/"
        pattern = re.sub(r"\\\{(\w+)(\\\+)?\\\}", label_pattern, re.escape(uri))
        routes.append((uri.count("{"), name, re.compile(f"{http['method']} {pattern}/?")))
    return [(name, pattern) for _, name, pattern in sorted(routes, key=lambda route: route[0])]


def label_pattern(label):
    name, takes_slashes = label.groups()
    return f"(?P<{name}>{'.+' if takes_slashes else '[^/]+'})"


def wire_name(name, shape):
    return shape.serialization.get("name", name)


def from_rest(shape, labels, query, headers, body):
    """Returns the members of a path, a query, headers and a body as one input."""
    asked = json.loads(body) if body else {}
    for name, member in (shape.members if shape else {}).items():
        wire, place = wire_name(name, member), member.serialization.get("location")
        if place == "uri" and wire in labels:
            asked[wire] = typed(member, labels[wire])
        if place == "querystring" and wire in query:
            asked[wire] = query[wire] if member.type_name == "list" else typed(member, query[wire][0])
        if place == "header" and wire.lower() in headers:
            asked[wire] = typed(member, headers[wire.lower()])
    return asked


def typed(shape, text):
    """Returns the value that a text stands for."""
    if shape.type_name in ("integer", "long", "float", "double"):
        return float(text)
    return text == "true" if shape.type_name == "boolean" else text


def from_query(shape, pairs):
    """Returns the input of dotted names: `Tags.member.1.Key`."""
    tree = {}
    for key, value in pairs.items():
        *parents, last = key.split(".")
        place = tree
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return built(shape, tree)


def built(shape, value):
    if shape is None:
        return value
    if shape.type_name == "list" and value == "":
        return []
    if not isinstance(value, dict):
        return typed(shape, value)
    if shape.type_name == "list":
        inner = value.get("member", value)
        return [built(shape.member, inner[key]) for key in sorted(inner, key=int)]
    if shape.type_name == "structure":
        members = {wire_name(name, member): member for name, member in shape.members.items()}
        return {key: built(members.get(key), one) for key, one in value.items()}
    return value


kinds = {
    "structure": dict,
    "map": dict,
    "list": list,
    "string": str,
    "character": str,
    "blob": str,
    "boolean": bool,
    "integer": (int, float),
    "long": (int, float),
    "float": (int, float, str),
    "double": (int, float, str),
    "timestamp": (int, float, str),
}


def faults_in(shape, value, where):
    """Yields what AWS refuses in a value: (member, why)."""
    kind = shape.type_name
    if shape.metadata.get("document"):
        return
    if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "boolean"):
        yield where, f"not a {kind}: {json.dumps(value)[:80]}"
        return
    yield from {"structure": of_structure, "map": of_map, "list": of_list}.get(kind, of_value)(shape, value, where)


def of_structure(shape, value, where):
    dot = f"{where}." if where else ""
    members = {wire_name(name, member): (name, member) for name, member in shape.members.items()}
    given = {members[key][0] for key in value if key in members}
    for name in shape.required_members:
        if name not in given:
            yield dot + name, "is missing"
    if shape.is_tagged_union and len(value) != 1:
        yield where, f"needs one member, and has {sorted(value)}"
    for key, one in value.items():
        if key not in members:
            yield dot + key, "AWS knows no such member"
        else:
            yield from faults_in(members[key][1], one, dot + key)


def of_map(shape, value, where):
    yield from of_size(shape, len(value), where)
    for key, one in value.items():
        yield from faults_in(shape.key, key, f"{where} key")
        yield from faults_in(shape.value, one, f"{where}.{key}")


def of_list(shape, value, where):
    yield from of_size(shape, len(value), where)
    for one in value:
        yield from faults_in(shape.member, one, f"{where}[]")


def of_value(shape, value, where):
    kind = shape.type_name
    if kind == "blob":
        try:
            yield from of_size(shape, len(base64.b64decode(value, validate=True)), where)
        except binascii.Error:
            yield where, "not base64"
    elif kind == "string":
        yield from of_size(shape, len(value), where)
        if getattr(shape, "enum", None) and value not in shape.enum:
            yield where, f"{value[:80]} is not one of {', '.join(shape.enum)}"
        pattern = shape.metadata.get("pattern")
        if pattern and not regex.fullmatch(pattern, value):
            yield where, f"{value[:80]} does not match {pattern}"
    elif kind in ("integer", "long", "float", "double") and not isinstance(value, str):
        yield from of_size(shape, value, where)


def of_size(shape, size, where):
    """Yields a fault for a length or a number outside the model's range."""
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        yield where, f"{size} is less than {least}"
    if most is not None and size > most:
        yield where, f"{size} is more than {most}"
