import { generateKeyPairSync, sign } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestServer } from "#test/adapters/oci/registry-server";
import { reply, serve } from "#test/adapters/oci/registry-server";
import { writeImageLayout } from "./bed/image-layout.ts";
import { freePorts } from "./bed/ports.ts";
import { run, startDaemon } from "./bed/processes.ts";
import { programPath } from "./bed/programs.ts";
import { until } from "./bed/until.ts";

/**
 * A registry that accepts only signed tokens and lists three tags per page, with a token service
 * for `robot`.
 */
export interface TokenRegistry {
  readonly host: string;
  /** The host of the token service in the registry's challenge. crane refuses a private address. */
  readonly tokenHost: string;
  readonly tokens: TestServer;
  readonly password: string;
  push(image: string): Promise<string>;
  tag(image: string, tag: string): Promise<void>;
  stop(): Promise<void>;
}

const service = "registry, of ours";
const issuer = "test-bed";
const keyId = "test-bed-key";
const password = "pass:word";

/** @see https://distribution.github.io/distribution/about/configuration/#token */
export async function startTokenRegistry(): Promise<TokenRegistry> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-token-registry-"));
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const login = Buffer.from(`robot:${password}`).toString("base64");

  const tokens = await serve(({ path, authorization }, response) => {
    const scope = new URL(path, "http://tokens").searchParams.get("scope") ?? "";
    const access = authorization === `Basic ${login}` ? accessOf(scope) : [];
    reply(response, 200, { token: jwt(access), expires_in: 300 });
  });
  const tokenHost = `localhost:${tokens.port}`;
  const jwt = (access: readonly object[]): string => {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: service,
      sub: "robot",
      nbf: seconds - 5,
      iat: seconds,
      exp: seconds + 300,
      access,
    };
    const parts = [{ typ: "JWT", alg: "ES256", kid: keyId }, claims].map((part) => base64url(JSON.stringify(part)));
    const signed = parts.join(".");
    const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  };

  const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: keyId, alg: "ES256", use: "sig" }] };
  await writeFile(join(folder, "jwks.json"), JSON.stringify(jwks));
  await writeFile(join(folder, "registry.json"), JSON.stringify(configuration(folder, host, tokenHost)));
  await mkdir(join(folder, "docker"));
  await writeFile(join(folder, "docker", "config.json"), JSON.stringify({ auths: { [host]: { auth: login } } }));
  const daemon = await startDaemon({
    program: programPath("registry"),
    arguments: ["serve", join(folder, "registry.json")],
    log: join(folder, "registry.log"),
    folder,
    environment: { OTEL_TRACES_EXPORTER: "none" },
  });
  const stop = async () => {
    await Promise.all([daemon.stop(), tokens.close()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilAsksForToken(host, () => daemon.assertRunning());
  } catch (error) {
    await stop();
    throw error;
  }
  const environment = { DOCKER_CONFIG: join(folder, "docker") };
  return {
    host,
    tokenHost,
    tokens,
    password,
    push: (image) => push(folder, `${host}/${image}`, environment),
    tag: async (image, tag) => {
      await run(programPath("crane"), ["tag", `${host}/${image}`, tag], { environment });
    },
    stop,
  };
}

function configuration(folder: string, host: string, tokenHost: string): object {
  return {
    version: 0.1,
    log: { level: "warn", accesslog: { disabled: true } },
    storage: { inmemory: {} },
    http: { addr: host },
    tags: { maxtags: 3 },
    auth: { token: { realm: `http://${tokenHost}/token`, service, issuer, jwks: join(folder, "jwks.json") } },
  };
}

function accessOf(scope: string): readonly object[] {
  const [, name, actions = ""] = /^repository:([^:]+):([a-z,]+)$/.exec(scope) ?? [];
  return name === undefined ? [] : [{ type: "repository", name, actions: actions.split(",") }];
}

async function untilAsksForToken(host: string, assertRunning: () => Promise<void>): Promise<void> {
  await until(
    `the registry at ${host} asks for a token`,
    async () => {
      await assertRunning();
      const response = await fetch(`http://${host}/v2/`, { signal: AbortSignal.timeout(2000) });
      await response.body?.cancel();
      return response.status === 401 || undefined;
    },
    { intervalMs: 20 },
  );
}

async function push(folder: string, image: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const layout = await mkdtemp(join(folder, "image-"));
  await writeImageLayout(layout, image, ["linux/amd64"]);
  const pushed = await run(programPath("crane"), ["push", layout, image], { environment });
  return pushed.trim().replace(/^.*@/, "");
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
