import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { seconds } from "#domain/shared/time";
import { host, type World, world } from "../world.ts";

const name = `${host}/shop/web`;
const before = { pr: "12", sha1: "ab34", tag: "pr-12-ab34-7", name };
const after = { pr: "13", sha1: "cd56", tag: "pr-13-cd56-8", name };

let lookout: World;
beforeEach(async () => {
  lookout = world();
  await lookout.push("shop/web", before.tag, { quietly: true });
});

async function track(pattern: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const annotations = {
    "lookout.dev/policy": "numerical",
    "lookout.dev/tag-pattern": pattern,
    "lookout.dev/filter-extract": "$build",
    ...more,
  };
  const key = lookout.deploy({ name: "web", image: `${name}:${before.tag}`, annotations });
  await lookout.pass(seconds(2));
  await lookout.sync();
  return key;
}

const explained = async (key: string) => (await explain(key, lookout.ports, new AbortController().signal))!;

describe("the named groups of a pattern", () => {
  const pattern = "^pr-(?P<pr>[0-9]+)-(?P<sha1>[0-9a-f]+)-(?P<build>[0-9]+)$";

  it("are attributes of the running image, the desired image and each fact", async () => {
    const key = await track(pattern, { "lookout.dev/suspend": "true" });
    await lookout.push("shop/web", after.tag);
    await lookout.pass(seconds(5));
    const { workload, notices } = await explained(key);

    expect(workload).toMatchObject({
      runs: [{ attributes: { ...before, build: "7" } }],
      wants: [{ attributes: { ...after, build: "8" } }],
    });
    expect(notices).toEqual([]);
    expect(lookout.facts.find((fact) => fact.name === "UpdateHeld")?.changes).toMatchObject([
      { tag: after.tag, attributes: { ...after, build: "8" } },
    ]);
  });

  it("with a reserved name give no attribute, and a notice says so", async () => {
    const key = await track("^pr-(?P<tag>[0-9]+)-(?P<name>[0-9a-f]+)-(?P<build>[0-9]+)$");
    const { workload, notices } = await explained(key);

    expect(workload.runs[0]?.attributes).toEqual({ build: "7", tag: before.tag, name });
    expect(notices).toEqual([
      "The pattern of container app names a group tag, which is reserved: this attribute is the whole tag. Rename the group.",
      "The pattern of container app names a group name, which is reserved: this attribute is the repository. Rename the group.",
    ]);
  });

  it("are absent where the pattern names none", async () => {
    const key = await track("^pr-[0-9]+-[0-9a-f]+-([0-9]+)$", { "lookout.dev/filter-extract": "$1" });

    expect((await explained(key)).workload.runs[0]).not.toHaveProperty("attributes");
  });
});
