import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { cronJobManifest, daemonSetManifest, deploymentManifest, statefulSetManifest } from "./bed/workloads.ts";
import { type Habit, habits } from "./outdated-habits.ts";

const command = new URL("../../bin/lookout.js", import.meta.url).pathname;
const makers = [
  (name: string, image: string) => deploymentManifest(name, image, 0),
  (name: string, image: string) => statefulSetManifest(name, image, 0),
  daemonSetManifest,
  cronJobManifest,
];

let plane: ControlPlane;
let registry: Registry;
let folder: string;

beforeAll(async () => {
  [plane, registry, folder] = await Promise.all([
    startControlPlane(),
    startRegistry(),
    mkdtemp(join(tmpdir(), "lookout-outdated-")),
  ]);
  const rule = { host: registry.host, insecure: true, allowPrivateNetwork: true };
  await writeFile(join(folder, "lookout.yaml"), JSON.stringify({ registries: [rule] }));
  for (const [index, { running, others }] of habits.entries())
    await pushTags(`shop/image-${index}`, [running, ...others.split(" ")]);
  await plane.apply([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    ...habits.map(({ running }, index) => {
      const make = makers[index % makers.length] ?? deploymentManifest;
      const made = make(`w${index}`, `${registry.host}/shop/image-${index}:${running}`);
      return { ...made, metadata: { ...made.metadata, namespace: index % 10 === 0 ? "shop" : "default" } };
    }),
    ...mayList("ClusterRole", ["deployments", "statefulsets", "daemonsets", "cronjobs"]),
  ]);
});

afterAll(async () => {
  await Promise.all([plane.stop(), registry.stop(), rm(folder, { recursive: true, force: true })]);
});

/** Returns the objects that let the user `lookout` list some kinds, and nothing else. */
function mayList(kind: "ClusterRole" | "Role", resources: readonly string[], namespace?: string): readonly object[] {
  const metadata = { name: "reads-images", ...(namespace === undefined ? {} : { namespace }) };
  const api = { apiVersion: "rbac.authorization.k8s.io/v1" };
  return [
    { ...api, kind, metadata, rules: [{ apiGroups: ["apps", "batch"], resources, verbs: ["list"] }] },
    {
      ...api,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: "reads-images" },
      subjects: [{ kind: "User", name: "lookout", apiGroup: "rbac.authorization.k8s.io" }],
    },
  ];
}

/** Pushes one image without layers, and gives it all tags. The image was built on a fixed day. */
async function pushTags(repository: string, tags: readonly string[]): Promise<void> {
  const base = `http://${registry.host}/v2/${repository}`;
  const created = "2026-01-01T00:00:00Z";
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    created,
    rootfs: { type: "layers", diff_ids: [] },
  });
  const digest = `sha256:${createHash("sha256").update(config).digest("hex")}`;
  const upload = await fetch(`${base}/blobs/uploads/`, { method: "POST" });
  const place = new URL(upload.headers.get("location") ?? "", base);
  place.searchParams.set("digest", digest);
  await succeeded(
    fetch(place, { method: "PUT", body: config, headers: { "content-type": "application/octet-stream" } }),
  );
  const type = "application/vnd.oci.image.manifest.v1+json";
  const described = { mediaType: "application/vnd.oci.image.config.v1+json", digest, size: config.length };
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: type, config: described, layers: [] });
  for (const tag of tags)
    await succeeded(
      fetch(`${base}/manifests/${tag}`, { method: "PUT", body: manifest, headers: { "content-type": type } }),
    );
}

async function succeeded(request: Promise<Response>): Promise<void> {
  const { status, url } = await request;
  if (status !== 201) throw new Error(`${url} answered ${status}`);
}

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `lookout outdated` as the user `lookout`, in a directory with or without a lookout.yaml. */
function outdated(words: readonly string[], cwd = folder): Promise<Said> {
  const typed = [command, "outdated", "--kubeconfig", plane.kubeconfigFor("lookout"), ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, typed, { cwd, maxBuffer: 1e8 }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
  });
}

/** Returns what a person says of a habit, in the words of the answer. */
function truthOf({ running, ahead = "- - -", says = "behind" }: Habit): object {
  const [patch, minor, major] = ahead.split(" ").map((tag) => (tag === "-" ? undefined : tag));
  return { tag: running, state: says, patch, minor, major };
}

describe("lookout outdated", () => {
  it("beside the truth for 60 images: each running tag has the newest patch, minor and major of a person", async () => {
    const { code, out, err } = await outdated(["-o", "json"]);

    const { images, refused } = JSON.parse(out) as { images: Record<string, string>[]; refused: unknown[] };
    const found = images.map(({ image = "", tag, state, patch, minor, major }) => [
      Number(image.replace(/^.*-/, "")),
      { tag, state, patch, minor, major },
    ]);
    expect({ code, err, refused, count: images.length }).toEqual({ code: 0, err: "", refused: [], count: 60 });
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(habits.map((habit, index) => [index, truthOf(habit)])),
    );
  });

  it("needs only the right to list, and sends nothing but reads", async () => {
    await outdated(["--annotate"]);

    const events = (await readFile(plane.auditLog, "utf8"))
      .split("\n")
      .filter((line) => line.includes('"lookout"'))
      .map((line) => JSON.parse(line) as { verb: string; user: { username: string } });
    const verbs = new Set(events.filter(({ user }) => user.username === "lookout").map(({ verb }) => verb));
    expect([...verbs]).toEqual(["list"]);
  });

  it("reads one namespace, and shows the ages of images", async () => {
    const { out } = await outdated(["-n", "shop", "--age", "-o", "json"]);

    const { images } = JSON.parse(out) as { images: Record<string, string>[] };
    expect(images.map(({ workload }) => workload?.split("/")[0])).toEqual(Array.from({ length: 6 }, () => "shop"));
    expect(new Set(images.map(({ createdAt }) => createdAt))).toEqual(new Set(["2026-01-01T00:00:00.000Z"]));
  });

  it("prints commands that kubectl accepts", async () => {
    const { out } = await outdated(["-n", "shop", "--annotate"]);

    const commands = out.split("\n").filter((line) => line.startsWith("kubectl "));
    expect(commands.length).toBeGreaterThan(3);
    for (const line of commands) {
      const [, ...words] = wordsOf(line);
      const [flag = "", ...rest] = words.slice(1);
      expect(flag).toBe("--kubeconfig");
      expect(await plane.kubectl("annotate", ...rest.slice(1), "--dry-run=server")).toContain("annotated");
    }
  });

  it("asks no private address without a permission, and says what to paste", async () => {
    const empty = await mkdtemp(join(tmpdir(), "lookout-empty-"));
    const { code, out } = await outdated(["shop/w0"], empty);
    await rm(empty, { recursive: true });

    expect(code).toBe(0);
    expect(out).toContain("lookout.yaml does not allow the registry");
    expect(out).toContain(`    registries:\n      - host: ${registry.host}\n        allowPrivateNetwork: true\n`);
  });

  it("shows what a user may list in a namespace, and names what is denied", async () => {
    await plane.kubectl("delete", "clusterrolebinding", "reads-images");
    await plane.apply(mayList("Role", ["deployments"], "shop"));

    const all = await outdated([]);
    const shop = await outdated(["-n", "shop"]);

    expect({ code: all.code, says: all.err.split("\n")[0] }).toEqual({
      code: 4,
      says: "✗ The cluster denies the lists of workloads.",
    });
    expect(all.err).toContain("To list a namespace that you may read:  lookout outdated -n NAMESPACE");
    expect(shop.code).toBe(0);
    expect(shop.out).toContain("shop/deployment/w0");
    expect(shop.out).toMatch(
      /! no cronjobs of the namespace shop: Lookout may not list cronjobs \(403 Forbidden from [^)]*\)\n/,
    );
  });

  it("ends with 2 without a kubeconfig or a context, and with 3 without an API server", async () => {
    const noFile = await outdated(["--kubeconfig", "nowhere"]);
    const noContext = await outdated(["--context", "nowhere"]);
    await plane.stopApiServer();
    const noServer = await outdated([]);

    expect([noFile, noContext, noServer].map(({ code }) => code)).toEqual([2, 2, 3]);
    expect(noFile.err).toContain("does not exist");
    expect(noContext.err).toContain('has no context "nowhere". Its contexts: ');
    expect(noServer.err).toContain("✗ The cluster can't be reached.\n");
  });
});

/** Returns the words of a command with single quotes. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|([^ ']+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
