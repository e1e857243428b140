import { channelKinds } from "#channels/index";
import type { ChannelKind, ChannelRow } from "#channels/kind";
import type { ChannelFilter, ToldName } from "#domain/notify/filter";
import { namesIn } from "./channel-events.ts";
import type { ChannelConfiguration } from "./configuration.ts";

/** Returns the row of an entry's kind. */
export function rowOf({ kind }: Pick<ChannelConfiguration, "kind">): ChannelRow {
  return (channelKinds as Readonly<Record<string, ChannelRow>>)[kind] ?? channelKinds.webhook;
}

/** Returns the manifest of the app that an entry needs at the service. Undefined if it needs none. */
export function channelManifest(entry: ChannelConfiguration): object | undefined {
  return rowOf(entry).kind.manifest?.(entry);
}

/** The kinds whose entries have a manifest. */
export const kindsWithManifest: readonly string[] = Object.entries<ChannelRow>(channelKinds)
  .filter(([, { kind }]) => kind.manifest !== undefined)
  .map(([name]) => name);

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
