import * as z from "zod";
import { channelKinds } from "#channels/index";
import type { ChannelKind, ChannelRow } from "#channels/kind";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { minutes, seconds } from "#domain/shared/time";
import { eventGroups } from "#domain/notify/filter";
import { severities } from "#domain/notify/words";
import { namesIn } from "./channel-events.ts";
import { filterProblems, placeProblems } from "./channel-problems.ts";
import { durationWithin, kubernetesName, partsOf, unique } from "./fields.ts";
import { Window } from "./freezes.ts";
import { secretFields } from "./secret-fields.ts";
import { channelSecret } from "./secret-places.ts";

/** The words of `events`: groups of facts, single facts, and all. */
const eventNames: readonly string[] = [...Object.keys(eventGroups), "all", ...namesIn(["all"])];

const anEvent = `one of ${[...Object.keys(eventGroups), "all"].join(", ")}, or the name of a fact`;

const Event = z.string(anEvent).superRefine((name, context) => {
  if (eventNames.includes(name)) return;
  const hint = didYouMean(nearest(name, eventNames));
  context.addIssue({ code: "custom", message: `expected ${anEvent}${hint}` });
});

const aPattern = 'a namespace; each "*" stands for any text';

const Patterns = z
  .array(z.string(aPattern).regex(/^[a-z0-9*][a-z0-9*-]{0,62}$/, aPattern), "a list of namespaces")
  .min(1, "at least one namespace")
  .max(20, "at most 20 namespaces")
  .readonly();

const scope = {
  name: kubernetesName.describe("The name of the channel in commands, messages and annotations."),
  events: z
    .array(Event, "a list of events")
    .min(1, "at least one event")
    .readonly()
    .exactOptional()
    .describe(
      `What the channel tells: ${Object.keys(eventGroups).join(", ")}, all, or names of facts. Default: as its kind.`,
    ),
  minSeverity: z
    .enum(severities, severities.join(", "))
    .exactOptional()
    .describe("The lowest severity that the channel tells. Default: as its kind."),
  clusters: z
    .array(kubernetesName, "a list of clusters")
    .min(1, "at least one cluster")
    .readonly()
    .exactOptional()
    .describe("The clusters. Default: all clusters."),
  namespaces: z
    .strictObject({ allow: Patterns.exactOptional(), deny: Patterns.exactOptional() }, "allow, deny or both")
    .readonly()
    .exactOptional()
    .describe("The namespaces, such as allow: [shop-*]. deny wins over allow. Default: all namespaces."),
  workloads: z
    .enum(["all", "named"], "all or named")
    .prefault("all")
    .describe(
      "named: the channel tells only of workloads whose annotation lookout.dev/notify-slack or lookout.dev/notify-webhook names it.",
    ),
};

const pace = {
  gather: durationWithin(seconds(0), minutes(1), "10s")
    .prefault("10s")
    .describe("The time in which the first facts of a push are gathered into one message, at most 60s."),
  quiet: z
    .array(Window, "a list of windows")
    .min(1, "at least one window")
    .readonly()
    .exactOptional()
    .describe("The windows in which only warnings and failures are told. The others come together at the end."),
};

/** The keys that entries of several kinds have. */
export const sharedChannelKeys: readonly string[] = ["kind", ...Object.keys(scope), ...Object.keys(pace)];

/** Returns the schema of the entries of a kind. */
function entryOf(name: string, { form, secret, keys, about, tells }: ChannelKind) {
  const secrets =
    secret === undefined
      ? {}
      : secretFields(channelSecret, {
          variable: `The variable with ${secret}.`,
          file: `The file with ${secret}.`,
          parameter: `The SSM parameter with ${secret}.`,
          secret: `The secret in Secrets Manager with ${secret}.`,
        });
  const entry = z.strictObject(
    {
      ...scope,
      kind: z.literal(name, `one of ${Object.keys(channelKinds).join(", ")}`).describe(about),
      ...(form === "updates" ? pace : {}),
      ...keys,
      ...secrets,
    },
    `a channel of the kind ${name}`,
  );
  return entry.superRefine((given, context) => {
    const names = namesIn(given.events ?? tells.events);
    const { minSeverity = tells.minSeverity } = given;
    // Each key gets its first problem.
    const faulty = context.issues.map(({ path }) => path?.[0]);
    for (const { path, message } of [...placeProblems(given), ...filterProblems(given, form, { names, minSeverity })])
      if (!faulty.includes(path[0])) context.addIssue({ code: "custom", path: [...path], message });
  });
}

const kinds = Object.entries(channelKinds) as readonly (readonly [string, ChannelRow])[];
const [first, ...others] = kinds.map(([name, { kind }]) => entryOf(name, kind));
if (first === undefined) throw new Error("there is no kind of channel");

const Channel = z
  .discriminatedUnion("kind", [first, ...others], {
    error: ({ input }) => {
      const { kind } = partsOf(input);
      const names = kinds.map(([name]) => name);
      const hint = typeof kind === "string" ? didYouMean(nearest(kind, names)) : "";
      return `a channel whose kind is one of ${names.join(", ")}${hint}`;
    },
  })
  .readonly();

/** The most channels: each has a rule of its own on AWS. */
const mostChannels = 20;

/** The schema of the channels in `lookout.yaml`. Names are unique. */
export const Channels = unique(Channel, "name", "a list of channels").refine(
  (channels) => channels.length <= mostChannels,
  `expected at most ${mostChannels} channels`,
);
