import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeImageLayout } from "./image-layout.ts";
import { freePorts } from "./ports.ts";
import { run, startDaemon } from "./processes.ts";
import type { Daemon } from "./processes.ts";
import { programPath } from "./programs.ts";
import { until } from "./until.ts";

export interface RegistryOptions {
  /** The port on 127.0.0.1. Default: a free port. */
  readonly port?: number;
  /** The receiver of notifications about pushes and pulls, with request headers. */
  readonly notify?: { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  /** The required user name and password (HTTP basic authentication). */
  readonly auth?: Credentials;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/**
 * A container registry. Image names are `repository:tag` or `repository@digest`, without the host.
 */
export interface Registry {
  /** `127.0.0.1:PORT`, the first part of an image reference. */
  readonly host: string;
  /** Pushes an image and returns its digest. The same seed gives the same digest. */
  push(image: string, options: { readonly seed: string }): Promise<string>;
  /**
   * Pushes an image for each platform (`linux/amd64`), and their index under the tag. Returns the
   * index's digest.
   */
  pushIndex(image: string, options: { readonly seed: string; readonly platforms?: readonly string[] }): Promise<string>;
  /** Gives an image another tag in the same repository. */
  tag(image: string, tag: string): Promise<void>;
  /** Deletes a tag. With a digest, it deletes the image with all its tags. */
  delete(image: string): Promise<void>;
  /** Ends the process and drops all images. */
  stop(): Promise<void>;
}

/**
 * Starts a container registry on 127.0.0.1 with images in memory. Waits until the registry answers.
 */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-registry-"));
  const [freePort = 0] = await freePorts(1);
  const host = `127.0.0.1:${options.port ?? freePort}`;
  let daemon: Daemon | undefined;
  const stop = async () => {
    await daemon?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await writeConfiguration(folder, host, options);
    daemon = await startDaemon({
      program: programPath("registry"),
      arguments: ["serve", join(folder, "registry.json")],
      log: join(folder, "registry.log"),
      folder,
      environment: { OTEL_TRACES_EXPORTER: "none" },
    });
    await untilAnswers(host, daemon);
    return { host, ...imagesOf(folder, host), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeConfiguration(folder: string, host: string, options: RegistryOptions): Promise<void> {
  // JSON is YAML too.
  const configuration = {
    version: 0.1,
    log: { level: "warn", accesslog: { disabled: true } },
    storage: { inmemory: {}, delete: { enabled: true } },
    http: { addr: host },
    ...(options.auth && { auth: { htpasswd: { realm: "test-bed", path: join(folder, "htpasswd") } } }),
    ...(options.notify && { notifications: { endpoints: [notificationEndpoint(options.notify)] } }),
  };
  await writeFile(join(folder, "registry.json"), JSON.stringify(configuration));
  if (options.auth) {
    await writeFile(join(folder, "htpasswd"), `${options.auth.user}:${await passwordHash(options.auth.password)}\n`);
  }
  // crane reads its logins from this folder, not from the user's folder.
  const login = options.auth && Buffer.from(`${options.auth.user}:${options.auth.password}`).toString("base64");
  await mkdir(join(folder, "docker"));
  await writeFile(
    join(folder, "docker", "config.json"),
    JSON.stringify({ auths: login ? { [host]: { auth: login } } : {} }),
  );
}

function notificationEndpoint(notify: NonNullable<RegistryOptions["notify"]>): object {
  const headers = Object.entries(notify.headers ?? {}).map(([name, value]) => [name, [value]] as const);
  return {
    name: "lookout",
    url: notify.url,
    headers: Object.fromEntries(headers),
    timeout: "1s",
    threshold: 3,
    backoff: "1s",
  };
}

/**
 * Returns the bcrypt hash of a password, which the registry requires. Perl makes the hash with the
 * C library.
 */
async function passwordHash(password: string): Promise<string> {
  const script = "chomp(my $password = <STDIN>); print crypt($password, q($2b$05$lookoutlookoutlookout.))";
  const hash = await run("perl", ["-e", script], { input: `${password}\n` });
  if (!hash.startsWith("$2b$"))
    throw new Error("perl's crypt() does not support bcrypt here; it needs the C library libxcrypt");
  return hash;
}

async function untilAnswers(host: string, daemon: Daemon): Promise<void> {
  await until(
    `the registry at ${host} answers`,
    async () => {
      await daemon.assertRunning();
      const response = await fetch(`http://${host}/v2/`, { signal: AbortSignal.timeout(2000) });
      await response.body?.cancel();
      return response.ok || response.status === 401 || undefined;
    },
    { intervalMs: 20 },
  );
}

function imagesOf(folder: string, host: string): Omit<Registry, "host" | "stop"> {
  const program = programPath("crane");
  const crane = (...words: readonly string[]) =>
    run(program, words, { environment: { DOCKER_CONFIG: join(folder, "docker") } });
  const pushLayout = async (image: string, seed: string, platforms: readonly string[], flags: readonly string[]) => {
    const layout = await mkdtemp(join(folder, "image-"));
    await writeImageLayout(layout, seed, platforms);
    const pushed = await crane("push", layout, `${host}/${image}`, ...flags);
    await rm(layout, { recursive: true });
    return pushed.trim().replace(/^.*@/, "");
  };
  return {
    push: (image, { seed }) => pushLayout(image, seed, ["linux/amd64"], []),
    pushIndex: (image, { seed, platforms = ["linux/amd64", "linux/arm64"] }) =>
      pushLayout(image, seed, platforms, ["--index"]),
    async tag(image, tag) {
      await crane("tag", `${host}/${image}`, tag);
    },
    async delete(image) {
      await crane("delete", `${host}/${image}`);
    },
  };
}
