import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { credentialHelpers } from "#adapters/oci/credential-helper";
import { dockerCredentials } from "#adapters/oci/docker-config";
import { hangingScript, type ProgramFolder, programFolder, untilGone } from "#test/adapters/programs";
import { ask, closeServers, start } from "./asking.ts";
import { reply } from "./registry-server.ts";

let programs: ProgramFolder;
let notices: string[];
let now: number;
beforeEach(async () => {
  programs = await programFolder();
  notices = [];
  now = 0;
});
afterEach(async () => {
  await closeServers();
  await programs.remove();
});

const host = "registry.example.com:5000";
const robot = `echo '{"ServerURL":"x","Username":"robot","Secret":"canary"}'`;
const notFound = "echo 'credentials not found in native keychain'; exit 1";
const byHand = `run it by hand: echo ${host} | docker-credential-test get`;

/** The logins of a `config.json` with this content; its helpers are the programs of the test. */
async function logins(config: object, timeoutMs = 10_000) {
  await writeFile(join(programs.path, "config.json"), JSON.stringify(config));
  const { environment } = programs;
  return dockerCredentials(programs.path, {
    askHelper: credentialHelpers({ environment, timeoutMs, monotonicMs: () => now }),
    notice: (text) => notices.push(text),
  });
}

const file = () => join(programs.path, "config.json");
const keptBy = (helper: string, where: string) => `docker-credential-${helper} (${file()}, ${where})`;
const robotOfHost = () => ({ username: "robot", password: "canary", from: keptBy("test", `credHelpers["${host}"]`) });
const forHost = { credHelpers: { [host]: "test" } };

describe("a login of a credential helper", () => {
  it("of the host's helper goes before the store and the file", async () => {
    await programs.write("docker-credential-test", robot);
    const source = await logins({ ...forHost, credsStore: "store", auths: { [host]: { auth: btoa("written:word") } } });

    expect(await source(host, "shop/api", false)).toEqual(robotOfHost());
    expect(await programs.runs("docker-credential-test")).toEqual([host]);
  });

  it("of the store goes before the file for every other host", async () => {
    await programs.write("docker-credential-store", robot);
    const auths = { "ghcr.io": { auth: btoa("written:word") } };
    const source = await logins({ ...forHost, credsStore: "store", auths });

    const found = [await source("ghcr.io", "shop/api", false), await source("quay.io", "shop/api", false)];

    expect(found).toEqual(
      found.map(() => ({ username: "robot", password: "canary", from: keptBy("store", "credsStore") })),
    );
    expect(await programs.runs("docker-credential-store")).toEqual(["ghcr.io", "quay.io"]);
  });

  it("of the file counts for a host without a store", async () => {
    const auths = { [host]: { auth: btoa("written:word") } };
    const source = await logins({ credHelpers: { [host]: "" }, credsStore: "store", auths });

    expect(await source(host, "shop/api", false)).toEqual({
      username: "written",
      password: "word",
      from: `${file()}, auths["${host}"]`,
    });
  });

  it.each(["docker.io", "index.docker.io", "registry-1.docker.io"])(
    "has Docker Hub's old address for the registry %s",
    async (name) => {
      await programs.write("docker-credential-test", robot);
      const source = await logins({ credHelpers: { "https://index.docker.io/v1/": "test" } });

      const from = keptBy("test", 'credHelpers["https://index.docker.io/v1/"]');
      expect(await source(name, "library/nginx", false)).toEqual({ username: "robot", password: "canary", from });
      expect(await programs.runs("docker-credential-test")).toEqual(["https://index.docker.io/v1/"]);
    },
  );

  it("may be an identity token", async () => {
    await programs.write("docker-credential-test", `echo '{"Username":"<token>","Secret":"canary"}'`);

    expect(await (await logins(forHost))(host, "shop/api", false)).toEqual({
      token: "canary",
      from: robotOfHost().from,
    });
  });

  it.each([
    { because: "it knows none", script: notFound },
    { because: "its login is empty", script: `echo '{"Username":"","Secret":""}'` },
  ])("is missing when $because, and a store is silent about it", async ({ script }) => {
    await programs.write("docker-credential-test", script);

    expect(await (await logins(forHost))(host, "shop/api", false)).toEqual({
      none: `docker-credential-test has no login for this registry: log in, or ${byHand}`,
    });
    expect(await (await logins({ credsStore: "test" }))(host, "shop/api", false)).toBeUndefined();
    expect(notices).toEqual([]);
  });
});

describe("a failing credential helper", () => {
  it.each([
    { because: "fails", script: "echo canary; echo canary >&2; exit 3", says: "failed (exit 3)" },
    { because: "is killed", script: "echo canary; kill -9 $$", says: "failed (SIGKILL)" },
    { because: "prints no JSON", script: "echo canary", says: "answered without Username and Secret" },
    {
      because: "prints another object",
      script: `echo '{"Secret":"canary"}'`,
      says: "answered without Username and Secret",
    },
    {
      because: "prints without end",
      script: "while :; do echo canarycanarycanary; done",
      says: "printed more than 64 KiB",
    },
  ])("that $because is reported once with a remedy, without its output", async ({ script, says }) => {
    await programs.write("docker-credential-test", script);
    const source = await logins(forHost);
    const message = `docker-credential-test ${says}: ${byHand} (${file()}, credHelpers["${host}"])`;

    const errors = await Promise.all(
      ["a", "b"].map((name) => source(host, name, false).catch((error: unknown) => error)),
    );

    expect(errors).toMatchObject(errors.map(() => ({ name: "PermanentError", message })));
    expect(notices).toEqual([`the login of ${host}: ${message}`]);
    expect(JSON.stringify(errors)).not.toContain("canary");
  });

  it("is killed with its children when it hangs, and may succeed the next time", async () => {
    const child = join(programs.path, "child");
    await programs.write("docker-credential-test", hangingScript(child));
    const source = await logins(forHost, 2_000);

    await expect(source(host, "shop/api", false)).rejects.toMatchObject({
      name: "TransientError",
      message: `docker-credential-test did not answer within 2 s: ${byHand} (${file()}, credHelpers["${host}"])`,
    });
    await untilGone(child);
  });

  it("is not run again for half a minute", async () => {
    await programs.write("docker-credential-test", "exit 1");
    const source = await logins(forHost);
    await source(host, "a", false).catch(() => undefined);
    await programs.write("docker-credential-test", robot);

    now = 29_999;
    await expect(source(host, "a", true)).rejects.toThrow("failed (exit 1)");
    now = 30_000;
    expect(await source(host, "a", false)).toEqual(robotOfHost());
  });

  it("that is a store without the host reports that it has no login", async () => {
    const unlisted = await logins({ credsStore: "nowhere" });
    const text = `docker-credential-nowhere is not on PATH: install it (${file()}, credsStore)`;
    expect(await unlisted("ghcr.io", "shop/api", false)).toEqual({ none: text });

    const listed = await logins({ credsStore: "nowhere", auths: { "ghcr.io": {} } });
    await expect(listed("ghcr.io", "shop/api", false)).rejects.toThrow(text);
  });

  it.each(["../test", "a/b", "/bin/sh", "a b", "$(id)"])("is not run with the name %s", async (name) => {
    const source = await logins({ credHelpers: { [host]: name } });

    await expect(source(host, "shop/api", false)).rejects.toMatchObject({
      name: "PermanentError",
      message: `${file()}, credHelpers["${host}"] is not the name of a credential helper: write the part after docker-credential-`,
    });
  });
});

describe("the answer of a credential helper", () => {
  it("is shared by all callers, and kept for five minutes", async () => {
    await programs.write("docker-credential-test", robot);
    const source = await logins(forHost);
    const runs = async () => (await programs.runs("docker-credential-test")).length;

    await Promise.all(["a", "b", "c"].map((name) => source(host, name, false)));
    now = 299_999;
    await source(host, "a", false);
    const before = await runs();
    now = 300_000;
    await source(host, "a", false);

    expect([before, await runs()]).toEqual([1, 2]);
  });

  it("is replaced when the registry rejects it, and the new answer is used", async () => {
    const digest = `sha256:${"ab".repeat(32)}`;
    let password = "first";
    const server = await start(({ authorization }, response) => {
      const known = authorization === `Basic ${btoa(`robot:${password}`)}`;
      if (known) reply(response, 200, "", { "docker-content-digest": digest });
      else reply(response, 401, {}, { "www-authenticate": "Basic realm=x" });
    });
    const says = (secret: string) => `echo '{"Username":"robot","Secret":"${secret}"}'`;
    await programs.write("docker-credential-test", says("first"));
    const credentials = await logins({ credHelpers: { [server.host]: "test" } });
    const asking = ask(server, { credentials, monotonicMs: () => now });
    await asking.resolve();
    password = "second";
    await programs.write("docker-credential-test", says("second"));

    now = 30_000;
    expect(await asking.resolve()).toEqual({ kind: "manifest", digest, platforms: [] });
    password = "third";
    now = 60_000;
    const from = keptBy("test", `credHelpers["${server.host}"]`);
    const detail = `${server.host} answered 401; the credential is from ${from}`;
    expect(await asking.resolve()).toEqual({ kind: "denied", detail });
    expect(await programs.runs("docker-credential-test")).toHaveLength(3);
  });
});

describe("a registry with a failing credential helper", () => {
  const closed = () =>
    start(({ authorization }, response) => {
      if (authorization === `Basic ${btoa("robot:canary")}`)
        reply(response, 200, { name: "shop/api", tags: ["1.0.0"] });
      else reply(response, 401, {}, { "www-authenticate": "Basic realm=x" });
    });

  it("can't be reached while it hangs, and delays no other registry", async () => {
    const [slow, quick] = [await closed(), await closed()];
    await programs.write("docker-credential-slow", hangingScript(join(programs.path, "child")));
    await programs.write("docker-credential-quick", robot);
    const credHelpers = { [slow.host]: "slow", [quick.host]: "quick" };
    const credentials = await logins({ credHelpers }, 2_000);
    const done: string[] = [];

    const answers = await Promise.all(
      [slow, quick].map((server) =>
        ask(server, { credentials })
          .tags()
          .finally(() => done.push(server.host)),
      ),
    );

    expect(done).toEqual([quick.host, slow.host]);
    expect(answers).toEqual([
      {
        kind: "unreachable",
        detail: `${slow.host} asks for a login: docker-credential-slow did not answer within 2 s: run it by hand: echo ${slow.host} | docker-credential-slow get (${file()}, credHelpers["${slow.host}"])`,
      },
      { kind: "tags", tags: ["1.0.0"] },
    ]);
  });

  it("is denied with the reason if it is missing", async () => {
    const server = await closed();
    const credentials = await logins({ credHelpers: { [server.host]: "nowhere" } });

    expect(await ask(server, { credentials }).tags()).toEqual({
      kind: "denied",
      detail: `${server.host} asks for a login: docker-credential-nowhere is not on PATH: install it (${file()}, credHelpers["${server.host}"])`,
    });
  });

  it("is denied with the reason without a login, unless it allows anonymous requests", async () => {
    const [server, open] = [
      await closed(),
      await start((_, response) => reply(response, 200, { name: "shop/api", tags: ["2.0.0"] })),
    ];
    await programs.write("docker-credential-test", notFound);
    const credentials = await logins({ credHelpers: { [server.host]: "test", [open.host]: "test" } });

    expect([await ask(server, { credentials }).tags(), await ask(open, { credentials }).tags()]).toEqual([
      {
        kind: "denied",
        detail: `${server.host} asks for a user name and password, and no credential is configured; docker-credential-test has no login for this registry: log in, or run it by hand: echo ${server.host} | docker-credential-test get`,
      },
      { kind: "tags", tags: ["2.0.0"] },
    ]);
  });
});
