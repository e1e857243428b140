import { describe, expect, it } from "vitest";
import { toItem } from "#adapters/dynamodb/record-item";
import { pack, unpack } from "#adapters/dynamodb/packed";
import { aChange, aContainer, anEnded, anObserved, aRecord, aRolling, noon } from "#test/domain/builders";

/** As long as they are on AWS, and no two the same. */
const hex = (from: number, length: number): string =>
  Array.from({ length }, (_, place) => ((from * (place + 7) ** 3) % 16).toString(16)).join("");
const uuid = (from: number): string => [8, 4, 4, 4, 12].map((length, part) => hex(from + part, length)).join("-");
const repository = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/shop/checkout";
const digests = [1, 3, 5].map((from) => `sha256:${hex(from, 64)}`);
const imageOf = (update: number): string => `${repository}:1.${update}.0@${digests[update] ?? ""}`;
const core = (seq: number) => ({
  ...{ seq, detectedAt: noon, electedAt: noon, source: "ecr", correlationId: uuid(seq) },
  changes: [
    aChange({
      ...{ name: "checkout", repository, tag: `1.${seq}.0`, digest: digests[seq] ?? "", policy: "semver >=1 <2" },
      ...{ from: imageOf(seq - 1), to: imageOf(seq), fromDigest: digests[seq - 1] ?? "" },
    }),
  ],
});

/** A workload in its second update: it runs, and is to stay well. */
const last = anEnded({ ...core(1), patchedAt: noon, runningSince: noon, detail: "3 pods" });
const running = { seenAt: noon, settlesAt: noon, since: noon, restarts: 0, pods: 3 };
const record = aRecord({
  workload: { cluster: "production-eu", namespace: "checkout", kind: "Deployment", name: "checkout-frontend" },
  uid: uuid(9),
  observed: anObserved({
    containers: [aContainer({ name: "checkout", image: imageOf(1), digest: digests[1] ?? "" })],
    annotations: { "lookout.dev/enabled": "true", "lookout.dev/policy": "semver >=1 <2" },
  }),
  active: aRolling({ ...core(2), running }),
  last,
  landed: last,
  happened: [{ seq: 2, what: "running", reasons: [], detail: "3 pods", changes: core(2).changes }],
  dueAt: noon,
});

/** What an item takes, without the marks of its types. */
const bytesOf = (item: object): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + Buffer.from(value as string).length, 0);

describe("what is packed", () => {
  it("is read as it was", () => {
    expect(unpack(pack(record), "here")).toEqual(record);
    expect(unpack(Buffer.from(pack(record)).toString("base64"), "here")).toEqual(record);
    expect(unpack(pack({ detail: "größer als „je“ 🚀" }), "here")).toEqual({ detail: "größer als „je“ 🚀" });
  });

  it("is read for as long as anything is kept that was packed before", () => {
    const before =
      "q6ZyNkwsyETPiURksbz0zLwKsvMZKEvhzCWJScmGRsa6hhTkFpKT+eBIx8Y4EjL5KbMoNT2zuKSoUq8ktbhEvzgjv0Afogo1vaImTsw0VxtbCwA=";
    const change = { list: "containers", name: "app", repository: "registry.test/shop/app", tag: "1.0.0" };

    expect(unpack(before, "here")).toEqual({
      ...{ workload: { cluster: "prod", namespace: "default", kind: "Deployment", name: "api" }, version: 1 },
      observed: {
        containers: [{ image: "nginx", imageOwner: { manager: "lookout", operation: "Update" } }],
        ...{ sourceMarks: {}, fence: "abc123-1" },
      },
      ...{ refusals: [], obstacles: [], tracked: true, dueAt: 17 },
      active: {
        ...{ status: "rolling-out", releasedAt: 17 },
        running: { seenAt: 17, settlesAt: 17, since: 17, restarts: 0, pods: 3 },
      },
      happened: [
        {
          ...{ seq: 1, what: "released", reasons: [], detail: "3 pods", electedAt: 17 },
          changes: [{ ...change, apply: "pin", policy: "semver" }],
        },
      ],
    });
  });

  it("fits into one kilobyte, for the record of a workload in the middle of its second update", () => {
    const { version, schemaVersion, ...texts } = toItem(record);

    expect(JSON.stringify(record).length).toBeGreaterThan(4_000);
    expect(bytesOf(texts) + "versionschemaVersion".length + 8).toBeLessThan(1_024);
  });
});
