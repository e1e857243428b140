import { describe, expect, it } from "vitest";
import { type HostileCase, oneByOne, sideBySide } from "./cases.ts";
import { play } from "./stage.ts";

/** How many commands of the tenant may begin before those of the other namespace. */
const mostBefore = 100;
/**
 * The processor time of this thread that may pass until the other namespace's patch, the simulated
 * cluster's work included.
 */
const mostCpuMs = 2_000;

async function harmless({ explains, ...tried }: HostileCase): Promise<void> {
  const { explained, before, cpuMs, ...verdict } = await play(tried);

  expect(verdict).toEqual({ read: [], patched: [], learned: [], control: [], reached: true });
  expect({ before, cpuMs, isSoon: before <= mostBefore && cpuMs <= mostCpuMs }).toMatchObject({ isSoon: true });
  expect(explained).toContain(explains);
}

describe("a hostile tenant of one namespace reads, patches, learns and delays nothing of another", () => {
  it("has more than 40 cases", () => {
    expect(sideBySide.length + oneByOne.length).toBeGreaterThan(40);
  });

  it.concurrent.each(sideBySide)("writes $name ($writes)", (one) => harmless(one));

  it.each(oneByOne)("writes $name ($writes)", (one) => harmless(one));
});
