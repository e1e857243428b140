import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventBridgeBus, eventBridgeClient } from "#adapters/eventbridge/bus";
import type { ImagePushed } from "#domain/image/push";
import { epochMs } from "#domain/shared/time";
import { PermanentError, TransientError } from "#ports/errors";
import type { Bus } from "#ports/messaging";
import { type AwsEndpoint, awsEndpoint, home } from "#test/adapters/aws-endpoint";

const pushed = (id: string): ImagePushed => ({
  name: "ImagePushed",
  ...{ id, registry: "r.test", repository: "a", source: "webhook generic", at: epochMs(1) },
});

let aws: AwsEndpoint;
let bus: Bus;

beforeEach(async () => {
  aws = await awsEndpoint(() => ({ json: { FailedEntryCount: 0, Entries: [] } }));
  bus = eventBridgeBus({ client: eventBridgeClient(), bus: "lookout" });
});
afterEach(() => aws.close());

const sizes = (): readonly number[] => aws.asked.map(({ input }) => (input.Entries as readonly unknown[]).length);

describe("an event on EventBridge", () => {
  it("has Lookout's source, the event's name and the version of its form", async () => {
    await bus.publish([pushed("1")]);

    expect(aws.asked).toEqual([
      {
        operation: "PutEvents",
        ...home,
        input: {
          Entries: [
            {
              EventBusName: "lookout",
              Source: "lookout",
              DetailType: "ImagePushed",
              Detail: JSON.stringify({ schemaVersion: 1, ...pushed("1") }),
            },
          ],
        },
      },
    ]);
  });

  it("is sent with nine others", async () => {
    await bus.publish(Array.from({ length: 21 }, (_, index) => pushed(String(index))));

    expect([...sizes()].sort()).toEqual([1, 10, 10]);
  });

  it("is sent in requests of at most 256 KiB, counted in bytes", async () => {
    await bus.publish([pushed("ü".repeat(60_000)), pushed("ü".repeat(60_000)), pushed("ü".repeat(60_000))]);

    expect([...sizes()].sort()).toEqual([1, 2]);
  });

  it("is refused as permanent when it is larger", async () => {
    await expect(bus.publish([pushed("x".repeat(270_000))])).rejects.toBeInstanceOf(PermanentError);
    expect(aws.asked).toEqual([]);
  });

  it("sends no request without an event", async () => {
    await bus.publish([]);

    expect(aws.asked).toEqual([]);
  });

  it("fails as transient when the bus accepts only some events", async () => {
    const entries = [{ EventId: "1" }, { ErrorCode: "ThrottlingException", ErrorMessage: "slow down" }];
    aws.answerNext({ json: { FailedEntryCount: 1, Entries: entries } });

    await expect(bus.publish([pushed("1"), pushed("2")])).rejects.toEqual(
      new TransientError(
        "EventBridge failed while publishing 2 events on lookout: it rejected 1 of 2 events (ThrottlingException)",
      ),
    );
  });

  it.each(["AccessDeniedException", "ResourceNotFoundException", "SomethingNew"])(
    "fails as transient after %s, because a user can mend it",
    async (error) => {
      aws.answerNext({ error });

      await expect(bus.publish([pushed("1")])).rejects.toBeInstanceOf(TransientError);
    },
  );
});
