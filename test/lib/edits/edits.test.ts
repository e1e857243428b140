import { describe, expect, it } from "vitest";
import { deploy } from "../deployed.ts";
import { clashesOf, identifiers, type Resources } from "./identifiers.ts";
import { playEdits, playMemberEdits } from "./sequence.ts";
import { isProof } from "#test/proof";

const sequencesOfEdits = isProof ? 12 : 3;

const entry = (clusterName: string, principal = "LookoutRole") => ({
  Type: "AWS::EKS::AccessEntry",
  Properties: { ClusterName: clusterName, PrincipalArn: { "Fn::GetAtt": [principal, "Arn"] } },
});

describe("a deployment is refused", () => {
  it.each([
    {
      why: "when a new resource is another one of the stack, which is deleted later",
      before: { Prod: entry("prod") },
      after: { Live: entry("prod") },
      clashes: ['Live is Prod: ["AWS::EKS::AccessEntry","prod",{"Fn::GetAtt":["LookoutRole","Arn"]}]'],
    },
    {
      why: "when two resources swap their identifiers",
      before: { A: { Type: "AWS::SQS::Queue", Properties: { QueueName: "a" } }, B: { Type: "AWS::SQS::Queue" } },
      after: { A: { Type: "AWS::SQS::Queue" }, B: { Type: "AWS::SQS::Queue", Properties: { QueueName: "a" } } },
      clashes: ['B is A: ["AWS::SQS::Queue","a"]'],
    },
  ])("$why", ({ before, after, clashes }: { before: Resources; after: Resources; clashes: readonly string[] }) => {
    expect(clashesOf(before, after)).toEqual(clashes);
  });

  it.each([
    { why: "when a resource stays", before: { Prod: entry("prod") }, after: { Prod: entry("prod") } },
    { why: "when a role is replaced", before: { Prod: entry("prod") }, after: { Prod: entry("prod", "NewRole") } },
    {
      why: "when names are generated",
      before: { A: { Type: "AWS::SQS::Queue" } },
      after: { B: { Type: "AWS::SQS::Queue" } },
    },
  ])("not $why", ({ before, after }: { before: Resources; after: Resources }) => {
    expect(clashesOf(before, after)).toEqual([]);
  });
});

describe("an edit of lookout.yaml", () => {
  it("is never refused for the identifier of a resource, and never moves the state", () => {
    const sequences = Array.from({ length: sequencesOfEdits }, (_, seed) => playEdits(seed));

    expect(sequences.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("of a member account is never refused for the identifier of a resource", () => {
    const sequences = Array.from({ length: sequencesOfEdits }, (_, seed) => playMemberEdits(seed));

    expect(sequences.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("changes only resources of types whose identifiers are known", () => {
    const types = Object.values(deploy().template.toJSON()["Resources"] as Resources).map(({ Type }) => Type);

    expect(types.filter((type) => identifiers[type] === undefined)).toEqual([]);
  });
});
