import { describe, expect, it } from "vitest";
import { loadConfiguration } from "#runtime/local/configuration";
import { readSecret, resolveSecrets, type SecretSources } from "#runtime/local/configuration-secrets";

const text = [
  "receivers:",
  "  - { name: harbour, kind: distribution, registry: registry.example.com, secretEnv: HARBOUR_SECRET }",
  "  - { name: build, kind: generic, secretFile: secrets/build }",
  "registries:",
  "  - { host: ghcr.io, username: robot, passwordEnv: GHCR_PASSWORD }",
  "  - { host: quay.io, username: robot, passwordFile: secrets/quay }",
  "  - { host: localhost:5000, insecure: true }",
].join("\n");

const textOfAws = [
  "receivers:",
  "  - { name: hub, kind: generic, secretParameter: /lookout/hub }",
  "  - { name: build, kind: generic, secretId: lookout/build }",
  "registries:",
  "  - { host: ghcr.io, username: robot, passwordParameter: /lookout/ghcr }",
].join("\n");

const readInAws: SecretSources["readInAws"] = async (place) =>
  "parameter" in place && place.parameter === "/lookout/hub"
    ? { kind: "secret", value: "hub's" }
    : { kind: "missing", why: `there is no ${JSON.stringify(place)}` };

async function resolve(environment: Readonly<Record<string, string>>, secrets: Readonly<Record<string, string>>) {
  const files: Readonly<Record<string, string>> = { "lookout.yaml": text, ...secrets };
  const readFile = async (path: string): Promise<string> => {
    const content = files[path];
    if (content === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    return content;
  };
  const { configuration } = await loadConfiguration({ environment, readFile });
  return resolveSecrets(configuration, { environment, readFile, readInAws });
}

describe("the secrets of a configuration", () => {
  it("are read from variables and files", async () => {
    const receivers = await resolve(
      { HARBOUR_SECRET: "harbour's", GHCR_PASSWORD: "ghcr's" },
      { "secrets/build": "build's\n", "secrets/quay": "quay's\r\n" },
    );
    expect(receivers).toEqual([
      { name: "harbour", kind: "distribution", registry: "registry.example.com", secret: "harbour's" },
      { name: "build", kind: "generic", registry: undefined, secret: "build's" },
    ]);
  });

  it("are all named when they are missing", async () => {
    await expect(resolve({ HARBOUR_SECRET: " " }, { "secrets/build": "\n" })).rejects.toMatchObject({
      name: "PermanentError",
      message: [
        "secrets of the configuration are missing:",
        "  the variable HARBOUR_SECRET is empty; its content must be the secret of receiver harbour",
        "  the file secrets/build is empty; its content must be the secret of receiver build",
        "  the variable GHCR_PASSWORD is not set; its content must be the password of registry ghcr.io",
        "  the file secrets/quay can't be read (ENOENT); its content must be the password of registry quay.io",
      ].join("\n"),
    });
  });

  it("are read from AWS, and named when they are missing there", async () => {
    const only = { "lookout.yaml": textOfAws.split("\n").slice(0, 2).join("\n") };

    expect(await resolve({}, only)).toEqual([{ name: "hub", kind: "generic", registry: undefined, secret: "hub's" }]);
    await expect(resolve({}, { "lookout.yaml": textOfAws })).rejects.toThrow(
      [
        "secrets of the configuration are missing:",
        '  there is no {"secret":"lookout/build"}; its content must be the secret of receiver build',
        '  there is no {"parameter":"/lookout/ghcr"}; its content must be the password of registry ghcr.io',
      ].join("\n"),
    );
  });
});

describe("a secret", () => {
  it("follows its file, without the line break at its end", async () => {
    const read = (text: string) =>
      readSecret({ file: "secrets/ghcr" }, { environment: {}, readFile: () => Promise.resolve(text), readInAws });

    expect(await Promise.all(["first\n", "second\r\n", " third "].map(read))).toEqual(
      ["first", "second", " third "].map((value) => ({ kind: "secret", value })),
    );
  });

  it.each([
    { place: { variable: "MISSING" }, why: "the variable MISSING is not set" },
    { place: { variable: "EMPTY" }, why: "the variable EMPTY is empty" },
    { place: { file: "/nowhere/hub" }, why: "the file /nowhere/hub can't be read (ENOENT)" },
    { place: undefined, why: "lookout.yaml names no variable and no file" },
  ])("is missing: $why", async ({ place, why }) => {
    const readFile = () => Promise.reject(Object.assign(new Error("no such file"), { code: "ENOENT" }));

    expect(await readSecret(place, { environment: { EMPTY: "" }, readFile, readInAws })).toEqual({
      kind: "missing",
      why,
    });
  });
});
