import { it } from "vitest";
import { killEverywhere } from "./points.ts";
import { scenarios } from "./scenarios.ts";
import { mutants } from "./mutants.ts";
for (const m of mutants)
  it(
    m.what,
    async () => {
      const r: string[] = [];
      for (const s of scenarios) {
        if (s.worth) continue;
        const o = await killEverywhere(s, m.tamper);
        const bad = o.filter((x) => x.lost.length + x.doubled.length + x.broken.length > 0);
        r.push(`${bad.length}/${o.length}`);
        if (bad[0] && r.length < 4) console.log(m.what, s.what, bad[0]);
      }
      console.log(m.what, r.join(" "));
    },
    100000,
  );
