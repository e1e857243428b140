import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { describe, expect, it } from "vitest";

import { startRegistry } from "./bed/registry.ts";
import { until } from "./bed/until.ts";

interface Notification {
  readonly authorization: string | undefined;
  readonly action: string;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string;
}

async function startReceiver() {
  const notifications: Notification[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { events } = JSON.parse(body) as {
        readonly events: readonly {
          readonly action: string;
          readonly target: { readonly repository: string; readonly tag?: string; readonly digest: string };
        }[];
      };
      for (const { action, target } of events) {
        const { repository, tag, digest: pushed } = target;
        notifications.push({ authorization: request.headers.authorization, action, repository, tag, digest: pushed });
      }
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks/distribution`, notifications, stop: () => server.close() };
}

describe("the registry", () => {
  it("notifies the webhook of each push, with tag, digest and bearer token", async () => {
    const receiver = await startReceiver();
    const registry = await startRegistry({
      notify: { url: receiver.url, headers: { Authorization: "Bearer s3cret" } },
    });

    const image = await registry.push("shop/api:1.4.0", { seed: "one" });
    const index = await registry.pushIndex("shop/api:1.5.0", { seed: "two" });
    await registry.tag("shop/api:1.5.0", "stable");

    const tagged = await until("three tags are told", () => {
      const found = receiver.notifications.filter(({ action, tag }) => action === "push" && tag !== undefined);
      return Promise.resolve(found.length === 3 ? found : undefined);
    });
    const told = { authorization: "Bearer s3cret", action: "push", repository: "shop/api" };
    expect(tagged).toEqual([
      { ...told, tag: "1.4.0", digest: image },
      { ...told, tag: "1.5.0", digest: index },
      { ...told, tag: "stable", digest: index },
    ]);
    await registry.stop();
    receiver.stop();
  });

  it("has equal digests for equal seeds, and different digests for different seeds", async () => {
    const registry = await startRegistry();

    const first = await registry.push("shop/api:1.4.0", { seed: "one" });
    const again = await registry.push("shop/web:1.0.0", { seed: "one" });
    const other = await registry.push("shop/api:1.4.1", { seed: "two" });

    expect([again === first, other === first]).toEqual([true, false]);
    await registry.stop();
  });

  it("forgets a deleted tag and keeps the other tags of the image", async () => {
    const registry = await startRegistry();
    await registry.push("shop/api:1.4.0", { seed: "one" });
    await registry.tag("shop/api:1.4.0", "stable");

    await registry.delete("shop/api:1.4.0");

    const response = await fetch(`http://${registry.host}/v2/shop/api/tags/list`);
    expect(await response.json()).toEqual({ name: "shop/api", tags: ["stable"] });
    await registry.stop();
  });

  it("requires its password", async () => {
    const registry = await startRegistry({ auth: { user: "lookout", password: "s3cret" } });
    await registry.push("shop/api:1.4.0", { seed: "one" });
    const list = async (authorization: string) =>
      (await fetch(`http://${registry.host}/v2/shop/api/tags/list`, { headers: { authorization } })).status;

    const right = await list(`Basic ${btoa("lookout:s3cret")}`);
    const wrong = await list(`Basic ${btoa("lookout:guess")}`);

    expect({ right, wrong }).toEqual({ right: 200, wrong: 401 });
    await registry.stop();
  });

  it("ends with its parent process, even if the parent is killed", async () => {
    const script = `
      import { startRegistry } from ${JSON.stringify(join(import.meta.dirname, "bed", "registry.ts"))};
      const registry = await startRegistry();
      console.log(registry.host);
      setInterval(() => undefined, 60_000);
    `;
    const folder = await mkdtemp(join(tmpdir(), "lookout-killed-"));
    const starter = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(starter.stdout, "data")) as [Buffer];
    const host = line.toString().trim();
    expect((await fetch(`http://${host}/v2/`)).status).toBe(200);

    starter.kill("SIGKILL");

    await until("the registry is gone", async () => {
      const answers = await fetch(`http://${host}/v2/`).then(
        () => true,
        () => false,
      );
      return answers ? undefined : true;
    });
    await rm(folder, { recursive: true });
  });
});
