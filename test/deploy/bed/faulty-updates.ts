import type { FactName } from "#domain/update/events";
import type { Deployment } from "./deployment.ts";
import { mostMsOf, nameOf, type StageFault, stageFaults } from "./stage-faults.ts";

/** A Deployment with a repository of its name, and the error in its update. */
export interface FaultyUpdate {
  readonly name: string;
  readonly fault: StageFault;
}

/** The end of an update that met an error. */
export interface FaultyEnd {
  readonly name: string;
  readonly what: string;
  /** The time until the patch: from the push, or from the end of the minimum age. */
  readonly patchedMs: number;
  /** The limit of `patchedMs`. */
  readonly mostMs: number;
  readonly succeededMs: number;
  /** The patches of the Deployment. */
  readonly patches: number;
  readonly image: string;
  readonly expected: string;
}

/** The minimum age of a Deployment whose update waits. All pushes are evaluated before its end. */
export const minAge = "12s";

/** Returns a number of updates. Each error comes as often as the others. */
export function faultyUpdates(count = stageFaults.length): readonly FaultyUpdate[] {
  return Array.from({ length: Math.ceil(count / stageFaults.length) }, () => stageFaults)
    .flat()
    .slice(0, count)
    .map((fault, index) => ({ name: `faulty-${String(index).padStart(2, "0")}`, fault }));
}

/** Arms the error, pushes 1.1.0, and waits until the update has succeeded. */
export async function updateWithFault(lookout: Deployment, { name, fault }: FaultyUpdate): Promise<FaultyEnd> {
  const { what, comes, with: text, ...of } = fault;
  const before = await lookout.generationOf(name);
  await lookout.emulator.failCalls({ ...of, about: [name, text] });
  const pushedAt = Date.now();
  const expected = await (comes === "notified" ? notified(lookout, name) : pushedToEcr(lookout, name));
  await lookout.facts.fact("RolloutSucceeded", name, 1);
  const told = (fact: FactName) => lookout.facts.of(name).find((one) => one.name === fact);
  const since = told("UpdateHeld")?.reasons[0]?.until ?? pushedAt;
  return {
    ...{ name, what: nameOf(fault), mostMs: mostMsOf(fault), expected },
    patchedMs: (told("RolloutStarted")?.at ?? Infinity) - since,
    succeededMs: (told("RolloutSucceeded")?.at ?? Infinity) - since,
    patches: (await lookout.generationOf(name)) - before,
    image: await lookout.imageOf(name),
  };
}

async function pushedToEcr({ ecr }: Deployment, name: string): Promise<string> {
  return `${ecr.host}/shop/${name}:1.1.0@${await ecr.push(`shop/${name}`, "1.1.0")}`;
}

async function notified(lookout: Deployment, name: string): Promise<string> {
  const repository = `${lookout.registry.host}/shop/${name}`;
  const digest = await lookout.registry.push(`shop/${name}:1.1.0`, { seed: `${name} 1.1.0` });
  const status = await lookout.notify({ name: repository, tag: "1.1.0", digest });
  if (status !== 202) throw new Error(`the webhook of ${name} was answered ${status}`);
  return `${repository}:1.1.0@${digest}`;
}

/** Returns a table of the times, in milliseconds. */
export function timesOf(ends: readonly FaultyEnd[]): string {
  const row = (what: string, ...cells: readonly (string | number)[]): string =>
    what.padEnd(80) + cells.map((cell) => String(cell).padStart(10)).join("");
  const rows = ends.map(({ what, patchedMs, succeededMs }) => row(what, patchedMs, succeededMs));
  return [row("one transient error in", "patched", "succeeded"), ...rows].join("\n");
}
