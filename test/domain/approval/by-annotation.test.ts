import { describe, expect, it } from "vitest";
import { withRead } from "#domain/approval/annotation";
import { approveByAnnotation, type WaitingUpdate } from "#domain/approval/by-annotation";
import { noRules } from "#domain/approval/approvers";
import { aChange, digest, imageName } from "../builders.ts";

const workload = { cluster: "prod", namespace: "shop", kind: "StatefulSet", name: "db" } as const;
const waiting: WaitingUpdate = { workload, settings: { required: 1 }, changes: [aChange()], read: [] };
const pinned = `1.1.0@${digest("1")}`;

describe("how to approve an update without people in lookout.yaml", () => {
  it("is a whole command for the workload and its digest", () => {
    expect(approveByAnnotation(waiting, noRules)).toBe(
      `Approve the update: kubectl annotate --overwrite -n shop statefulset/db lookout.dev/approve=${pinned}`,
    );
  });

  it("names the context of the cluster, as one word of a shell", () => {
    const of = (context: string) => approveByAnnotation({ ...waiting, context }, noRules);

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
    const command = approveByAnnotation({ ...waiting, settings: { required: 1, ...row.written } }, noRules) ?? "";

    expect(command.slice(command.indexOf("lookout.dev/"))).toBe(row.expected);
  });

  it("writes a text that was not read before", () => {
    const settings = { required: 1, approvedBy: "lookout.dev/approve", approvedImage: pinned };
    const read = withRead([], settings, 1);

    expect(approveByAnnotation({ ...waiting, settings, read }, noRules)).toContain(
      `lookout.dev/approve=${imageName}:${pinned} `,
    );
  });

  it("names another approver after all texts were read", () => {
    const texts = [pinned, `${imageName}:${pinned}`, `${imageName}@${digest("1")}`, `app=${aChange().to}`];
    const read = texts.flatMap((approvedImage) => withRead([], { required: 1, approvedBy: "ana", approvedImage }, 1));

    expect(approveByAnnotation({ ...waiting, settings: { required: 1, approvedBy: "ana" }, read }, noRules)).toMatch(
      new RegExp(`lookout.dev/approved-by=NAME lookout.dev/approved-image=${pinned}$`),
    );
  });

  it("names all images of several containers", () => {
    const side = aChange({ name: "side", digest: digest("2"), to: `${imageName}:1.1.0@${digest("2")}` });

    expect(approveByAnnotation({ ...waiting, changes: [aChange(), side] }, noRules)).toContain(
      `lookout.dev/approve=app=${aChange().to},side=${side.to}`,
    );
  });

  it("needs people for more than one approval", () => {
    expect(approveByAnnotation({ ...waiting, settings: { required: 2 } }, noRules)).toBe(
      "Name people in lookout.yaml: this update needs 2 approvals, and all annotations of an update give one approval.",
    );
  });

  it("is nothing where people can vote, or where no approval is needed", () => {
    const people = [{ name: "ana", iam: [] }];

    expect(approveByAnnotation(waiting, { ...noRules, people })).toBeUndefined();
    expect(approveByAnnotation({ ...waiting, settings: { required: 0 } }, noRules)).toBeUndefined();
  });
});
