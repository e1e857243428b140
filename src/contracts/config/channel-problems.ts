import type { ChannelForm, ToldName } from "#domain/notify/filter";
import { matchesPattern } from "#domain/notify/filter";
import { highestSeverityOf, isAtLeast, type Severity, severities } from "#domain/notify/words";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { factNames } from "#domain/update/events";
import { partsOf } from "./fields.ts";
import { channelSecret, secretKeys } from "./secret-places.ts";

/** A problem of an entry, with the path of its key. */
export interface EntryProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Entry = Readonly<Record<string, unknown>>;

const places = secretKeys(channelSecret);

/** Tokens, keys and addresses that people write where the name of their place belongs. */
const secretItself = /^(?:xox[a-z]-|xapp-|whsec_|https?:|(?=.*\d)[0-9a-z]{32}$)/i;

/** Returns the problems of the secret's place. No message shows what is written there. */
export function placeProblems(entry: Entry): readonly EntryProblem[] {
  const written = places.filter((key) => entry[key] !== undefined);
  const isSecret = (key: string): boolean => secretItself.test(String(entry[key]));
  return [
    ...written
      .slice(1)
      .map((key) => ({ path: [key], message: `the secret has one place, and ${written[0] ?? ""} names it` })),
    ...written.filter(isSecret).map((key) => ({
      path: [key],
      message: "looks like the secret itself: write the name of its place here, and keep the secret out of the file",
    })),
  ];
}

/** The keys that limit a channel to a part of the fleet. */
const scopeKeys = ["clusters", "namespaces"];

/** Returns why a channel could never tell anything. */
export function filterProblems(
  entry: Entry,
  form: ChannelForm,
  { names, minSeverity }: { readonly names: readonly ToldName[]; readonly minSeverity: Severity },
): readonly EntryProblem[] {
  const isOfFleet =
    form === "facts" && !scopeKeys.some((key) => entry[key] !== undefined) && entry["workloads"] !== "named";
  const told = isOfFleet ? names : names.filter((name) => factNames.some((fact) => fact === name));
  if (told.length === 0)
    return [
      {
        path: ["events"],
        message: `${form === "facts" ? "a channel of a part of the fleet" : "the kind"} tells only of workloads, so it would never tell anything`,
      },
    ];
  const highest = severities.findLast((severity) => told.some((name) => highestSeverityOf(name) === severity));
  return [
    ...(highest === undefined || isAtLeast(highest, minSeverity)
      ? []
      : [
          {
            path: [entry["minSeverity"] === undefined ? "events" : "minSeverity"],
            message: `the channel tells from ${minSeverity} on, and its events are ${highest} at most, so it would never tell anything`,
          },
        ]),
    ...namespaceProblems(partsOf(entry["namespaces"])),
  ];
}

function namespaceProblems({ allow = ["*"], deny = [] }: Entry): readonly EntryProblem[] {
  const isDenied = (allowed: string): boolean => listIn(deny).some((pattern) => matchesPattern(pattern, allowed));
  if (!listIn(allow).every(isDenied)) return [];
  const message = "deny covers each namespace of allow, so the channel would never tell anything";
  return [{ path: ["namespaces"], message }];
}

/** Returns a problem for each cluster of a channel that the file lacks. A file without clusters may have any. */
export function channelClusterProblems(file: Entry): readonly EntryProblem[] {
  const known = entriesIn(file["clusters"]).map((cluster) => String(partsOf(cluster)["name"]));
  if (known.length === 0) return [];
  return entriesIn(file["channels"]).flatMap((channel, index) =>
    entriesIn(partsOf(channel)["clusters"]).flatMap((cluster, place) => {
      if (typeof cluster !== "string" || known.includes(cluster)) return [];
      const hint = didYouMean(nearest(cluster, known));
      const message = `is no cluster of this file; its clusters are ${known.join(", ")}${hint}`;
      return [{ path: ["channels", index, "clusters", place], message }];
    }),
  );
}

function listIn(value: unknown): readonly string[] {
  return entriesIn(value).map(String);
}

function entriesIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
