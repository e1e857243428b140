"""The sizes of DynamoDB's items, as AWS counts them."""

import base64


def size_of_item(item):
    """Returns the size of an item: its names and its values."""
    return sum(len(name.encode()) + size_of(value) for name, value in item.items())


def size_of(value):
    """Returns the size of an attribute's value, without the marks of its type."""
    (kind, content), = value.items()
    if kind == "M":
        return 3 + sum(len(name) + size_of(one) + 1 for name, one in content.items())
    if kind == "L":
        return 3 + sum(size_of(one) + 1 for one in content)
    if kind == "B":
        return len(base64.b64decode(content))
    return len(str(content).encode())
