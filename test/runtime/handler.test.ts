import { describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import type { Ports } from "#app/shared/ports";
import type { Measurement } from "#domain/update/effects/metrics";
import { NewerRecordError, PermanentError, TransientError } from "#ports/errors";
import { type DeadLetter, type Invocation, onCommands, onDeadLetter, onImagePushed } from "#runtime/handler";
import { named } from "#test/named";

interface Kept {
  readonly invocation: Invocation;
  readonly deadLetters: DeadLetter[];
  readonly kept: DeadLetter[];
  readonly failures: string[];
  readonly measurements: readonly Measurement[];
}

function keeping(): Kept {
  const deadLetters: DeadLetter[] = [];
  const kept: DeadLetter[] = [];
  const failures: string[] = [];
  const measurements: Measurement[] = [];
  return {
    deadLetters,
    kept,
    failures,
    measurements,
    invocation: {
      // No step of these tests asks another port.
      ports: Object.freeze({ metrics: memoryMetrics(measurements) }) as Ports,
      receivers: { receiver: async () => undefined },
      setAside: {
        deadLetter: async (message) => void deadLetters.push(message),
        keep: async (message) => void kept.push(message),
      },
      log: { outcome: () => undefined, failure: ({ error }) => failures.push(String(error)) },
      signal: new AbortController().signal,
    },
  };
}

const sync = (cluster: string): string => JSON.stringify({ name: "SyncCluster", id: "1", cluster });
const sweep = JSON.stringify({ name: "SweepRepository", id: "1", registry: "r.test", repository: "a", at: 1 });
const message = (body: string) => ({ id: "m0", body });

describe("a function on a queue", () => {
  it("gets a failed message again, and handles the others", async () => {
    const { invocation, deadLetters, kept } = keeping();
    const seen: string[] = [];
    const handler = onCommands({
      SyncCluster: async ({ cluster }) => {
        if (cluster === "away") throw new TransientError("the cluster is away");
        seen.push(cluster);
      },
    });

    const outcomes = await Promise.all(
      [sync("a"), sync("away"), sync("b")].map((body) => handler(message(body), invocation)),
    );

    expect(outcomes).toEqual(["done", "again", "done"]);
    expect({ seen, deadLetters, kept }).toEqual({ seen: ["a", "b"], deadLetters: [], kept: [] });
  });

  it.each([
    { because: "is not JSON", body: "{" },
    { because: "is another command", body: JSON.stringify({ name: "Wake" }) },
    { because: "has a wrong member", body: JSON.stringify({ name: "SyncCluster", id: "1", cluster: 7 }) },
  ])("sets a message aside that $because, and changes nothing", async ({ body }) => {
    const { invocation, deadLetters, kept } = keeping();
    const handler = onCommands({ SyncCluster: () => Promise.reject(new Error("must not run")) });

    const outcome = await handler(message(body), invocation);

    expect(outcome).toBe("done");
    expect({ deadLetters, kept }).toEqual({
      deadLetters: [],
      kept: [{ id: "m0", body, why: "the message can't be parsed" }],
    });
  });

  it("sets a message aside that no retry can help", async () => {
    const { invocation, deadLetters, kept } = keeping();
    const handler = onCommands({ SyncCluster: () => Promise.reject(new PermanentError("unknown field")) });

    const outcome = await handler(message(sync("a")), invocation);

    expect(outcome).toBe("done");
    expect({ deadLetters, kept }).toEqual({
      deadLetters: [{ id: "m0", body: sync("a"), why: "unknown field", isPermanent: true }],
      kept: [],
    });
  });

  it("gets a message again after an unknown error", async () => {
    const { invocation } = keeping();
    const handler = onCommands({ SyncCluster: () => Promise.reject(new RangeError("a bug")) });

    expect(await handler(message(sync("a")), invocation)).toBe("again");
  });

  it("handles each of its commands by name, and sets all others aside", async () => {
    const { invocation, kept } = keeping();
    const seen: string[] = [];
    const handler = onCommands({
      RollOut: async ({ version }) => void seen.push(`patch ${version}`),
      ShowAvailable: async ({ version }) => void seen.push(`show ${version}`),
    });
    const bodyOf = (name: string, version: number): string =>
      JSON.stringify({ name, workload: named("prod/shop/deployment/api"), uid: "u", seq: 1, version });
    const bodies = [bodyOf("ShowAvailable", 2), bodyOf("RollOut", 3), bodyOf("CheckRollout", 4), sync("a")];

    for (const body of bodies) await handler(message(body), invocation);

    expect({ seen, kept: kept.map(({ body }) => body) }).toEqual({
      seen: ["show 2", "patch 3"],
      kept: bodies.slice(2),
    });
  });
});

describe("a function during the deployment of a newer Lookout", () => {
  const push = { name: "ImagePushed", id: "p", registry: "r.test", repository: "a", source: "test", at: 1 };

  it("ignores unknown members of a newer message", async () => {
    const { invocation, kept } = keeping();
    const seen: unknown[] = [];
    const handler = onCommands({ SyncCluster: async (command) => void seen.push(command) });
    const body = JSON.stringify({ name: "SyncCluster", id: "1", cluster: "a", because: "asked" });

    expect(await handler(message(body), invocation)).toBe("done");
    expect({ seen, kept }).toEqual({ seen: [{ name: "SyncCluster", id: "1", cluster: "a" }], kept: [] });
  });

  it.each([
    { what: "the queue of pushes", handler: onImagePushed(() => Promise.reject(new Error("must not run"))) },
    { what: "dead letters", handler: onDeadLetter(() => Promise.reject(new Error("must not run"))) },
  ])("gets an event of a newer version again: $what", async ({ handler }) => {
    const { invocation, kept, deadLetters, failures } = keeping();
    const body = JSON.stringify({ schemaVersion: 2, ...push });

    expect(await handler(message(body), invocation)).toBe("again");
    expect({ kept, deadLetters, failures }).toEqual({
      kept: [],
      deadLetters: [],
      failures: [expect.stringContaining("a newer version of Lookout sent this event")],
    });
  });
});

describe("the function of dead letters", () => {
  it("gets commands with their reason, keeps unreadable messages for a user, and counts all", async () => {
    const { invocation, kept, measurements } = keeping();
    const seen: unknown[] = [];
    const handler = onDeadLetter(async (given, cause) => {
      seen.push([given.name, cause]);
      return { kind: "retried" };
    });
    const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" };
    const rollOut = JSON.stringify({ name: "RollOut", workload, uid: "u", seq: 1, version: 2 });

    const letters = [
      JSON.stringify({ body: rollOut, why: "a bug" }),
      JSON.stringify({ body: sync("a"), why: "denied", isPermanent: true }),
      JSON.stringify({ body: sweep, why: "a bug" }),
      rollOut,
      JSON.stringify({ body: "{", why: "not understood" }),
      "{",
    ];
    const outcomes = await Promise.all(letters.map((body, index) => handler({ id: `m${index}`, body }, invocation)));

    expect(outcomes).toEqual(letters.map(() => "done"));
    expect(seen).toEqual([
      ["RollOut", { why: "a bug" }],
      ["SyncCluster", { why: "denied", isPermanent: true }],
      ["SweepRepository", { why: "a bug" }],
      ["RollOut", { why: "every delivery failed; the log has the errors" }],
    ]);
    expect(kept).toEqual([
      { id: "m4", body: "{", why: "not understood" },
      { id: "m5", body: "{", why: "every delivery failed; the log has the errors" },
    ]);
    expect(measurements.filter(({ name }) => name === "MessagesKept")).toEqual(
      kept.map(({ why }) => ({ name: "MessagesKept", value: 1, about: { why } })),
    );
    expect(measurements.filter(({ name }) => name !== "MessagesKept")).toEqual(
      [
        { message: "RollOut", why: "a bug" },
        { message: "SyncCluster", why: "denied" },
        { message: "SweepRepository", why: "a bug" },
        { message: "RollOut", why: "every delivery failed; the log has the errors" },
        { message: "unknown", why: "not understood" },
        { message: "unknown", why: "every delivery failed; the log has the errors" },
      ].map((about) => ({ name: "MessagesDeadLettered", value: 1, about })),
    );
  });

  it.each([new PermanentError("the record is damaged"), new NewerRecordError("the record is newer")])(
    "keeps a message whose record can't be read, and logs the cause: $name",
    async (error) => {
      const { invocation, kept, deadLetters, failures } = keeping();
      const handler = onDeadLetter(() => Promise.reject(error));

      expect(await handler({ id: "m0", body: JSON.stringify({ body: sync("a"), why: "a bug" }) }, invocation)).toBe(
        "done",
      );
      expect({ kept, deadLetters, failures }).toEqual({
        kept: [{ id: "m0", body: sync("a"), why: "a bug" }],
        deadLetters: [],
        failures: [String(error)],
      });
    },
  );

  it("makes no letter of a letter, even if the message can't be kept", async () => {
    const { invocation, deadLetters } = keeping();
    const handler = onDeadLetter(() => Promise.reject(new PermanentError("the record is damaged")));
    const denied = { ...invocation.setAside, keep: () => Promise.reject(new PermanentError("denied")) };

    await expect(handler(message(sync("a")), { ...invocation, setAside: denied })).rejects.toThrow("denied");
    expect(deadLetters).toEqual([]);
  });

  it("gets a letter again after another error", async () => {
    const { invocation, kept } = keeping();
    const handler = onDeadLetter(() => Promise.reject(new TransientError("the table is away")));

    expect(await handler(message(sync("a")), invocation)).toBe("again");
    expect(kept).toEqual([]);
  });

  it("keeps the message that its use case names", async () => {
    const { invocation, kept } = keeping();
    const fresh = { name: "SyncCluster", id: "1", cluster: "b" } as const;
    const handler = onDeadLetter(async () => ({ kind: "kept", message: fresh }));

    expect(await handler(message(sync("a")), invocation)).toBe("done");
    expect(kept).toEqual([
      { id: "m0", body: JSON.stringify(fresh), why: "every delivery failed; the log has the errors" },
    ]);
  });
});
