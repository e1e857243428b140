import { expect, it } from "vitest";
import { plus, seconds } from "#domain/shared/time";
import type { ProbeResults } from "#ports/probe-results";
import { start } from "./records.ts";

/** What remembers synthetic pushes, whatever keeps it. */
export function probeResultsContract(makeProbeResults: () => Promise<ProbeResults>): void {
  it("a probe without an arrival has no result", async () => {
    const probeResults = await makeProbeResults();
    await probeResults.put("one", start);

    expect(await probeResults.read("other")).toBeUndefined();
  });

  it("a probe keeps its first arrival, also after a second delivery", async () => {
    const probeResults = await makeProbeResults();
    await probeResults.put("one", start);
    await probeResults.put("one", plus(start, seconds(5)));

    expect(await probeResults.read("one")).toBe(start);
  });
}
