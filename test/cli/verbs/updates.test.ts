import { describe, expect, it } from "vitest";
import type { UpdatesView } from "#contracts/api/workloads";
import { image, update, windowClosed } from "../views.ts";
import { lines, lookout } from "../world.ts";

const view: UpdatesView = {
  at: "2026-11-21T18:45:53.000Z",
  updates: [
    update("prod/shop/deployment/api", { reasons: [windowClosed] }),
    update("prod/shop/deployment/web", {
      seq: 3,
      status: "succeeded",
      wants: [image("web", "2.0.1"), image("job", undefined)],
      endedAt: "2026-11-21T18:43:53.000Z",
    }),
  ],
};

describe("lookout updates", () => {
  it("shows open updates, and the results of the last updates", async () => {
    expect((await lookout(["updates"], { "GET /v1/updates": { body: view } })).stdout).toBe(
      lines(
        "WORKLOAD                   UPDATE   WANTS                           STATE",
        "prod/shop/deployment/api   17       api 1.5.0                       ⏸ held: window opens in 2 h 14 m",
        "prod/shop/deployment/web   3        web 2.0.1, job another digest   ✓ succeeded 2 m ago",
      ),
    );
  });

  it("names updates by workload and number", async () => {
    expect((await lookout(["updates", "-o", "name"], { "GET /v1/updates": { body: view } })).stdout).toBe(
      lines("prod/shop/deployment/api/17", "prod/shop/deployment/web/3"),
    );
  });

  it("reads all pages", async () => {
    const [one, other] = view.updates;
    const answers = {
      "GET /v1/updates": { body: { ...view, updates: [one], next: "a place/1" } },
      "GET /v1/updates?after=a%20place%2F1": { body: { ...view, updates: [other] } },
    };

    expect(JSON.parse((await lookout(["updates", "-o", "json"], answers)).stdout)).toEqual({
      apiVersion: "lookout.dev/v1",
      kind: "UpdateList",
      ...view,
    });
  });

  it("reports that there is no update", async () => {
    expect((await lookout(["updates"], { "GET /v1/updates": { body: { ...view, updates: [] } } })).stdout).toBe(
      "Lookout has no update: no policy has selected a new image.\n",
    );
  });
});
