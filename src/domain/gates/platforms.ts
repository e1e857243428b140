import { readList, type ReadValue } from "../annotations/setting-values.ts";
import { missingPlatforms } from "../image/platform.ts";
import { problem } from "../shared/result.ts";
import type { EpochMs } from "../shared/time.ts";
import { believedListing, type NodeFacts, neededPlatforms } from "../workload/node-facts.ts";
import type { ImageChange } from "../workload/patch.ts";
import { mayLand, type Placement } from "../workload/placement.ts";
import { type AskGate, closed, open, type Passage } from "./gate.ts";
import { gateSetting } from "./gate-setting.ts";

/** Matches the platforms of Kubernetes. */
const PLATFORM = /^(linux\/(amd64|arm64(\/v8)?|arm(\/v[5-8])?|386|ppc64le|riscv64|s390x)|windows\/(amd64|arm64))$/;

const readPlatforms: ReadValue<readonly string[]> = (text) => {
  const list = readList("platforms, separated by commas, such as linux/amd64,linux/arm64")(text);
  if (!list.ok) return list;
  const unknown = list.value.find((platform) => !PLATFORM.test(platform));
  return unknown === undefined
    ? list
    : problem(`${unknown}: not a platform (expected for example linux/amd64 or linux/arm64)`);
};

/** The platforms that an image must have, in the form `os/architecture[/variant]`. */
export const platformsSetting = gateSetting({
  key: "platforms",
  isSupported: true,
  parse: readPlatforms,
  label: "platforms",
  toJson: (platforms) => platforms,
  toText: (platforms) => platforms.join(", "),
});

/** Holds an update to an image that lacks a platform of the nodes on which the pods may land. */
export const askPlatforms: AskGate = ({ now, record: { observed }, changes, facts: { nodes } }) => {
  if (nodes === undefined) return open;
  const { placement = {} } = observed;
  const listing = believedListing(nodes.known, now);
  const needed = listing === undefined ? [] : neededPlatforms(placement, listing);
  if (needed.length > 0) return compare(changes, () => needed, `the nodes have ${needed.join(", ")}`);
  const why = whyNotKnown(nodes.known, now);
  if (nodes.rule === "require") return closed({ reason: "nodes-unknown", detail: why });
  const unknown = changes.find((change) => platformsNow(change, placement).length === 0);
  if (unknown !== undefined) {
    const detail = `${why}; container ${unknown.name} runs an image without a known platform for its pods`;
    return closed({ reason: "nodes-unknown", detail });
  }
  return compare(
    changes,
    (change) => platformsNow(change, placement),
    `${why}, so Lookout compares with the running image`,
  );
};

function compare(
  changes: readonly ImageChange[],
  neededBy: (change: ImageChange) => readonly string[],
  detail: string,
): Passage {
  for (const change of changes) {
    const { name, tag, offers } = change;
    const about = `container ${name}: ${tag}`;
    if (offers === undefined) return closed({ reason: "platform-unknown", detail: about });
    const missing = missingPlatforms(neededBy(change), offers);
    if (missing.length > 0) {
      const has = offers.length === 0 ? "none" : offers.join(", ");
      return closed({ reason: "platform-missing", detail: `${about} lacks ${missing.join(", ")} and has ${has}` });
    }
  }
  return { kind: "open", detail };
}

/**
 * Returns the platforms of the running image on which its pods may land, or none if these platforms
 * are unknown.
 */
function platformsNow({ fromOffers = [] }: ImageChange, placement: Placement): readonly string[] {
  return fromOffers.filter((platform) => {
    const [os = "", architecture = ""] = platform.split("/");
    return mayLand(placement, { os, architecture }, { labels: [], names: [] });
  });
}

function whyNotKnown(known: NodeFacts | undefined, now: EpochMs): string {
  if (known === undefined) return "Lookout has not listed the nodes yet";
  if (known.kind === "denied") return `Lookout may not list the nodes (${known.detail})`;
  return believedListing(known, now) === undefined
    ? "the last listing of the nodes is too old"
    : "no node of the cluster may run the pods";
}
