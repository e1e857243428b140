import { channelSettings, readChannelNames } from "#domain/annotations/notices";
import { annotationPrefix } from "#domain/annotations/written-settings";
import { showsWorkload } from "#domain/notify/filter";
import { didYouMean, nearest } from "#domain/shared/nearest";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Channels } from "#ports/channels";

/** Returns a notice for each channel that a workload's annotations name in vain. No update waits for it. */
export function channelNotices(
  { workload, observed: { annotations } }: Pick<WorkloadRecord, "workload" | "observed">,
  channels: Channels,
): readonly string[] {
  return channelSettings.flatMap((setting) => {
    const key = `${annotationPrefix}${setting}`;
    const written = annotations[key];
    const read = written === undefined ? undefined : readChannelNames(written);
    if (read?.ok !== true) return [];
    return read.value.flatMap((name) => {
      const channel = channels.channel(name);
      if (channel === undefined) return [`${key} names the channel ${name}, ${lackingText(name, channels)}`];
      return showsWorkload(channel.filter, workload)
        ? []
        : [`${key} names the channel ${name}, whose clusters or namespaces in lookout.yaml leave this workload out.`];
    });
  });
}

function lackingText(name: string, channels: Channels): string {
  const names = channels.all().map((channel) => channel.name);
  if (names.length === 0) return "and lookout.yaml has no channels.";
  const hint = didYouMean(nearest(name, names));
  return `which lookout.yaml lacks; known are ${names.join(", ")}${hint === "" ? "." : hint}`;
}
