import { type ChildProcess, fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { digestOf } from "#adapters/shared/image-content";
import { serve } from "#test/adapters/oci/registry-server";
import type { Shape } from "./shapes.ts";
import { type FairNews, type FairWorld, secret } from "./world.ts";

/** One attack on other namespaces. */
export interface Attack {
  readonly shape: Shape;
  readonly deployments: number;
  readonly namespaces: number;
  readonly hosts: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How a push of another namespace went during an attack. */
export interface Outcome {
  /** The milliseconds from each push to its patch. */
  readonly waitsMs: readonly number[];
  readonly memoryMb: number;
}

const pushes = 5;

/** Plays an attack, and pushes five times for the other namespace. */
export async function play({ shape, deployments, namespaces, hosts, annotations = {} }: Attack): Promise<Outcome> {
  const victim = await victimRegistry();
  const evil = start("hosts.ts", [shape, String(hosts)]);
  const lookout = start("lookout.ts");
  try {
    const [hostileHosts] = (await once(evil, "message")) as [string[]];
    const ready = newsOf(lookout, "ready");
    const world: FairWorld = {
      victimHost: victim.host,
      hostileHosts,
      namespaces,
      deployments,
      annotations,
    };
    lookout.send(world);
    const { url } = await ready;
    await setTimeout(4_000);
    const waitsMs: number[] = [];
    for (let index = 1; index <= pushes; index += 1) {
      const tag = `1.0.${index}`;
      const digest = victim.push(tag);
      const patched = patchedTo(lookout, tag);
      const began = performance.now();
      const body = JSON.stringify({ name: "shop/api", tag, digest, id: tag });
      const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
      const headers = {
        "content-type": "application/json",
        "x-signature": signature,
      };
      const answer = await fetch(`${url}/webhooks/ci`, {
        method: "POST",
        headers,
        body,
      });
      if (answer.status !== 202 && answer.status !== 200) throw new Error(`the push was answered ${answer.status}`);
      await patched;
      waitsMs.push(performance.now() - began);
      await setTimeout(1_000);
    }
    const stopped = newsOf(lookout, "stopped");
    lookout.send("stop");
    const { memoryMb } = await stopped;
    return { waitsMs, memoryMb };
  } finally {
    for (const child of [evil, lookout]) child.kill("SIGKILL");
    await victim.close();
  }
}

function start(file: string, words: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...words], {
    execArgv: process.execArgv,
  });
}

async function newsOf<Kind extends FairNews["kind"]>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<FairNews, { kind: Kind }>> {
  for (;;) {
    const [news] = (await once(child, "message")) as [FairNews];
    if (news.kind === kind) return news as Extract<FairNews, { kind: Kind }>;
  }
}

async function patchedTo(child: ChildProcess, tag: string): Promise<void> {
  const limit = AbortSignal.timeout(90_000);
  for (;;) {
    const [news] = (await once(child, "message", { signal: limit })) as [FairNews];
    if (news.kind === "patched" && news.image.includes(`:${tag}@`)) return;
  }
}

/** The registry of the other namespace, with one repository. */
async function victimRegistry() {
  const digests = new Map<string, string>();
  const manifests = new Map<string, string>();
  const push = (tag: string): string => {
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: {
        mediaType: "application/vnd.oci.image.config.v1+json",
        digest: `sha256:${"0".repeat(64)}`,
        size: 2,
      },
      layers: [],
      annotations: { tag },
    });
    const digest = digestOf(Buffer.from(manifest));
    digests.set(tag, digest);
    manifests.set(digest, manifest);
    return digest;
  };
  push("1.0.0");
  const server = await serve(({ path }, response) => {
    if (path.includes("/tags/list")) {
      response.end(JSON.stringify({ name: "shop/api", tags: [...digests.keys()] }));
      return;
    }
    const named = path.split("/").at(-1) ?? "";
    const digest = digests.get(named) ?? named;
    const manifest = manifests.get(digest);
    if (manifest === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, {
          "content-type": "application/vnd.oci.image.manifest.v1+json",
          "docker-content-digest": digest,
        })
        .end(manifest);
  });
  return { host: server.host, push, close: () => server.close() };
}
