import { describe, expect, it } from "vitest";
import { writtenApproval } from "#domain/approval/approval-settings";
import { parseSettings } from "#domain/settings/settings";
import { minutes } from "#domain/shared/time";
import { annotated } from "../builders.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27" } as const;
const parse = (settings: Record<string, string>) => parseSettings(annotated(settings), [app]);

describe("approval settings", () => {
  it.each([
    [{}, { required: 0 }],
    [{ "approval-required": "false" }, { required: 0 }],
    [{ "approval-required": "true" }, { required: 1 }],
    [{ approvals: "2" }, { required: 2 }],
    [{ "approval-required": "yes", approvals: " 20 " }, { required: 20 }],
    [{ "approval-deadline": "90m" }, { required: 0, deadline: minutes(90) }],
    [{ "approved-by": " ana " }, { required: 0, approvedBy: "ana" }],
    [
      { "approved-by": "ana@example.com", "approved-image": " registry.example/shop/api:1.4.2 " },
      { required: 0, approvedBy: "ana@example.com", approvedImage: "registry.example/shop/api:1.4.2" },
    ],
    [{ approve: "1.4.2" }, { required: 0, approvedBy: "lookout.dev/approve", approvedImage: "1.4.2" }],
    [
      { approve: "1.4.2", "approved-by": "ana" },
      { required: 0, approvedBy: "ana", approvedImage: "1.4.2" },
    ],
  ])("are parsed: %j", (settings, approval) => {
    const read = parse(settings);

    expect(read.approval).toStrictEqual(approval);
    expect(read.problems).toEqual([]);
  });

  it.each([
    [{ "approval-required": "ja" }, "approval-required", "expected true or false"],
    [{ approvals: "0" }, "approvals", "expected a whole number from 1 to 20"],
    [{ approvals: "21" }, "approvals", "expected a whole number from 1 to 20"],
    [{ approvals: "2x" }, "approvals", "expected a whole number from 1 to 20"],
    [{ approvals: "2", "approval-required": "false" }, "approvals", "contradicts lookout.dev/approval-required"],
    [{ "approval-deadline": "0s" }, "approval-deadline", "expected a duration above zero, such as 10m"],
    [{ "approved-by": " " }, "approved-by", "expected a name or an email address of at most 100 characters"],
    [{ "approved-by": "a#b" }, "approved-by", "expected a name or an email address of at most 100 characters"],
    [{ "approved-image": "not an image" }, "approved-image", "expected a tag or an image, such as 1.4.2"],
    [{ approve: "1.4.2", "approved-image": "1.4.3" }, "approve", "contradicts lookout.dev/approved-image"],
  ])("stop updates when they are invalid: %j", (settings, key, message) => {
    expect(parse(settings).problems).toMatchObject([{ key: `lookout.dev/${key}`, message, closes: true }]);
  });

  it("approve only an image that they name", () => {
    expect(writtenApproval({ required: 1, approvedBy: "ana" })).toBeUndefined();
    expect(writtenApproval({ required: 1, approvedImage: "1.4.2" })).toBeUndefined();
    expect(writtenApproval({ required: 1, approvedBy: "ana", approvedImage: "1.4.2" })).toEqual({
      by: "ana",
      image: "1.4.2",
    });
  });
});
