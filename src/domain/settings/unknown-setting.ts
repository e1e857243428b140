import { noticeOnly } from "../annotations/notices.ts";
import { didYouMean, nearest } from "../shared/nearest.ts";
import { keyOf, listWords, nearestContainer, wrongContainer } from "./container-names.ts";
import {
  containerSettings,
  keysOfOtherVersions,
  mostCharacters,
  tooLargeSetting,
  unusableSetting,
  workloadKeys,
} from "./setting-keys.ts";
import { annotationPrefix, type ContainerName, type WrittenSetting } from "../annotations/written-settings.ts";

const allKeys: readonly string[] = [...workloadKeys, ...keysOfOtherVersions, ...noticeOnly.keys()].sort();
/** Matches wrong names of the setting for the time zone, which all windows share. */
const ZONE = /(?:^|-)(?:tz|(?:time-?)?zone)$/i;

/**
 * Returns the problem of a setting's name, with the nearest key or container. Returns undefined if
 * the name is known.
 */
export function whyUnknown(
  { setting, of, text }: WrittenSetting,
  containers: readonly ContainerName[],
  suggests = true,
): string | undefined {
  const suggested = (find: () => string | undefined): string => (suggests ? didYouMean(find()) : "");
  const added = whyAdded(setting, text);
  if (added !== undefined) return added;
  const isWorkloads = workloadKeys.has(setting) || keysOfOtherVersions.has(setting);
  if (of === undefined)
    return isWorkloads || noticeOnly.has(setting)
      ? undefined
      : `is not a setting${suggested(() => meantKey(setting, containers))}`;
  const wrong = wrongContainer(of, containers, suggests);
  if (wrong !== undefined) return wrong;
  if (containerSettings.has(setting) || noticeOnly.has(setting)) return undefined;
  const meant = isWorkloads
    ? `, but of the workload: ${annotationPrefix}${setting}`
    : suggested(() => meantSetting(setting));
  return `is not a setting of a container${meant}`;
}

/** Returns the problem that a setting stands for, if Lookout itself added the setting. */
function whyAdded(setting: string, text: string): string | undefined {
  if (setting === tooLargeSetting)
    return `characters are too many: Lookout reads at most ${mostCharacters} in all settings of a workload`;
  return setting === unusableSetting ? `Lookout can't update this object: ${text}` : undefined;
}

function meantSetting(setting: string): string | undefined {
  return ZONE.test(setting) ? "maintenance-tz" : nearest(setting, allKeys);
}

/** Corrects the parts of a container setting's key; words in capitals are placeholders. */
function meantKey(key: string, containers: readonly ContainerName[]): string | undefined {
  const [first = "", ...rest] = key.split(".");
  const word = rest.length === 0 ? undefined : nearest(first, Object.values(listWords));
  if (word === undefined) return meantSetting(key);
  const setting = nearest(rest.at(-1) ?? "", [...containerSettings]) ?? "SETTING";
  const near = nearestContainer(rest.slice(0, -1).join("."), containers);
  return `${near === undefined ? `${word}.NAME` : keyOf(near)}.${setting}`;
}
