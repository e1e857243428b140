import { describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { lines, lookout } from "../world.ts";

const at = "2026-11-21T16:45:53.000Z";
const ana = { ...{ name: "ana", id: "4d5e6f708192", role: "approver" }, createdBy: "the state folder", createdAt: at };
const text = `lookout_ana_${"s".repeat(43)}`;
const what = "POST /v1/tokens";

describe("lookout token create", () => {
  const typed = ["token", "create", "ana", "--role", "approver"];

  it("shows the token once, and how to use it", async () => {
    const scope = { clusters: ["prod"], namespaces: ["shop", "pay-*"] };
    const flags = ["--cluster", "prod", "--namespace", "shop", "--namespace", "pay-*", "--expires", "90d"];
    const view = { ...ana, ...scope, expiresAt: "2027-02-19T18:45:53.000Z", text };

    expect(await lookout([...typed, ...flags], { [what]: { body: view } })).toEqual({
      exitCode: 0,
      stdout: lines(
        "The token of ana: approver of the namespaces shop, pay-* of the cluster prod. Lookout shows this token only once:",
        "",
        `  ${text}`,
        "",
        "ana stores it in a file that nobody else can read, and sets:",
        "",
        "  export LOOKOUT_SERVER=https://LOOKOUT LOOKOUT_TOKEN_FILE=FILE",
        "",
        "So that the votes of ana count, the owner of lookout.yaml adds:",
        "",
        "  people:",
        "    - name: ana",
        "      token: ana",
      ),
      stderr: "",
      asked: [
        {
          what,
          authorization: "Bearer secret",
          body: { name: "ana", role: "approver", ...scope, expiresAt: "2027-02-19T18:45:53.000Z" },
        },
      ],
    });
  });

  it("says nothing of votes to a viewer", async () => {
    const { stdout } = await lookout(["token", "create", "ana", "--role", "viewer"], {
      [what]: { body: { ...ana, role: "viewer", text } },
    });
    expect(stdout).toContain("The token of ana: viewer of all clusters and namespaces.");
    expect(stdout).not.toContain("lookout.yaml");
  });

  it.each([
    {
      wrong: "an unknown role",
      flags: ["token", "create", "ana", "--role", "approvr"],
      why: ["approvr", "Expected one of: viewer, approver, operator, owner.", "Did you mean approver?"],
    },
    { wrong: "no role", flags: ["token", "create", "ana"], why: ["✗ Required option '--role <role>' not specified."] },
    {
      wrong: "a bad duration",
      flags: [...typed, "--expires", "soon"],
      why: ['✗ --expires "soon": not a duration: '],
    },
    { wrong: "no life", flags: [...typed, "--expires", "0"], why: ["✗ --expires 0 is no life: expected for example"] },
    {
      wrong: "a name that is none",
      flags: ["token", "create", "Ana", "--role", "viewer"],
      why: ['✗ "Ana" is not a name: expected at most 63 lower-case letters, digits and dashes.'],
    },
  ])("refuses $wrong before it asks the server", async ({ flags, why }) => {
    const { exitCode, stderr, asked } = await lookout(flags, {});
    expect([exitCode, asked]).toEqual([2, []]);
    for (const part of why) expect(stderr).toContain(part);
  });

  it("says what to do about a name that has a token", async () => {
    const body = problemOf("token-exists", "ana has a token already: choose another name");
    expect(await lookout(typed, { [what]: { status: 409, body } })).toMatchObject({
      exitCode: 4,
      stderr: lines(
        "✗ ana has a token already: choose another name",
        "  An owner chooses another name, or first revokes the token: lookout token revoke NAME.",
      ),
    });
  });
});

describe("lookout token list", () => {
  const tokens = [
    { ...ana, namespaces: ["shop"], expiresAt: "2026-11-23T18:45:53.000Z", lastUsedAt: at },
    { ...ana, name: "ben", role: "operator", revokedAt: at },
    { ...ana, name: "cy", role: "viewer", clusters: ["dev"], expiresAt: at },
    { ...ana, name: "eva", role: "owner" },
  ];

  it("lists roles, scopes, ends and last uses", async () => {
    const answers = { "GET /v1/tokens": { body: { at, tokens } } };
    expect((await lookout(["token", "list"], answers)).stdout).toBe(
      lines(
        "NAME   ID             ROLE       SCOPE                                ENDS              LAST USED",
        "ana    4d5e6f708192   approver   the namespace shop of all clusters   in 2 d            2 h ago",
        "ben    4d5e6f708192   operator   all clusters and namespaces          revoked 2 h ago   never",
        "cy     4d5e6f708192   viewer     the cluster dev                      expired 2 h ago   never",
        "eva    4d5e6f708192   owner      all clusters and namespaces          never             never",
      ),
    );
    expect((await lookout(["token", "list", "-o", "name"], answers)).stdout).toBe(lines("ana", "ben", "cy", "eva"));
  });

  it("says how to make the first", async () => {
    expect((await lookout(["token", "list"], { "GET /v1/tokens": { body: { at, tokens: [] } } })).stdout).toBe(
      "There are no personal tokens. To make one:  lookout token create NAME --role ROLE\n",
    );
  });
});

it("lookout token revoke ends a token", async () => {
  const answers = { "DELETE /v1/tokens/ana?by=ana": { body: { ...ana, revokedAt: at } } };
  expect(await lookout(["token", "revoke", "ana"], answers)).toMatchObject({
    exitCode: 0,
    stdout: "✓ The token of ana (4d5e6f708192) is revoked.\n",
  });
});
