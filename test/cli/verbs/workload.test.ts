import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lines, lookout } from "../world.ts";

const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  namespace: shop
  annotations:
    lookout.dev/enabled: "true"
    lookout.dev/semver-range: ">=1.4 <2"
    lookout.dev/maintenance-window: "22:00-02:00"
    lookout.dev/approvals: "2"
    lookout.dev/signed-by: release@example.com
    lookout.dev/notify-slack: OPS
spec:
  template:
    spec:
      containers:
        - { name: api, image: "shop/api:1.4.2" }
        - { name: side, image: "nginx:1.27" }
      initContainers:
        - { name: migrate, image: "shop/migrate:1.4.2" }
---
apiVersion: v1
kind: Service
metadata: { name: api, namespace: shop }
---
# Nothing at all.
---
apiVersion: apps/v1
kind: DaemonSetList
items:
  - metadata: { name: agent, annotations: { lookout.dev/enabled: "true", lookout.dev/policy: digest } }
    spec: { template: { spec: { containers: [{ name: agent, image: "shop/agent:edge" }] } } }
`;

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lookout-manifests-"));
  writeFileSync(join(cwd, "deploy.yaml"), manifests);
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

const parse = (typed: readonly string[], surroundings: Parameters<typeof lookout>[2] = {}) =>
  lookout(["workload", "parse", ...typed], {}, { cwd, ...surroundings });
const piped = (text: string) => ({
  async *stdin() {
    yield text.slice(0, 7);
    yield text.slice(7);
  },
});
const fine = manifests.slice(manifests.lastIndexOf("---"));

describe("lookout workload parse", () => {
  it("shows containers, gates and problems, and ends with 2 if they close updates", async () => {
    const { stdout, exitCode } = await parse(["-f", "deploy.yaml"]);

    expect(stdout).toBe(
      lines(
        "✗ Deployment shop/api is tracked, but a problem pauses its updates.",
        "",
        "CONTAINER        IMAGE                STRATEGY     APPLY   POLICY",
        "api              shop/api:1.4.2       tag+digest   pin     semver >=1.4 <2",
        "side             nginx:1.27           tag+digest   pin     semver >=1.4 <2",
        "migrate (init)   shop/migrate:1.4.2   –            –       not tracked",
        "",
        "  ⏸ window      every day 22:00–02:00 UTC",
        "  ⏸ approval    of 2 people",
        "  ⏸ signature   by release@example.com",
        "  ✓ rollback    to the previous image, when the rollout takes longer than 10m, or a pull fails for 1m",
        '  ! note        lookout.dev/notify-slack "OPS": expected at most 10 names of channels of lookout.yaml: lookout channel list',
        '  ! problem     lookout.dev/signed-by "release@example.com": is not supported by this version of Lookout',
        "",
        "⏸ Service shop/api is not tracked: Lookout does not update objects of kind Service, only Deployment, StatefulSet, DaemonSet, CronJob.",
        "",
        "✓ DaemonSet agent is tracked.",
        "",
        "CONTAINER   IMAGE             STRATEGY     APPLY   POLICY",
        "agent       shop/agent:edge   tag+digest   pin     digest",
        "",
        "  ✓ rollback   to the previous image, when the rollout takes longer than 10m, or a pull fails for 1m",
      ),
    );
    expect(exitCode).toBe(2);
  });

  it("names the status of an object that declares settings, as nothing else tells whether they apply", async () => {
    const policy =
      "apiVersion: operator.technomad.dev/v1alpha1\nkind: ImagePolicy\nmetadata: { name: api, namespace: shop }\n";
    const { stdout, exitCode } = await parse(["-f", "-"], piped(policy));

    expect({ stdout, exitCode }).toEqual({
      stdout:
        "⏸ ImagePolicy shop/api is not tracked: it declares settings, and its status tells whether they apply: kubectl describe imagepolicy NAME.\n",
      exitCode: 0,
    });
  });

  it("reads the standard input, and ends with 0 without problems", async () => {
    const { stdout, exitCode } = await parse(["-f", "-"], piped(fine));

    expect(stdout.split("\n")[0]).toBe("✓ DaemonSet agent is tracked.");
    expect(exitCode).toBe(0);
  });

  it("has colours only on a terminal", async () => {
    const { stdout: plain } = await parse(["-f", "-"], piped(fine));
    const { stdout: coloured } = await parse(["-f", "-"], { ...piped(fine), isTerminal: true, columns: 100 });

    expect(plain).not.toContain("\u001b[");
    expect(coloured).toContain("\u001b[32m✓");
  });

  it("shows the text of an invalid gate setting", async () => {
    const annotations =
      'lookout.dev/min-age: soon, lookout.dev/maintenance-window: "25:00", lookout.dev/auto-rollback: so';
    const { stdout } = await parse(["-f", "-"], piped(fine.replace("lookout.dev/policy: digest", annotations)));

    expect(stdout).toContain(
      lines(
        '  ⏸ window        "25:00", which is invalid',
        '  ⏸ minimum age   "soon", which is invalid',
        '  ⏸ rollback      "so", which is invalid',
      ),
    );
  });

  it("shows a container with an invalid image as tracked", async () => {
    const { stdout } = await parse(["-f", "-"], piped(fine.replace("shop/agent:edge", "shop/Agent")));

    expect(stdout).toMatch(/^agent +shop\/Agent +– +– +–$/m);
    expect(stdout).toContain("problem    image of container agent");
  });

  it("prints no control character of a manifest", async () => {
    const text = fine.replace("policy: digest", 'policy: "\\e[31mred"');
    const { stdout } = await parse(["-f", "-"], piped(text));

    expect(stdout).toContain('lookout.dev/policy "�[31mred"');
  });

  it("prints the answer of the batch with names, and lists the tracked containers", async () => {
    const { stdout: json } = await parse(["-f", "deploy.yaml", "-o", "json"]);
    const { stdout: names } = await parse(["-f", "deploy.yaml", "-o", "name"]);

    expect(JSON.parse(json)).toMatchObject([
      { kind: "Deployment", namespace: "shop", name: "api", ok: true, tracked: true, gates: { suspended: false } },
      { kind: "Service", namespace: "shop", name: "api", ok: true, tracked: false, gates: { suspended: false } },
      { kind: "DaemonSet", name: "agent", ok: true, tracked: true },
    ]);
    expect(names).toBe(lines("shop/deployment/api", "daemonset/agent"));
  });

  it.each([
    [[], "", "✗ A file is missing: add -f deploy.yaml, or -f - for stdin."],
    [["-f", "missing.yaml"], "", "missing.yaml: the file does not exist."],
    [["-f", "/dev/null/deploy.yaml"], "", "/dev/null/deploy.yaml: the file does not exist."],
    [["-f", "/"], "", "✗ /: the path is a folder."],
    [["-f", "-"], "# nothing", "✗ stdin contains no object."],
    [["-f", "-"], "a: [", "stdin:1: "],
    [["-f", "-"], "a: *b", "stdin:1: "],
    [["-f", "-"], "just words", 'stdin:1: the line: expected an object, not "just words".'],
    [["-f", "-"], fine.replace('"true"', "true"), "expected a text, not true."],
    [
      ["-f", "-"],
      fine.replace("annotations:", "anotations:"),
      "metadata.anotations: is not known here; did you mean annotations?\n",
    ],
    [
      ["-f", "-"],
      "apiVersion: v1\nkind: List\nitems: [null]",
      "✗ stdin:1 items[0]: the line: expected an object, not null.",
    ],
  ])("rejects %j of %j", async (typed, text, complaint) => {
    const { stderr, exitCode } = await parse(typed, piped(text));

    expect(stderr).toContain(complaint);
    expect(exitCode).toBe(2);
  });
});

describe("an object of a cluster", () => {
  const live = (image: string, metadata: object) =>
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "api", namespace: "shop", ...metadata },
      spec: { template: { spec: { containers: [{ name: "api", image }] } } },
    });
  const enabled = { "lookout.dev/enabled": "true" };
  const lastApplied = {
    ...enabled,
    "kubectl.kubernetes.io/last-applied-configuration": live("shop/api:1.2.0", { annotations: enabled }),
  };
  const ownedBy = (manager: string, operation: string, subresource = "") => ({
    manager,
    operation,
    subresource,
    time: "2026-11-21T10:00:00Z",
    fieldsV1: {
      "f:spec": { "f:template": { "f:spec": { "f:containers": { 'k:{"name":"api"}': { ".": {}, "f:image": {} } } } } },
    },
  });
  const noticesOf = async (image: string, metadata: object): Promise<readonly string[]> => {
    const { stdout } = await parse(["-f", "-", "-o", "json"], piped(live(image, metadata)));
    const [{ notices = [] } = {}] = JSON.parse(stdout) as readonly { notices?: readonly { message: string }[] }[];
    return notices.map(({ message }) => message);
  };

  it("has a notice of the conflict if its image is applied server-side", async () => {
    expect(
      await noticesOf("shop/api:1.2.0", { annotations: enabled, managedFields: [ownedBy("helm", "Apply")] }),
    ).toEqual([
      'helm applies the image of container api server-side: after an update by Lookout, its next apply fails with a conflict with "lookout". Write the running image into the manifest, or leave the image out. --force-conflicts sets the image of the manifest back.',
    ]);
  });

  it.each([
    { because: "Lookout's manager shows", managedFields: [ownedBy("lookout", "Update")] },
    { because: "its managers are hidden" },
    { because: "its managers are invalid", managedFields: [{ manager: 4 }] },
  ])(
    "has a notice if the manifest that was applied last is older, when $because",
    async ({ because: _, ...fields }) => {
      expect(await noticesOf("shop/api:1.3.0", { annotations: lastApplied, ...fields })).toEqual([
        "Container api runs 1.3.0, and the manifest that kubectl-client-side-apply applied names 1.2.0: its next apply sets it back. Write 1.3.0 into the manifest.",
      ]);
    },
  );

  it.each([
    { because: "its manifest names the running image", image: "shop/api:1.2.0", annotations: lastApplied },
    {
      because: "the manifest that was applied last is unreadable",
      image: "shop/api:1.3.0",
      annotations: { ...enabled, "kubectl.kubernetes.io/last-applied-configuration": "{" },
    },
    {
      because: "it is not tracked",
      image: "shop/api:1.2.0",
      annotations: {},
      managedFields: [ownedBy("helm", "Apply")],
    },
    {
      because: "only its status is applied server-side",
      image: "shop/api:1.2.0",
      annotations: enabled,
      managedFields: [ownedBy("helm", "Apply", "status")],
    },
  ])("has no notice if $because", async ({ because: _, image, ...metadata }) => {
    expect(await noticesOf(image, metadata)).toEqual([]);
  });

  it("shows its notices in the table", async () => {
    const { stdout, exitCode } = await parse(["-f", "-"], piped(live("shop/api:1.3.0", { annotations: lastApplied })));

    expect(exitCode).toBe(0);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "! note Container api runs 1.3.0, and the manifest that kubectl-client-side-apply applied names 1.2.0",
    );
  });
});
