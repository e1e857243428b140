import { hours } from "#domain/shared/time";
import type { CommandName } from "#domain/update/commands";
import { TransientError } from "#ports/errors";
import type { Tamper } from "#test/model/world/installation";
import type { Mailbox } from "#test/model/world/mailbox";

/** Returns the fault of the world in one play. */
export type Tampering = () => Tamper;

/** Returns a cluster whose patches fail with a conflict until the first dead letter. */
export const guardsFailUntilDeadLettered: Tampering =
  () =>
  (ports, { cluster, mailbox }) => {
    const patch: typeof cluster.patch = async (...asked) =>
      hasDeadLettered(mailbox) ? cluster.patch(...asked) : { kind: "read-again" };
    return { ...ports, clusters: { names: () => ports.clusters.names(), cluster: () => ({ ...cluster, patch }) } };
  };

/** Returns a quarantine that can't be read until the first dead letter. */
export const quarantineFailsUntilDeadLettered: Tampering =
  () =>
  (ports, { mailbox }) => {
    const among: typeof ports.quarantine.among = (digests) =>
      hasDeadLettered(mailbox) ? ports.quarantine.among(digests) : Promise.reject(new TransientError("throttled"));
    return { ...ports, quarantine: { ...ports.quarantine, among } };
  };

/** Limits the cluster to one concurrent update. */
export const oneSlot: Tampering = () => (ports) => ({
  ...ports,
  limits: { ...ports.rules.limits, maxConcurrentRollouts: 1 },
});

function hasDeadLettered({ sent }: Mailbox): boolean {
  return [...sent].some((body) => "why" in (JSON.parse(body) as object));
}

/** Returns queues that accept the first message of a command and lose it. */
export function losesFirst(name: CommandName): Tampering {
  return () =>
    (ports, { mailbox }) => {
      let lost = false;
      return {
        ...ports,
        queues: {
          send: (sendings) => {
            const first = lost ? undefined : sendings.find(({ command }) => command.name === name);
            lost ||= first !== undefined;
            if (first !== undefined) mailbox.sent.add(JSON.stringify(first.command));
            return ports.queues.send(sendings.filter((sending) => sending !== first));
          },
        },
      };
    };
}

/** Adds a check before updates, which allows all, and a check of pods, which refuses 1.3.0. */
export const asksChecks: Tampering = () => (ports) => ({
  ...ports,
  rules: {
    ...ports.rules,
    checks: [
      { name: "scan", when: "release", namespaces: ["*"] },
      { name: "smoke", when: "bake", namespaces: ["*"] },
    ],
  },
  checks: {
    ask: (check, { changes }) => {
      const allow = check === "scan" || changes.every(({ tag }) => tag !== "1.3.0");
      return Promise.resolve({ kind: "answered", allow, reason: "", validFor: hours(24) });
    },
  },
});
