"""References to secrets. CloudFormation refers to a secret by its ARN, and the emulator (ministack 1.5.33) by its name."""

from ministack.services.cloudformation import provisioners


def name_in(arn):
    return arn.split(":")[-1].rsplit("-", 1)[0]


def refer_by_arn():
    """Makes the ARN of a secret its id in the stack."""
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def created(*given, **named):
        _, attributes = create(*given, **named)
        return attributes["Arn"], attributes

    def updated(arn, *given, **named):
        _, attributes = update(name_in(arn), *given, **named)
        return arn, attributes

    def deleted(arn, *given, **named):
        return delete(name_in(arn), *given, **named)

    handlers.update({"create": created, "update": updated, "delete": deleted})
