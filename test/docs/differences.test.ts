import { describe, expect, it } from "vitest";
import { page } from "./markdown.ts";

/*
 * The faults that were found in the projects that Lookout learned from, by the numbers under which they were written down, and the
 * beginning of the row that tells what Lookout does there.
 */
const operator = [
  "more than 100 tags",
  "a breaker is asked before each scan",
  "a breaker that has closed again",
  "`lookout.dev/interval` that can't be read",
  "a moved tag under `tag+digest`",
  "`v1.2.3`, `1.2.3` and `1.2` at once",
  "an older image gets a tag again",
  "one registry per workload",
  "ECR in the account of its role",
  "one registry per workload",
  "a value that can't be read",
  "a registry's client is made once",
  "merge patch that replaces the whole list",
  "its own writes",
  "strategy `digest`",
  "the state of a breaker is written",
  "what is remembered of a registry",
  "settings of a container with a name of more than 40",
  "no test of a policy",
  "`lookout.dev/previous-image` holds one step",
];

const imageUpdater = [
  "private registries",
  "first sight of a workload",
  "`nginx`, ports",
  "init containers, with the option",
  "what a digest is compared with",
  "an index of several platforms",
  "one image can't be looked up",
  "a challenge of a registry",
  "removing a workload while it is down",
  "`last-digest`",
  "a container is no longer ignored",
  "after the restart",
  "its annotations without a cluster",
  "the tag is gone from the registry",
  '`track-containers: " , "`',
];

const imagePolicy = [
  "its status",
  "`pollIntervalMinutes`",
  "no tag fits, or the target is missing",
  "the registry answers with an error",
  "what it compares with",
  "`Latest`",
  "no container matches",
  "which container",
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
