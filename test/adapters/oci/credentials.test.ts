import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configuredCredentials, firstCredential } from "#adapters/oci/credentials";
import { dockerCredentials } from "#adapters/oci/docker-config";

let folder: string;
let notices: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-credentials-"));
  notices = [];
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a credential of lookout.yaml", () => {
  const environment = { HUB_PASSWORD: "hub", EMPTY: "" };

  it("is the user's name with the password of a variable, for its host alone", async () => {
    const source = configuredCredentials(
      [{ host: "ghcr.io", username: "robot", passwordEnv: "HUB_PASSWORD" }],
      environment,
    );

    expect(await source("ghcr.io", "shop/api")).toEqual({ username: "robot", password: "hub" });
    expect(await source("quay.io", "shop/api")).toBeUndefined();
    expect(await source("ghcr.io:8443", "shop/api")).toBeUndefined();
  });

  it("is found under each name of Docker Hub", async () => {
    const entry = { host: "index.docker.io", username: "robot", passwordEnv: "HUB_PASSWORD" };

    const credential = await configuredCredentials([entry], environment)("docker.io", "library/nginx");

    expect(credential).toEqual({ username: "robot", password: "hub" });
  });

  it("follows its password file, without the line break at its end", async () => {
    const passwordFile = join(folder, "password");
    const source = configuredCredentials([{ host: "ghcr.io", username: "robot", passwordFile }], {});

    const passwords = [];
    for (const text of ["first\n", "second\r\n", " third "]) {
      await writeFile(passwordFile, text);
      passwords.push(await source("ghcr.io", "shop/api"));
    }

    expect(passwords).toEqual(["first", "second", " third "].map((password) => ({ username: "robot", password })));
  });

  it.each([
    {
      entry: { passwordEnv: "MISSING" },
      message: "the variable MISSING is not set; the password of ghcr.io is expected in it",
    },
    {
      entry: { passwordEnv: "EMPTY" },
      message: "the variable EMPTY is not set; the password of ghcr.io is expected in it",
    },
    { entry: {}, message: "the credential of ghcr.io needs either passwordEnv or passwordFile, and not both" },
    {
      entry: { passwordEnv: "HUB_PASSWORD", passwordFile: "/run/secrets/hub" },
      message: "the credential of ghcr.io needs either passwordEnv or passwordFile, and not both",
    },
    {
      entry: { passwordFile: "/nowhere/hub" },
      message: "/nowhere/hub can't be read (ENOENT); the password of ghcr.io is expected in it",
    },
  ])("says what is expected: $message", async ({ entry, message }) => {
    const source = configuredCredentials([{ host: "ghcr.io", username: "robot", ...entry }], environment);

    await expect(source("ghcr.io", "shop/api")).rejects.toMatchObject({ name: "PermanentError", message });
  });
});

describe("a login of docker", () => {
  const login = async (config: unknown, host: string, repository = "shop/api") => {
    await writeFile(join(folder, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
    return await dockerCredentials(folder, (text) => notices.push(text))(host, repository);
  };

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
    });
  });

  it.each([
    { key: "ghcr.io", host: "quay.io", because: "of another host" },
    { key: "registry.example.com", host: "registry.example.com:5000", because: "of another port" },
    { key: "ghcr.io/sho", host: "ghcr.io", because: "of a repository that only begins alike" },
    { key: "example.com", host: "registry.example.com", because: "of a parent domain" },
  ])("is not taken when it is $because", async ({ key, host }) => {
    expect(await login({ auths: { [key]: { auth: base64("robot:word") } } }, host)).toBeUndefined();
  });

  it("is the one with the longest path", async () => {
    const auths = {
      "ghcr.io": { auth: base64("host:a") },
      "ghcr.io/shop/api": { auth: base64("repository:b") },
      "ghcr.io/shop": { auth: base64("path:c") },
    };

    expect(await login({ auths }, "ghcr.io")).toEqual({ username: "repository", password: "b" });
  });

  it("may be written out, or be an identity token, which counts first", async () => {
    const written = { username: "robot", password: "word" };

    expect(await login({ auths: { "ghcr.io": written } }, "ghcr.io")).toEqual(written);
    expect(await login({ auths: { "ghcr.io": { ...written, identitytoken: "identity" } } }, "ghcr.io")).toEqual({
      token: "identity",
    });
  });

  it.each([
    { config: { auths: { "ghcr.io": {} }, credsStore: "desktop" }, helper: "desktop" },
    {
      config: { auths: { "ghcr.io": { auth: base64("a:b") } }, credHelpers: { "ghcr.io": "gcloud" } },
      helper: "gcloud",
    },
  ])("that the helper $helper keeps is left out, with one notice", async ({ config, helper }) => {
    await writeFile(join(folder, "config.json"), JSON.stringify(config));
    const source = dockerCredentials(folder, (text) => notices.push(text));

    expect([await source("ghcr.io", "a"), await source("ghcr.io", "b")]).toEqual([undefined, undefined]);
    expect(notices).toEqual([
      `${join(folder, "config.json")} leaves the login of ghcr.io to the credential helper "${helper}", which is not asked; name it under registries in lookout.yaml`,
    ]);
  });

  it("is taken from the file also when there is a store for others", async () => {
    const config = { auths: { "ghcr.io": { auth: base64("a:b") } }, credsStore: "desktop" };

    expect(await login(config, "ghcr.io")).toEqual({ username: "a", password: "b" });
    expect(await login(config, "quay.io")).toBeUndefined();
    expect(notices).toEqual([]);
  });

  it("is none when there is no file", async () => {
    expect(await dockerCredentials(join(folder, "none"), () => undefined)("ghcr.io", "shop/api")).toBeUndefined();
  });

  it.each([
    { config: '{"auths":{"ghcr.io":{"auth":"canary"', says: "is not JSON; expected a docker configuration" },
    { config: { auths: { "ghcr.io": { auth: ["canary"] } } }, says: "has an unexpected value at auths.ghcr.io.auth" },
    { config: '"canary"', says: "has an unexpected value at its top" },
    {
      config: { auths: { "ghcr.io": { auth: base64("canary") } } },
      says: 'auths["ghcr.io"].auth is not the base64 form',
    },
  ])("says what is expected, and nothing of the content: $says", async ({ config, says }) => {
    const error: unknown = await login(config, "ghcr.io").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: "PermanentError", message: expect.stringContaining(says) as unknown });
    expect(String(error) + JSON.stringify(error)).not.toMatch(/canary|Y2FuYXJ5/);
    expect(error).not.toHaveProperty("cause");
  });

  it("says which file can't be read", async () => {
    const source = dockerCredentials(join(folder, "as-folder"), () => undefined);
    await mkdir(join(folder, "as-folder", "config.json"), { recursive: true });

    await expect(source("ghcr.io", "shop/api")).rejects.toMatchObject({
      name: "PermanentError",
      message: expect.stringContaining(join("as-folder", "config.json")) as unknown,
    });
  });
});

describe("several sources", () => {
  it("are asked in their order until one knows the host", async () => {
    const knows = (host: string, token: string) => async (asked: string) => (asked === host ? { token } : undefined);
    const source = firstCredential(knows("a", "first"), knows("a", "second"), knows("b", "third"));

    expect([await source("a", "x"), await source("b", "x"), await source("c", "x")]).toEqual([
      { token: "first" },
      { token: "third" },
      undefined,
    ]);
  });
});
