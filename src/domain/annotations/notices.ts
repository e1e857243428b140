import { ok, problem, type Result } from "../shared/result.ts";
import { listed, readTimeout, type ReadValue } from "./setting-values.ts";
import { annotationPrefix } from "./written-settings.ts";

/** The settings that name channels, each as the seeds call it. */
export const channelSettings = ["notify-slack", "notify-webhook"] as const;

/** The setting that names base images, without its prefix. */
export const baseImageKey = "base-image";
/** The setting that names the labels of the pods, without its prefix. */
export const attributeLabelsKey = "attribute-labels";

/** The parsers of known settings that limit no update. */
export const noticeOnly: ReadonlyMap<string, ReadValue<unknown>> = new Map<string, ReadValue<unknown>>([
  ["interval", readTimeout],
  // The settings parse these, because they need the policies.
  [baseImageKey, ok],
  [attributeLabelsKey, ok],
  ...channelSettings.map((setting) => [setting, readChannelNames] as const),
  ["previous-image", ok],
]);

const mostNames = 10;

/**
 * Parses the names of channels, separated by commas. A `#` before a name is dropped. An address is a
 * problem, because anyone who may edit a workload could send Lookout anywhere.
 */
export function readChannelNames(value: string): Result<readonly string[], string> {
  const names = listed(value).map((name) => name.replace(/^#/, ""));
  if (names.some((name) => name.includes("/") || name.includes(":")))
    return problem("expected the name of a channel of lookout.yaml, not an address: lookout channel list");
  const fits = names.every((name) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name));
  if (names.length === 0 || names.length > mostNames || !fits)
    return problem(`expected at most ${mostNames} names of channels of lookout.yaml: lookout channel list`);
  return ok([...new Set(names)]);
}

/** Returns the channels that a workload's annotations name. Invalid annotations name none. */
export function namedChannels(annotations: Readonly<Record<string, string>>): readonly string[] {
  const names = channelSettings.flatMap((setting) => {
    const written = annotations[`${annotationPrefix}${setting}`];
    const read = written === undefined ? undefined : readChannelNames(written);
    return read?.ok === true ? read.value : [];
  });
  return [...new Set(names)];
}
