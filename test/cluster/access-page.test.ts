import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf, page } from "#test/docs/markdown";
import { openScratch, type Scratch } from "#test/docs/shell";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { programPath } from "./bed/programs.ts";
import { until } from "./bed/until.ts";

const [forAccessEntry, forServiceAccount, ...more] = blocksOf(page("docs/cluster-access.md"))
  .filter(({ language }) => language === "sh")
  .map(({ text }) => text.trim());

let plane: ControlPlane;
let scratch: Scratch;

beforeAll(async () => {
  plane = await startControlPlane();
  scratch = openScratch({});
  await copyFile(plane.kubeconfig, join(scratch.folder, "kubeconfig"));
});

afterAll(async () => {
  await scratch.close();
  await plane.stop();
});

function shell(command = "") {
  return scratch.run(`set -eo pipefail; ${command}`, {
    KUBECONFIG: join(scratch.folder, "kubeconfig"),
    PATH: `${dirname(programPath("kubectl"))}:${process.env["PATH"] ?? ""}`,
  });
}

/** Returns the API server's answer about a right. */
async function may(flags: string, what: string): Promise<string> {
  return (await shell(`kubectl ${flags} auth can-i ${what}`)).stdout.trim();
}

it("the command of the page admits the names of an access entry", async () => {
  expect(await shell(forAccessEntry)).toMatchObject({ code: 0 });

  const who = "--as somebody --as-group lookout";
  expect(await may(who, "patch deployments")).toBe("yes");
  expect(await may("--as lookout", "patch cronjobs")).toBe("yes");
  expect(await may(who, "delete pods")).toBe("no");
  expect(await may(who, "get secrets")).toBe("no");
});

it("the commands of the page make a context that Lookout can use, with no other rights", async () => {
  expect(await shell(forServiceAccount)).toMatchObject({ code: 0 });
  expect(more).toEqual([]);

  expect(await may("--context lookout", "patch statefulsets")).toBe("yes");
  expect(await may("--context lookout", "update statefulsets")).toBe("no");
  await shell("kubectl create deployment shop --image=shop/api:1");
  const denied = await until("the policy is in force", async () => {
    const { stderr } = await shell(
      "kubectl --context lookout label --dry-run=server --overwrite deployment/shop app=other",
    );
    return stderr.includes("Policy") ? stderr : undefined;
  });
  expect(denied).toContain("Lookout may change only the label lookout.dev/update");
  expect(await shell("kubectl --context lookout set image deployment/shop api=shop/api:2")).toMatchObject({ code: 0 });
});
