import { createHmac } from "node:crypto";
import { pushReceivers } from "#adapters/webhook/receivers";
import { type TierRules, withoutTiers } from "#domain/tiers/rules";
import type { WorkloadKind } from "#domain/workload/kinds";
import { requestFunctions } from "#runtime/local/functions";
import type { Receivers } from "#test/app/notify/receivers";
import { chanceFrom } from "#test/model/chance";
import { host } from "#test/model/image-text";
import { clusterName, type Installation, newInstallation, post, type Tamper } from "#test/model/world/installation";
import type { Member } from "#test/model/actors/members";
import { checkRest } from "#test/model/judge/rest";
import { anyId, type Asked } from "#test/model/judge/requests";
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
const hooks = pushReceivers([{ name: "build", kind: "generic", secret, registry: host }], stoppedClock);

const enabled = { "lookout.dev/enabled": "true" };

/** The properties of a test workload. Default: a tracked Deployment of `shop/api:1.0.0`. */
export interface Deployed {
  readonly name?: string;
  readonly kind?: WorkloadKind;
  readonly annotations?: Readonly<Record<string, string>>;
  /** False: a definition has to enable it. */
  readonly isEnabled?: false;
}

/** An installation without random faults, one run after the other, except for the given fates. */
export interface Stage {
  readonly installation: Installation;
  readonly members: readonly Member[];
  deploy(deployed?: Deployed): Member;
  /** Pushes to `shop/api` and notifies Lookout by its webhook. Returns the digest. */
  push(tag: string, broken?: boolean): Promise<string>;
  /** Notifies Lookout of earlier pushes. Their messages are handled concurrently. */
  tell(tags: readonly string[]): Promise<void>;
  /** Sends an API request as ana, again until it gets an answer. `asked`: what the judge knows of it. */
  ask(method: "POST" | "DELETE", path: string, body?: unknown, asked?: Asked): Promise<void>;
  /**
   * Votes on the waiting update of the first workload, with the same request again until it gets an
   * answer.
   */
  vote(person: Voter, decision: "approval" | "rejection"): Promise<void>;
  /** Syncs the cluster, as the schedule does. After a killed run, the next run follows. */
  sync(): Promise<void>;
  /** Sweeps every repository, as the schedule does. After a killed run, the next run follows. */
  sweep(): Promise<void>;
  pass(minutes: number): Promise<void>;
  /** Runs all work to rest, and checks the rules of a state at rest. */
  rest(): Promise<void>;
}

/**
 * Returns a stage with the pushed `shop/api:1.0.0` and no workload.
 *
 * @param fates - decides the fate of each call
 * @param receivers - what channels tell. Absent: there is no channel.
 * @param tiers - the tiers of lookout.yaml. Absent: there are none.
 */
export function setStage(
  fates: Fates,
  story: Story,
  tamper?: Tamper,
  receivers?: Receivers,
  tiers: TierRules = withoutTiers,
): Stage {
  const installation = newInstallation(chanceFrom(1), story, tamper, undefined, undefined, receivers);
  installation.tiers = tiers;
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
        // Two tags that moved at one instant are equal, and the tag that runs first would stay.
        installation.now += 1;
      }
      for (const message of installation.mailbox.ready(installation.now)) await deliver(message, installation);
      await settleAll(installation, fates);
    },
    async ask(method, path, body, asked) {
      if (asked !== undefined) installation.witness.requests.asks(anyId, asked, images.named());
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
      const body = JSON.stringify({ update, bindingHash: approval?.bindingHash, why: "the image is checked" });
      const url = `http://lookout.test/v1/workloads/${key}/${decision}`;
      await send("api/v1", () => new Request(url, { method: "POST", headers, body }));
      await settleAll(installation, fates);
    },
    sync: () => untilAlive(syncNow, installation, fates),
    sweep: () => untilAlive(sweepNow, installation, fates),
    async rest() {
      // There is no sweep, so a lost push stays lost.
      const looks = [installation.now, installation.now + minute].map((at) => ({ at, look }));
      await letPass(installation.now + restFor, installation, looks, fates);
      if (installation.witness.broken.length === 0) await checkRest(members, installation);
    },
  };
}

/** Repeats the run of a schedule until one is not killed. */
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

function deploy(deployed: Deployed, { cluster }: Installation): Member {
  const { name = "api", kind = "Deployment", annotations = {}, isEnabled = true } = deployed;
  const template = { spec: { containers: [{ name: "app", image: `${host}/shop/api:1.0.0` }] } };
  const metadata = { namespace: "shop", name, annotations: { ...(isEnabled ? enabled : {}), ...annotations } };
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

/** Repeats a request until it has an answer. The effects of the request come later. */
async function untilAnswered(
  name: RequestName,
  make: () => Request,
  installation: Installation,
  fates: Fates,
): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    let status = 0;
    const run = await startRun(name, installation, async (_ports, invocation) => {
      status = (await requestFunctions[name].run(make(), { ...invocation, receivers: hooks })).status;
    });
    while (!run.dead && !run.ended) {
      await answerCalls(run, installation, fates);
      // The body of a request is a real stream and needs a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    // A repeated deletion gets 404. A repeated rollback would go back to what the first one left, and gets 409.
    if ((status >= 200 && status < 300) || ((status === 404 || status === 409) && tries > 0)) return;
    if (!run.dead) throw new Error(`${name} answered ${status}`);
    await passTo(installation.now + askedAgainAfter, installation, fates);
  }
  throw new Error(`${name} never answered`);
}
