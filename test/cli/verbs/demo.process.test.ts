import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FactView } from "#contracts/api/process";
import { openScratch, type Ran, type Scratch } from "../../docs/shell.ts";

const patience = 60_000;

/** Returns the facts about a cluster's workload up to one of them: their names, tags and reasons. */
function storyIn(cluster: string, { stdout }: Ran, last: string): readonly string[] {
  const facts = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as FactView);
  const story = facts
    .filter(({ workload }) => workload.cluster === cluster)
    .map(({ name, changes, reasons }) =>
      [name, ...changes.map(({ tag }) => tag), ...reasons.map(({ reason }) => reason)].join(" "),
    );
  return story.slice(0, story.indexOf(last) + 1);
}

describe("the tour of tiers", () => {
  let scratch: Scratch;
  let [json, text]: Ran[] = [];

  beforeAll(async () => {
    scratch = openScratch({});
    [json, text] = await Promise.all([
      scratch.run("npx lookout demo --tour tiers --output json"),
      scratch.run("npx lookout demo --tour tiers", { LOOKOUT_SERVER: "https://another.example.com" }),
    ]);
  }, patience);
  afterAll(() => scratch.close(), patience);

  it("updates dev, then prod after the soak, and keeps a broken image from prod", () => {
    expect([json!.code, json!.stderr]).toEqual([0, ""]);
    expect(storyIn("dev", json!, "RolledBack 1.4.0 rollout-failed")).toEqual([
      "WorkloadTracked",
      "WorkloadChanged",
      "UpdateReleased 1.3.0",
      "RolloutPrepared 1.3.0",
      "RolloutStarted 1.3.0",
      "WorkloadRunning 1.3.0",
      "RolloutSucceeded 1.3.0",
      "TierCompleted 1.3.0",
      "UpdateReleased 1.4.0",
      "RolloutPrepared 1.4.0",
      "RolloutStarted 1.4.0",
      "RolloutFailed 1.4.0 rollout-failed",
      "RollbackStarted 1.4.0",
      "TierHalted 1.4.0 rollout-failed",
      "RolledBack 1.4.0 rollout-failed",
    ]);
    expect(storyIn("prod", json!, "UpdateHeld 1.4.0 tier-halted")).toEqual([
      "WorkloadTracked",
      "WorkloadChanged",
      "UpdateHeld 1.3.0 tier-pending",
      "UpdateHeld 1.3.0 tier-soaking",
      "UpdateReleased 1.3.0",
      "RolloutPrepared 1.3.0",
      "RolloutStarted 1.3.0",
      "WorkloadRunning 1.3.0",
      "RolloutSucceeded 1.3.0",
      "WorkloadChanged",
      "UpdateHeld 1.4.0 tier-pending",
      "UpdateHeld 1.4.0 tier-halted",
    ]);
  });

  it("answers the command that shows each step, whatever server the environment names", () => {
    const [, ...answers] = text!.stdout.split(/^\$ lookout /m);

    expect([text!.code, text!.stderr]).toEqual([0, ""]);
    expect(answers.map((answer) => answer.split("\n")[0])).toEqual([
      "tiers shop/api",
      "status",
      "status",
      "explain prod/shop/api",
    ]);
    expect(answers[0]).toMatch(/^dev +1 +1 +the soak of 3s, in \d+ s$/m);
    expect(answers.at(-1)).toContain("⏸ tier     prod of group shop/api. An earlier tier halted this image");
  });
});
