import { describe, expect, it } from "vitest";
import { correlationIn, correlationOf } from "#domain/update/state/correlation";
import type { ImagePushed } from "#domain/image/push";
import type { Command } from "#domain/update/commands";
import { api, noon } from "../builders.ts";

const reference = { workload: api, uid: "uid-1", seq: 3, version: 7 };

describe("the log lines of a message", () => {
  it.each<{ readonly message: Command | ImagePushed; readonly id: string; readonly because: string }>([
    {
      message: { name: "ImagePushed", id: "push-1", registry: "r", repository: "a", source: "webhook ecr", at: noon },
      id: "push-1",
      because: "it is the push",
    },
    {
      message: { name: "RollOut", ...reference, correlationId: "push-1" },
      id: "push-1",
      because: "a push led to it",
    },
    {
      message: { name: "EvaluateWorkload", id: "look-1", workload: api, source: "policy", correlationId: "push-1" },
      id: "push-1",
      because: "a push led to the look",
    },
    { message: { name: "Wake", ...reference }, id: "uid-1/3", because: "no push led to the update" },
    { message: { name: "SyncCluster", id: "look-1", cluster: "prod" }, id: "look-1", because: "it is a look" },
    {
      message: {
        ...{ name: "Deliver", channel: "audit" },
        fact: { name: "RegistryUnreachable", id: "r/1", registry: "r", since: noon, at: noon, detail: "x" },
      },
      id: "r/1",
      because: "its fact is of no push",
    },
    {
      message: {
        ...{ name: "Deliver", channel: "audit" },
        fact: {
          ...{ name: "PushDisputed", id: "push-1/PushDisputed", correlationId: "push-1", registry: "r" },
          ...{ repository: "a", tag: "1", source: "webhook ecr", at: noon },
        },
      },
      id: "push-1",
      because: "its fact is of a push",
    },
  ])("share $id when $because", ({ message, id }) => {
    expect(correlationIn(message)).toBe(id);
  });
});

describe("the push of a command", () => {
  it("is in the next command, if the command has a push", () => {
    expect(correlationOf({ correlationId: "push-1" })).toEqual({ correlationId: "push-1" });
    expect(correlationOf({})).toStrictEqual({});
  });
});
