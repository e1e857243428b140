import { beforeEach, describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { PushCoalescing } from "#ports/push-coalescing";
import { start } from "./records.ts";

const app = { registry: "registry.test", repository: "shop/app" };
const other = { registry: "registry.test", repository: "shop/other" };
const at = (second: number) => epochMs(start + second * 1_000);

/** What every adapter of push coalescing does. Holders have a lease of thirty seconds. */
export function pushCoalescingContract(makePushCoalescing: () => Promise<PushCoalescing>): void {
  let pushCoalescing: PushCoalescing;
  beforeEach(async () => {
    pushCoalescing = await makePushCoalescing();
  });

  it("a single push is evaluated once", async () => {
    expect(await pushCoalescing.begin(app, "push-1", at(0))).toBe("first");
    expect(await pushCoalescing.end(app, "push-1", at(1))).toBe("done");
    expect(await pushCoalescing.begin(app, "push-2", at(2))).toBe("first");
  });

  it("joined pushes are evaluated together once more", async () => {
    expect(await pushCoalescing.begin(app, "push-1", at(0))).toBe("first");
    expect(await pushCoalescing.begin(app, "push-2", at(1))).toBe("joined");
    expect(await pushCoalescing.begin(app, "push-3", at(1))).toBe("joined");
    expect(await pushCoalescing.end(app, "push-1", at(2))).toBe("again");
    expect(await pushCoalescing.end(app, "push-1", at(3))).toBe("done");
    expect(await pushCoalescing.begin(app, "push-4", at(4))).toBe("first");
  });

  it("evaluations continue while pushes join", async () => {
    await pushCoalescing.begin(app, "push-1", at(0));
    await pushCoalescing.begin(app, "push-2", at(1));
    expect(await pushCoalescing.end(app, "push-1", at(2))).toBe("again");
    expect(await pushCoalescing.begin(app, "push-3", at(3))).toBe("joined");
    expect(await pushCoalescing.end(app, "push-1", at(4))).toBe("again");
    expect(await pushCoalescing.end(app, "push-1", at(5))).toBe("done");
  });

  it("repositories do not share evaluations", async () => {
    expect(await pushCoalescing.begin(app, "push-1", at(0))).toBe("first");
    expect(await pushCoalescing.begin(other, "push-1", at(0))).toBe("first");
  });

  it("one of many pushes begins an evaluation, and continues for the other pushes", async () => {
    const pushes = Array.from({ length: 12 }, (_, push) => `push-${String(push)}`);
    const answers = await Promise.all(pushes.map((push) => pushCoalescing.begin(app, push, at(0))));
    expect(answers.filter((answer) => answer === "first")).toHaveLength(1);
    const holder = pushes[answers.indexOf("first")]!;
    expect(await pushCoalescing.end(app, holder, at(1))).toBe("again");
    expect(await pushCoalescing.end(app, holder, at(2))).toBe("done");
  });

  describe("a holder that died", () => {
    it("continues with the second delivery, also for the joined pushes", async () => {
      await pushCoalescing.begin(app, "push-1", at(0));
      await pushCoalescing.begin(app, "push-2", at(1));
      expect(await pushCoalescing.begin(app, "push-1", at(2))).toBe("first");
      expect(await pushCoalescing.end(app, "push-1", at(3))).toBe("again");
      expect(await pushCoalescing.end(app, "push-1", at(4))).toBe("done");
    });

    it("is replaced when its lease ends far ahead, because the clock was set back", async () => {
      await pushCoalescing.begin(app, "push-1", at(12_000 * 3_600));
      await pushCoalescing.begin(app, "push-2", at(12_000 * 3_600));
      expect(await pushCoalescing.begin(app, "push-3", at(0))).toBe("first");
      expect(await pushCoalescing.begin(app, "push-4", at(1))).toBe("joined");
      expect(await pushCoalescing.end(app, "push-3", at(2))).toBe("again");
      expect(await pushCoalescing.end(app, "push-3", at(3))).toBe("done");
    });

    it("is replaced after its lease", async () => {
      await pushCoalescing.begin(app, "push-1", at(0));
      expect(await pushCoalescing.begin(app, "push-2", epochMs(at(30) - 1))).toBe("joined");
      expect(await pushCoalescing.begin(app, "push-3", at(30))).toBe("first");
      expect(await pushCoalescing.end(app, "push-3", at(31))).toBe("again");
      expect(await pushCoalescing.end(app, "push-3", at(32))).toBe("done");
    });

    it("ends no newer evaluation when it returns too late", async () => {
      await pushCoalescing.begin(app, "push-1", at(0));
      await pushCoalescing.begin(app, "push-2", at(30));
      expect(await pushCoalescing.end(app, "push-1", at(31))).toBe("done");
      expect(await pushCoalescing.begin(app, "push-3", at(32))).toBe("joined");
      expect(await pushCoalescing.end(app, "push-2", at(33))).toBe("again");
    });

    it("has a new lease with each round", async () => {
      await pushCoalescing.begin(app, "push-1", at(0));
      await pushCoalescing.begin(app, "push-2", at(1));
      await pushCoalescing.end(app, "push-1", at(25));
      expect(await pushCoalescing.begin(app, "push-3", at(50))).toBe("joined");
    });
  });
}
