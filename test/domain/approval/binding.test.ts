import { describe, expect, it } from "vitest";
import { bindingHash, bindingOf } from "#domain/approval/binding";
import { aChange, annotated, digest } from "../builders.ts";

const side = aChange({ name: "side", tag: "2.0.0" });
const bindable = {
  uid: "uid-1",
  annotations: annotated({ policy: "semver" }),
  update: { seq: 1, changes: [aChange(), side] },
};
const hash = (given: Partial<typeof bindable> = {}) => bindingHash(bindingOf({ ...bindable, ...given }));
const hashWith = (settings: Record<string, string>) =>
  hash({ annotations: annotated({ policy: "semver", ...settings }) });

describe("the binding of a vote", () => {
  it("changes with the object, the update, the image and the gating settings", () => {
    const others = [
      hash({ uid: "uid-2" }),
      hash({ update: { seq: 2, changes: bindable.update.changes } }),
      hash({ update: { seq: 1, changes: [aChange()] } }),
      ...[{ digest: digest("9") }, { tag: "1.1.1" }, { imageName: "registry.test/other" }, { name: "b" }].map((other) =>
        hash({ update: { seq: 1, changes: [aChange(other), side] } }),
      ),
      ...[{ "min-age": "1h" }, { approvals: "2" }, { "maintenance-window": "22:00-23:00" }, { apply: "tag" }].map(
        hashWith,
      ),
    ];

    expect(new Set([hash(), ...others]).size).toBe(others.length + 1);
  });

  it.each([
    { "notify-slack": "#releases" },
    { interval: "1m" },
    { suspend: "true" },
    { "approved-by": "ana", "approved-image": "1.1.0", approve: "1.1.0" },
  ])("stays the same with %j", (settings) => {
    expect(hashWith(settings)).toBe(hash());
  });

  it("does not depend on the order of containers and annotations", () => {
    const turned = Object.fromEntries(Object.entries(bindable.annotations).toReversed());

    expect(hash({ annotations: turned, update: { seq: 1, changes: [side, aChange()] } })).toBe(hash());
  });
});
