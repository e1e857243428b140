import { describe, expect, it } from "vitest";
import { page } from "./markdown.ts";

/* The faults of other projects, each as the beginning of its row in docs/differences.md. */
const operator = [
  "more than 100 tags",
  "the circuit breaker",
  "a breaker that has closed again",
  "an invalid `lookout.dev/interval`",
  "a moved tag under `tag+digest`",
  "`v1.2.3`, `1.2.3` and `1.2` in one repository",
  "an older image gets a tag again",
  "one registry per workload",
  "ECR in the account of its role",
  "one registry per workload",
  "an invalid value",
  "a registry's client is made once",
  "merge patch that replaces the whole list",
  "its own writes",
  "strategy `digest`",
  "the state of a breaker",
  "cached answers of a registry",
  "settings of a container with a name of more than 40",
  "no test of a policy",
  "`lookout.dev/previous-image` holds one step",
];

const imageUpdater = [
  "private registries",
  "a new workload",
  "`nginx`, ports",
  "init containers, with the option",
  "a digest is compared",
  "an index of several platforms",
  "one image can't be looked up",
  "a challenge of a registry",
  "removing a workload while the updater is down",
  "`last-digest`",
  "a container is no longer ignored",
  "after the restart",
  "trying its annotations",
  "the tag is gone from the registry",
  '`track-containers: " , "`',
];

const imagePolicy = [
  "its status",
  "`pollIntervalMinutes`",
  "no tag fits, or the target is missing",
  "the registry answers with an error",
  "compares tags",
  "`Latest`",
  "no container matches",
  "the updated container",
  "private registries, ports, more tags than a page",
  "`Regex`",
  "`SemVer`",
  "a target in another namespace",
  "a base image",
];

const rows = page("docs/differences.md")
  .text.split("\n")
  .flatMap((line) => /^- (.+)/.exec(line)?.[1] ?? []);

describe("docs/differences.md has a row for", () => {
  it.each([
    { of: "the Lookout Operator's faults", faults: operator, number: 20 },
    { of: "the Kubernetes Image Updater's faults", faults: imageUpdater, number: 15 },
    { of: "the faults of technomad's ImagePolicy", faults: imagePolicy, number: 13 },
  ])("each of $of", ({ faults, number }) => {
    expect(faults).toHaveLength(number);
    expect(faults.filter((fault) => !rows.some((row) => row.startsWith(fault)))).toEqual([]);
  });
});
