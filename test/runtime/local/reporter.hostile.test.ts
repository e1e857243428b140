import { describe, expect, it } from "vitest";
import { reporter } from "#runtime/local/reporter";
import type { Fact } from "#domain/update/events";
import { epochMs } from "#domain/shared/time";

/** What a tenant, a registry, an API server or the sender of a webhook may write. */
const hostile = [
  "\u001b[2J\u001b[31mred\u001b[0m",
  "\u001b]8;;http://evil.test\u0007link\u001b]8;;\u0007",
  "\u009b31mC1",
  "one\n12:00:00.000  prod/billing       ✓ succeeded    3 of 3 pods",
  "one\rprod/billing ✓ succeeded",
  "one\u2028prod/billing ✓ succeeded",
  "\u202egnidaer rof\u2066",
  "bell\u0007 delete\u007f back\u0008\u0008",
];

const fact = (text: string): Fact =>
  ({
    id: "f",
    name: "UpdateHeld",
    workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: text },
    seq: 1,
    at: epochMs(0),
    version: 1,
    correlationId: text,
    cause: text,
    source: `webhook ${text}`,
    selected: true,
    detail: text,
    reasons: [{ gate: "settings", reason: "problem-in-settings", detail: text }],
    changes: [
      {
        name: text,
        list: "containers",
        from: `registry.test/shop/api:${text}`,
        to: "registry.test/shop/api:2",
        repository: `registry.test/${text}`,
        tag: text,
        digest: `sha256:${text}`,
        policy: text,
      },
    ],
  }) as unknown as Fact;

const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

describe.each(["text", "json"] as const)("lookout start --output %s", (output) => {
  const names = [
    "UpdateHeld",
    "WorkloadChanged",
    "RolloutStarted",
    "RolloutFailed",
    "WorkloadRunning",
    "RollbackStarted",
    "RolledBack",
    "HoldEnded",
    "DigestsUnblocked",
    "EvidenceImported",
    "Unheard",
  ];
  it.each(names)("writes no escape sequence and no forged line of %s", (name) => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const told = reporter({ output, colour: false, timeZone: "UTC", clusters: () => 1, write, writeError: write });
    for (const text of hostile) {
      told.onFact({ ...fact(text), name: name as Fact["name"] });
      told.notice(`cluster prod: ${text}`, "error");
      told.log.failure({ id: text, correlationId: text, error: new Error(text) });
    }
    expect(lines.filter((line) => unsafe.test(line))).toEqual([]);
    if (output === "json") for (const line of lines) JSON.parse(line);
  });
});
