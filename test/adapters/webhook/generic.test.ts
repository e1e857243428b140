import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configuredRegistry, receiverWith, requestOf } from "./fixtures.ts";
import { anyJson, anyText, expectInvariants } from "./invariants.ts";

const digest = `sha256:${"a1".repeat(32)}`;
const secret = "a-secret-of-the-build";
const receiver = receiverWith({ name: "build", kind: "generic", secret, registry: configuredRegistry });
const withoutRegistry = receiverWith({ name: "build", kind: "generic", secret });

function signed(body: unknown, { algorithm = "sha256", key = secret, method = "POST" } = {}) {
  const request = requestOf(body, {}, method);
  const hex = createHmac(algorithm, key).update(request.body).digest("hex");
  return { ...request, headers: { "x-signature": `${algorithm}=${hex}` } };
}

describe("a generic receiver", () => {
  it.each([
    {
      because: "a name with its host",
      body: { name: "ghcr.io/team/app", tag: "1.0" },
      expected: { id: "ghcr.io/team/app:1.0", registry: "ghcr.io", repository: "team/app", tags: ["1.0"] },
    },
    {
      because: "a digest",
      body: { name: "ghcr.io/team/app", tag: "1.0", digest },
      expected: {
        id: `ghcr.io/team/app:1.0@${digest}`,
        registry: "ghcr.io",
        repository: "team/app",
        tags: ["1.0"],
        digest,
      },
    },
    {
      because: "no digest",
      body: { name: "ghcr.io/team/app", tag: "1.0", digest: null },
      expected: { id: "ghcr.io/team/app:1.0", registry: "ghcr.io", repository: "team/app", tags: ["1.0"] },
    },
    {
      because: "a name of its own registry",
      body: { name: "team/app", tag: "1.0" },
      expected: {
        id: `${configuredRegistry}/team/app:1.0`,
        registry: configuredRegistry,
        repository: "team/app",
        tags: ["1.0"],
      },
    },
    {
      because: "a name and a registry",
      body: { name: "team/app", registry: "ghcr.io", tag: "1.0" },
      expected: { id: "ghcr.io/team/app:1.0", registry: "ghcr.io", repository: "team/app", tags: ["1.0"] },
    },
    {
      because: "a registry said twice",
      body: { name: "GHCR.io/team/app", registry: "ghcr.io", tag: "1.0" },
      expected: { id: "ghcr.io/team/app:1.0", registry: "ghcr.io", repository: "team/app", tags: ["1.0"] },
    },
    {
      because: "a host with a port",
      body: { name: "localhost:5000/app", tag: "1.0" },
      expected: { id: "localhost:5000/app:1.0", registry: "localhost:5000", repository: "app", tags: ["1.0"] },
    },
    {
      because: "one word on Docker Hub",
      body: { name: "docker.io/nginx", tag: "1.27" },
      expected: {
        id: "docker.io/library/nginx:1.27",
        registry: "docker.io",
        repository: "library/nginx",
        tags: ["1.27"],
      },
    },
    {
      because: "a digest as a tag",
      body: { name: "ghcr.io/team/app", tag: digest },
      expected: { id: `ghcr.io/team/app@${digest}`, registry: "ghcr.io", repository: "team/app", tags: [], digest },
    },
    {
      because: "a registry with a scheme, and a name with the same host and the port 443",
      body: { name: "ghcr.io:443/team/app", registry: "https://ghcr.io/", tag: "1.0" },
      expected: { id: "ghcr.io/team/app:1.0", registry: "ghcr.io", repository: "team/app", tags: ["1.0"] },
    },
    {
      because: "a tag that is a word of JavaScript",
      body: { name: "ghcr.io/team/app", tag: "__proto__" },
      expected: { id: "ghcr.io/team/app:__proto__", registry: "ghcr.io", repository: "team/app", tags: ["__proto__"] },
    },
    {
      because: "members that it does not know",
      body: { name: "ghcr.io/team/app", tag: "1.0", host: "ghcr.io", why: 1 },
      expected: { id: "ghcr.io/team/app:1.0", registry: "ghcr.io", repository: "team/app", tags: ["1.0"] },
    },
  ])("reports a push from $because", async ({ body, expected }) => {
    expect(await receiver.receive(signed(body))).toEqual({ kind: "pushes", pushes: [expected] });
  });

  it("ignores the tag of a signature", async () => {
    const body = { name: "ghcr.io/team/app", tag: `sha256-${"a1".repeat(32)}.sig` };
    expect(await receiver.receive(signed(body))).toEqual({
      kind: "ignored",
      reason: "the tag belongs to a signature or attestation",
    });
  });

  it.each([
    {
      because: "a tag with a line break",
      body: { name: "ghcr.io/team/app", tag: "1.0\n" },
      reason: "tag is invalid",
    },
    { because: "an empty tag", body: { name: "ghcr.io/team/app", tag: "" }, reason: "tag is invalid" },
    {
      because: "a short digest",
      body: { name: "ghcr.io/team/app", tag: "1.0", digest: "sha256:00" },
      reason: "the event's digest is invalid",
    },
    {
      because: "an empty name",
      body: { name: "", tag: "1.0" },
      reason: "the event's host and path do not name a repository",
    },
    {
      because: "a name with a tag",
      body: { name: "ghcr.io/team/app:1.0", tag: "1.0" },
      reason: "the event's host and path do not name a repository",
    },
    {
      because: "a name with a line break",
      body: { name: "ghcr.io/team/app\n", tag: "1.0" },
      reason: "the event's host and path do not name a repository",
    },
    {
      because: "a name that begins with a slash",
      body: { name: "/team/app", tag: "1.0" },
      reason: "the event's host and path do not name a repository",
    },
    {
      because: "a registry with a path",
      body: { name: "team/app", registry: "https://ghcr.io/team", tag: "1.0" },
      reason: "the event's host and path do not name a repository",
    },
    {
      because: "two registries",
      body: { name: "ghcr.io/team/app", registry: "quay.io", tag: "1.0" },
      reason: "the host in name differs from registry",
    },
  ])("rejects $because", async ({ body, reason }) => {
    expect(await receiver.receive(signed(body))).toEqual({ kind: "invalid", reason, retriedForEver: false });
  });

  it("rejects a name without a host when it has no registry itself", async () => {
    expect(await withoutRegistry.receive(signed({ name: "team/app", tag: "1.0" }))).toEqual({
      kind: "invalid",
      reason: "the event names no host: set registry of this receiver in lookout.yaml",
      refusal: "no-registry",
      retriedForEver: false,
    });
  });

  it.each([
    { because: "no JSON", request: signed("{") },
    { because: "an empty body", request: signed("") },
    { because: "a list", request: signed([{ name: "ghcr.io/team/app", tag: "1.0" }]) },
    { because: "a tag that is no text", request: signed({ name: "ghcr.io/team/app", tag: 1 }) },
    { because: "no tag", request: signed({ name: "ghcr.io/team/app" }) },
    { because: "an empty digest", request: signed({ name: "ghcr.io/team/app", tag: "1.0", digest: "" }) },
  ])("rejects $because with the expected form", async ({ request }) => {
    expect(await receiver.receive(request)).toEqual({
      kind: "invalid",
      reason: 'expected {"name", "tag"} and optionally "digest" and "registry", all texts, as JSON',
      retriedForEver: false,
    });
  });

  it("rejects anything but a POST", async () => {
    expect(await receiver.receive(signed({ name: "ghcr.io/team/app", tag: "1.0" }, { method: "PUT" }))).toEqual({
      kind: "invalid",
      reason: "expected a POST",
      retriedForEver: false,
    });
  });
});

describe("the signature of a generic receiver", () => {
  const body = { name: "ghcr.io/team/app", tag: "1.0" };

  it.each(["sha1", "sha512"] as const)("may be made with %s when lookout.yaml lists it", async (algorithm) => {
    const authentication = { scheme: "hmac", header: "X-Signature", algorithms: [algorithm] } as const;
    const listed = receiverWith({ name: "build", kind: "generic", secret, authentication });

    expect((await listed.receive(signed(body, { algorithm }))).kind).toBe("pushes");
    expect(await listed.receive(signed(body))).toEqual({
      kind: "unauthorized",
      reason: `the X-Signature header is not of the form ${algorithm}=<hexadecimal HMAC of the body>`,
    });
  });

  it.each(["sha1", "sha512"])("may not be made with %s otherwise", async (algorithm) => {
    const byName = receiverWith({
      ...{ name: "build", kind: "generic", secret },
      authentication: { scheme: "hmac", header: "X-Signature" },
    });

    expect((await receiver.receive(signed(body, { algorithm }))).kind).toBe("unauthorized");
    expect((await byName.receive(signed(body, { algorithm }))).kind).toBe("unauthorized");
    expect((await byName.receive(signed(body))).kind).toBe("pushes");
  });

  it.each(["md5", "sha384", "constructor", "SHA256"])("may not be made with %s", async (algorithm) => {
    const { headers, ...request } = signed(body);
    const renamed = headers["x-signature"].replace("sha256", algorithm);
    expect((await receiver.receive({ ...request, headers: { "x-signature": renamed } })).kind).toBe("unauthorized");
  });

  it("may be in capitals", async () => {
    const request = signed(body);
    const [algorithm = "", hex = ""] = request.headers["x-signature"].split("=");
    const headers = { "x-signature": `${algorithm}=${hex.toUpperCase()}` };
    expect((await receiver.receive({ ...request, headers })).kind).toBe("pushes");
  });

  it("covers the bytes, not the parsed JSON", async () => {
    const request = signed(body);
    const respaced = { ...request, body: Buffer.from(JSON.stringify(body, undefined, 1)) };
    expect((await receiver.receive(respaced)).kind).toBe("unauthorized");
    const longer = { ...request, body: Buffer.concat([request.body, Buffer.from("\n")]) };
    expect((await receiver.receive(longer)).kind).toBe("unauthorized");
  });

  it.each([
    { because: "missing", change: () => ({}) },
    { because: "without its algorithm", change: (header: string) => ({ "x-signature": header.slice(7) }) },
    { because: "cut short by a digit", change: (header: string) => ({ "x-signature": header.slice(0, -1) }) },
    { because: "longer by a digit", change: (header: string) => ({ "x-signature": `${header}0` }) },
    { because: "said twice", change: (header: string) => ({ "x-signature": `${header}, ${header}` }) },
    { because: "followed by a line break", change: (header: string) => ({ "x-signature": `${header}\n` }) },
  ])("is refused when it is $because", async ({ change }) => {
    const request = signed(body);
    expect((await receiver.receive({ ...request, headers: change(request.headers["x-signature"]) })).kind).toBe(
      "unauthorized",
    );
  });

  it.each([undefined, "", " "])("is refused with the secret %j, whatever it is", async (unset) => {
    const open = receiverWith({ name: "build", kind: "generic", secret: unset });
    expect((await open.receive(signed(body, { key: unset ?? "undefined" }))).kind).toBe("unauthorized");
    expect((await open.receive(signed(body, { key: "" }))).kind).toBe("unauthorized");
  });
});

describe("any request to a generic receiver", () => {
  const anyBody = fc.record(
    { name: anyText, tag: anyText, digest: anyJson, registry: anyJson },
    { requiredKeys: ["name", "tag"] },
  );

  it("is answered by the rules when it is signed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBody, anyJson), async (body) => {
        expectInvariants(await receiver.receive(signed(JSON.stringify(body))), secret);
      }),
    );
  });

  it("is refused when it is signed with another secret", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string().filter((key) => key !== secret),
        async (key) => {
          const received = await receiver.receive(signed({ name: "ghcr.io/team/app", tag: "1.0" }, { key }));
          expect(received.kind).toBe("unauthorized");
          expectInvariants(received, secret);
        },
      ),
    );
  });

  it("is refused with any other header", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (header) => {
        const request = requestOf({ name: "ghcr.io/team/app", tag: "1.0" }, { "x-signature": header });
        expect((await receiver.receive(request)).kind).toBe("unauthorized");
      }),
    );
  });
});
