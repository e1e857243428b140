import { describe, expect, it } from "vitest";
import { workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import { type Stage, setStage } from "#test/crash/stage";
import { untoldStory } from "#test/model/history/story";
import { post, type Tamper } from "#test/model/world/installation";

const poisoned = "prod/shop/deployment/api";

/** A fault of the workload `api` or of a message. It must not affect the workload `web`. */
interface Fault {
  readonly what: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The fault after the push. */
  readonly tamper?: (isOn: () => boolean) => Tamper;
  readonly before?: (stage: Stage) => void;
}

const failed = () => Promise.reject(new TransientError("simulated"));

const faults: readonly Fault[] = [
  { what: "an invalid annotation", annotations: { "lookout.dev/semver-range": "not a range" } },
  {
    what: "messages that can't be parsed",
    before: ({ installation }) => {
      for (const queue of ["ImagePushed", "SyncCluster", "SweepRepository"] as const) post(installation, queue, "{", 0);
    },
  },
  {
    what: "an object that can't be read",
    tamper:
      (isOn) =>
      (ports, { cluster }) => {
        const read: typeof cluster.read = (workload, signal) =>
          isOn() && workloadKey(workload) === poisoned ? failed() : cluster.read(workload, signal);
        return { ...ports, clusters: { names: () => ports.clusters.names(), cluster: () => ({ ...cluster, read }) } };
      },
  },
  {
    what: "a record that can't be written",
    tamper: (isOn) => (ports) => {
      const write: typeof ports.store.write = (record) =>
        isOn() && workloadKey(record.workload) === poisoned ? failed() : ports.store.write(record);
      return { ...ports, store: { ...ports.store, write } };
    },
  },
];

/**
 * Returns the milliseconds from a push to the patch of `web`. Infinity: not within five minutes.
 */
async function patchedAfterMs({ annotations, tamper, before }: Partial<Fault>, queues?: Tamper): Promise<number> {
  let on = false;
  const tampers = [tamper?.(() => on), queues].filter((one) => one !== undefined);
  const stage = setStage(
    () => ({ kind: "answered" }),
    untoldStory,
    (ports, around) => tampers.reduce((so, one) => one(so, around), ports),
  );
  stage.deploy({ name: "api", ...(annotations === undefined ? {} : { annotations }) });
  stage.deploy({ name: "web" });
  await stage.sync();
  await stage.pass(1);
  on = true;
  before?.(stage);
  const pushedAt = stage.installation.now;
  await stage.push("1.1.0");
  await stage.pass(5);
  const { history } = stage.installation.cluster;
  const patch = history.find(({ manager, workload }) => manager === "lookout" && workload.name === "web");
  stage.installation.database.close();
  return (patch?.at ?? Infinity) - pushedAt;
}

/** Returns queues in which a failed message blocks all other messages. */
const inOrder: Tamper = (ports, { mailbox }) => {
  const ready = mailbox.ready.bind(mailbox);
  const hasFailed = (queue: string): boolean => mailbox.all.some((one) => one.queue === queue && one.receives > 0);
  mailbox.ready = (now) => ready(now).filter(({ queue, receives }) => receives > 0 || !hasFailed(queue));
  return ports;
};

describe("a fault of one workload", () => {
  it.each(faults)("delays no other workload by more than two seconds: $what (S15, L7)", async (fault) => {
    const undisturbed = await patchedAfterMs({});

    expect((await patchedAfterMs(fault)) - undisturbed).toBeLessThanOrEqual(2_000);
  });

  it("would delay another workload in queues in which a failed message blocks others", async () => {
    const undisturbed = await patchedAfterMs({}, inOrder);
    const delays = await Array.fromAsync(faults, async (fault) => (await patchedAfterMs(fault, inOrder)) - undisturbed);

    expect(Math.max(...delays)).toBeGreaterThan(2_000);
  });
});
