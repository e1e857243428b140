import { DescribeTableCommand, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { GetScheduleCommand, ListSchedulesCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventDetail } from "#contracts/messages/events";
import { parseJson } from "#domain/shared/json";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { ApprovalsView, ApprovalView } from "#contracts/api/approvals";
import type { DoctorView } from "#contracts/api/doctor";
import type { HistoryView, ImagesView } from "#contracts/api/history";
import { bindingHash } from "#domain/approval/binding";
import { type EpochMs, epochMs } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";
import type { LedgerRow } from "#ports/ledger";
import { until } from "#test/cluster/bed/until";
import { isProof } from "#test/proof";
import type { CallCount } from "./bed/emulator.ts";
import { type ApiAnswer, type Caller, callerWith, sessionArn } from "./bed/callers.ts";
import { type StoredVote, votesOf } from "./bed/votes.ts";
import { deploy, type Deployment, stack } from "./bed/deployment.ts";
import { countSweeps, countUpdates } from "./bed/counting.ts";
import { amountOf, computeCost, untimedOfPage, workloadsOfPush } from "./cost-page.ts";
import { callsSince } from "./cost.ts";
import { standingOf } from "./bed/standing.ts";
import { buildLaterVersions, type FunctionCode, type LaterVersions } from "./bed/function-code.ts";
import { inventoryOf } from "./bed/inventory.ts";
import { itemsIn } from "./bed/table.ts";
import { type FaultyEnd, faultyUpdates, minAge, timesOf, updateWithFault } from "./bed/faulty-updates.ts";
import { queuesOf, type StackQueues } from "./bed/queues.ts";
import { type StageTimes, stageTimes } from "./bed/stage-times.ts";
import { describeEdits, ofTheTest } from "./scenarios/edits.ts";
import { describeRestoredTable, restoredTable } from "./scenarios/restored.ts";
import { besideStacks, isOneShot, type Scene } from "./scenarios/scene.ts";

const workQueues = [/QueuesImagePushed/, /QueuesEvaluateWorkload/, /QueuesWake/, /QueuesRollOut/, /QueuesCheckRollout/];
const costPage = new URL("../../docs/cost.md", import.meta.url);
const busy = ["busy-a", "busy-b", "busy-c", "busy-d"] as const;
/** The Deployments with their own repositories. */
const others = ["api", "again", "beside", "killed", "upgraded", ...busy];
/** The Deployments of the repository `shared`. */
const sharing = Array.from({ length: workloadsOfPush }, (_, index) => `shared-${index}`);

/**
 * The Deployments whose updates meet an error of AWS. The long run has fifty with the usual limit,
 * and four with a longer one.
 */
const faulty = faultyUpdates(isProof ? 54 : undefined);

let lookout: Deployment;
let queues: StackQueues;
let times: StageTimes;
let versions: LaterVersions;
/** The opening of the window of `windowed`. It is later than the longest delay of SQS. */
let opensAt: number;

beforeAll(async () => {
  lookout = await deploy();
  queues = queuesOf(lookout.emulator.aws, stack);
  times = stageTimes(lookout.facts);
  opensAt = Math.ceil(Date.now() / 60_000 + 120) * 60_000;
  await Promise.all([
    ...others.map((name) => tracked(name)),
    ...sharing.map((name) => tracked(name, { repository: "shared" })),
    tracked("approved", { annotations: { "lookout.dev/approval-required": "true" } }),
    tracked("windowed", { annotations: { "lookout.dev/maintenance-window": windowFrom(opensAt) } }),
    trackedElsewhere("built"),
    ...faulty.map(({ name, fault: { comes } }) =>
      comes === "notified"
        ? trackedElsewhere(name)
        : tracked(name, comes === "aged" ? { annotations: { "lookout.dev/min-age": minAge } } : {}),
    ),
    buildLaterVersions().then((built) => (versions = built)),
  ]);
});

afterAll(async () => {
  console.log(`\nOn the emulator:\n${times.text()}\n`);
  await versions.remove();
  await lookout.stop();
});

/** The seconds by which the emulator's clock is ahead. */
let ahead = 0;

async function putClockForward(seconds: number): Promise<void> {
  ahead += seconds;
  await lookout.emulator.putClockForward(seconds);
}

/**
 * Stores 1.0.0 in ECR and creates a tracked Deployment of it. The default repository has the
 * Deployment's name.
 */
async function tracked(
  name: string,
  {
    repository = name,
    annotations = {},
  }: { readonly repository?: string; readonly annotations?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  await lookout.ecr.put(`shop/${repository}`, "1.0.0");
  await lookout.tracked(name, `${lookout.ecr.host}/shop/${repository}:1.0.0`, annotations);
}

/** Creates a tracked Deployment of an image in the registry outside AWS. */
async function trackedElsewhere(name: string): Promise<void> {
  await lookout.registry.push(`shop/${name}:1.0.0`, { seed: `${name} 1.0.0` });
  await lookout.tracked(name, `${lookout.registry.host}/shop/${name}:1.0.0`);
}

function windowFrom(instant: number): string {
  const text = (at: number): string => new Date(at).toISOString().slice(11, 16);
  return `${text(instant)}-${text(instant + 3_600_000)}`;
}

const reference = (name: string, tag: string, digest: string): string =>
  `${lookout.ecr.host}/shop/${name}:${tag}@${digest}`;

describe("a push to ECR", () => {
  it("reaches running pods, and every rule on the bus", async () => {
    const before = await lookout.generationOf("api");
    const pushedAt = Date.now();
    const digest = await lookout.ecr.push("shop/api", "1.1.0");
    const succeeded = await lookout.facts.fact("RolloutSucceeded", "api", 1);
    times.add("ECR, everything cold", pushedAt, "api", 1);

    expect(succeeded).toMatchObject({ schemaVersion: 1, source: "ecr", workload: { cluster: "prod", name: "api" } });
    expect(await lookout.imageOf("api")).toBe(reference("api", "1.1.0", digest));
    expect(await lookout.generationOf("api")).toBe(before + 1);
    expect(lookout.authenticator.seen.refusals).toEqual([]);
  });

  it("reaches running pods again with warm functions", async () => {
    const pushedAt = Date.now();
    const digest = await lookout.ecr.push("shop/again", "1.1.0");
    await lookout.facts.fact("RolloutSucceeded", "again", 1);
    times.add("ECR, warm", pushedAt, "again", 1);

    expect(await lookout.imageOf("again")).toBe(reference("again", "1.1.0", digest));
  });
});

describe("a webhook", () => {
  it("that is signed reaches running pods", async () => {
    const digest = await lookout.registry.push("shop/built:1.1.0", { seed: "built 1.1.0" });
    const pushedAt = Date.now();
    const status = await lookout.notify({ name: `${lookout.registry.host}/shop/built`, tag: "1.1.0", digest });
    await lookout.facts.fact("RolloutSucceeded", "built", 1);
    times.add("webhook", pushedAt, "built", 1);

    expect(status).toBe(202);
    expect(await lookout.imageOf("built")).toBe(`${lookout.registry.host}/shop/built:1.1.0@${digest}`);
  });

  it("that is signed with another secret is refused", async () => {
    const body = { name: `${lookout.registry.host}/shop/built`, tag: "1.2.0" };
    expect(await lookout.notify(body, "another")).toBe(401);
  });
});

describe("an unreadable message", () => {
  it("is kept at once, and does not delay a push", async () => {
    const digest = await lookout.ecr.put("shop/beside", "1.1.0");
    const pushed = { registry: lookout.ecr.host, repository: "shop/beside", tag: "1.1.0", digest };
    const push = { name: "ImagePushed", id: "beside", ...pushed, source: "test", at: epochMs(Date.now()) } as const;

    const unreadable = '{"name":"ImagePushed"}';
    await queues.send(/QueuesImagePushed/, unreadable, JSON.stringify(eventDetail(push)));
    await lookout.facts.fact("RolloutSucceeded", "beside", 1);

    expect(await lookout.imageOf("beside")).toBe(reference("beside", "1.1.0", digest));
    const letters = await queues.read(/Kept/);
    expect(letters.map((letter) => JSON.parse(letter) as unknown)).toContainEqual({
      body: unreadable,
      why: "the message can't be parsed",
    });
  });
});

describe("an unreadable write", () => {
  it("is kept, and delays no other write", async () => {
    const marks = { M: { version: { N: "1" } } };
    const item = { pk: { S: "WORKLOAD#prod/shop/deployment/strange" }, sk: { S: "WORKLOAD" }, marks };
    const put = new PutItemCommand({ TableName: lookout.outputs[stackOutputs.tableName], Item: item });
    await new DynamoDBClient(lookout.emulator.aws).send(put);
    await lookout.ecr.push("shop/beside", "1.2.0");
    await lookout.facts.fact("RolloutSucceeded", "beside", 2);

    const letters = await queues.read(/Kept/);
    const read = letters.map((letter) => JSON.parse(letter) as { readonly body: string; readonly why: string });
    expect(read.map(({ body }) => parseJson(body))).toContainEqual(
      expect.objectContaining({ item: item.pk.S, version: 1 }),
    );
  });
});

describe("a function that is killed during a run", () => {
  it.each([
    { which: "image-pushed", function: "evaluateimagepushed", queue: /QueuesImagePushed/, call: 2, seq: 1 },
    { which: "roll-out, early", function: "rolloutrollout", queue: /QueuesRollOut/, call: 1, seq: 2 },
    { which: "roll-out, late", function: "rolloutrollout", queue: /QueuesRollOut/, call: 4, seq: 3 },
    { which: "check-rollout", function: "verifycheckrollout", queue: /QueuesCheckRollout/, call: 1, seq: 4 },
  ])("gets its message again: $which", async ({ which, queue, seq, ...of }) => {
    const before = await lookout.generationOf("killed");
    const { killed } = await lookout.emulator.state();
    await queues.hideFor(queue, 5);
    await lookout.emulator.killAt(of);

    const pushedAt = Date.now();
    const digest = await lookout.ecr.push("shop/killed", `1.${seq}.0`);
    await lookout.facts.fact("RolloutSucceeded", "killed", seq);
    times.add(`ECR, killed: ${which}`, pushedAt, "killed", seq);

    expect((await lookout.emulator.state()).killed).toBe(killed + 1);
    expect(await lookout.imageOf("killed")).toBe(reference("killed", `1.${seq}.0`, digest));
    expect(await lookout.generationOf("killed")).toBe(before + 1);
  });
});

describe("an update with one transient error of AWS", () => {
  it("succeeds with one patch, in each stage", async () => {
    const kept = await queues.kept();
    const { failed } = await lookout.emulator.state();
    const ends: FaultyEnd[] = [];
    // Times are true only one update after the other.
    if (isProof) for (const update of faulty) ends.push(await updateWithFault(lookout, update));
    else ends.push(...(await Promise.all(faulty.map((update) => updateWithFault(lookout, update)))));
    console.log(timesOf(ends));

    expect(ends.filter(({ patches, image, expected }) => patches !== 1 || image !== expected)).toEqual([]);
    expect(await lookout.emulator.state()).toMatchObject({
      failed: failed + faulty.reduce((sum, { fault }) => sum + fault.times, 0),
      failuresLeft: 0,
    });
    expect(await queues.kept()).toBe(kept);
    // Of fifty updates, 99 % are all.
    if (isProof) expect(ends.filter(({ patchedMs, mostMs }) => patchedMs > mostMs)).toEqual([]);
  }, 900_000);
});

async function untilRuns(name: string, image: string): Promise<void> {
  const runs = async (): Promise<true | undefined> => (await lookout.imageOf(name)) === image || undefined;
  await until(`${name} runs ${image}`, runs, { timeoutMs: 120_000, intervalMs: 500 }).catch((error: unknown) => {
    const came = lookout.facts.of(name).map((fact) => `${fact.name} ${fact.seq}`);
    throw new Error(`${String(error)}; the last facts: ${came.slice(-8).join(", ")}`);
  });
}

describe("another deployment", () => {
  it("during traffic loses no push", async () => {
    // Unlike AWS, the emulator kills running functions when their code changes. Their messages
    // would stay hidden for minutes.
    for (const queue of workQueues) await queues.hideFor(queue, 5);
    await lookout.configure({ settle: "3s" });
    const deploying = { done: false };
    const deployed = lookout.cdk.deploy().finally(() => (deploying.done = true));
    const last = new Map<string, string>();
    for (let push = 0; !deploying.done || push < 2 * busy.length; push += 1) {
      const name = busy[push % busy.length] ?? busy[0];
      const tag = `1.${push + 1}.0`;
      last.set(name, reference(name, tag, await lookout.ecr.push(`shop/${name}`, tag)));
      await sleep(1_000);
    }
    const { said } = await deployed;

    expect(said).toContain("UPDATE_COMPLETE");
    for (const [name, image] of last) await untilRuns(name, image);
  }, 300_000);

  it("of the same changes nothing", async () => {
    const { said } = await lookout.cdk.deploy();

    expect(said).toContain("(no changes)");
  });
});

describe("the cost", () => {
  const pushes = 4;
  /**
   * The limits of what a busy machine does not change: the units and events of an update, and the
   * dollars of a month without the run time of functions. A busy machine hands over fewer messages
   * at once, so runs, requests and reads have only the documented costs as limits. It also writes
   * more runs of digests, up to two units. A month differed by 0.1 between runs.
   */
  const atMost = { "units written to the table": 46, "events on the bus": 5.5, month: 9.7 };

  it("is the documented one, and within the goals", async () => {
    const alone = await countUpdates(lookout, { repository: "again", deployments: ["again"], pushes, firstSeq: 2 });
    const shared = await countUpdates(lookout, { repository: "shared", deployments: sharing, pushes, firstSeq: 1 });
    const counted = { shared, alone, ...(await countSweeps(lookout, putClockForward)) };
    const { sums, untimed, page } = computeCost(counted, await standingOf(lookout.emulator.aws, stack));
    if (process.env["LOOKOUT_WRITE_PAGE"] !== undefined) await writeFile(costPage, page);
    const said = untimedOfPage(await readFile(costPage, "utf8"));
    console.log("In dollars:", sums, "without the run time of functions:", untimed);

    // Times differ between runs, and the batching of messages and writes differs a little.
    for (const which of ["shared", "alone"] as const) {
      expect(untimed[which] / said[which]).toBeGreaterThan(0.9);
      expect(untimed[which] / said[which]).toBeLessThan(1.1);
    }
    for (const what of ["units written to the table", "events on the bus"] as const)
      expect(amountOf(what, shared)).toBeLessThanOrEqual(atMost[what]);
    expect(untimed.fixed).toBeLessThan(atMost.month);
  }, 400_000);
});

describe("an update that waits for its window", () => {
  it("is released by a schedule within two seconds of the opening", async () => {
    const digest = await lookout.ecr.push("shop/windowed", "1.1.0");
    const held = await lookout.facts.fact("UpdateHeld", "windowed", 1);
    const scheduler = new SchedulerClient(lookout.emulator.aws);
    // Other workloads may wait too.
    const oneShots = async (): Promise<number> => {
      const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({}));
      const named = Schedules.filter(({ Name = "" }) => /^[0-9a-f]{64}$/.test(Name));
      const read = await Promise.all(
        named.map(({ Name, GroupName }) => scheduler.send(new GetScheduleCommand({ Name, GroupName }))),
      );
      return read.filter(({ Target }) => Target?.Input?.includes("windowed") === true).length;
    };
    await until("there is a schedule", async () => (await oneShots()) === 1 || undefined);

    // The clock jumps to just before the early schedule, then to just before the opening.
    await putClockForward((opensAt - Date.now()) / 1000 - ahead - 64);
    await until("the schedule has run", async () => (await oneShots()) === 0 || undefined);
    await sleep(3_000);
    await putClockForward(50);
    const released = await lookout.facts.fact("UpdateReleased", "windowed", 1);
    await lookout.facts.fact("RolloutSucceeded", "windowed", 1);

    expect(held.reasons).toMatchObject([{ until: opensAt }]);
    expect(released.at - opensAt).toBeGreaterThanOrEqual(0);
    expect(released.at - opensAt).toBeLessThanOrEqual(2_000);
    expect(await lookout.imageOf("windowed")).toBe(reference("windowed", "1.1.0", digest));
  });
});

describe("an update that needs two approvals", () => {
  const key = "prod/default/deployment/approved";
  const callers = new Map<string, Caller>();
  beforeAll(async () => {
    for (const role of ["ana", "eva", "ben", "nobody"])
      callers.set(role, await callerWith(role, lookout.emulator, lookout.outputs));
  });

  function callerOf(role: string): Caller {
    const caller = callers.get(role);
    if (caller === undefined) throw new Error(`there is no caller ${role}`);
    return caller;
  }

  const waiting = async (role: string): Promise<ApprovalView | undefined> =>
    ((await callerOf(role).get("approvals")) as ApprovalsView).approvals[0];

  /** Approves the seen update as a role. */
  function approve(role: string, seen: ApprovalView | undefined): Promise<ApiAnswer> {
    const { uid = "", version = 0, update = 0, bindingHash: hash = "" } = seen ?? {};
    const headers = { "if-match": `${uid}/${version}`, "idempotency-key": `${role}-${update}` };
    return callerOf(role).post(`workloads/${key}/approval`, { update, bindingHash: hash, why: "tested" }, headers);
  }

  /** Approves what a role sees, and looks again if Lookout stored a change meanwhile. */
  async function approveSeen(role: string): Promise<ApiAnswer> {
    const answer = await approve(role, await waiting(role));
    return answer.problem?.code === "changed-meanwhile" ? approveSeen(role) : answer;
  }

  const asked = (seq: number): Promise<Fact> => lookout.facts.fact("ApprovalRequested", "approved", seq);

  it("starts when both approvers of lookout.yaml agree, and other votes do not count", async () => {
    const digest = await lookout.ecr.push("shop/approved", "1.1.0");
    await asked(1);
    const seen = await waiting("ana");
    const problem = { code: "no-right", pending: { update: 1, images: [{ digest }] }, deciders: ["ana", "eva"] };

    expect(seen).toMatchObject({ workload: key, update: 1, images: [{ tag: "1.1.0", digest }], waitsForMe: true });
    expect(await waiting("ben")).toMatchObject({ update: 1, waitsForMe: false });
    expect(await approve("ben", seen)).toMatchObject({
      status: 403,
      problem: { ...problem, detail: `ben may not decide about ${key}` },
    });
    expect(await approve("nobody", seen)).toMatchObject({
      status: 403,
      problem: { ...problem, detail: `${sessionArn("nobody")} is in no entry of people in lookout.yaml` },
    });
    expect(await approveSeen("ana")).toEqual({ status: 200 });
    expect(await lookout.imageOf("approved")).toBe(`${lookout.ecr.host}/shop/approved:1.0.0`);

    expect(await approveSeen("eva")).toEqual({ status: 200 });
    await lookout.facts.fact("RolloutSucceeded", "approved", 1);
    expect(await lookout.imageOf("approved")).toBe(reference("approved", "1.1.0", digest));
  });

  it("needs new approvals when its tag is pushed again", async () => {
    await lookout.ecr.push("shop/approved", "1.2.0");
    await asked(2);
    const seen = await waiting("ana");
    expect(await approveSeen("ana")).toEqual({ status: 200 });
    const digest = await lookout.ecr.push("shop/approved", "1.2.0", "again");
    const voided = await lookout.facts.fact("ApprovalVoided", "approved");
    await asked(3);

    expect(voided).toMatchObject({ seq: 2, detail: "ana" });
    expect(await waiting("eva")).toMatchObject({ update: 3, images: [{ digest }], approvedBy: [] });
    expect(await approve("eva", seen)).toMatchObject({ status: 409 });
  });

  it("stays held when the time for approval is over", async () => {
    const seen = await waiting("ana");
    await putClockForward(601);
    await lookout.facts.fact("ApprovalExpired", "approved", 3);

    expect(await waiting("ana")).toMatchObject({ update: 3, isExpired: true, waitsForMe: false });
    expect(await approve("ana", seen)).toMatchObject({
      status: 409,
      problem: { code: "approval-expired", detail: "the approval of update 3 has expired" },
    });
    expect(await lookout.imageOf("approved")).toContain(":1.1.0@");
  });

  it("leaves each vote in the table, with its person, proof, images and reason", async () => {
    const votes = await votesOf(lookout, key);
    const stored = (seq: number, person: string): StoredVote => {
      const { uid = "", changes = [] } = lookout.facts.of("approved").find((fact) => fact.seq === seq) ?? {};
      const images = changes.map(({ list, name, imageName, tag, digest }) => ({
        list,
        name,
        imageName,
        tag,
        digest,
      }));
      return {
        sk: expect.stringMatching(new RegExp(`^VOTE#0*${seq}#${person}$`)) as string,
        vote: {
          person,
          proof: { kind: "iam", arn: sessionArn(person) },
          decision: "approve",
          why: "tested",
          binding: { uid, seq, images, policyHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
          bindingHash: expect.any(String) as string,
          at: expect.any(Number) as EpochMs,
          requestId: `${person}-${seq}`,
        },
      };
    };

    expect(votes).toEqual([stored(1, "ana"), stored(1, "eva"), stored(2, "ana")]);
    // The stored vote shows the images that it covers.
    expect(votes.map(({ vote }) => bindingHash(vote.binding))).toEqual(votes.map(({ vote }) => vote.bindingHash));
  });

  it("shows each vote in the history, and the approvers of what runs", async () => {
    const { rows } = (await callerOf("ana").get("history?cluster=prod&namespace=default&what=approve")) as HistoryView;
    const { images } = (await callerOf("ana").get("images?q=shop/approved")) as ImagesView;
    const voted = (update: number, by: string) => ({ what: "approve", by, provedBy: "iam", why: "tested", update });

    expect(rows.map(({ what, by, provedBy, why, update }) => ({ what, by, provedBy, why, update }))).toEqual([
      voted(2, "ana"),
      voted(1, "eva"),
      voted(1, "ana"),
    ]);
    expect(images.map(({ workload, tag, update, approvedBy }) => ({ workload, tag, update, approvedBy }))).toEqual([
      { workload: key, tag: "1.1.0", update: 1, approvedBy: ["ana", "eva"] },
    ]);
  });
});

describe("a version that a person sets", () => {
  it("reaches running pods, also a lower one, and the history names the person", async () => {
    const ana = await callerWith("ana", lookout.emulator, lookout.outputs);
    const path = "workloads/prod/default/deployment/again/version";
    expect(await ana.post(path, { version: "1.3.0", why: "1.5.0 is slow" }, {})).toEqual({ status: 200 });
    await lookout.facts.fact("RolloutSucceeded", "again", 6);
    const { rows } = (await ana.get("history?cluster=prod&namespace=default&what=set")) as HistoryView;

    expect(await lookout.imageOf("again")).toContain("/shop/again:1.3.0@sha256:");
    expect(rows.map(({ workload, by, provedBy, why }) => ({ workload, by, provedBy, why }))).toEqual([
      { workload: "prod/default/deployment/again", by: "ana", provedBy: "iam", why: "1.5.0 is slow" },
    ]);
  });
});

describe("the derived rows", () => {
  it("follow from the records after all faults so far", async () => {
    const ana = await callerWith("ana", lookout.emulator, lookout.outputs);
    const { checks } = (await ana.get("doctor")) as DoctorView;

    expect(checks.filter(({ check }) => ["state", "derived rows"].includes(check))).toEqual([
      { check: "state", verdict: "well", detail: expect.stringContaining("workloads known") as string },
    ]);
  });
});

describe("a rollout that is half done", () => {
  const key = "prod/default/deployment/upgraded";
  let code: FunctionCode;
  let kept: number;
  beforeAll(async () => {
    // The emulator kills running functions when their code changes.
    for (const queue of workQueues) await queues.hideFor(queue, 5);
    code = await versions.codeOf(lookout.emulator);
    kept = await queues.kept();
  });

  const nodes = "--selector=kubernetes.io/os=linux";

  /** Pushes a tag, and returns its digest when Lookout has patched. No new pod starts. */
  async function begin(seq: number): Promise<string> {
    await lookout.plane.kubectl("cordon", nodes);
    const digest = await lookout.ecr.push("shop/upgraded", `1.${seq}.0`);
    await lookout.facts.fact("RolloutStarted", "upgraded", seq);
    return digest;
  }

  /** Lets the new pods start, and waits for the end of the rollout. */
  async function end(seq: number, digest: string): Promise<void> {
    await lookout.plane.kubectl("uncordon", nodes);
    await lookout.facts.fact("RolloutSucceeded", "upgraded", seq);
    expect(await lookout.imageOf("upgraded")).toBe(reference("upgraded", `1.${seq}.0`, digest));
  }

  const formOfRecord = async (): Promise<number | undefined> =>
    (await itemsIn(lookout, `WORKLOAD#${key}`, "WORKLOAD"))[0]?.form;

  it("ends well while the functions are upgraded twice, to a version that writes the next form", async () => {
    const digest = await begin(1);
    await code.replace("reader");
    expect(await formOfRecord()).toBe(1);
    await code.replace("writer");
    await end(1, digest);

    expect(await formOfRecord()).toBe(2);
  });

  it("is kept by a roll-back by two releases, and ends after the next upgrade", async () => {
    const digest = await begin(2);
    await code.replace("today");
    await lookout.plane.kubectl("uncordon", nodes);
    const before = (await lookout.emulator.state()).calls;
    await until("the rollout was checked", async () => {
      const calls = callsSince(before, (await lookout.emulator.state()).calls);
      const isCheck = ({ function: name, operation }: CallCount) =>
        name.includes("verifycheckrollout") && operation === "lambda:Run";
      return calls.some(isCheck) || undefined;
    });
    expect(await formOfRecord()).toBe(2);

    await code.replace("writer");
    await end(2, digest);
  });

  it("ends well after a roll-back by one release", async () => {
    const digest = await begin(3);
    expect(await formOfRecord()).toBe(2);
    await code.replace("reader");
    await end(3, digest);

    expect(await formOfRecord()).toBe(1);
  });

  it("leaves a complete history, each fact, no slot and no dead letter", async () => {
    const facts = ["UpdateReleased", "RolloutPrepared", "RolloutStarted", "WorkloadRunning", "RolloutSucceeded"];
    const rows = ["released", "patching", "patched", "running", "succeeded"];
    const ofAll = (what: readonly string[]) => [1, 2, 3].flatMap((seq) => what.map((one) => `${seq} ${one}`));
    const history = await until("the history has the last row", async () => {
      const items = await itemsIn(lookout, `WORKLOAD#${key}`, "LOG#");
      const found = items
        .map(({ value }) => value as LedgerRow)
        .map(({ seq, transition }) => `${seq} ${transition.what}`);
      return found.includes("3 succeeded") ? found : undefined;
    });

    expect(history).toEqual(["0 tracked", ...ofAll(rows)]);
    expect(new Set(lookout.facts.of("upgraded").map(({ seq, name }) => `${seq} ${name}`))).toEqual(
      new Set(["0 WorkloadTracked", ...ofAll(facts)]),
    );
    expect(await itemsIn(lookout, "SLOTS", "prod#")).toEqual([]);
    expect(await queues.kept()).toBe(kept);
  });
});

/** The network of the cluster in the last scenarios. */
const network = { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d"], securityGroups: ["sg-0a1b2c3d"] };

describe("a cluster that is reached from a VPC", () => {
  it("is reached only by the functions in the VPC", async () => {
    await lookout.configure({ settle: "3s" }, { network });
    await lookout.cdk.deploy();
    const before = (await lookout.emulator.state()).calls;
    const digest = await lookout.ecr.push("shop/beside", "2.0.0");
    await untilRuns("beside", reference("beside", "2.0.0", digest));
    // A run counts at its end, a moment after its patch has landed.
    const rolledOut = await until("a roll-out has ended", async () => {
      const ended = callsSince(before, (await lookout.emulator.state()).calls).filter(
        ({ function: name, operation }) => name.includes("rolloutrollout") && operation === "lambda:Run",
      );
      return ended.length > 0 ? ended : undefined;
    });

    expect(rolledOut.filter(({ function: name }) => !name.includes("vpc0a1b2c3d"))).toEqual([]);
  }, 180_000);
});

describe("AWS itself", () => {
  it("would have refused no call: each is valid, and the role of its function has the right", async () => {
    expect((await lookout.emulator.state()).faults).toEqual([]);
  });
});

const scene = (): Scene => ({ lookout, queues, untilRuns, putClockForward });
describeEdits(scene, network);

describeRestoredTable(scene);

describe("removing the stack", () => {
  it("leaves both tables, and nothing else of Lookout", async () => {
    const { aws } = lookout.emulator;
    // The window of the Deployment is over until tomorrow.
    await putClockForward(7_200);
    await lookout.ecr.push("shop/windowed", "2.0.0");
    await until("there is a schedule", async () => (await inventoryOf(aws)).some(isOneShot) || undefined);
    await lookout.cdk.destroy();

    const tables = [lookout.outputs[stackOutputs.tableName] ?? "", restoredTable];
    expect(await besideStacks(lookout)).toEqual(
      [...tables.map((name) => `AWS::DynamoDB::GlobalTable ${name}`), ...ofTheTest]
        // The emulator deletes a bus with its rules.
        .filter((resource) => !resource.startsWith("AWS::Events::Rule"))
        .toSorted(),
    );
    for (const TableName of tables) {
      const { Table } = await new DynamoDBClient(aws).send(new DescribeTableCommand({ TableName }));
      expect(Table?.TableStatus).toBe("ACTIVE");
    }
  });
});
