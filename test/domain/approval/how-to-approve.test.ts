import { describe, expect, it } from "vitest";
import { withRead } from "#domain/approval/annotation";
import { howToApprove, type WaitingUpdate } from "#domain/approval/how-to-approve";
import { noRules } from "#domain/approval/approvers";
import { tokenHash } from "#domain/approval/people";
import { aChange, digest, imageName } from "../builders.ts";

const workload = { cluster: "prod", namespace: "shop", kind: "StatefulSet", name: "db" } as const;
const waiting: WaitingUpdate = { workload, settings: { required: 1 }, changes: [aChange()], read: [] };
const pinned = `1.1.0@${digest("1")}`;

describe("how to approve an update without people in lookout.yaml", () => {
  it("is a whole command for the workload and its digest", () => {
    expect(howToApprove(waiting, noRules)).toBe(
      `Approve the update: kubectl annotate --overwrite -n shop statefulset/db lookout.dev/approve=${pinned}`,
    );
  });

  it("names the context of the cluster, as one word of a shell", () => {
    const of = (context: string) => howToApprove({ ...waiting, context }, noRules);

    expect(of("kind-prod")).toContain("--overwrite --context kind-prod -n shop");
    expect(of("arn:aws:eks:eu-central-1:111122223333:cluster/prod")).toContain(
      "--context arn:aws:eks:eu-central-1:111122223333:cluster/prod -n shop",
    );
    expect(of("it's; rm -rf")).toContain(String.raw`--context 'it'\''s; rm -rf' -n shop`);
  });

  it.each([
    { written: { approvedBy: "ana" }, expected: `lookout.dev/approved-image=${pinned}` },
    {
      written: { approvedBy: "ana", approvedImage: "1.0.0" },
      expected: `lookout.dev/approved-image=${pinned} lookout.dev/approve-`,
    },
    { written: { approvedImage: "1.0.0" }, expected: `lookout.dev/approve=${pinned} lookout.dev/approved-image-` },
  ])("keeps the approver that the object names, and removes a text that would contradict: $expected", (row) => {
    const command = howToApprove({ ...waiting, settings: { required: 1, ...row.written } }, noRules) ?? "";

    expect(command.slice(command.indexOf("lookout.dev/"))).toBe(row.expected);
  });

  it("writes a text that was not read before", () => {
    const settings = { required: 1, approvedBy: "lookout.dev/approve", approvedImage: pinned };
    const read = withRead([], settings, 1);

    expect(howToApprove({ ...waiting, settings, read }, noRules)).toContain(
      `lookout.dev/approve=${imageName}:${pinned} `,
    );
  });

  it("names another approver after all texts were read", () => {
    const texts = [pinned, `${imageName}:${pinned}`, `${imageName}@${digest("1")}`, `app=${aChange().to}`];
    const read = texts.flatMap((approvedImage) => withRead([], { required: 1, approvedBy: "ana", approvedImage }, 1));

    expect(howToApprove({ ...waiting, settings: { required: 1, approvedBy: "ana" }, read }, noRules)).toMatch(
      new RegExp(`lookout.dev/approved-by=NAME lookout.dev/approved-image=${pinned}$`),
    );
  });

  it("names all images of several containers", () => {
    const side = aChange({ name: "side", digest: digest("2"), to: `${imageName}:1.1.0@${digest("2")}` });

    expect(howToApprove({ ...waiting, changes: [aChange(), side] }, noRules)).toContain(
      `lookout.dev/approve=app=${aChange().to},side=${side.to}`,
    );
  });

  it.each([
    { of: "nobody", people: [], voters: "nobody" },
    { of: "a person without a proof", people: [{ name: "ana", email: "ana@example.com", iam: [] }], voters: "nobody" },
    { of: "one person", people: [{ name: "ana", iam: [], tokenHash: tokenHash("x") }], voters: "only ana" },
  ])("needs more people for two approvals, where lookout.yaml names $of", ({ people, voters }) => {
    expect(howToApprove({ ...waiting, settings: { required: 2 } }, { ...noRules, people })).toBe(
      `Name more people with iam, tokenHash or token in lookout.yaml: this update needs 2 people, ${voters} can vote, and an annotation proves nobody.`,
    );
  });

  it("counts only the voters who may decide", () => {
    const people = ["ana", "ben"].map((name) => ({ name, iam: [`arn:aws:iam::111122223333:user/${name}`] }));
    const ofAna = { namespaces: ["shop"], people: ["ana"], needed: 1, notTheAuthor: false, byAnnotation: false };
    const approvers = [{ ...ofAna, required: false }];
    const two = { ...waiting, settings: { required: 2 } };

    expect(howToApprove(two, { ...noRules, people, approvers })).toContain("only ana can vote");
    expect(howToApprove(two, { ...noRules, people })).toBeUndefined();
  });

  it("is nothing where people can vote, or where no approval is needed", () => {
    const people = [{ name: "ana", iam: [] }];

    expect(howToApprove(waiting, { ...noRules, people })).toBeUndefined();
    expect(howToApprove({ ...waiting, settings: { required: 0 } }, noRules)).toBeUndefined();
  });
});
