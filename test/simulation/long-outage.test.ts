import { describe, expect, it } from "vitest";
import { workloadKey } from "#domain/workload/workload";
import { setStage } from "#test/crash/stage";
import { imagesOf } from "#test/model/actors/members";
import { untoldStory } from "#test/model/history/story";
import type { Tamper } from "#test/model/world/installation";
import { isProof } from "#test/proof";

/** The number of workloads, each with a pending update. `npm run proof:histories` has 500. */
const workloads = isProof ? 500 : 50;
/** The number of workloads that show the planted fault. */
const fewWorkloads = 12;
const awayMinutes = 6 * 60;
const settledWithinMinutes = 5;

/** The result for workloads after an outage of six hours with two pushes. */
interface Outcome {
  /** The number of workloads that succeeded within five minutes after the outage. */
  readonly settled: number;
  /** The number of patches since the start of the outage. */
  readonly patches: number;
}

async function afterOutage(count: number, tamper?: Tamper): Promise<Outcome> {
  const stage = setStage(() => ({ kind: "answered" }), untoldStory, tamper);
  const { cluster, stored, database } = stage.installation;
  const minutesPass = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await stage.sync();
      await stage.pass(1);
    }
  };
  for (let index = 0; index < count; index += 1) stage.deploy({ name: `api-${index}` });
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

/** Returns queues that lose the commands of a sync to workloads that wait for the cluster. */
const withoutHints: Tamper = (ports) => ({
  ...ports,
  queues: {
    send: (all) => ports.queues.send(all.filter(({ command }) => !("requestedBy" in command))),
  },
});

describe("a cluster that is away for six hours", () => {
  it("has the newest image everywhere within five minutes of its return, by one patch each (L8)", async () => {
    expect(await afterOutage(workloads)).toEqual({ settled: workloads, patches: workloads });
  }, 600_000);

  it("would wait longer without a Wake after its return", async () => {
    expect((await afterOutage(fewWorkloads, withoutHints)).settled).toBeLessThan(fewWorkloads);
  }, 600_000);
});
