import { expect, it } from "vitest";
import { refusalStatuses } from "#contracts/refusals";
import { reasons, tagRejections } from "#domain/shared/reasons";
import { notificationRefusals, requestRefusals } from "#domain/shared/refusals";
import { registryReasons } from "#ports/registry";

/** A person, a file, an annotation or a command that changes it; or that it passes. */
const whoAndWhere = /caller|lookout\.yaml|lookout\.dev\/|lookout [a-z]+|administrator|by itself|tries again/;

const ofRegistries = Object.entries(reasons).filter(([reason]) => reason.startsWith("registry-"));

/** The reasons of a vote that has nothing left to decide. */
const decided = ["update-decided", "approval-not-needed"];
const ofRequests = Object.entries(requestRefusals).filter(([reason]) => !decided.includes(reason));

it.each([...ofRegistries, ...Object.entries(notificationRefusals), ...ofRequests])(
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
  expect(known).toHaveLength(8);
});

it("each code of a refused request is in one list of reasons, and in no other", () => {
  const lists = [reasons, tagRejections, notificationRefusals, requestRefusals].map((list) => Object.keys(list));
  const codes = Object.keys(refusalStatuses);

  expect(codes.filter((code) => lists.filter((list) => list.includes(code)).length !== 1)).toEqual([]);
  expect(Object.keys(requestRefusals).filter((reason) => !codes.includes(reason))).toEqual([]);
});
