import { describe, expect, it } from "vitest";
import { isAnswerOf, pathOf } from "#cli/operations";

describe("the path of a request", () => {
  it.each([
    { of: pathOf("listWorkloads"), path: "/v1/workloads" },
    { of: pathOf("liftFreeze", { params: { scope: "*" } }), path: "/v1/freezes/%2A" },
    { of: pathOf("liftFreeze", { params: { scope: "prod/a b" } }), path: "/v1/freezes/prod/a%20b" },
    { of: pathOf("removeCluster", { params: { cluster: "a/b?c#d" } }), path: "/v1/clusters/a%2Fb%3Fc%23d" },
    { of: pathOf("removeCluster", { params: { cluster: "$&" } }), path: "/v1/clusters/%24%26" },
    { of: pathOf("liftQuarantine", { params: { digest: "sha256:4d" } }), path: "/v1/quarantine/sha256%3A4d" },
    {
      of: pathOf("readUpdate", { params: { cluster: "prod", namespace: "shop", kind: "cronjob", name: "a", seq: 3 } }),
      path: "/v1/workloads/prod/shop/cronjob/a/updates/3",
    },
    {
      of: pathOf("exportState", { query: { limit: 10, history: undefined, after: "a b/*&=+" } }),
      path: "/v1/state?limit=10&after=a%20b%2F%2A%26%3D%2B",
    },
    { of: pathOf("listUpdates", { query: { after: undefined } }), path: "/v1/updates" },
  ])("is $path", ({ of, path }) => {
    expect(of).toBe(path);
  });

  it.each(["..", ".", "prod/.."])("is refused for the name %s, which would lead to another path", (scope) => {
    expect(() => pathOf("liftFreeze", { params: { scope } })).toThrow(/"\.\.?" is not a name\./);
  });
});

describe("an answer", () => {
  it.each([
    { answer: { at: "", clusters: [] }, isAnswer: true },
    { answer: { at: "", clusters: [], ofANewerLookout: 1 }, isAnswer: true },
    { answer: { at: "" }, isAnswer: false },
    { answer: [], isAnswer: false },
    { answer: "clusters", isAnswer: false },
    { answer: undefined, isAnswer: false },
  ])("$answer is from Lookout: $isAnswer", ({ answer, isAnswer }) => {
    expect(isAnswerOf("listClusters", answer)).toBe(isAnswer);
  });
});
