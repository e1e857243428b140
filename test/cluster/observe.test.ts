import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReleaseView } from "#contracts/api/control";
import type { WorkloadsView } from "#contracts/api/workloads";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ observe: true });
});
afterAll(() => stage.stop());

const names = Array.from({ length: 20 }, (_, index) => `seen-${index}`);
const pushesEach = 5;
const newest = `1.${pushesEach}.0`;

/** Returns the writes of Lookout that the audit log of the API server has, without reviews of its rights. */
async function writes(): Promise<readonly string[]> {
  const lines = (await readFile(stage.plane.auditLog, "utf8")).split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { verb, user, objectRef } = JSON.parse(line) as {
      readonly verb: string;
      readonly user: { readonly username: string };
      readonly objectRef?: { readonly resource?: string; readonly name?: string };
    };
    // The stage itself asks as Lookout whether the policy of the access denies other patches.
    const isProbe = objectRef?.name === "probe-of-the-policy";
    const isRead = ["get", "list", "watch"].includes(verb) || objectRef?.resource === "selfsubjectaccessreviews";
    return isRead || isProbe || !user.username.includes("lookout")
      ? []
      : [`${verb} ${objectRef?.resource} ${objectRef?.name}`];
  });
}

async function json<View>(...words: readonly string[]): Promise<View> {
  const { code, out } = await stage.lookout.run(...words, "--output", "json");
  if (code !== 0) throw new Error(out);
  return JSON.parse(out) as View;
}

async function images(): Promise<readonly (string | undefined)[]> {
  const all = await Promise.all(names.map((name) => stage.imageOf("deployment", name)));
  return all.map((image) => /:([^:@]+)(?:@|$)/.exec(image.slice(image.lastIndexOf("/")))?.[1]);
}

describe("an observation of 100 pushes", () => {
  it("patches nothing until the release, and then everything", async () => {
    for (const name of names) await stage.tracked(name, {}, (own, image) => deploymentManifest(own, image, 1));
    for (let push = 1; push <= pushesEach; push += 1)
      await Promise.all(
        names.map((name) => stage.registry.push(`shop/${name}:1.${push}.0`, { seed: `${name} ${push}` })),
      );
    const all = await until("every newest update is held", async () => {
      const view = await json<WorkloadsView>("status");
      return view.workloads.every(({ wants }) => wants[0]?.tag === newest) ? view : undefined;
    });

    expect(all.workloads.map(({ state, reasons, observes }) => [state, reasons[0]?.reason, observes])).toEqual(
      names.map(() => ["held", "observe", "mode: observe, or lookout start --observe"]),
    );
    expect((await stage.lookout.run("status")).out).toContain(`would update 1.0.0 → ${newest} (observe)`);
    const early = await stage.lookout.run("release", "--past", "observe", "--all");
    expect([early.code !== 0, early.out]).toEqual([true, expect.stringContaining("still observes")]);
    expect(await writes()).toEqual([]);

    await stage.restart(undefined, false);
    const dry = await json<ReleaseView>("release", "--past", "observe", "test/default", "--dry-run");
    expect(dry.released).toHaveLength(names.length);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect([await writes(), await images()]).toEqual([[], names.map(() => "1.0.0")]);

    const released = await json<ReleaseView>("release", "--past", "observe", "--all");
    expect(released.released.map(({ wants }) => wants[0]?.tag)).toEqual(names.map(() => newest));
    for (const name of names) await stage.lookout.fact("RolloutSucceeded", `default/${name}`);
    expect(await images()).toEqual(names.map(() => newest));
    const sent = await writes();
    expect(sent.toSorted()).toEqual(names.map((name) => `patch deployments ${name}`).toSorted());
    const again = await stage.lookout.run("release", "--past", "observe", "--all");
    expect([again.code !== 0, again.out]).toEqual([true, expect.stringContaining("observe holds no update")]);
  });
});
