import { createHmac } from "node:crypto";
import { pushReceivers } from "#adapters/webhook/receivers";
import type { WorkloadKind } from "#domain/workload/kinds";
import { requestFunctions } from "#runtime/local/functions";
import { chanceFrom } from "#test/model/chance";
import { host } from "#test/model/image-text";
import { clusterName, type Installation, newInstallation, post, type Tamper } from "#test/model/world/installation";
import type { Member } from "#test/model/actors/members";
import { checkRest } from "#test/model/judge/rest";
import { answerCalls, type Fates, letPass, restFor, settleAll } from "#test/model/world/passing-time";
import { deliver, startRun, sweepNow, syncNow } from "#test/model/world/steps";
import type { Voter } from "#test/model/world/voters";
import { workloadKey } from "#domain/workload/workload";
import type { Run } from "#test/model/world/runs";
import type { Story } from "#test/model/history/story";
import { stoppedClock } from "#test/stopped-clock";

const minute = 60_000;
const askedAgainAfter = 10_000;
const secret = "s3cret-of-the-receiver";
const receivers = pushReceivers([{ name: "build", kind: "generic", secret, registry: host }], stoppedClock);

/** What a workload of the tests is like; a Deployment of `shop/api:1.0.0` that is tracked, unless told otherwise. */
export interface Deployed {
  readonly name?: string;
  readonly kind?: WorkloadKind;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An installation in which everything goes its way, one run after the other, but for the fates that are given. */
export interface Stage {
  readonly installation: Installation;
  readonly members: readonly Member[];
  deploy(deployed?: Deployed): Member;
  /** Pushes to `shop/api` and tells Lookout by its webhook; answers the digest. */
  push(tag: string, broken?: boolean): Promise<string>;
  /** Tells of pushes that were made already; the messages about them are worked off side by side. */
  tell(tags: readonly string[]): Promise<void>;
  /** Sends a request of the API, as ana; who gets no answer sends it again. */
  ask(method: "POST" | "DELETE", path: string, body?: unknown): Promise<void>;
  /** Lets a person decide about what waits at the first workload; who gets no answer sends the same request again. */
  vote(person: Voter, decision: "approval" | "rejection"): Promise<void>;
  /** Has the cluster looked at, as the schedule does; one that died is followed by the next. */
  sync(): Promise<void>;
  /** Has every repository looked at, as the schedule does; one that died is followed by the next. */
  sweep(): Promise<void>;
  pass(minutes: number): Promise<void>;
  /** Lets everything come to rest, and checks what must be so then. */
  rest(): Promise<void>;
}

/** Sets the stage: `shop/api:1.0.0` was pushed, and nothing runs. @param fates - what becomes of each call. */
export function setStage(fates: Fates, story: Story, tamper?: Tamper): Stage {
  const installation = newInstallation(chanceFrom(1), story, tamper);
  const { images } = installation;
  const members: Member[] = [];
  const look = (): void => {
    const command = { name: "SyncCluster", id: `sync-${installation.now}`, cluster: clusterName };
    post(installation, "SyncCluster", JSON.stringify(command), 0);
  };
  const send: Send = (name, make) => untilAnswered(name, make, installation, fates);
  images.push("shop/api", "1.0.0", false);
  return {
    installation,
    members,
    pass: (minutes) => passTo(installation.now + minutes * minute, installation, fates),
    deploy: (deployed) => {
      const member = deploy(deployed ?? {}, installation);
      members.push(member);
      return member;
    },
    async push(tag, broken = false) {
      const digest = images.push("shop/api", tag, broken);
      await send("detect/registry-webhook", () => notification(tag, digest));
      await settleAll(installation, fates);
      return digest;
    },
    async tell(tags) {
      for (const tag of tags) {
        await send("detect/registry-webhook", () =>
          notification(tag, images.digestOf(`${host}/shop/api:${tag}`) ?? ""),
        );
        // Two that moved at one instant are equals, and the one that happens to run first stays.
        installation.now += 1;
      }
      for (const message of installation.mailbox.ready(installation.now)) await deliver(message, installation);
      await settleAll(installation, fates);
    },
    async ask(method, path, body) {
      const url = `http://lookout.test/v1/${path}`;
      const headers = { "x-lookout-person": "ana" };
      const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      await send("api/v1", () => new Request(url, sent));
      await settleAll(installation, fates);
    },
    async vote(person, decision) {
      const [member] = members;
      const key = member === undefined ? "" : workloadKey(member.workload);
      const record = installation.stored.records().get(key);
      const { seq: update, approval } = record?.pending ?? {};
      const headers = {
        "x-lookout-person": person,
        "if-match": `${record?.uid ?? ""}/${record?.version ?? 0}`,
        "idempotency-key": `${person}-${decision}-${update ?? 0}`,
      };
      const body = JSON.stringify({ update, bindingHash: approval?.bindingHash, why: "looked at it" });
      const url = `http://lookout.test/v1/workloads/${key}/${decision}`;
      await send("api/v1", () => new Request(url, { method: "POST", headers, body }));
      await settleAll(installation, fates);
    },
    sync: () => untilAlive(syncNow, installation, fates),
    sweep: () => untilAlive(sweepNow, installation, fates),
    async rest() {
      // Without a sweep: what was lost is not made up for.
      const looks = [installation.now, installation.now + minute].map((at) => ({ at, look }));
      await letPass(installation.now + restFor, installation, looks, fates);
      if (installation.witness.broken.length === 0) await checkRest(members, installation);
    },
  };
}

/** A schedule whose run died is followed by the next. */
async function untilAlive(
  start: (installation: Installation) => Promise<Run>,
  installation: Installation,
  fates: Fates,
): Promise<void> {
  for (let dead = true; dead;) {
    const run = await start(installation);
    await settleAll(installation, fates);
    ({ dead } = run);
    if (dead) await passTo(installation.now + minute, installation, fates);
  }
}

function deploy({ name = "api", kind = "Deployment", annotations = {} }: Deployed, { cluster }: Installation): Member {
  const template = { spec: { containers: [{ name: "app", image: `${host}/shop/api:1.0.0` }] } };
  const metadata = { namespace: "shop", name, annotations: { "lookout.dev/enabled": "true", ...annotations } };
  return {
    workload: cluster.apply({ kind, metadata, spec: { replicas: 2, template } }),
    containers: [{ name: "app", repository: "shop/api" }],
    annotations,
  };
}

async function passTo(end: number, installation: Installation, fates: Fates): Promise<void> {
  await letPass(end, installation, [], fates);
  installation.now = end;
}

function notification(tag: string, digest: string): Request {
  const body = JSON.stringify({ name: "shop/api", tag, digest });
  const headers = { "x-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
  return new Request("http://lookout.test/webhooks/build", { method: "POST", headers, body });
}

type RequestName = keyof typeof requestFunctions;
type Send = (name: RequestName, make: () => Request) => Promise<void>;

/** Who gets no answer asks again after a while. What the request causes is left to come later. */
async function untilAnswered(
  name: RequestName,
  make: () => Request,
  installation: Installation,
  fates: Fates,
): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    let status = 0;
    const run = await startRun(name, installation, async (_ports, invocation) => {
      status = (await requestFunctions[name].run(make(), { ...invocation, receivers })).status;
    });
    while (!run.dead && !run.ended) {
      await answerCalls(run, installation, fates);
      // The body of a request is a real stream, which needs a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    // What is done already when it is asked for again is not found any more.
    if ((status >= 200 && status < 300) || (status === 404 && tries > 0)) return;
    if (!run.dead) throw new Error(`${name} answered ${status}`);
    await passTo(installation.now + askedAgainAfter, installation, fates);
  }
  throw new Error(`${name} never answered`);
}
