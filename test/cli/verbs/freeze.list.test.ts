import { describe, expect, it } from "vitest";
import type { FreezesView } from "#contracts/api/freezes";
import type { ExplanationView } from "#contracts/api/workloads";
import { gates } from "#domain/gates/index";
import { frozen, frozenView, reason, workload } from "../views.ts";
import { type Answers, lines, lookout } from "../world.ts";

const path = "/v1/freezes";
const api = "prod/shop/deployment/api";
const { shop, fleet } = frozen;

describe("lookout freezes", () => {
  const listing = (view: FreezesView): Answers => ({ [`GET ${path}`]: { body: view } });

  it("lists scopes, authors, starts, ends and reasons", async () => {
    const answers = listing(frozenView([fleet, shop]));

    expect((await lookout(["freezes"], answers)).stdout).toBe(
      lines(
        "SCOPE       BY    SINCE     UNTIL                          WHY",
        "*           bo    2 h ago   Sun 08:00 CET (in 12 h 14 m)   audit",
        "prod/shop   ana   0 s ago   –                              flash sale",
      ),
    );
    expect((await lookout(["freezes", "-o", "name"], answers)).stdout).toBe(lines("*", "prod/shop"));
  });

  it("names patches that began earlier and may still land", async () => {
    const { stdout } = await lookout(["freezes"], listing(frozenView([shop], api)));

    expect(stdout).toBe(
      lines(
        "SCOPE       BY    SINCE     UNTIL   WHY",
        "prod/shop   ana   0 s ago   –       flash sale",
        "",
        "Patches from before the freeze may still land on:",
        `  ${api}`,
      ),
    );
  });

  it("lists planned freezes by name, with their next starts", async () => {
    const why = "Monthly closing";
    const holding = { scope: "prod", by: "closing of lookout.yaml", planned: "closing", why };
    const planned = [
      { name: "year-end", scope: "*", why, from: "2026-12-19T23:00:00.000Z", until: "2027-01-01T23:00:00.000Z" },
      { name: "over", scope: "*", why },
    ];
    const { stdout } = await lookout(["freezes"], listing({ ...frozenView([holding]), planned }));

    expect(stdout).toBe(
      lines(
        "SCOPE   BY                        SINCE   UNTIL   WHY",
        "prod    closing of lookout.yaml   –       –       Monthly closing",
        "",
        "Planned in lookout.yaml:",
        "NAME       SCOPE   FROM                                 UNTIL                  WHY",
        "year-end   *       2026-12-20 00:00 CET (in 28 d 4 h)   2027-01-02 00:00 CET   Monthly closing",
        "over       *       past                                 –                      Monthly closing",
      ),
    );
  });

  it("reports that no freeze is active", async () => {
    expect((await lookout(["freezes"], listing(frozenView([])))).stdout).toBe("Nothing is frozen.\n");
  });

  it("prints no control character", async () => {
    const { stdout } = await lookout(["freezes"], listing(frozenView([{ ...shop, why: "a\u001b[2Jb" }])));

    expect(stdout.split("\n")[1]).toBe("prod/shop   ana   0 s ago   –       a\ufffd[2Jb");
  });
});

describe("lookout explain", () => {
  it("shows a freeze with its author, reason and end, and the command that ends it", async () => {
    const why = reason("frozen", { detail: "prod/shop: flash sale, by ana", until: "2026-11-21T21:00:00.000Z" });
    const view: ExplanationView = {
      at: "2026-11-21T18:45:53.000Z",
      workload: workload(api, { state: "held", reasons: [why] }),
      selections: [],
      gates: gates.map((gate) => (gate === "freeze" ? { gate, open: false, why } : { gate, open: true })),
      notices: [],
    };

    const { stdout } = await lookout(["explain", api], { [`GET /v1/workloads/${api}/explanation`]: { body: view } });

    expect(stdout.split("\n").slice(2)).toEqual([
      "  ⏸ freeze   A freeze covers this workload. prod/shop: flash sale, by ana. Ends in 2 h 14 m, 22:00 CET.",
      `  ✓ open     ${gates
        .filter((gate) => gate !== "freeze")
        .map((gate) => gate.replaceAll("-", " "))
        .join(", ")}`,
      "",
      "To do:",
      "  End the freeze: lookout unfreeze prod/shop.",
      "",
      `Next check at 22:00:00 CET. History: lookout history ${api}`,
      "",
    ]);
  });
});
