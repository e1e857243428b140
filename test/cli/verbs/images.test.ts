import { describe, expect, it } from "vitest";
import type { DigestView, ImagesView } from "#contracts/api/history";
import { problemOf } from "#contracts/problem";
import { digests } from "../views.ts";
import { lines, lookout } from "../world.ts";

const at = "2026-11-21T18:45:53.000Z";
const api = "prod/shop/deployment/api";
const run = { workload: api, container: "api", imageName: "registry.test/api", tag: "1.5.0", digest: digests.new };
const images: ImagesView = {
  at,
  images: [
    { ...run, since: "2026-11-21T18:05:53.000Z", update: 17, approvedBy: ["ana"] },
    {
      workload: "prod/shop/deployment/web",
      container: "web",
      imageName: "registry.test/web",
      since: "2026-11-19T18:45:53.000Z",
    },
  ],
};

describe("lookout images", () => {
  it("lists which version runs where, and since when", async () => {
    const answers = { "GET /v1/images?limit=1000": { body: images } };

    expect((await lookout(["images"], answers)).stdout).toBe(
      lines(
        "IMAGE               VERSION                WORKLOAD AND CONTAINER         SINCE",
        "registry.test/api   1.5.0 @ 4d5e6f708192   prod/shop/deployment/api api   40 m ago, update 17, approved by ana",
        "registry.test/web   no tag (no digest)     prod/shop/deployment/web web   2 d ago",
      ),
    );
  });

  it("says what to do if no image fits", async () => {
    const answers = { "GET /v1/images?q=apy&limit=1000": { body: { at, images: [] } } };

    expect((await lookout(["images", "apy"], answers)).stdout).toBe(
      'No tracked workload runs an image with "apy" in its name or tag. To see all images: lookout images\n',
    );
  });
});

describe("lookout digest", () => {
  const view: DigestView = {
    at,
    digest: digests.new,
    images: ["registry.test/api:1.5.0"],
    runs: [{ ...run, since: "2026-11-21T18:05:53.000Z", update: 17, approvedBy: ["ana"] }],
    ran: [
      {
        ...run,
        workload: "dev/shop/deployment/api",
        since: "2026-11-20T18:00:00.000Z",
        until: "2026-11-20T19:00:00.000Z",
      },
    ],
    path: [
      { at: "2026-11-20T17:59:00.000Z", what: "pushed", image: "registry.test/api:1.5.0" },
      { what: "approved", workload: api, update: 17, by: "ana" },
    ],
  };

  it("tells who runs it, who ran it, and its path", async () => {
    const answers = { "GET /v1/digests/4d5e6f708192": { body: view } };

    expect((await lookout(["digest", "4d5e6f708192"], answers)).stdout).toBe(
      lines(
        digests.new,
        "registry.test/api:1.5.0",
        "",
        "RUNS NOW",
        "WORKLOAD                   CONTAINER   FROM                  UNTIL   UPDATE   APPROVED BY",
        "prod/shop/deployment/api   api         2026-11-21 19:05:53   –       17       ana",
        "",
        "OTHER RUNS",
        "WORKLOAD                  CONTAINER   FROM                  UNTIL                 UPDATE   APPROVED BY",
        "dev/shop/deployment/api   api         2026-11-20 19:00:00   2026-11-20 20:00:00   –        –",
        "",
        "PATH",
        "WHEN                  WHAT       UPDATE                        DETAIL",
        "2026-11-20 18:59:00   pushed     –                             registry.test/api:1.5.0",
        "–                     approved   prod/shop/deployment/api#17   by ana",
      ),
    );
  });

  it("tells who ran it at a time, with exit code 1 if nobody did", async () => {
    const then = { ...view, at: "2026-11-19T09:00:00.000Z", runs: [], ran: [], path: [] };
    const answers = { "GET /v1/digests/4d5e6f708192?at=2026-11-19T09%3A00%3A00.000Z": { body: then } };

    expect(await lookout(["digest", "4d5e6f708192", "--at", "2026-11-19T09:00:00Z"], answers)).toMatchObject({
      exitCode: 1,
      stdout: lines(
        digests.new,
        "registry.test/api:1.5.0",
        "",
        "RAN at Thu 10:00 CET",
        "No workload ran it at Thu 10:00 CET.",
      ),
    });
  });

  it("says what a digest is", async () => {
    const detail = '"1.5.0" is no digest: give sha256:… or its first 12 or more digits';
    const answers = { "GET /v1/digests/1.5.0": { status: 400, body: problemOf("bad-request", detail) } };

    expect(await lookout(["digest", "1.5.0"], answers)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(detail) as unknown,
    });
  });
});
