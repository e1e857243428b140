import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configuredCredentials, firstCredential } from "#adapters/oci/credentials";
import { dockerCredentials, type DockerOptions } from "#adapters/oci/docker-config";
import type { SecretRead } from "#ports/secrets";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-credentials-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** No helper is asked here, and there is nothing to say. */
const without: DockerOptions = {
  askHelper: () => Promise.reject(new Error("no helper")),
  notice: (text) => {
    throw new Error(text);
  },
};
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a credential of lookout.yaml", () => {
  const read = async (): Promise<SecretRead> => ({ kind: "secret", value: "hub" });

  it("has the user's name and the password, for its host alone", async () => {
    const source = configuredCredentials([{ host: "ghcr.io", username: "robot" }], read);

    expect(await source("ghcr.io", "shop/api", false)).toEqual({
      username: "robot",
      password: "hub",
      from: "the entry of ghcr.io in lookout.yaml",
    });
    expect(await source("quay.io", "shop/api", false)).toBeUndefined();
    expect(await source("ghcr.io:8443", "shop/api", false)).toBeUndefined();
  });

  it("is found under each name of Docker Hub", async () => {
    const entry = { host: "index.docker.io", username: "robot" };

    const credential = await configuredCredentials([entry], read)("docker.io", "library/nginx", false);

    const from = "the entry of index.docker.io in lookout.yaml";
    expect(credential).toEqual({ username: "robot", password: "hub", from });
  });

  it("names the missing password", async () => {
    const source = configuredCredentials([{ host: "ghcr.io", username: "robot" }], async () => ({
      kind: "missing",
      why: "the variable MISSING is not set",
    }));

    await expect(source("ghcr.io", "shop/api", false)).rejects.toMatchObject({
      name: "PermanentError",
      message: "the variable MISSING is not set; it must hold the password of registry ghcr.io",
    });
  });
});

describe("a login of docker", () => {
  const login = async (config: unknown, host: string, repository = "shop/api") => {
    await writeFile(join(folder, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
    return await dockerCredentials(folder, without)(host, repository, false);
  };
  const writtenAs = (key: string) => `${join(folder, "config.json")}, auths["${key}"]`;

  it.each([
    { key: "ghcr.io", host: "ghcr.io", because: "a host" },
    { key: "registry.example.com:5000", host: "registry.example.com:5000", because: "a host with its port" },
    { key: "https://index.docker.io/v1/", host: "docker.io", because: "Docker Hub's old address" },
    { key: "docker.io", host: "docker.io", because: "Docker Hub's name" },
    { key: "https://quay.io", host: "quay.io", because: "an address" },
    { key: "quay.io/v2/", host: "quay.io", because: "the path of the protocol" },
    { key: "ghcr.io/shop", host: "ghcr.io", because: "a path of the repository" },
    { key: "ghcr.io/shop/api", host: "ghcr.io", because: "the repository" },
  ])("is found under $because", async ({ key, host }) => {
    expect(await login({ auths: { [key]: { auth: base64("robot:pass:word") } } }, host)).toEqual({
      username: "robot",
      password: "pass:word",
      from: writtenAs(key),
    });
  });

  it.each([
    { key: "ghcr.io", host: "quay.io", because: "of another host" },
    { key: "registry.example.com", host: "registry.example.com:5000", because: "of another port" },
    { key: "ghcr.io/sho", host: "ghcr.io", because: "of a repository that only begins alike" },
    { key: "example.com", host: "registry.example.com", because: "of a parent domain" },
  ])("is not used when it is $because", async ({ key, host }) => {
    expect(await login({ auths: { [key]: { auth: base64("robot:word") } } }, host)).toBeUndefined();
  });

  it("has the longest path", async () => {
    const auths = {
      "ghcr.io": { auth: base64("host:a") },
      "ghcr.io/shop/api": { auth: base64("repository:b") },
      "ghcr.io/shop": { auth: base64("path:c") },
    };

    expect(await login({ auths }, "ghcr.io")).toEqual({
      username: "repository",
      password: "b",
      from: writtenAs("ghcr.io/shop/api"),
    });
  });

  it("may be written out, or be an identity token, which goes first", async () => {
    const written = { username: "robot", password: "word" };

    expect(await login({ auths: { "ghcr.io": written } }, "ghcr.io")).toEqual({
      ...written,
      from: writtenAs("ghcr.io"),
    });
    expect(await login({ auths: { "ghcr.io": { ...written, identitytoken: "identity" } } }, "ghcr.io")).toEqual({
      token: "identity",
      from: writtenAs("ghcr.io"),
    });
  });

  it("is missing without a file", async () => {
    expect(await dockerCredentials(join(folder, "none"), without)("ghcr.io", "shop/api", false)).toBeUndefined();
  });

  it.each([
    { config: '{"auths":{"ghcr.io":{"auth":"canary"', says: "is not JSON: expected a docker configuration" },
    { config: { auths: { "ghcr.io": { auth: ["canary"] } } }, says: "has an unexpected value at auths.ghcr.io.auth" },
    { config: '"canary"', says: "has an unexpected value at its top" },
    {
      config: { auths: { "ghcr.io": { auth: base64("canary") } } },
      says: 'auths["ghcr.io"].auth is not the base64 form',
    },
  ])("reports the expected form without the content: $says", async ({ config, says }) => {
    const error: unknown = await login(config, "ghcr.io").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: "PermanentError", message: expect.stringContaining(says) as unknown });
    expect(String(error) + JSON.stringify(error)).not.toMatch(/canary|Y2FuYXJ5/);
    expect(error).not.toHaveProperty("cause");
  });

  it("names an unreadable file", async () => {
    const source = dockerCredentials(join(folder, "as-folder"), without);
    await mkdir(join(folder, "as-folder", "config.json"), { recursive: true });

    await expect(source("ghcr.io", "shop/api", false)).rejects.toMatchObject({
      name: "PermanentError",
      message: expect.stringContaining(join("as-folder", "config.json")) as unknown,
    });
  });
});

describe("several sources of credentials", () => {
  it("are tried in their order until one knows the host", async () => {
    const knows = (host: string, token: string) => async (asked: string) => (asked === host ? { token } : undefined);
    const source = firstCredential(knows("a", "first"), knows("a", "second"), knows("b", "third"));

    expect([await source("a", "x", false), await source("b", "x", false), await source("c", "x", false)]).toEqual([
      { token: "first" },
      { token: "third" },
      undefined,
    ]);
  });
});
