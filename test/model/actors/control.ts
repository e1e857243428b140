import { fullAccess } from "#domain/access/access";
import { controlHandlers } from "#app/api/control";
import type { Served } from "#app/api/handler";
import type { Ports } from "#app/shared/ports";
import { epochMs, toIso } from "#domain/shared/time";
import type { PassableGate } from "#domain/workload/control";
import { workloadKey } from "#domain/workload/workload";
import { host } from "#test/model/image-text";
import type { Asked } from "#test/model/judge/requests";
import type { Installation } from "#test/model/world/installation";
import { startRun } from "#test/model/world/steps";
import type { Member } from "./members.ts";

type Act = (member: Member, installation: Installation) => unknown;

/** What people ask Lookout to do to a workload, with their weights. */
const acts: readonly (readonly [weight: number, act: Act])[] = [
  [5, setVersion],
  [5, rollBack],
  [3, skip],
  [1, endSkip],
  [2, suspend],
  [4, resume],
  [1.5, retry],
  [1.5, nameTarget],
];

/** Lets a person set, roll back, skip, release, suspend, resume or retry. */
export async function personControls(members: readonly Member[], installation: Installation): Promise<void> {
  const { chance, stored } = installation;
  const recordOf = ({ workload }: Member) => stored.records().get(workloadKey(workload));
  const member = chance.pick(members);
  const { pending, active, suspension, kept } = recordOf(member) ?? {};
  const waits = pending?.waits.map(({ reason }) => reason) ?? [];
  if (waits.some((reason) => reason === "window-closed" || reason === "image-too-new") && chance.happens(0.7))
    await release(member, installation);
  else if ((suspension ?? kept) !== undefined && chance.happens(0.3)) await resume(member, installation);
  else if (active !== undefined && chance.happens(0.5)) await rollBack(member, installation);
  else await chance.weigh(acts)(member, installation);
}

function setVersion(member: Member, installation: Installation): Promise<unknown> {
  const { chance } = installation;
  const { version, container } = anyVersion(member, installation);
  const named = member.containers.length > 1 && chance.happens(0.8) ? { container } : {};
  return ask(`set to ${version}`, member, installation, { as: "set", version }, (handlers, params) =>
    handlers.setVersion({ params, body: { version, ...named, ...person } }),
  );
}

function rollBack(member: Member, installation: Installation): Promise<unknown> {
  const { chance } = installation;
  const { version, container } = anyVersion(member, installation);
  const to = chance.happens(0.4) ? { to: version } : {};
  const named = member.containers.length > 1 && chance.happens(0.5) ? { container } : {};
  const asked: Asked = { as: "rollback", ...("to" in to ? { version } : {}) };
  return ask(`rollback to ${to.to ?? "what ran before"}`, member, installation, asked, (handlers, params) =>
    handlers.rollBack({ params, body: { ...to, ...named, ...person } }),
  );
}

/** Returns a tag, or digits of one of its digests, of one of the containers. */
function anyVersion({ containers }: Member, { chance, images }: Installation) {
  const { name: container, repository } = chance.pick(containers);
  const tag = chance.pick(images.tags(repository));
  const digest = chance.pick(images.digestsOf(`${host}/${repository}:${tag}`));
  const version = chance.weigh([
    [7, tag],
    [2, digest],
    [1, digest.slice("sha256:".length).slice(0, 16)],
  ]);
  return { container, version };
}

function skip(member: Member, installation: Installation): Promise<unknown> {
  const { chance, images, now } = installation;
  const { repository } = chance.pick(member.containers);
  const tags = images.tags(repository);
  const tag = chance.happens(0.7) ? (tags.at(-1) ?? "1.0.0") : chance.pick(tags);
  const until = chance.happens(0.85) ? epochMs(now + 60_000 + chance.below(7_200_000)) : undefined;
  const end = until === undefined ? {} : { until: toIso(until) };
  return ask(`skip of ${tag}`, member, installation, { as: "skip", tag, ...(until && { until }) }, (handlers, params) =>
    handlers.skipTag({ params, body: { tag, ...end, ...person } }),
  );
}

function endSkip(member: Member, installation: Installation): Promise<unknown> | undefined {
  const [tag] = installation.witness.requests.skippedTags(workloadKey(member.workload));
  if (tag === undefined) return undefined;
  return ask(`end of the skip of ${tag}`, member, installation, { as: "end-skip", tag }, (handlers, params) =>
    handlers.skipTag({ params, body: { tag, end: true, ...person } }),
  );
}

function release(member: Member, installation: Installation): Promise<unknown> {
  const { chance } = installation;
  const gates = chance.pick([["window"], ["min-age"], ["window", "min-age"]] as const);
  const scope = chance.happens(0.8) ? workloadKey(member.workload) : chance.pick(["*", "prod", "prod/shop"]);
  return releasePast(gates, scope, member, installation);
}

/** Releases the held updates of a scope past gates, as a person. */
export function releasePast(
  gates: readonly PassableGate[],
  scope: string,
  member: Member,
  installation: Installation,
): Promise<unknown> {
  return ask(
    `release past ${gates.join(" and ")} of ${scope}`,
    member,
    installation,
    { as: "release", gates },
    (handlers) => handlers.release({ body: { scope, past: [...gates], ...person } }),
  );
}

function suspend(member: Member, installation: Installation): Promise<unknown> {
  return ask("suspension", member, installation, { as: "suspend" }, (handlers, params) =>
    handlers.suspendWorkload({ params, body: person }),
  );
}

function resume(member: Member, installation: Installation): Promise<unknown> {
  return ask("resumption", member, installation, { as: "resume" }, (handlers, params) =>
    handlers.resumeWorkload({ params, body: person }),
  );
}

function retry(member: Member, installation: Installation): Promise<unknown> {
  return ask("retry", member, installation, { as: "retry" }, (handlers, params) =>
    handlers.retryWorkload({ params, body: person }),
  );
}

/** Names the tag to which a failed update returns, or takes the name away. */
function nameTarget({ workload, containers }: Member, { chance, cluster, images, say }: Installation): void {
  if (cluster.object(workload) === undefined) return;
  const tag = chance.weigh([
    [6, chance.pick(images.tags(chance.pick(containers).repository))],
    [1, "9.9.9"],
    [3, undefined],
  ]);
  cluster.annotate(workload, { "lookout.dev/rollback-to": tag });
  say(() => `a person names ${tag ?? "nothing"} as the target of rollbacks of ${workload.name}`);
}

/** The person who controls workloads. */
const person = { by: "eva", why: "checkout fails" };

type Handlers = ReturnType<typeof controlHandlers>;
type Params = Parameters<Handlers["setVersion"]>[0]["params"];

/** Sends a request as a person. The judge knows what was asked before the request has an effect. */
function ask(
  what: string,
  { workload }: Member,
  installation: Installation,
  asked: Asked,
  send: (handlers: Handlers, params: Params) => unknown,
): Promise<unknown> {
  const { witness, images, say } = installation;
  const id = `asked-${(witness.tick += 1)}`;
  witness.requests.asks(id, asked, images.named());
  const { cluster, namespace, kind, name } = workload;
  const params = { cluster, namespace, kind, name };
  return startRun(`a person's ${what} on ${name}`, installation, async (ports) => {
    const answer = await send(controlHandlers(served(id, ports)), params);
    say(() => `    the person reads ${JSON.stringify(answer).slice(0, 200)}`);
  });
}

function served(id: string, ports: Ports): Served {
  return {
    id,
    ports,
    allPorts: ports,
    signal: new AbortController().signal,
    secret: () => "",
    by: (claimed) => claimed,
    credential: { kind: "none" },
    access: fullAccess,
  };
}
