import { beforeEach, describe, expect, it } from "vitest";
import { accessOfToken } from "#domain/access/access";
import { type AccessToken, marksOfToken } from "#domain/access/token";
import { type Person, tokenHash } from "#domain/approval/people";
import { epochMs, seconds } from "#domain/shared/time";
import { type Approving, bothOfShop, path, rulesOf, startApproving } from "./approving.ts";

const textOf = (name: string): string => `lookout_${name}_secret`;
const accessOf = (name: string, given: Partial<AccessToken> = {}) =>
  accessOfToken({
    ...{ name, ...marksOfToken(textOf(name)), role: "approver", createdBy: "eva", createdAt: epochMs(0) },
    ...given,
  });

const people: readonly Person[] = [
  { name: "ana", iam: [], token: "ana-laptop" },
  { name: "ben", iam: [], tokenHash: tokenHash(textOf("ben-laptop")) },
  { name: "eva", iam: [], token: "eva" },
];

let approving: Approving;
beforeEach(async () => {
  approving = await startApproving({ ...rulesOf(bothOfShop), people });
  await approving.lookout.push("shop/api", "1.1.0");
  await approving.lookout.pass(seconds(5));
});

async function vote(name: string, given: Partial<AccessToken> = {}, more: Readonly<Record<string, string>> = {}) {
  const { uid, version, update, bindingHash } = await approving.pending();
  const headers = { "if-match": `${uid}/${version}`, ...more };
  return approving.ask(`${path}/approval`, { access: accessOf(name, given), body: { update, bindingHash }, headers });
}

describe("a vote with a personal token", () => {
  it("is the vote of the person who has the token in lookout.yaml, by its name or its hash", async () => {
    expect(await vote("ana-laptop")).toMatchObject({ status: 200, body: { person: "ana", isRepeated: false } });
    expect(await vote("ben-laptop")).toMatchObject({ status: 200, body: { person: "ben", isRepeated: false } });

    const votes = await approving.lookout.ports.store.votes(approving.key, 1);
    expect(votes.map(({ person, proof }) => [person, proof])).toEqual(
      ["ana", "ben"].map((name) => {
        const { id } = marksOfToken(textOf(`${name}-laptop`));
        return [name, { kind: "token", name: `${name}-laptop`, id }];
      }),
    );
    await approving.lookout.pass(seconds(5));
    expect(await approving.waits()).toEqual([]);
  });

  it("counts once, and only for who may decide", async () => {
    expect(await vote("ana-laptop")).toMatchObject({ status: 200 });
    expect(await vote("ana-laptop")).toMatchObject({ status: 200, body: { isRepeated: true } });
    expect(await vote("eva")).toMatchObject({ status: 403, body: { code: "no-right" } });
    expect(await approving.votes()).toEqual([["ana", "token"]]);
  });

  it("does not count for a token that lookout.yaml does not name, even with the name of a person", async () => {
    for (const name of ["ana", "ben"])
      expect(await vote(name)).toMatchObject({
        status: 403,
        body: {
          code: "no-right",
          detail: `the token of ${name} is in no entry of people in lookout.yaml: add the entry { name: ${name}, token: ${name} }`,
        },
      });
    expect(await approving.votes()).toEqual([]);
  });

  it("is not another person's by a header", async () => {
    const own = await startApproving({ ...rulesOf(bothOfShop), people: [...people, ...rulesOf().people.slice(1, 2)] });
    await own.lookout.push("shop/api", "1.1.0");
    await own.lookout.pass(seconds(5));
    approving = own;
    expect(await vote("zoe", {}, { "x-lookout-person": "token of ben" })).toMatchObject({ status: 403 });
    expect(await own.votes()).toEqual([]);
  });

  it("needs the role approver, and a scope with the workload", async () => {
    expect(await vote("ana-laptop", { role: "viewer" })).toMatchObject({
      status: 403,
      body: {
        code: "token-limited",
        detail: "the token of ana-laptop has the role viewer, and this request needs the role approver",
      },
    });
    expect(await vote("ana-laptop", { namespaces: ["pay"] })).toMatchObject({
      status: 403,
      body: {
        code: "token-limited",
        detail:
          "the token of ana-laptop covers the namespace pay of all clusters, and this request needs a token for the namespace shop of the cluster prod",
      },
    });
    expect(await approving.votes()).toEqual([]);
  });

  it("waits in the list of its own scope only", async () => {
    const list = async (given: Partial<AccessToken>) =>
      (await approving.ask("/v1/approvals", { access: accessOf("ana-laptop", given) })).body;
    expect(await list({ namespaces: ["sh*"] })).toMatchObject({ me: "ana", approvals: [{ waitsForMe: true }] });
    expect(await list({ namespaces: ["pay"] })).toMatchObject({ me: "ana", approvals: [] });
    expect(await list({ clusters: ["dev"] })).toMatchObject({ me: "ana", approvals: [] });
  });
});
