import { describe, expect, it } from "vitest";
import { workloadKey } from "#domain/workload/workload";
import { setStage } from "#test/crash/stage";
import { imagesOf } from "#test/model/actors/members";
import { untoldStory } from "#test/model/history/story";
import type { Tamper } from "#test/model/world/installation";

/** `npm run proof:histories` has 500. */
const workloads = Number(process.env["OUTAGE_WORKLOADS"] ?? 24);
const awayMinutes = 6 * 60;
const settledWithinMinutes = 5;

/** What came of workloads whose cluster was away for six hours, in which two images were pushed. */
interface Outcome {
  /** The workloads whose update to the newer image had succeeded five minutes after the return. */
  readonly settled: number;
  /** The patches since the outage began. */
  readonly patches: number;
}

async function afterOutage(tamper?: Tamper): Promise<Outcome> {
  const stage = setStage(() => ({ kind: "answered" }), untoldStory, tamper);
  const { cluster, stored, database } = stage.installation;
  const minutesPass = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await stage.sync();
      await stage.pass(1);
    }
  };
  for (let index = 0; index < workloads; index += 1) stage.deploy({ name: `api-${index}` });
  await minutesPass(2);
  cluster.unreachable(true);
  await stage.push("1.1.0");
  await minutesPass(awayMinutes / 2);
  const digest = await stage.push("1.2.0");
  await minutesPass(awayMinutes / 2);
  cluster.unreachable(false);
  await minutesPass(settledWithinMinutes);
  const settled = stage.members.filter((member) => {
    const { active, pending, last } = stored.records().get(workloadKey(member.workload)) ?? {};
    const runs = imagesOf(member, { cluster }).get("app")?.endsWith(digest) === true;
    return runs && active === undefined && pending === undefined && last?.status === "succeeded";
  });
  const patches = cluster.history.filter(({ manager }) => manager === "lookout");
  database.close();
  return { settled: settled.length, patches: patches.length };
}

/** Queues that lose what a sync sends to those who wait for the cluster. */
const withoutHints: Tamper = (ports) => ({
  ...ports,
  queues: {
    send: (all) => ports.queues.send(all.filter(({ command }) => !("requestedBy" in command))),
  },
});

describe("a cluster that is away for six hours", () => {
  it("has the newest image everywhere within five minutes of its return, by one patch each (L8)", async () => {
    expect(await afterOutage()).toEqual({ settled: workloads, patches: workloads });
  }, 600_000);

  it("would wait longer if its return woke nobody", async () => {
    expect((await afterOutage(withoutHints)).settled).toBeLessThan(workloads);
  }, 600_000);
});
