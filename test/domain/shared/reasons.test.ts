import { expect, it } from "vitest";
import { notificationRefusals, reasons } from "#domain/shared/reasons";
import { registryReasons } from "#ports/registry";

/** A person, a file, an annotation or a command that changes it; or that it passes. */
const whoAndWhere = /lookout\.yaml|lookout\.dev\/|lookout [a-z]+|administrator|by itself|tries again/;

const ofRegistries = Object.entries(reasons).filter(([reason]) => reason.startsWith("registry-"));

it.each([...ofRegistries, ...Object.entries(notificationRefusals)])(
  "the reason %s is a sentence, and says who can change it or where",
  (_, { sentence, remedy }) => {
    expect(sentence).toMatch(/^(?:[A-Z]|lookout\.yaml).*\.$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
    expect(remedy).toMatch(whoAndWhere);
  },
);

it("each refusal of a registry has a reason", () => {
  const known = ofRegistries.map(([reason]) => reason);

  expect(known).toEqual(expect.arrayContaining(Object.values(registryReasons)));
  expect(known).toHaveLength(7);
});
