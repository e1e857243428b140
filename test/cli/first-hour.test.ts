import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runDemo, type RunningDemo } from "./demo.ts";

/** A command as it is typed, and the workload's state before it. */
type Typed = string | { readonly typed: string; readonly when: string };

const hour: readonly Typed[] = [
  "lookout -h",
  "lookout help status",
  "lookout --version",
  "lookout version",
  "lookout version -o json",
  "lookout get pods",
  "lookout get deployments -n shop",
  "lookout stauts",
  "lookout status",
  "lookout status -A",
  "lookout status -n shop",
  "lookout status -n shpo",
  "lookout status shop",
  "lookout status demo/shop",
  "lookout status demo",
  "lookout status shpo",
  "lookout status shop/api",
  "lookout status api",
  "lookout status shop/apii",
  "lookout status pay/ledger -n shop",
  "lookout status -n shop -o wide",
  "lookout status -o name",
  "lookout status -n pay -o json",
  "lookout status -n pay -o yaml",
  "lookout status -o jsno",
  "lookout status -n lab --no-headers",
  "lookout status --state problem",
  "lookout status --state problms",
  "lookout status -n shop --sort-by name",
  "lookout status --sort-by age",
  "lookout status --image ledger",
  "lookout status -l app=web",
  "lookout status -l app=(",
  "lookout status --cluster dmeo",
  "lookout status --namespcae shop",
  "lookout describe shop/api",
  "lookout describe deployment api -n shop",
  "lookout explain shop/api",
  "lookout explain api -n shop",
  "lookout explain deployment/web -n shop",
  "lookout explain shop/ledger",
  "lookout explain shop/nope",
  "lookout explain demo/shop/deployment/nope",
  "lookout explain shop/web 9.9.9",
  "lookout explain",
  "lookout logs",
  "lookout rollout status deployment/api -n shop",
  "lookout rollout undo deployment/api -n shop",
  "lookout rollout history shop/api",
  "lookout annotate deployment api lookout.dev/enabled=true",
  "lookout push shop/api:1.3.0",
  { typed: "lookout status shop/api", when: "up-to-date 1.3.0" },
  "lookout history shop/api",
  "lookout push shop/api:1.4.0 --broken",
  { typed: "lookout status shop/api", when: "blocked 1.3.0" },
  "lookout explain shop/api",
  "lookout unblock shop/api --hold",
  "lookout push shop/nothing:1.0.0",
  "lookout push shop/api",
  "lookout updates -n shop",
  "lookout cordon shop",
  "lookout freeze shop",
  "lookout freeze shop --why lunch",
  "lookout freezes",
  "lookout unfreeze shop",
  "lookout unfreeze shop",
  "lookout clusters",
  "lookout cluster list",
  "lookout cluster lst",
  "lookout completion tcsh",
  "lookout exec -it api",
];

let demo: RunningDemo;
beforeAll(async () => {
  demo = await runDemo();
});
afterAll(() => demo.stop());

/** The most lines of an answer that the transcript keeps. */
const mostLines = 16;

/** Returns an answer without the times of this run. */
function timeless(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+Z)?/g, "<time>")
    .replaceAll(/(?:\b\d+ h )?\b\d+ (?:s|ms|m)\b|\b\d+ h\b/g, "<span>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<uid>");
}

describe("a kubectl user's first hour with the demo", () => {
  it("has an answer to each command, also to misspelt ones", async () => {
    const transcript: string[] = [];
    for (const one of hour) {
      const { typed, when } = typeof one === "string" ? { typed: one, when: undefined } : one;
      if (when !== undefined) await demo.comes("shop/deployment/api", when);
      const { exitCode, stdout, stderr } = await demo.lookout(typed.split(" ").slice(1));
      const lines = timeless(stdout + stderr)
        .trimEnd()
        .split("\n");
      const kept = lines.length > mostLines && typed !== "lookout -h" ? [...lines.slice(0, mostLines), "…"] : lines;
      transcript.push(`$ ${typed}`, ...kept, `(exit ${exitCode})`, "");
    }

    await expect(transcript.join("\n")).toMatchFileSnapshot("first-hour.txt");
  }, 60_000);

  it("tells one truth after a rollback: status, explain and JSON", async () => {
    await demo.comes("shop/deployment/api", "blocked 1.3.0");

    const table = await demo.lookout(["status", "shop/api"]);
    const explained = await demo.lookout(["explain", "shop/api"]);
    const json = JSON.parse((await demo.lookout(["status", "shop/api", "-o", "json"])).stdout) as {
      readonly workloads: readonly Record<string, unknown>[];
    };

    expect(table.stdout.split("\n")[1]).toMatch(/1\.3\.0 @ \w{12} {3}– {7}✗ 1\.4\.0 is blocked, rolled back/);
    expect(explained.stdout.split("\n")[0]).toMatch(/runs .*:1\.3\.0 .*and wants no other image: 1\.4\.0 is blocked$/);
    expect(json.workloads[0]).toMatchObject({ state: "blocked", wants: [], blocked: [{ tag: "1.4.0" }] });
  });

  it("names the program's commands in each answer that names one", async () => {
    const { stdout } = await demo.lookout(["--help"]);
    const known = new Set([...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name));
    for (const word of [
      "get",
      "describe",
      "logs",
      "rollout",
      "top",
      "cordon",
      "undo",
      "clusters",
      "deploy",
      "events",
    ]) {
      const { stderr, exitCode } = await demo.lookout([word]);
      const named = /(?:In Lookout:|to kubectl:) {2}(?:lookout|kubectl) (\w+)/.exec(stderr)?.[1] ?? "";

      expect({ word, exitCode, isKnown: known.has(named) || stderr.includes("to kubectl:") || named === "" }).toEqual({
        word,
        exitCode: 2,
        isKnown: true,
      });
    }
  });
});
