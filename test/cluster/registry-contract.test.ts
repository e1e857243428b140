import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ociRegistry } from "#adapters/oci/registry";
import { openRegistry } from "#runtime/local/world";
import { programFolder } from "#test/adapters/programs";
import { onLoopback } from "#test/adapters/oci/asking";
import { registryContract } from "#test/contracts/registry.contract";
import { freePorts } from "./bed/ports.ts";
import type { Registry as BedRegistry } from "./bed/registry.ts";
import { startRegistry } from "./bed/registry.ts";
import type { TokenRegistry } from "./token-registry.ts";
import { startTokenRegistry } from "./token-registry.ts";

const signal = new AbortController().signal;
const robot = { user: "robot", password: "pass:wörd" };
const anonymous = async () => undefined;
const as = (password: string) => async () => ({ username: robot.user, password });

registryContract(async () => {
  const bed = await startRegistry();
  const closed = await startRegistry({ auth: robot });
  const [nobodyHere = 0] = await freePorts(1);
  return {
    registry: ociRegistry({
      credentials: as("wrong"),
      registries: [bed.host, closed.host, `127.0.0.1:${nobodyHere}`].map(onLoopback),
    }),
    host: bed.host,
    push: (repository, tag, content, platforms) =>
      platforms === undefined
        ? bed.push(`${repository}:${tag}`, { seed: content })
        : bed.pushIndex(`${repository}:${tag}`, { seed: content, platforms }),
    moveTag: (repository, tag, digest) => bed.tag(`${repository}@${digest}`, tag),
    deleteTag: (repository, tag) => bed.delete(`${repository}:${tag}`),
    unreachable: { registry: `127.0.0.1:${nobodyHere}`, repository: "shop/api" },
    denied: { registry: closed.host, repository: "shop/api" },
    close: async () => {
      await Promise.all([bed.stop(), closed.stop()]);
    },
  };
});

describe("a distribution registry", () => {
  let bed: BedRegistry;
  let digest: string;
  beforeAll(async () => {
    bed = await startRegistry({ auth: robot });
    digest = await bed.push("shop/api:1.0.0", { seed: "api" });
  });
  afterAll(async () => {
    await bed.stop();
  });

  it("accepts the password, and nothing else", async () => {
    const name = { registry: bed.host, repository: "shop/api" };
    const ask = (credentials: Parameters<typeof ociRegistry>[0]["credentials"]) =>
      ociRegistry({ credentials, registries: [onLoopback(bed.host)] }).resolve(name, "1.0.0", signal);

    expect([await ask(as(robot.password)), await ask(as("wrong")), await ask(anonymous)]).toEqual([
      { kind: "manifest", digest, platforms: [] },
      { kind: "denied", detail: `${bed.host} answered 401` },
      { kind: "denied", detail: `${bed.host} asks for a user name and password, and no credential is configured` },
    ]);
  });
});

describe("a distribution registry with a token service", () => {
  let bed: TokenRegistry;
  let digest: string;
  beforeAll(async () => {
    bed = await startTokenRegistry();
    digest = await bed.push("shop/api:1.0.0");
  });
  afterAll(async () => {
    await bed.stop();
  });

  it("accepts the token that its service gives for the password, more than once", async () => {
    const registries = [{ ...onLoopback(bed.host), tokenHosts: [bed.tokenHost] }];
    const registry = ociRegistry({ credentials: as(bed.password), registries });
    const name = { registry: bed.host, repository: "shop/api" };
    const before = bed.tokens.asked.length;

    const answers = [
      await registry.resolve(name, "1.0.0", signal),
      await registry.manifest(name, digest, signal),
      await registry.tags(name, signal),
    ];

    expect(answers).toEqual([
      { kind: "manifest", digest, platforms: [] },
      { kind: "manifest", digest, platforms: [], config: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string },
      { kind: "tags", tags: ["1.0.0"] },
    ]);
    expect(bed.tokens.asked.slice(before).map(({ path }) => path)).toEqual([
      "/token?service=registry%2C+of+ours&scope=repository%3Ashop%2Fapi%3Apull",
    ]);
  });

  it("has its tags listed page by page", async () => {
    const tags = Array.from({ length: 8 }, (_, index) => `1.0.${index}`);
    await bed.push("shop/paged:1.0.0");
    for (const tag of tags.slice(1)) await bed.tag("shop/paged:1.0.0", tag);
    const registries = [{ ...onLoopback(bed.host), tokenHosts: [bed.tokenHost] }];

    const listing = await ociRegistry({ credentials: as(bed.password), registries }).tags(
      { registry: bed.host, repository: "shop/paged" },
      signal,
    );

    const sorted = listing.kind === "tags" ? { ...listing, tags: listing.tags.toSorted() } : listing;
    expect(sorted).toEqual({ kind: "tags", tags });
  });

  it("accepts the login of docker's credential helper, which runs once", async () => {
    const programs = await programFolder();
    await programs.write("docker-credential-test", `echo '{"Username":"robot","Secret":"${bed.password}"}'`);
    await writeFile(join(programs.path, "config.json"), JSON.stringify({ credHelpers: { [bed.host]: "test" } }));
    const notices: string[] = [];
    const registry = await openRegistry(
      { registries: [{ name: "bed", ...onLoopback(bed.host), tokenHosts: [bed.tokenHost] }], registryPolicy: "listed" },
      { ...programs.environment, DOCKER_CONFIG: programs.path },
      (text) => notices.push(text),
    );
    const name = { registry: bed.host, repository: "shop/api" };

    const answers = await Promise.all([registry.resolve(name, "1.0.0", signal), registry.tags(name, signal)]);
    const runs = await programs.runs("docker-credential-test");
    await programs.remove();

    expect(answers).toEqual([
      { kind: "manifest", digest, platforms: [] },
      { kind: "tags", tags: ["1.0.0"] },
    ]);
    expect({ runs, notices }).toEqual({ runs: [bed.host], notices: [] });
  });

  it("denies requests without a credential", async () => {
    const name = { registry: bed.host, repository: "shop/api" };
    const registries = [{ ...onLoopback(bed.host), tokenHosts: [bed.tokenHost] }];

    const answer = await ociRegistry({ credentials: anonymous, registries }).resolve(name, "1.0.0", signal);

    expect(answer).toEqual({ kind: "denied", detail: `${bed.host} answered 401` });
  });

  it("leaks no password to a service that lookout.yaml does not name", async () => {
    const name = { registry: bed.host, repository: "shop/api" };
    const before = bed.tokens.asked.length;

    const answer = await ociRegistry({ credentials: as(bed.password), registries: [onLoopback(bed.host)] }).resolve(
      name,
      "1.0.0",
      signal,
    );

    expect(answer).toEqual({
      kind: "denied",
      detail: `${bed.host} names a token service that is not allowed: http://${bed.tokenHost}; to allow the host, add it to tokenHosts of the registry's entry in lookout.yaml`,
    });
    expect(bed.tokens.asked.slice(before)).toEqual([]);
  });
});
