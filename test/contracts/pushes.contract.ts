import { beforeEach, expect, it } from "vitest";
import type { PushStep } from "#domain/history/push-step";
import type { Pushes } from "#ports/pushes";
import { start } from "./records.ts";

const step = (name: string, version: number, given: Partial<PushStep> = {}): PushStep => ({
  push: "p-1",
  workload: `prod/shop/deployment/${name}`,
  seq: 1,
  version,
  selectedAt: start,
  images: [{ container: "app", imageName: "registry.test/shop/api", tag: "1.1.0", digest: "sha256:1" }],
  ...given,
});

/** What every store of pushes does, whatever keeps it. */
export function pushesContract(makePushes: () => Promise<Pushes>): void {
  let pushes: Pushes;
  beforeEach(async () => {
    pushes = await makePushes();
  });

  it("a push has one step for each workload, sorted", async () => {
    const steps = Array.from({ length: 30 }, (_, index) => step(`app-${String(index).padStart(2, "0")}`, 3));
    await pushes.note(steps.toReversed());
    await pushes.note([step("app-00", 3, { push: "p-10" })]);

    expect(await pushes.stepsOf("p-1")).toEqual(steps);
    expect(await pushes.stepsOf("p")).toEqual([]);
  });

  it("a late or repeated step does not replace a newer one", async () => {
    const ended = step("api", 7, { ended: "succeeded", endedAt: start });
    await pushes.note([step("api", 3)]);
    await pushes.note([ended]);
    await pushes.note([step("api", 3)]);
    await pushes.note([step("api", 7)]);

    expect(await pushes.stepsOf("p-1")).toEqual([ended]);
  });
}
