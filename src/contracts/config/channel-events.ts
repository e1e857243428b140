import { eventGroups, type ToldName } from "#domain/notify/filter";
import { registryFactNames } from "#domain/registry/outage";
import { factNames } from "#domain/update/events";

/** Returns the facts that words of `events` mean. */
export function namesIn(events: readonly string[] = []): readonly ToldName[] {
  const groups: Readonly<Record<string, readonly ToldName[]>> = eventGroups;
  const all = [...factNames, ...registryFactNames, "PushDisputed"] as const;
  return [...new Set(events.flatMap((word) => (word === "all" ? all : (groups[word] ?? [word as ToldName]))))];
}
