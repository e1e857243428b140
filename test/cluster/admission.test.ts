import { readFile } from "node:fs/promises";
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { giveAccess } from "./access.ts";
import { manifestOf, pathOf } from "./admission-objects.ts";
import { beyondThePolicy, harmless, noRight, podNamed, type Request, type Write } from "./admission-requests.ts";
import { sentences, writes } from "./admission-writes.ts";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import type { User } from "./bed/control-plane-place.ts";

let plane: ControlPlane;
let agent: Agent;
let made = 0;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  agent = new Agent({ connect: { ca: await readFile(plane.certificateAuthority) } });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "default" } };
  const owner = { apiVersion: "apps/v1", name: "x", uid: "1", controller: true };
  await plane.apply([
    account,
    podNamed("bare"),
    podNamed("of-stateful-set", [{ ...owner, kind: "StatefulSet" }]),
    podNamed("of-replica-set", [{ ...owner, kind: "ReplicaSet" }]),
  ]);
  await giveAccess(plane, { deletePods: false });
});

afterAll(async () => {
  await agent.close();
  await plane.stop();
});

async function send(user: User, { method, path, type = "application/json", body }: Request) {
  const response = await fetch(new URL(path ?? "", plane.server), {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${plane.tokens[user]}`, "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const object = text.startsWith("{") ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : { message: text };
  return { status: response.status, object };
}

/** Creates a new object for a write, and returns the verdict of the write. */
async function tried(user: User, { kind, request }: Write) {
  made += 1;
  const name = `app-${made}`;
  const manifest = manifestOf(kind, name);
  expect(await send("admin", { method: "POST", path: pathOf(kind), body: manifest })).toMatchObject({ status: 201 });
  const asked = request(manifest);
  const path = asked.path?.startsWith("/api") === true ? asked.path : `${pathOf(kind)}/${name}${asked.path ?? ""}`;
  return send(user, { ...asked, path });
}

/** Returns the verdict in the words of the table. */
function verdictOf({ status, object }: Awaited<ReturnType<typeof send>>): string {
  if (status < 300) return "written";
  const [message, reason] = [String(object.message), String(object.reason)];
  const byPolicy = /ValidatingAdmissionPolicy 'lookout-images-only' with binding '[\w-]+' denied request: (.*)$/s;
  const because =
    byPolicy.exec(message)?.[1] ?? (/^\S+ .*is forbidden: User "lookout" cannot /.test(message) ? noRight : message);
  return status === 403 && reason === "Forbidden" ? because : `${status} ${because}`;
}

describe("Lookout's credential", () => {
  it.each(writes)("$kind: $write: $verdict", async (write) => {
    expect(verdictOf(await tried("lookout", write))).toBe(write.verdict);
  });

  it.each([
    { write: "the images", path: "image", value: "registry.test:5000/shop/app:2", verdict: "written" },
    { write: "a variable of each container", path: "env/199/value", value: "x", verdict: sentences.container },
  ])("an object of a megabyte: $write: $verdict", async ({ path, value, verdict }) => {
    const env = Array.from({ length: 200 }, (_, index) => ({ name: `VARIABLE_${index}`, value: "v".repeat(100) }));
    const containers = Array.from({ length: 40 }, (_, index) => ({
      name: `app-${index}`,
      image: "registry.test:5000/shop/app:1",
      env,
    }));
    const manifest = deploymentManifest(`large-${path.replaceAll("/", "-")}`, "app", 0);
    const spec = {
      ...manifest.spec,
      template: { metadata: { labels: { app: manifest.metadata.name } }, spec: { containers } },
    };
    const own = `${pathOf("Deployment")}/${manifest.metadata.name}`;
    await send("admin", { method: "POST", path: pathOf("Deployment"), body: { ...manifest, spec } });

    const body = containers.map((_, index) => ({
      op: "replace",
      path: `/spec/template/spec/containers/${index}/${path}`,
      value,
    }));
    const answer = await send("lookout", { method: "PATCH", path: own, type: "application/json-patch+json", body });

    expect(verdictOf(answer)).toBe(verdict);
  });

  it.each(beyondThePolicy)("there is no right to $what", async ({ request }) => {
    expect(verdictOf(await send("lookout", request))).toBe(noRight);
  });

  it("may review its own rights", async () => {
    expect(verdictOf(await send("lookout", harmless))).toBe("written");
  });
});

describe("an admin", () => {
  it("is not limited by the policy", async () => {
    const answers = await Promise.all(writes.map((write) => tried("admin", write)));

    const failed = answers.filter(({ status }) => status >= 300).map(({ object }) => object.message);
    expect(failed).toEqual(["pod bare does not have a host assigned"]);
  });
});

describe("with all rights, given by mistake,", () => {
  beforeAll(() =>
    plane.kubectl("create", "clusterrolebinding", "mistake", "--clusterrole=cluster-admin", "--user=lookout"),
  );
  afterAll(() => plane.kubectl("delete", "clusterrolebinding", "mistake"));

  it("Lookout's credential still writes images and nothing else", async () => {
    const answers = await Promise.all(writes.map((write) => tried("lookout", write)));

    const byRule = answers
      .map(verdictOf)
      .map((verdict, index) =>
        writes[index]?.verdict === noRight && verdict.startsWith("Lookout may ") ? noRight : verdict,
      );
    expect(byRule).toEqual(writes.map(({ verdict }) => verdict));
  });
});

describe("with the right to delete pods", () => {
  const remove = (pod: string) =>
    send("lookout", { method: "DELETE", path: `/api/v1/namespaces/default/pods/${pod}?dryRun=All` });
  const others =
    "Lookout may only patch Deployments, StatefulSets, DaemonSets and CronJobs, and delete pods of StatefulSets";

  beforeAll(async () => {
    await giveAccess(plane, { deletePods: true });
    await until("the new policy is in force", async () => verdictOf(await remove("bare")) === others || undefined);
  });

  it.each([
    { pod: "of-stateful-set", verdict: "written" },
    { pod: "of-replica-set", verdict: others },
    { pod: "bare", verdict: others },
  ])("the pod $pod: $verdict", async ({ pod, verdict }) => {
    expect(verdictOf(await remove(pod))).toBe(verdict);
  });
});
