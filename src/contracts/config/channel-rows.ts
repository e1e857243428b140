import { channelKinds } from "#channels/index";
import type { ChannelKind, ChannelRow } from "#channels/kind";
import type { ChannelFilter, ToldName } from "#domain/notify/filter";
import { namesIn } from "./channel-events.ts";
import type { ChannelConfiguration } from "./configuration.ts";

/** Returns the row of an entry's kind. */
export function rowOf({ kind }: Pick<ChannelConfiguration, "kind">): ChannelRow {
  return (channelKinds as Readonly<Record<string, ChannelRow>>)[kind] ?? channelKinds.webhook;
}

/** Returns the rights on AWS that an entry needs besides its secret. */
export function channelRights(entry: ChannelConfiguration): ReturnType<NonNullable<ChannelKind["rights"]>> {
  return rowOf(entry).kind.rights?.(entry) ?? [];
}

/** Returns what an entry tells. */
export function filterOf(entry: ChannelConfiguration): ChannelFilter {
  const { kind } = rowOf(entry);
  const names: readonly ToldName[] = namesIn(entry.events ?? kind.tells.events);
  return {
    form: kind.form,
    names,
    minSeverity: entry.minSeverity ?? kind.tells.minSeverity,
    clusters: entry.clusters,
    namespaces: entry.namespaces,
    onlyNamed: entry.workloads === "named",
  };
}
