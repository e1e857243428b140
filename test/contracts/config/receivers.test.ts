import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { receiverKind, googleTokens, type ReceiverKind, receiverKinds } from "#contracts/config/receiver-kinds";

function problemsOf(receiver: object): readonly string[] {
  const parsed = parseConfiguration({ receivers: [{ name: "a", ...receiver }] });
  return parsed.ok ? [] : parsed.problem.map(({ path, value, message }) => [path, value ?? "–", message].join(" | "));
}

const email = "push@my-project.iam.gserviceaccount.com";

describe("a receiver of lookout.yaml", () => {
  it.each(Object.keys(receiverKinds) as ReceiverKind[])(
    "may be of the kind %s, with a secret and a registry",
    (kind) => {
      expect(problemsOf({ kind, secretEnv: "A", registry: "registry.example.com" })).toEqual([]);
    },
  );

  it.each((Object.keys(receiverKinds) as ReceiverKind[]).map((kind) => ({ kind, ...receiverKind(kind) })))(
    "of the kind $kind needs a registry if its notifications name none",
    ({ kind, namesRegistry }) => {
      const problem = "receivers[0] | – | needs a registry, because notifications of its kind name none";
      expect(problemsOf({ kind, secretEnv: "A" })).toEqual(namesRegistry === "never" ? [problem] : []);
    },
  );

  it("accepts Google's tokens of its account", () => {
    const receiver = { name: "gar", kind: "gcr-gar", tokens: { audience: "lookout", email } };
    const parsed = parseConfiguration({ receivers: [receiver] });
    expect(parsed.ok && parsed.value.receivers).toEqual([
      { ...receiver, tokens: { ...receiver.tokens, ...googleTokens } },
    ]);
  });

  it.each([
    {
      because: "tokens and a secret",
      receiver: { kind: "gcr-gar", secretEnv: "A", tokens: { audience: "lookout", email } },
      expected: ["receivers[0] | – | needs one of secretEnv, secretFile, secretParameter, secretId, or tokens"],
    },
    {
      because: "tokens of anybody",
      receiver: { kind: "gcr-gar", tokens: { audience: "lookout" } },
      expected: ["receivers[0].tokens | – | needs email or subject, because anybody can get a token from the issuer"],
    },
    {
      because: "another issuer with Google's keys",
      receiver: { kind: "gcr-gar", tokens: { audience: "lookout", email, issuers: ["https://issuer.example.com"] } },
      expected: ["receivers[0].tokens | – | needs issuers and keys together, or neither; then Lookout uses Google's"],
    },
    {
      because: "keys that anybody on the way could change",
      receiver: {
        kind: "gcr-gar",
        tokens: { audience: "a", email, issuers: ["b"], keys: "http://issuer.example.com" },
      },
      expected: ['receivers[0].tokens.keys | "http://issuer.example.com" | expected an https:// address'],
    },
    {
      because: "tokens and an authentication",
      receiver: {
        kind: "gcr-gar",
        tokens: { audience: "lookout", email },
        authentication: { scheme: "plain", query: "token" },
      },
      expected: [
        "receivers[0] | – | has tokens, which are always in Authorization; authentication is only for a secret",
      ],
    },
    {
      because: "an authentication in two places",
      receiver: {
        kind: "acr",
        secretEnv: "A",
        authentication: { scheme: "plain", header: "X-Secret", query: "secret" },
      },
      expected: ["receivers[0].authentication | – | needs header or query, and not both"],
    },
    {
      because: "an authentication in no place",
      receiver: { kind: "acr", secretEnv: "A", authentication: { scheme: "plain" } },
      expected: ["receivers[0].authentication | – | needs header or query, and not both"],
    },
    {
      because: "a header that is none",
      receiver: { kind: "acr", secretEnv: "A", authentication: { scheme: "plain", header: "X Secret" } },
      expected: ['receivers[0].authentication.header | "X Secret" | expected the name of a header'],
    },
    {
      because: "a registry with a scheme in its list",
      receiver: { kind: "acr", secretEnv: "A", registries: ["https://a.example.com"] },
      expected: [
        'receivers[0].registries[0] | "https://a.example.com" | expected a registry\'s host as in image references, "host.example" or "host:port", without a scheme',
      ],
    },
  ])("rejects $because", ({ receiver, expected }) => {
    expect(problemsOf(receiver)).toEqual(expected);
  });
});
