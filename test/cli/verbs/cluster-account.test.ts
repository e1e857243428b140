import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lines, lookout } from "../world.ts";

/** A cluster at an address where nothing listens. */
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "away", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "me", user: { token: "none" } }],
  contexts: [{ name: "away", context: { cluster: "away", user: "me" } }],
  "current-context": "away",
});

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lookout-cluster-account-"));
  await writeFile(join(cwd, "admin.yaml"), kubeconfig);
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** Runs the command in the folder, without a server. */
async function run(typed: string) {
  const environment = { HOME: cwd, USER: "ana" };
  const { exitCode, stdout, stderr } = await lookout(typed.split(" "), {}, { cwd, environment });
  return { exitCode, stdout, stderr: stderr.replaceAll(cwd, "HERE") };
}

const add = "cluster add prod --kubeconfig admin.yaml --yes";

describe("lookout cluster add with a kubeconfig", () => {
  it.each([
    {
      what: "a name that no cluster can have",
      typed: "cluster add Prod_1 --kubeconfig admin.yaml --yes",
      exitCode: 2,
      stderr: lines(
        '✗ "Prod_1" is no valid name: expected at most 63 lower-case letters, digits and dashes.',
        "  For example:  lookout cluster add prod --context CONTEXT",
      ),
    },
    {
      what: "an unknown context",
      typed: `${add} --context nope`,
      exitCode: 2,
      stderr: '✗ the kubeconfig HERE/admin.yaml has no context "nope". Its contexts: away\n',
    },
    {
      what: "a missing kubeconfig",
      typed: "cluster add prod --kubeconfig gone.yaml --yes",
      exitCode: 2,
      stderr: "✗ the kubeconfig HERE/gone.yaml of cluster prod does not exist\n",
    },
    {
      what: "an API server that is away",
      typed: add,
      exitCode: 3,
      stderr: lines(
        "✗ No connection to 127.0.0.1:1 (ECONNREFUSED): check its address, and whether the API server is up.",
        "  To name another context:  --kubeconfig FILE --context CONTEXT",
      ),
    },
    {
      what: "a token life that no API server accepts",
      typed: `${add} --token-life 5m`,
      exitCode: 2,
      stderr: lines('✗ --token-life "5m" is not possible: expected at least 10m.', "  For example: 24h, 30d"),
    },
    {
      what: "flags of EKS beside a kubeconfig",
      typed: `${add} --eks-region eu-central-1`,
      exitCode: 2,
      stderr:
        "✗ --eks-region is for EKS clusters of a stack, and --kubeconfig and --context are for lookout.yaml: remove one of them.\n",
    },
    {
      what: "no cluster at all",
      typed: "cluster add prod",
      exitCode: 2,
      stderr: lines(
        "✗ The command does not name the cluster prod.",
        "  To add a cluster of your kubeconfig:  lookout cluster add prod --context CONTEXT",
        "  To register an EKS cluster with a stack:  lookout cluster add prod --stack STACK",
      ),
    },
  ])("refuses $what, and writes nothing", async ({ typed, exitCode, stderr }) => {
    expect(await run(typed)).toEqual({ exitCode, stdout: "", stderr });
    expect(await readdir(cwd)).toEqual(["admin.yaml"]);
  });

  it.each([
    {
      what: "that is not valid",
      text: "clusters: everything\n",
      stderr: lines(
        "✗ the configuration HERE/lookout.yaml has a problem:",
        '  HERE/lookout.yaml:1:1  clusters "everything": expected a list of clusters',
      ),
    },
    {
      what: "that no program can edit",
      text: "clusters: *all\nregistries: &all []\n",
      stderr: lines(
        "✗ the configuration HERE/lookout.yaml has a problem:",
        "  HERE/lookout.yaml:1:1  Unresolved alias (the anchor must be set before the alias): all",
      ),
    },
    {
      what: "whose list of clusters is an alias",
      text: "registries: &none []\nclusters: *none\n",
      stderr: lines(
        "✗ the form of HERE/lookout.yaml can't be edited by a program",
        "  Write this entry by hand:",
        '  clusters: [{ name: prod, kubeconfig: ".lookout/kubeconfigs/prod.yaml" }]',
      ),
    },
  ])("keeps a lookout.yaml $what", async ({ text, stderr }) => {
    await writeFile(join(cwd, "lookout.yaml"), text);

    expect(await run(add)).toEqual({ exitCode: 2, stdout: "", stderr });
    expect(await readFile(join(cwd, "lookout.yaml"), "utf8")).toBe(text);
  });

  it("names a lookout.yaml that can't be written, before it changes the cluster", async () => {
    expect(await run(`${add} --config gone/lookout.yaml`)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: lines(
        "✗ HERE/gone/lookout.yaml can't be written (ENOENT)",
        "  Write this entry by hand:",
        '  clusters: [{ name: prod, kubeconfig: ".lookout/kubeconfigs/prod.yaml" }]',
      ),
    });
  });

  it("names a lookout.yaml that can't be read", async () => {
    await mkdir(join(cwd, "lookout.yaml"));

    expect(await run(add)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "✗ the configuration HERE/lookout.yaml can't be read (EISDIR): name a readable file with --config\n",
    });
  });
});

describe("lookout cluster remove and renew", () => {
  it.each(["remove", "renew"])("%s refuses an unknown name with the nearest one", async (verb) => {
    await writeFile(join(cwd, "lookout.yaml"), "clusters:\n  - name: prod\n");

    expect(await run(`cluster ${verb} prd`)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: lines("✗ lookout.yaml has no cluster prd.", "  Did you mean prod?", "  Its clusters: prod"),
    });
  });

  it.each(["remove", "renew"])("%s leaves a cluster alone that cluster add did not add", async (verb) => {
    await writeFile(join(cwd, "lookout.yaml"), "clusters:\n  - name: prod\n    kubeconfig: admin.yaml\n");

    expect(await run(`cluster ${verb} prod`)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: lines(
        "✗ The cluster prod has no account of lookout cluster add.",
        "  To change or remove it, edit its entry in lookout.yaml.",
      ),
    });
  });
});
