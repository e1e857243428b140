import { expect, it } from "vitest";
import { matchesNothing } from "#domain/policy/tag-pattern";

it("an invalid pattern matches no tag, not even its own text", () => {
  const { match, ...rest } = matchesNothing("v(");

  expect(["v(", "v1.0.0", ""].map(match)).toEqual([undefined, undefined, undefined]);
  expect(rest).toEqual({ text: "v(", groupNames: [undefined], steps: 0 });
});
