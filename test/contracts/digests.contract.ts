import { beforeEach, expect, it } from "vitest";
import { minutes, plus } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Digests } from "#ports/digests";
import type { WorkloadStore } from "#ports/store";
import { deployment, firstRecord, nextRecord, start } from "./records.ts";

/** A store of digests beside the records that it reads. */
interface DigestsBed {
  readonly digests: Digests;
  readonly store: WorkloadStore;
}

const digestOf = (tag: string) => `sha256:${tag.replaceAll(".", "").padEnd(64, "0")}`;
const workload = "prod/shop/deployment/api";

/** Returns a record that runs a tag, in the version of its minute. */
const running = (before: WorkloadRecord | undefined, tag: string, given: Partial<WorkloadRecord> = {}) => {
  const record = before === undefined ? firstRecord(deployment("api")) : nextRecord(before);
  const [container] = record.observed.containers;
  const containers = [{ ...container!, image: `registry.test/shop/app:${tag}`, digest: digestOf(tag) }];
  const transition = { seq: 0, what: "observed", reasons: [], changes: [] } as const;
  return {
    ...{ ...record, transitions: [transition], changedAt: plus(start, minutes(record.version)) },
    observed: { ...record.observed, containers },
    ...given,
  } satisfies WorkloadRecord;
};

const first = running(undefined, "1.0.0");
const second = running(first, "1.1.0");
const third = running(second, "1.0.0");
const last = running(third, "1.0.0", {
  tracked: false,
  transitions: [{ seq: 0, what: "untracked", reasons: [], changes: [] }],
});
const versions = [first, second, third, last];

const run = (tag: string, since: WorkloadRecord, until?: WorkloadRecord) => ({
  workload,
  container: "app",
  imageName: "registry.test/shop/app",
  tag,
  digest: digestOf(tag),
  since: since.changedAt,
  ...(until === undefined ? {} : { until: until.changedAt }),
});

/** What every store of digests does, whatever keeps it. */
export function digestsContract(makeBed: () => Promise<DigestsBed>): void {
  let bed: DigestsBed;
  beforeEach(async () => {
    bed = await makeBed();
  });
  const runsOf = async (tag: string) => bed.digests.runsOf(digestOf(tag));

  it("a digest has its runs, from and until", async () => {
    await bed.digests.note(first);
    expect(await bed.digests.present("prod")).toEqual([run("1.0.0", first)]);
    expect(await runsOf("1.0.0")).toEqual([run("1.0.0", first)]);

    await bed.digests.note(second);
    await bed.digests.note(third);
    expect(await bed.digests.present("prod")).toEqual([run("1.0.0", third)]);
    expect(await bed.digests.present("pro")).toEqual([]);
    expect(await runsOf("1.0.0")).toEqual([run("1.0.0", first, second), run("1.0.0", third)]);
    expect(await runsOf("1.1.0")).toEqual([run("1.1.0", second, third)]);

    await bed.digests.note(last);
    expect(await bed.digests.present("prod")).toEqual([]);
    expect(await runsOf("1.0.0")).toEqual([run("1.0.0", first, second), run("1.0.0", third, last)]);
  });

  it("repeated versions lead to the same runs", async () => {
    for (const index of [0, 0, 1, 0, 1, 2, 1, 3, 3, 0]) await bed.digests.note(versions[index]!);

    expect(await bed.digests.present("prod")).toEqual([]);
    expect(await runsOf("1.0.0")).toEqual([run("1.0.0", first, second), run("1.0.0", third, last)]);
    expect(await runsOf("1.1.0")).toEqual([run("1.1.0", second, third)]);
  });

  it.each([
    { order: [3, 2, 1, 0], what: "in the wrong order" },
    { order: [0, 2, 3, 1], what: "late" },
    { order: [1, 0, 3, 2, 1], what: "late and repeated" },
  ])("versions that come $what keep every digest, and no run that has ended", async ({ order }) => {
    for (const version of versions) await bed.store.write(version);
    for (const index of order) await bed.digests.note(versions[index]!);

    expect(await bed.digests.present("prod")).toEqual([]);
    const runs = [...(await runsOf("1.0.0")), ...(await runsOf("1.1.0"))];
    expect(new Set(runs.map(({ tag }) => tag))).toEqual(new Set(["1.0.0", "1.1.0"]));
    expect(runs.filter(({ until }) => until === undefined)).toEqual([]);
  });

  it("a late version does not hide what the record says now", async () => {
    await bed.store.write(first);
    await bed.digests.note(first);
    await bed.store.write(second);
    await bed.store.write(third);
    await bed.digests.note(third);
    await bed.digests.note(second);

    expect(await bed.digests.present("prod")).toEqual([run("1.0.0", third)]);
  });

  it("a lost version is caught up with the next one", async () => {
    await bed.digests.note(first);
    await bed.digests.note(running(second, "1.2.0"));

    expect(await bed.digests.present("prod")).toMatchObject([{ tag: "1.2.0" }]);
    expect(await runsOf("1.0.0")).toEqual([run("1.0.0", first, third)]);
  });
}
