import { describe, expect, it } from "vitest";
import {
  type Credential,
  principalProblem,
  provedRoles,
  spellingKey,
  tokenHash,
  voterOf,
} from "#domain/approval/people";

const account = "111122223333";
const people = [
  { name: "ana", iam: [`arn:aws:iam::${account}:user/people/ana`] },
  { name: "ops", iam: [`arn:aws:iam::${account}:role/path/ops`] },
  { name: "ben", iam: ["AWSReservedSSO_Ops_0123/ben", "deploy/ben"] },
  { name: "eva", iam: [`arn:aws:sts::${account}:assumed-role/deploy/eva`], tokenHash: tokenHash("secret") },
];
const namesAreProved = [`arn:aws:iam::${account}:role/teams/deploy`];
const personOf = (credential: Credential) => voterOf(credential, { people, namesAreProved })?.person;
const caller = (arn: string) => personOf({ kind: "iam", arn });
const session = (role: string, name: string, of = account) => caller(`arn:aws:sts::${of}:assumed-role/${role}/${name}`);

describe("the AWS caller", () => {
  it("is the ARN of a user", () => {
    expect(caller(`arn:aws:iam::${account}:user/people/ana`)).toBe("ana");
    expect(caller(`arn:aws:iam::${account}:user/eve`)).toBeUndefined();
    expect(caller("arn:aws:iam::999999999999:user/people/ana")).toBeUndefined();
  });

  it("has one vote for a role, in every session", () => {
    expect([session("ops", "ana"), session("ops", "ben")]).toEqual(["ops", "ops"]);
    expect(session("ops", "ana", "999999999999")).toBeUndefined();
  });

  it("is the session's name only if that name is proved", () => {
    expect(session("AWSReservedSSO_Ops_0123", "ben")).toBe("ben");
    expect(session("AWSReservedSSO_Other_9", "ben")).toBeUndefined();
    expect([session("deploy", "ben"), session("deploy", "eva")]).toEqual(["ben", "eva"]);
    expect(session("deploy", "ben", "999999999999")).toBeUndefined();
    expect(
      voterOf({ kind: "iam", arn: `arn:aws:sts::${account}:assumed-role/deploy/ben` }, { people, namesAreProved: [] }),
    ).toBeUndefined();
  });

  it("keeps the ARN as the proof", () => {
    const arn = `arn:aws:iam::${account}:user/ana`;

    expect(voterOf({ kind: "iam", arn }, { people, namesAreProved })).toEqual({
      person: "ana",
      proof: { kind: "iam", arn },
    });
  });
});

describe("the local caller", () => {
  it("is proved only by the person's token", () => {
    expect(voterOf({ kind: "token", token: "secret" }, { people, namesAreProved })).toEqual({
      person: "eva",
      proof: { kind: "token" },
    });
    expect(personOf({ kind: "token", token: "guess" })).toBeUndefined();
    expect(personOf({ kind: "none" })).toBeUndefined();
  });
});

describe("a principal of lookout.yaml", () => {
  it.each([
    `arn:aws:iam::${account}:user/ana`,
    `arn:aws:iam::${account}:role/x/ops`,
    "AWSReservedSSO_Ops_1/ana",
    "deploy/ben",
  ])("may be %s", (principal) => {
    expect(principalProblem(principal, provedRoles(namesAreProved))).toBeUndefined();
  });

  it("is refused where the caller chooses the session's name", () => {
    expect(principalProblem("ops/ana", provedRoles(namesAreProved))).toBe(
      "names a session of ops, and the caller chooses the session's name. List the role in namesAreProved if its trust policy fixes sts:RoleSessionName",
    );
    expect(principalProblem("ana", provedRoles(namesAreProved))).toBe(
      "is not the ARN of a user or a role, nor ROLE/SESSION",
    );
  });
});

describe("the spelling of a name", () => {
  it.each([
    ["case", "Ana@Example.com", "ana@example.COM"],
    ["white space around it", " \tana\u00a0", "ana"],
    ["Unicode normalization", "jos\u00e9", "jose\u0301"],
    ["compatible letters", "\uff41na", "ana"],
    ["a sharp s", "stra\u00dfe", "STRASSE"],
    ["invisible characters", "a\u200bn\u00ada\ufeff", "ana"],
  ])("does not differ by %s", (_, one, other) => {
    expect(spellingKey(one)).toBe(spellingKey(other));
  });

  it("differs by letters and by inner white space", () => {
    expect(new Set(["ana", "anna", "a na", "\u00e4na"].map(spellingKey)).size).toBe(4);
  });
});

describe("a proved role", () => {
  const arn = (account: string, role: string) => `arn:aws:sts::${account}:assumed-role/${role}/ana`;

  it("proves the sessions of its own account only", () => {
    const roles = provedRoles(["arn:aws:iam::111122223333:role/x/deploy"]);

    expect(principalProblem(arn("111122223333", "deploy"), roles)).toBeUndefined();
    expect(principalProblem("deploy/ana", roles)).toBeUndefined();
    expect(principalProblem(arn("444455556666", "deploy"), roles)).toContain("names a session of deploy");
    expect(principalProblem(arn("111122223333", "eploy"), roles)).toContain("names a session of eploy");
  });
});
