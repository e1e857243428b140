/** The rights of a function: exactly those that its route needs. */
import { channelRights } from "#contracts/config/channel-rows";
import { publishes, queueOf, sendsAhead, sentCommands } from "#contracts/routes";
import { grantReadOfEcr } from "../access/ecr.ts";
import { type LookoutFunction, takesMessages } from "../functions/lookout-function.ts";
import type { Parts } from "./parts.ts";
import { grantSecrets } from "../access/secrets.ts";

/**
 * Grants a function the use of the parts that its route needs. `AccessRole` grants access to
 * clusters, and `RegistryRole` to registries of other accounts.
 */
export function grantRouteParts(fn: LookoutFunction, parts: Parts): void {
  grantTable(fn, parts);
  grantSending(fn, parts);
  grantReaching(fn, parts);
}

function grantTable(fn: LookoutFunction, { table }: Parts): void {
  const { reaches } = fn.route;
  if (reaches.includes("table")) table.grantReadWrite(fn);
  if (reaches.includes("table-read")) table.grantRead(fn);
  if (reaches.includes("ledger")) table.grantDerive(fn);
  if (reaches.includes("tiers")) table.grantTiers(fn);
  if (reaches.includes("told")) table.grantTold(fn);
}

function grantSending(fn: LookoutFunction, { bus, queues, timers }: Parts): void {
  const { trigger } = fn.route;
  // A function sends an early message back to its own queue.
  const commands = [...sentCommands(fn.route), ...(trigger.kind === "command" ? [trigger.command] : [])];

  if (takesMessages(fn.route)) queues.grantSetAside(fn);
  if (trigger.kind === "changes") queues.grantKeep(fn);
  for (const queue of new Set(commands.map(queueOf))) queues.grantSend(fn, queue);
  if (sendsAhead(fn.route)) timers.grantDelay(fn);
  if (publishes(fn.route)) bus.grantPublish(fn);
}

function grantReaching(fn: LookoutFunction, { configuration }: Parts): void {
  grantSecrets(fn, configuration);
  if (fn.route.reaches.includes("registries")) grantReadOfEcr(fn, configuration);
  if (fn.route.reaches.includes("channels"))
    for (const { actions, resources } of configuration.channels.flatMap(channelRights)) fn.allow(actions, resources);
}
