import { named } from "#test/named";
import { askForApproval, castVote } from "#app/api/approvals";
import { freeze, unfreeze } from "#app/api/freezes";
import { liftQuarantine, putInQuarantine } from "#app/api/quarantine";
import { unblockWorkload } from "#app/api/unblock";
import { eventDetail } from "#contracts/messages/events";
import type { ImagePushed } from "#domain/image/push";
import { type Freeze, type FreezeScope, freezeScopeText } from "#domain/gates/freezes";
import { epochMs } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { host, rankOf, short } from "#test/model/image-text";
import { type Installation, post } from "#test/model/world/installation";
import { create, imagesOf, type Member, type MemberContainer } from "./members.ts";
import type { Run } from "#test/model/world/runs";
import { voters } from "#test/model/world/voters";
import { startRun } from "#test/model/world/steps";

type Act = (member: Member, installation: Installation) => unknown;

/** The person who unblocks workloads, and may decide. */
const decider = { by: "ana", person: "ana" };

/** The acts of people on a workload during a rollout. */
const interferences: readonly (readonly [weight: number, act: Act])[] = [
  [2, editImage],
  [2, undo],
  [2, applyAgain],
  [6, offAndOn],
];

/** The acts of people on an existing workload. */
const acts: readonly (readonly [weight: number, act: Act])[] = [
  [4, editImage],
  [3, undo],
  [3, applyAgain],
  [1, offAndOn],
  [
    2,
    ({ workload }, { cluster, chance, say }) => {
      const replicas = 1 + chance.below(3);
      cluster.scale(workload, replicas);
      say(() => `a person scales ${workload.name} to ${replicas}`);
    },
  ],
  [2, note],
  [3, toggle("lookout.dev/suspend", "true")],
  [1, toggle("lookout.dev/enabled", "true")],
  [1, toggle("lookout.dev/min-age", "20m")],
  [
    1,
    ({ workload }, { cluster, now, say }) => {
      cluster.restart(workload, new Date(now).toISOString());
      say(() => `a person restarts ${workload.name}`);
    },
  ],
  [0.5, remove],
  [
    1,
    (member, installation) => {
      remove(member, installation);
      create(member, installation);
    },
  ],
  [3, lift],
  [2, quarantine],
  [2, endQuarantine],
  [0.7, freezeScope],
  [1, askAnew],
];

/** Runs an act of a person on a workload. A watch may report the change. */
export async function personActs(members: readonly Member[], installation: Installation): Promise<void> {
  const { chance, cluster, stored, witness } = installation;
  const activeOf = ({ workload }: Member) => stored.records().get(workloadKey(workload))?.active;
  const updated = members.filter((one) => activeOf(one) !== undefined);
  const member = chance.pick(updated.length > 0 && chance.happens(0.6) ? updated : members);
  const { workload } = member;
  const object = cluster.object(workload);
  const rests = object?.metadata.annotations?.["lookout.dev/suspend"] === "true";
  const active = activeOf(member);
  const isRollingOut = active?.status === "rolling-out" || active?.status === "rolling-back";
  const starts = active !== undefined && !isRollingOut;
  if (object === undefined) create(member, installation);
  else if (rests && chance.happens(0.3)) toggle("lookout.dev/suspend", "true")(member, installation);
  else if (witness.frozen.size > 0 && chance.happens(0.25)) await unfreezeScope(installation);
  else if (stored.records().get(workloadKey(workload))?.pending?.approval !== undefined && chance.happens(0.6))
    await decide(member, installation);
  else if (starts && chance.happens(0.3)) await freezeScope(member, installation);
  else await chance.weigh(isRollingOut && chance.happens(0.7) ? interferences : acts)(member, installation);
  if (chance.happens(0.6)) {
    const id = `watch-${(witness.tick += 1)}`;
    const command = { name: "EvaluateWorkload", id, workload, source: "watch" };
    post(installation, "EvaluateWorkload", JSON.stringify(command), 50 + chance.below(1_000));
  }
}

/** Pushes an image, and notifies Lookout by a webhook, except if the webhook is lost. */
export function somethingIsPushed(members: readonly Member[], installation: Installation): void {
  const { chance, images } = installation;
  const { repository } = chance.pick(chance.pick(members).containers);
  const tags = [...images.tags(repository)].sort((one, other) => rankOf(one) - rankOf(other));
  const [, minor = "0"] = (tags.at(-1) ?? "1.0.0").split(".");
  if (chance.happens(0.04)) {
    moveBack(repository, chance.pick(tags), installation);
    return;
  }
  const tag = chance.weigh([
    [3, `1.${Number(minor) + 1}.0`],
    [2, `1.${chance.below(Number(minor) + 1)}.${1 + chance.below(3)}`],
    [3, chance.pick(tags)],
  ]);
  const broken = chance.happens(0.3);
  const digest = images.push(repository, tag, broken);
  installation.say(
    () =>
      `someone pushes ${repository}:${tag}, ${short(digest)}${broken ? ", which does not start" : pulled(images.pullFault(digest))}`,
  );
  tellUnlessLost(repository, tag, digest, installation);
}

function pulled(fault: string | undefined): string {
  return fault === undefined ? "" : `, whose pulls meet a ${fault}`;
}

function moveBack(repository: string, tag: string, installation: Installation): void {
  const digest = installation.images.moveBack(repository, tag);
  if (digest === undefined) return;
  installation.say(() => `someone moves ${repository}:${tag} back to ${short(digest)}`);
  tellUnlessLost(repository, tag, `${digest} again at ${installation.now}`, installation);
}

function tellUnlessLost(repository: string, tag: string, what: string, installation: Installation): void {
  if (installation.chance.happens(installation.weather.untold)) installation.say(() => "  no webhook notifies Lookout");
  else tellOfPush(repository, tag, what, installation);
}

/** Notifies Lookout of a push. */
export function tellOfPush(repository: string, tag: string, what: string, installation: Installation): void {
  const push = { registry: host, repository, tag };
  const id = `${tag}@${what}`;
  const event: ImagePushed = {
    name: "ImagePushed",
    id,
    ...push,
    source: "webhook generic",
    at: epochMs(installation.now + installation.jumpMs),
  };
  post(installation, "ImagePushed", JSON.stringify(eventDetail(event)), 0);
}

/** Changes the object as a person. The witness records the left and chosen images. */
export function byHand(member: Member, installation: Installation, change: () => unknown): void {
  const { images, witness } = installation;
  const workload = workloadKey(member.workload);
  const before = imagesOf(member, installation);
  change();
  for (const [container, to] of imagesOf(member, installation)) {
    const from = before.get(container) ?? to;
    if (from === to) continue;
    witness.applied.set(`${workload} ${container}`, to);
    witness.requests.moved(workload, container);
    const [left, chosen] = [from, to].map((image) => image.split("@")[0] ?? "");
    witness.leftByHand.add(`${workload} ${left ?? ""}`);
    // The same tag in another form says nothing about its earlier digest.
    const known = left !== chosen && witness.objects.standing(workload, container) !== undefined;
    witness.objects.userMoved({ workload, container, from, chosen: images.digestsOf(to), known });
  }
}

function editImage(member: Member, installation: Installation): void {
  const container = installation.chance.pick(member.containers);
  setImage(member, container, anyImage(container, installation), installation);
}

/** Sets another image for a moment, and then the earlier image again. */
function offAndOn(member: Member, installation: Installation): void {
  const container = installation.chance.pick(member.containers);
  const image = imagesOf(member, installation).get(container.name) ?? "";
  setImage(member, container, anyImage(container, installation), installation);
  setImage(member, container, image, installation);
}

function anyImage({ repository }: MemberContainer, { chance, images }: Installation): string {
  const text = `${host}/${repository}:${chance.pick(images.tags(repository))}`;
  return chance.happens(0.4) ? `${text}@${images.digestOf(text) ?? ""}` : text;
}

function setImage(member: Member, { name }: MemberContainer, image: string, installation: Installation): void {
  const { cluster, say } = installation;
  byHand(member, installation, () => cluster.setImage(member.workload, name, image));
  say(() => `a person sets the image of ${member.workload.name}, container ${name}, to ${short(image)}`);
}

function undo(member: Member, installation: Installation): void {
  const { cluster, say } = installation;
  try {
    byHand(member, installation, () => cluster.undo(member.workload));
    say(() => `a person undoes the last rollout of ${member.workload.name}`);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** Applies the manifest with the images that anyone but Lookout wrote last, as a pipeline does. */
function applyAgain(member: Member, { cluster, now, say, witness }: Installation): void {
  const workload = workloadKey(member.workload);
  for (const [container, image] of imagesOf(member, { cluster })) {
    const applied = witness.applied.get(`${workload} ${container}`);
    if (applied === undefined || applied === image) continue;
    witness.leftByHand.add(`${workload} ${image.split("@")[0] ?? ""}`);
    cluster.setImage(member.workload, container, applied, "kubectl-client-side-apply");
    // The cluster keeps the instant in whole seconds.
    witness.objects.appliedOver({ workload, container, until: now - (now % 1_000) + 3_600_000 });
    say(() => `a pipeline applies ${member.workload.name} again, container ${container} with ${short(applied)}`);
  }
}

function note({ workload }: Member, { cluster, now, say }: Installation): void {
  cluster.annotate(workload, { "example.com/note": String(now) });
  say(() => `a person writes a note on ${workload.name}`);
}

function toggle(key: string, value: string): Act {
  return ({ workload }, { cluster, say }) => {
    const is = cluster.object(workload)?.metadata.annotations?.[key] === value;
    cluster.annotate(workload, { [key]: is ? undefined : value });
    say(() => `a person ${is ? "takes" : "sets"} ${key} ${is ? "from" : "on"} ${workload.name}`);
  };
}

function remove({ workload }: Member, { cluster, witness, say }: Installation): void {
  cluster.remove(workload);
  witness.objects.recreated(workloadKey(workload));
  witness.requests.recreated(workloadKey(workload));
  say(() => `a person deletes ${workload.name}`);
}

/** Unblocks a workload, as a person. */
export function lift({ workload }: Member, installation: Installation): Promise<unknown> {
  const key = workloadKey(workload);
  return startRun(`a person's lift of ${workload.name}`, installation, (ports) =>
    unblockWorkload(named(key), decider, ports),
  );
}

function quarantine({ containers }: Member, installation: Installation): Promise<unknown> | undefined {
  const { chance, images } = installation;
  const { repository } = chance.pick(containers);
  const digest = images.digestOf(`${host}/${repository}:${chance.pick(images.tags(repository))}`);
  if (digest === undefined) return undefined;
  return startRun(`a person's quarantine of ${short(digest)}`, installation, (ports) =>
    putInQuarantine({ digest, why: "CVE", by: "ana" }, ports),
  );
}

function endQuarantine(_member: Member, installation: Installation): Promise<unknown> | undefined {
  const [digest] = [...installation.witness.quarantinedAt.keys()];
  if (digest === undefined) return undefined;
  return startRun(`a person's end of the quarantine of ${short(digest)}`, installation, (ports) =>
    liftQuarantine(digest, ports),
  );
}

function freezeScope({ workload: { cluster, namespace } }: Member, installation: Installation): Promise<unknown> {
  const { chance, now } = installation;
  const scope = chance.weigh<FreezeScope>([
    [2, {}],
    [2, { cluster }],
    [2, { cluster, namespace }],
    [1, { cluster, namespace: "elsewhere" }],
  ]);
  const end = chance.happens(0.4) ? { until: epochMs(now + chance.below(7_200_000)) } : {};
  return startRun(`a person's freeze of ${freezeScopeText(scope)}`, installation, (ports) =>
    freeze({ scope, why: "stocktaking", by: "ana", ...end }, ports),
  );
}

/** Approves or rejects the waiting update, or an update from an earlier list, as a person. */
function decide({ workload }: Member, installation: Installation): Promise<unknown> | undefined {
  const { chance, stored } = installation;
  const key = workloadKey(workload);
  const record = stored.records().get(key);
  if (record?.pending?.approval === undefined) return undefined;
  const { seq: update, approval } = record.pending;
  const person = chance.pick(voters);
  const decision = chance.happens(0.3) ? "reject" : "approve";
  const written = { update, bindingHash: approval.bindingHash, decision, why: "looked at it" } as const;
  const seen = { "if-match": `${record.uid}/${record.version}` };
  const credential = { kind: "token", token: person } as const;
  return startRun(`a person's vote (${person}: ${decision}) on ${workload.name}`, installation, (ports) =>
    castVote(named(key), written, seen, credential, ports),
  );
}

function askAnew({ workload }: Member, installation: Installation): Promise<unknown> {
  const key = workloadKey(workload);
  return startRun(`a person's request for approval of ${workload.name}`, installation, (ports) =>
    askForApproval(named(key), decider, ports),
  );
}

function unfreezeScope(installation: Installation): Promise<unknown> | undefined {
  const [frozen] = installation.witness.frozen.values();
  return frozen && endFreeze(frozen.freeze, installation);
}

/** Lifts a freeze as a person. */
export function endFreeze({ scope }: Freeze, installation: Installation): Promise<Run> {
  return startRun(`a person's end of the freeze of ${freezeScopeText(scope)}`, installation, (ports) =>
    unfreeze(scope, ports),
  );
}
