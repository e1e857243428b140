import { expect, it } from "vitest";
import { plus, seconds } from "#domain/shared/time";
import type { Echoes } from "#ports/echoes";
import { start } from "./records.ts";

/** What remembers synthetic pushes, whatever keeps it. */
export function echoesContract(makeEchoes: () => Promise<Echoes>): void {
  it("knows nothing of a push that did not arrive", async () => {
    const echoes = await makeEchoes();
    await echoes.put("one", start);

    expect(await echoes.read("other")).toBeUndefined();
  });

  it("remembers when a push arrived first, also when it is delivered twice", async () => {
    const echoes = await makeEchoes();
    await echoes.put("one", start);
    await echoes.put("one", plus(start, seconds(5)));

    expect(await echoes.read("one")).toBe(start);
  });
}
