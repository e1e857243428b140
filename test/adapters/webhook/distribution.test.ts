import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configuredRegistry, receiverWith, requestOf } from "./fixtures.ts";
import { anyJson, anyText, expectInvariants } from "./invariants.ts";

const digest = `sha256:${"a1".repeat(32)}`;
const secret = "a-secret-of-the-registry";
const authorization = `Bearer ${secret}`;
const receiver = receiverWith({ name: "harbour", kind: "distribution", secret, registry: configuredRegistry });
const withoutRegistry = receiverWith({ name: "harbour", kind: "distribution", secret });

const target = {
  mediaType: "application/vnd.oci.image.index.v1+json",
  repository: "team/app",
  digest,
  tag: "1.0",
  url: `https://registry.example.com/v2/team/app/manifests/${digest}`,
};
const push = {
  id: "event-1",
  timestamp: "2026-05-01T10:00:01.123456789Z",
  action: "push",
  target,
  request: { host: "registry.example.com" },
  actor: { name: "ci" },
};
const notice = {
  id: "event-1",
  registry: "registry.example.com",
  repository: "team/app",
  tags: ["1.0"],
  digest,
  pushedAt: Date.UTC(2026, 4, 1, 10, 0, 1, 123),
  actor: "ci",
};

const without = (member: "pushedAt" | "actor") =>
  Object.fromEntries(Object.entries(notice).filter(([name]) => name !== member));

const receive = (...events: readonly unknown[]) => receiver.receive(requestOf({ events }, { authorization }));

describe("a distribution receiver", () => {
  it("reports the push of an index", async () => {
    expect(await receive(push)).toEqual({ kind: "pushes", pushes: [notice] });
  });

  it.each([
    { because: "a layer", change: { target: { ...target, mediaType: "application/octet-stream" } } },
    {
      because: "a configuration",
      change: { target: { ...target, mediaType: "application/vnd.oci.image.config.v1+json" } },
    },
    { because: "nothing that says what it is", change: { target: { ...target, mediaType: undefined } } },
    { because: "a pull", change: { action: "pull" } },
    { because: "a mount", change: { action: "mount" } },
    { because: "a deletion", change: { action: "delete", target: { repository: "team/app" } } },
    { because: "a signature", change: { target: { ...target, tag: `sha256-${"a1".repeat(32)}.sig` } } },
    { because: "a list of referrers", change: { target: { ...target, tag: `sha256-${"a1".repeat(32)}` } } },
  ])("ignores $because", async ({ change }) => {
    expect(await receive({ ...push, ...change })).toEqual({
      kind: "ignored",
      reason: "no push of an image among 1 events",
    });
  });

  it.each([
    { because: "an index of Docker", mediaType: "application/vnd.docker.distribution.manifest.list.v2+json" },
    { because: "a manifest of Docker", mediaType: "application/vnd.docker.distribution.manifest.v2+json" },
    {
      because: "a signed manifest of the first schema",
      mediaType: "application/vnd.docker.distribution.manifest.v1+prettyjws",
    },
    {
      because: "a media type with a parameter, in capitals",
      mediaType: "Application/vnd.OCI.image.manifest.v1+json; q=1",
    },
  ])("counts $because", async ({ mediaType }) => {
    expect(await receive({ ...push, target: { ...target, mediaType } })).toEqual({ kind: "pushes", pushes: [notice] });
  });

  it.each([
    {
      because: "takes the tag from the URL, as version 1 writes it",
      change: { target: { ...target, tag: undefined, url: "http://r.example:5000/v2/team/app/manifests/2.0" } },
      expected: { ...notice, tags: ["2.0"] },
    },
    {
      because: "takes the host of the URL when the request names none",
      change: { request: {}, target: { ...target, url: "http://Other.Example:5000/v2/team/app/manifests/1.0" } },
      expected: { ...notice, registry: "other.example:5000" },
    },
    {
      because: "takes its own registry when nothing names a host",
      change: { request: null, target: { ...target, url: null } },
      expected: { ...notice, registry: configuredRegistry },
    },
    { because: "writes a host in lower case", change: { request: { host: "Registry.Example.COM" } }, expected: notice },
    {
      because: "makes an identity of what was pushed when the registry gives none",
      change: { id: 7 },
      expected: { ...notice, id: `registry.example.com/team/app:1.0@${digest}` },
    },
  ])("$because", async ({ change, expected }) => {
    expect(await receive({ ...push, ...change })).toEqual({ kind: "pushes", pushes: [expected] });
  });

  it.each([
    { because: "an anonymous actor", change: { actor: {} } },
    { because: "an actor whose name would move the cursor", change: { actor: { name: "\u001b[2J" } } },
    { because: "an actor whose name turns the line around", change: { actor: { name: "ci\u202e" } } },
    { because: "no actor", change: { actor: null } },
  ])("names no author for $because", async ({ change }) => {
    expect(await receive({ ...push, ...change })).toEqual({ kind: "pushes", pushes: [without("actor")] });
  });

  it.each([{ timestamp: null }, { timestamp: "0001-01-01T00:00:00Z" }, { timestamp: "2026-05-01T10:00:01" }])(
    "reads no instant from $timestamp",
    async (change) => {
      expect(await receive({ ...push, ...change })).toEqual({ kind: "pushes", pushes: [without("pushedAt")] });
    },
  );

  it.each([
    "https://registry.example.com",
    "http://Registry.Example.com/",
    "registry.example.com/",
    "registry.example.com:443",
    "registry.example.com:443/",
    "https://registry.example.com:443/v2/",
    "https://registry.example.com/v1",
  ])("reads the host from %s", async (host) => {
    expect(await receive({ ...push, request: { host } })).toEqual({ kind: "pushes", pushes: [notice] });
  });

  it.each([
    "https://user:password@registry.example.com",
    "https://registry.example.com/team",
    "ftp://registry.example.com",
    "registry.example.com//",
    "https://registry",
    ":443",
  ])("rejects %s in place of a host, and does not repeat the text", async (host) => {
    expect(await receive({ ...push, request: { host } })).toEqual({
      kind: "invalid",
      reason: "events[0]: the event's host and path do not name a repository",
      retriedForEver: true,
    });
  });

  it.each(["registry:443", "localhost:443", "192.0.2.1:5000"])("keeps the host %s", async (host) => {
    expect(await receive({ ...push, request: { host } })).toEqual({
      kind: "pushes",
      pushes: [{ ...notice, registry: host }],
    });
  });

  it("ignores a webhook of a GitLab project on the same address", async () => {
    const body = { object_kind: "push", event_name: "push", ref: "refs/heads/main" };

    expect(await receiver.receive(requestOf(body, { authorization }))).toEqual({
      kind: "ignored",
      reason: "GitLab's own webhooks report no image",
    });
  });

  it("reports a push by digest without a tag, also when the digest is the tag", async () => {
    expect(await receive({ ...push, target: { ...target, tag: digest } })).toEqual({
      kind: "pushes",
      pushes: [{ ...notice, tags: [] }],
    });
    expect(await receive({ ...push, target: { ...target, tag: "" } })).toEqual({
      kind: "pushes",
      pushes: [{ ...notice, tags: [] }],
    });
  });

  it("reports a push once, however often the envelope repeats it", async () => {
    const other = { ...push, id: "event-2", target: { ...target, tag: "1.1" } };
    expect(await receive(push, push, { ...push, id: "event-3" }, other)).toEqual({
      kind: "pushes",
      pushes: [notice, { ...notice, id: "event-2", tags: ["1.1"] }],
    });
  });

  it("reports a valid event beside an invalid one", async () => {
    expect(await receive(null, push, { action: "push" })).toEqual({ kind: "pushes", pushes: [notice] });
  });

  it.each([
    {
      because: "a tag with a line break",
      event: { ...push, target: { ...target, tag: "1.0\n" } },
      reason: "events[0]: the event's tag is invalid",
    },
    {
      because: "a short digest",
      event: { ...push, target: { ...target, digest: "sha256:00" } },
      reason: "events[0]: the event's digest is invalid",
    },
    {
      because: "a digest with a line break",
      event: { ...push, target: { ...target, digest: `${digest}\n` } },
      reason: "events[0]: the event's digest is invalid",
    },
    {
      because: "a repository with a tag",
      event: { ...push, target: { ...target, repository: "team/app:1" } },
      reason: "events[0]: the event's host and path do not name a repository",
    },
    {
      because: "a repository of another registry",
      event: { ...push, request: { host: "registry" } },
      reason: "events[0]: the event's host and path do not name a repository",
    },
    {
      because: "a number as host",
      event: { ...push, request: { host: 5000 } },
      reason: "events[0]: request.host is invalid",
    },
    {
      because: "no repository",
      event: { ...push, target: { ...target, repository: null } },
      reason: "events[0]: target.repository is invalid",
    },
    {
      because: "a push without a target",
      event: { ...push, target: null },
      reason: "events[0]: expected a push with a target and its mediaType",
    },
    { because: "an event without an action", event: {}, reason: "events[0]: expected an event with an action" },
  ])("rejects $because, and states that the sender repeats it forever", async ({ event, reason }) => {
    expect(await receive(event)).toEqual({ kind: "invalid", reason, retriedForEver: true });
  });

  it("rejects an event without a host when it has no registry itself", async () => {
    const event = { ...push, request: {}, target: { ...target, url: undefined } };
    expect(await withoutRegistry.receive(requestOf({ events: [event] }, { authorization }))).toEqual({
      kind: "invalid",
      reason: "events[0]: the event names no host: set registry of this receiver in lookout.yaml",
      refusal: "no-registry",
      retriedForEver: true,
    });
  });

  it.each([
    { because: "no JSON", request: requestOf("{", { authorization }), reason: 'expected {"events": […]} as JSON' },
    {
      because: "bytes that are no text",
      request: requestOf(Uint8Array.of(0x7b, 0xff, 0x7d), { authorization }),
      reason: 'expected {"events": […]} as JSON',
    },
    {
      because: "nesting without end",
      request: requestOf("[".repeat(200_000), { authorization }),
      reason: 'expected {"events": […]} as JSON',
    },
    { because: "an empty body", request: requestOf("", { authorization }), reason: 'expected {"events": […]} as JSON' },
    {
      because: "a list of envelopes",
      request: requestOf([{ events: [push] }], { authorization }),
      reason: 'expected {"events": […]} as JSON',
    },
    { because: "a GET", request: requestOf({ events: [push] }, { authorization }, "GET"), reason: "expected a POST" },
  ])("rejects $because", async ({ request, reason }) => {
    expect(await receiver.receive(request)).toEqual({ kind: "invalid", reason, retriedForEver: true });
  });
});

describe("any request to a distribution receiver", () => {
  const anyEvent = fc.record(
    {
      id: anyJson,
      timestamp: anyJson,
      action: fc.oneof(fc.constant("push"), anyJson),
      target: fc.oneof(
        fc.record(
          {
            mediaType: fc.constant(target.mediaType),
            repository: anyText,
            digest: fc.oneof(fc.constant(digest), anyText),
            tag: anyJson,
            url: anyText,
          },
          { requiredKeys: ["mediaType"] },
        ),
        anyJson,
      ),
      request: fc.oneof(fc.record({ host: anyText }), anyJson),
      actor: fc.oneof(fc.record({ name: anyText }), anyJson),
    },
    { requiredKeys: ["action"] },
  );

  it("is answered by the rules when it is authorized", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.record({ events: fc.array(anyEvent) }), anyJson), async (body) => {
        expectInvariants(await receiver.receive(requestOf(JSON.stringify(body), { authorization })), secret);
      }),
    );
  });

  it("is refused with any other header", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (header) => {
        const received = await receiver.receive(requestOf({ events: [push] }, { authorization: header }));
        expect(received.kind).toBe("unauthorized");
        expectInvariants(received, secret);
      }),
    );
  });

  it("is answered even if it is not text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (body) => {
        expect((await receiver.receive(requestOf(body, { authorization }))).kind).toBe("invalid");
      }),
    );
  });
});
