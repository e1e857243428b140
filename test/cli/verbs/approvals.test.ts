import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ApprovalView, MayVoteView } from "#contracts/api/approvals";
import type { ProblemView } from "#contracts/api/schema";
import { problemOf } from "#contracts/problem";
import { tokenHash } from "#domain/approval/people";
import { digests } from "../views.ts";
import { lines, lookout } from "../world.ts";

const api = "prod/shop/deployment/api";
const approval: ApprovalView = {
  workload: api,
  uid: "uid-1",
  version: 7,
  update: 17,
  images: [
    {
      container: "api",
      from: "registry.example.com/shop/api:1.4.2",
      imageName: "registry.example.com/shop/api",
      tag: "1.5.0",
      digest: digests.new,
    },
  ],
  bindingHash: "a".repeat(64),
  requestedAt: "2026-11-21T08:45:53.000Z",
  until: "2026-11-22T08:45:53.000Z",
  isExpired: false,
  approvedBy: ["ben"],
  voidVotes: [],
  missing: [{ more: 1, people: ["ana", "eva"] }],
  deciders: ["ana", "ben", "eva"],
  waitsForMe: true,
  reasons: [],
  labels: { app: "api" },
};
const web: ApprovalView = {
  ...approval,
  ...{ workload: "prod/shop/deployment/web", update: 3, approvedBy: [], voidVotes: ["eva"], labels: { app: "web" } },
  missing: [{ more: 2, people: ["ana", "ben"] }],
};
const list = (...approvals: readonly ApprovalView[]) => ({
  body: { at: "2026-11-21T18:45:53.000Z", me: "ana", approvals },
});
const approved = {
  workload: api,
  update: 17,
  person: "ana",
  decision: "approve",
  at: approval.requestedAt,
  isRepeated: false,
};
const asks = (what: string) => `GET /v1/workloads/${api}/approval?decision=${what}`;
const yes = ({ workload, uid, version, update, images, bindingHash, deciders }: ApprovalView) => {
  const body: MayVoteView = { workload, uid, version, update, deciders, mayVote: true, images, bindingHash };
  return { body };
};
const no = (why: ProblemView) => {
  const { workload, uid, version, update, deciders } = approval;
  const body: MayVoteView = { workload, uid, version, update, deciders, mayVote: false, why };
  return { body };
};
const answers = {
  "GET /v1/approvals": list(approval, web),
  [asks("approve")]: yes(approval),
  [asks("reject")]: yes(approval),
  [`POST /v1/workloads/${api}/approval`]: { body: approved },
  [`POST /v1/workloads/${api}/rejection`]: { body: { ...approved, decision: "reject" } },
  "POST /v1/workloads/prod/shop/deployment/web/approval": { body: { ...approved, workload: web.workload, update: 3 } },
};
const image = `  api: 1.5.0 @ ${digests.new}`;

describe("lookout approvals", () => {
  it("lists waiting updates, with the votes so far and the missing people", async () => {
    expect((await lookout(["approvals"], answers)).stdout).toBe(
      lines(
        "You are ana.",
        "WORKLOAD                   UPDATE   IMAGES                 VOTES               EXPIRES                   WAITS FOR",
        "prod/shop/deployment/api   17       1.5.0 @ 4d5e6f708192   1 of 2: ben         Sun 09:45 CET (in 14 h)   you",
        "prod/shop/deployment/web   3        1.5.0 @ 4d5e6f708192   0 of 2; void: eva   Sun 09:45 CET (in 14 h)   you",
      ),
    );
    expect((await lookout(["approvals", "-o", "name"], answers)).stdout).toBe(lines(api, web.workload));
  });

  it("names each group of approvers with missing votes", async () => {
    const missing = [
      { more: 1, people: ["ana"] },
      { more: 1, people: ["ben", "eva"] },
    ];
    const { stdout } = await lookout(["approvals"], { "GET /v1/approvals": list({ ...web, missing, voidVotes: [] }) });

    expect(stdout).toContain("   0; needs 1 of ana and 1 of ben, eva   ");
  });

  it("requests approval again as the current user", async () => {
    const what = `POST /v1/workloads/${api}/approval-request`;
    const { stdout, asked } = await lookout(["approvals", "ask", api], {
      [what]: { body: { workload: api, unblocked: 1, expired: false } },
    });

    expect(stdout).toBe(
      lines(`✓ ${api}: approval is requested again. Lookout evaluates the policy and proposes a new update.`),
    );
    expect(asked).toEqual([{ what, authorization: "Bearer secret", body: { by: "ana" } }]);
  });

  it("makes a token, with the hash that lookout.yaml needs", async () => {
    const { stdout, asked } = await lookout(["approvals", "token", "ana", "-o", "json"], {});
    const { token, tokenHash: hash } = JSON.parse(stdout) as { token: string; tokenHash: string };

    expect(hash).toBe(tokenHash(token));
    expect(asked).toEqual([]);
    expect(await lookout(["approvals", "token", "Ana B"], {})).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("lookout approve", () => {
  it("approves the waiting update, and shows the whole digest", async () => {
    const { stdout, asked } = await lookout(["approve", api, "--why", "tested"], answers);

    expect(stdout).toBe(lines(`✓ ana approved update 17 of ${api}.`, image));
    expect(asked.at(-1)).toMatchObject({
      what: `POST /v1/workloads/${api}/approval`,
      body: { update: 17, bindingHash: approval.bindingHash, why: "tested" },
    });
  });

  it("refuses another digest than the waiting digest, and shows the waiting update", async () => {
    expect(await lookout(["approve", api, "--digest", "9b2c41d0e7aa"], answers)).toMatchObject({
      exitCode: 4,
      stderr: lines(
        "✗ The update of prod/shop/deployment/api does not have the digest 9b2c41d0e7aa.",
        `  Waiting update: update 17, api: 1.5.0 @ ${digests.new}`,
        "  Deciders: ana, ben, eva",
        "  To see all waiting updates:  lookout approvals",
      ),
    });
  });

  it.each([
    { update: 16, code: "update-superseded", detail: "update 16 was superseded by update 17" },
    { update: 15, code: "update-decided", detail: "update 15 has ended: rejected" },
    { update: 99, code: "update-unknown", detail: "there is no update 99" },
  ] as const)("of update $update is refused without a vote: $detail", async ({ update, code, detail }) => {
    const now = { pending: { update: 17, images: approval.images }, deciders: approval.deciders };
    const what = asks(`approve&update=${update}`);
    const { exitCode, stderr, asked } = await lookout(["approve", api, "--update", String(update)], {
      ...answers,
      [what]: no(problemOf(code, detail, now)),
    });

    expect(asked.map((one) => one.what)).toEqual([what]);
    expect({ exitCode, lines: stderr.split("\n").slice(0, 3) }).toEqual({
      exitCode: 4,
      lines: [`✗ ${detail}`, `  Waiting update: update 17, api: 1.5.0 @ ${digests.new}`, "  Deciders: ana, ben, eva"],
    });
  });

  it("of a workload without a waiting update is refused for its newest update", async () => {
    const body = problemOf("update-decided", "update 16 has ended: rejected", { deciders: ["ana"] });

    expect(await lookout(["approve", api], { [asks("approve")]: no(body) })).toMatchObject({
      exitCode: 4,
      stderr: lines("✗ update 16 has ended: rejected", "  Waiting update: none", "  Deciders: ana"),
    });
  });

  it("of a workload that is not tracked ends with 2", async () => {
    const body = problemOf("not-found", `${api} is not tracked`);

    expect(await lookout(["approve", api], { [asks("approve")]: { status: 404, body } })).toMatchObject({
      exitCode: 2,
      stderr: lines(`✗ ${api} is not tracked`, "  To see all tracked workloads:  lookout status"),
    });
  });

  it("refuses --digest without all images, or with few digits", async () => {
    const [first] = approval.images;
    const side = { ...first!, container: "side", digest: digests.old };
    const both = { ...answers, [asks("approve")]: yes({ ...approval, images: [first!, side] }) };

    expect(await lookout(["approve", api, "--digest", "4d5e6f708192"], both)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(
        `✗ --digest names no digest of container side of ${api}. Repeat it for each image.`,
      ) as string,
    });
    const named = ["--digest", "4d5e6f708192", "--digest", digests.old];
    expect((await lookout(["approve", api, ...named], both)).exitCode).toBe(0);
    expect((await lookout(["approve", api, "--digest", "4d5e6f70819"], both)).exitCode).toBe(2);
  });

  it("votes again, with the same key, if only the version of the record has changed", async () => {
    const sent: unknown[] = [];
    const { exitCode, stdout } = await lookout(["approve", api], answers, {
      fetch: async (url, { method, headers }) => {
        const [of, given] = [url.replace("http://127.0.0.1:4040", ""), new Headers(headers)];
        if (method === "POST") sent.push([given.get("if-match"), given.get("idempotency-key")]);
        if (of === `/v1/workloads/${api}/approval` && sent.length === 1)
          return Response.json(problemOf("changed-meanwhile", `${api} has changed`), { status: 409 });
        if (method === "POST") return Response.json(approved);
        return Response.json(yes({ ...approval, version: 7 + sent.length }).body);
      },
    });

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: lines(`✓ ana approved update 17 of ${api}.`, image) });
    const [, key] = sent[0] as readonly string[];
    expect(sent).toEqual([
      ["uid-1/7", key],
      ["uid-1/8", key],
    ]);
  });

  it.each([
    { because: "its images have changed", again: { version: 8, bindingHash: "b".repeat(64) } },
    { because: "nothing has changed", again: {} },
  ])("does not vote again if $because", async ({ again }) => {
    const refused = { status: 409, body: problemOf("changed-meanwhile", `${api} has changed`) };
    const { exitCode, asked } = await lookout(["approve", api], {
      ...answers,
      [`POST /v1/workloads/${api}/approval`]: refused,
      [asks("approve&update=17")]: yes({ ...approval, ...again }),
    });

    expect(exitCode).toBe(4);
    expect(asked.filter(({ what }) => what.startsWith("POST")).length).toBe(1);
  });

  it("ends with 4 when the server refuses", async () => {
    const detail = "ben may not decide about prod/shop/deployment/api";
    const { images } = approval;
    const body = problemOf("no-right", detail, { pending: { update: 17, images }, deciders: ["ana"] });

    expect(await lookout(["approve", api], { [asks("approve")]: no(body) })).toMatchObject({
      exitCode: 4,
      stderr: lines(
        `✗ ${detail}`,
        `  Waiting update: update 17, api: 1.5.0 @ ${digests.new}`,
        "  Deciders: ana",
        "  The owner of lookout.yaml can give this right, in people and approvers.",
      ),
    });
  });

  it("names the workload in the command that a refusal proposes", async () => {
    const body = problemOf("approval-expired", "the time for approval is over", { deciders: ["ana"] });

    expect(await lookout(["approve", api], { [asks("approve")]: no(body) })).toMatchObject({
      exitCode: 4,
      stderr: lines(
        ...["✗ the time for approval is over", "  Waiting update: none", "  Deciders: ana"],
        `  Ask for approval again: lookout approvals ask ${api}.`,
      ),
    });
  });

  it("approves all updates that wait for the caller and have the labels, after a question", async () => {
    const typed = ["approve", "--all", "-l", "app=web"];
    const say = (text: string) => ({
      async *stdin() {
        yield text;
      },
    });

    expect(await lookout(typed, answers, say("y\n"))).toMatchObject({
      exitCode: 0,
      stdout: lines("✓ ana approved update 3 of prod/shop/deployment/web.", image),
      stderr: expect.stringContaining("Approve this update? [y/N] ") as string,
    });
    expect(await lookout(typed, answers, say("\n"))).toMatchObject({ exitCode: 1, stdout: "" });
    expect((await lookout([...typed, "--yes"], answers)).exitCode).toBe(0);
    expect((await lookout(["approve", "--all", "-l", "app=none", "--yes"], answers)).stdout).toBe(
      "No update waits for you.\n",
    );
  });
});

describe("lookout approve --all", () => {
  it("shows the result of each vote, also if a vote is refused", async () => {
    const body = problemOf("update-decided", "update 17 has all its approvals");

    expect(
      await lookout(["approve", "--all", "--yes"], {
        ...answers,
        [`POST /v1/workloads/${api}/approval`]: { status: 409, body },
        [asks("approve&update=17")]: no(body),
      }),
    ).toMatchObject({
      exitCode: 4,
      stdout: lines(
        `✗ ${api}: update 17 has all its approvals`,
        "✓ ana approved update 3 of prod/shop/deployment/web.",
        image,
      ),
    });
  });
});

describe("lookout reject", () => {
  it("needs a reason, and sends it", async () => {
    expect(await lookout(["reject", api], answers)).toMatchObject({ exitCode: 2 });
    const { stdout, asked } = await lookout(["reject", api, "--why", "breaks the invoices"], answers);

    expect(stdout).toBe(lines(`✓ ana rejected update 17 of ${api}.`, image));
    expect(asked.at(-1)?.body).toMatchObject({ update: 17, why: "breaks the invoices" });
  });
});

describe("the personal token", () => {
  const folder = mkdtempSync(join(tmpdir(), "lookout-person-"));
  writeFileSync(join(folder, "token"), "lookout-person-abc\n");
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const headersWith = async (environment: Record<string, string>) => {
    const sent: (string | null)[] = [];
    await lookout(
      ["approvals"],
      {},
      {
        environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", ...environment },
        cwd: folder,
        fetch: async (_, { headers }) => {
          sent.push(new Headers(headers).get("x-lookout-person"));
          return Response.json(list(approval).body);
        },
      },
    );
    return sent;
  };

  it("comes from the file that LOOKOUT_TOKEN_FILE names", async () => {
    expect(await headersWith({ LOOKOUT_TOKEN_FILE: "token" })).toEqual(["lookout-person-abc"]);
    expect(await headersWith({})).toEqual([null]);
    expect(await headersWith({ LOOKOUT_TOKEN_FILE: "missing" })).toEqual([]);
  });
});
