import { cruise } from "dependency-cruiser";
import type { ICruiseResult } from "dependency-cruiser";
import extractConfiguration from "dependency-cruiser/config-utl/extract-depcruise-config";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

const project = resolve(import.meta.dirname, "..");

/** A small program that keeps every rule. */
const lawful: Readonly<Record<string, string>> = {
  "bin/lookout.js": `await import("../cli/main.ts");`,
  "cli/main.ts": `import "commander"; import "#runtime/local/start"; import "#contracts/routes"; import "#domain/shared/time"; import "cli-table3";`,
  "functions/gate/wake.ts": `import "#app/gate/wake"; import "#runtime/local/start"; import "#contracts/routes";`,
  "bin/stack.ts": `import "aws-cdk-lib"; import "cdk-nag"; import "../lib/stack.ts";`,
  "lib/stack.ts": `import "aws-cdk-lib"; import "constructs"; import "esbuild"; import "node:fs"; import "#contracts/routes";`,
  "src/domain/shared/time.ts": `import "croner"; export type EpochMs = number;`,
  "src/domain/shared/sha256.ts": `import { createHash } from "node:crypto"; import "./time.ts"; export const sha256 = createHash;`,
  "src/domain/gates/index.ts": `import type { EpochMs } from "../shared/time.ts"; export const opens = (now: EpochMs) => now;`,
  "src/ports/store.ts": `import type { EpochMs } from "#domain/shared/time"; export interface Store { now: EpochMs }`,
  "src/contracts/routes.ts": `import * as z from "zod"; import "#domain/gates/index"; export const route = z.string();`,
  "src/contracts/api/operations.ts": `import { createRoute } from "@hono/zod-openapi"; import * as z from "zod"; export const operations = createRoute; export type Answer = z.ZodType;`,
  "src/app/overview.ts": `import type { Answer } from "#contracts/api/operations"; export const view = (answer: Answer) => answer;`,
  "src/app/gate/wake.ts": `import type { Store } from "#ports/store"; import "#domain/gates/index"; import "#contracts/routes"; export const gate = (store: Store) => store;`,
  "src/adapters/dynamodb/store.ts": `import "@aws-sdk/client-dynamodb"; import "@aws-sdk/lib-dynamodb"; import "#ports/store"; import "./keys.ts";`,
  "src/adapters/dynamodb/keys.ts": `import "#contracts/routes"; import "#domain/shared/time"; export const key = "";`,
  "src/adapters/kubernetes/cluster.ts": `import "@kubernetes/client-node"; import "undici"; import "#ports/store";`,
  "src/adapters/memory/store.ts": `import "#ports/store";`,
  "src/runtime/local/start.ts": `import "hono"; import "@hono/node-server"; import "p-limit"; import "#app/gate/wake"; import "#adapters/dynamodb/store"; import "#adapters/memory/store"; import "#adapters/kubernetes/cluster";`,
  "test/world.ts": `import "#adapters/memory/store";`,
  "test/app/gate.test.ts": `import "fast-check"; import "#app/gate/wake"; import "#test/world";`,
};

interface Planted {
  readonly rule: string;
  readonly file: string;
  readonly text: string;
  /** Other files that the violation needs; they are judged lawful themselves. */
  readonly beside?: Readonly<Record<string, string>>;
}

const planted: readonly Planted[] = [
  { rule: "domain-is-pure", file: "src/domain/a.ts", text: `import type { Store } from "#ports/store";` },
  { rule: "domain-is-pure", file: "src/domain/b.ts", text: `import type { Store } from "../ports/store.ts";` },
  { rule: "domain-is-pure", file: "src/domain/c.ts", text: `import { readFileSync } from "node:fs";` },
  {
    rule: "one-file-of-the-domain-hashes",
    file: "src/domain/shared/e.ts",
    text: `import { randomUUID } from "node:crypto"; export const id = randomUUID;`,
  },
  { rule: "domain-is-pure", file: "src/domain/d.ts", text: `import * as z from "zod";` },
  {
    rule: "rooms-of-domain-in-order",
    file: "src/domain/shared/a.ts",
    text: `import { opens } from "../gates/index.ts"; export const all = opens;`,
  },
  {
    rule: "channels-render-and-answer",
    file: "src/channels/slack/a.ts",
    text: `import "#adapters/memory/store";`,
  },
  {
    rule: "kinds-of-channels-stand-alone",
    file: "src/channels/slack/b.ts",
    text: `import "../sns/c.ts";`,
    beside: { "src/channels/sns/c.ts": `import "#ports/store";` },
  },
  {
    rule: "stages-stand-alone",
    file: "src/app/verify/a.ts",
    text: `import { gate } from "../gate/wake.ts"; export const all = gate;`,
  },
  {
    rule: "shared-use-cases-know-no-stage",
    file: "src/app/shared/a.ts",
    text: `import { gate } from "#app/gate/wake"; export const all = gate;`,
  },
  {
    rule: "rooms-of-lib-in-order",
    file: "lib/storage/a.ts",
    text: `import { fn } from "../functions/fn.ts"; export const all = fn;`,
    beside: { "lib/functions/fn.ts": `export const fn = 1;` },
  },
  {
    rule: "rooms-of-contracts-in-order",
    file: "src/contracts/config/a.ts",
    text: `import type { Answer } from "../api/operations.ts"; export type All = Answer;`,
  },
  { rule: "ports-speak-domain", file: "src/ports/a.ts", text: `import type { route } from "#contracts/routes";` },
  { rule: "ports-speak-domain", file: "src/ports/b.ts", text: `import { gate } from "../app/gate/wake.ts";` },
  {
    rule: "lambda-and-local-stand-alone",
    file: "src/runtime/lambda/a.ts",
    text: `import "../local/start.ts";`,
  },
  {
    rule: "lambda-and-local-stand-alone",
    file: "src/runtime/local/a.ts",
    text: `import { port } from "#runtime/lambda/port"; export const all = port;`,
    beside: { "src/runtime/lambda/port.ts": `export const port = 1;` },
  },
  { rule: "use-cases-know-ports", file: "src/app/a.ts", text: `import "#adapters/memory/store";` },
  { rule: "use-cases-know-ports", file: "src/app/b.ts", text: `import "../runtime/local/start.ts";` },
  { rule: "use-cases-know-ports", file: "src/app/c.ts", text: `import "undici";` },
  { rule: "stored-kinds-know-ports", file: "src/stored/a.ts", text: `import "#adapters/memory/store";` },
  { rule: "stored-kinds-know-ports", file: "src/stored/b.ts", text: `import "#app/gate/wake";` },
  { rule: "contracts-are-data", file: "src/contracts/a.ts", text: `import "#ports/store";` },
  { rule: "contracts-are-data", file: "src/contracts/b.ts", text: `import "../ports/store.ts";` },
  { rule: "contracts-are-data", file: "src/contracts/api/c.ts", text: `import { Hono } from "hono";` },
  {
    rule: "api-contracts-only-for-the-api",
    file: "src/app/d.ts",
    text: `import { operations } from "#contracts/api/operations"; export const all = operations;`,
  },
  {
    rule: "api-contracts-only-for-the-api",
    file: "cli/f.ts",
    text: `import { operations } from "../src/contracts/api/operations.ts"; export const all = operations;`,
  },
  { rule: "adapters-translate", file: "src/adapters/slack/a.ts", text: `import "#app/gate/wake";` },
  { rule: "adapters-translate", file: "src/adapters/slack/b.ts", text: `import "../memory/store.ts";` },
  { rule: "adapters-translate", file: "src/adapters/memory/c.ts", text: `import "#adapters/dynamodb/keys";` },
  { rule: "adapter-is-named-after-its-sdk", file: "src/adapters/memory/d.ts", text: `import "@aws-sdk/lib-dynamodb";` },
  { rule: "aws-sdk-only-in-adapters", file: "src/runtime/a.ts", text: `import "@aws-sdk/client-dynamodb";` },
  {
    rule: "kubernetes-client-only-in-its-adapter",
    file: "src/adapters/memory/e.ts",
    text: `import type { V1Pod } from "@kubernetes/client-node";`,
  },
  {
    rule: "kubernetes-client-only-in-its-adapter",
    file: "src/runtime/b.ts",
    text: `import "@kubernetes/client-node";`,
  },
  { rule: "http-server-only-in-the-runtime", file: "cli/a.ts", text: `import { Hono } from "hono";` },
  {
    rule: "http-server-only-in-the-runtime",
    file: "src/contracts/d.ts",
    text: `import { createRoute } from "@hono/zod-openapi";`,
  },
  { rule: "http-server-only-in-the-runtime", file: "cli/b.ts", text: `import { serve } from "@hono/node-server";` },
  { rule: "command-parser-only-in-the-command", file: "src/runtime/c.ts", text: `import "commander";` },
  { rule: "functions-are-wiring", file: "functions/gate/a.ts", text: `import "#domain/gates/index";` },
  { rule: "functions-are-wiring", file: "functions/gate/b.ts", text: `import "../../src/adapters/memory/store.ts";` },
  { rule: "command-goes-through-the-runtime", file: "cli/c.ts", text: `import "#app/gate/wake";` },
  { rule: "command-goes-through-the-runtime", file: "cli/d.ts", text: `import "../src/adapters/memory/store.ts";` },
  { rule: "nothing-imports-the-command", file: "src/runtime/d.ts", text: `await import("#cli/main");` },
  { rule: "nothing-imports-the-command", file: "src/runtime/e.ts", text: `import "../../cli/main.ts";` },
  { rule: "infrastructure-reads-contracts", file: "lib/a.ts", text: `import "#domain/gates/index";` },
  { rule: "infrastructure-reads-contracts", file: "lib/b.ts", text: `import "../src/app/gate/wake.ts";` },
  { rule: "infrastructure-reads-contracts", file: "lib/c.ts", text: `import "undici";` },
  { rule: "run-time-never-imports-infrastructure", file: "cli/e.ts", text: `import "../lib/stack.ts";` },
  { rule: "bin-is-thin", file: "bin/a.js", text: `import "#runtime/local/start";` },
  { rule: "bin-is-thin", file: "bin/b.js", text: `import "../src/domain/shared/time.ts";` },
  { rule: "nothing-imports-tests", file: "src/runtime/f.ts", text: `import "#test/world";` },
  { rule: "nothing-imports-tests", file: "src/runtime/g.ts", text: `import "../../test/world.ts";` },
  {
    rule: "no-circular",
    file: "src/domain/round.ts",
    text: `import "./shared/time.ts"; import "#domain/about";`,
    beside: { "src/domain/about.ts": `import "#domain/round";` },
  },
  { rule: "no-orphans", file: "src/runtime/h.ts", text: `export const unused = 1;` },
  { rule: "not-to-unresolvable", file: "src/runtime/i.ts", text: `import "#domain/misspelt";` },
  { rule: "not-to-unresolvable", file: "src/runtime/j.ts", text: `import "./misspelt.ts";` },
  { rule: "only-declared-dependencies", file: "src/runtime/k.ts", text: `import "ws";` },
  { rule: "no-dev-dependency-at-run-time", file: "src/runtime/l.ts", text: `import "fast-check";` },
  { rule: "no-dev-dependency-at-run-time", file: "bin/c.js", text: `import "aws-cdk-lib";` },
];

/** Cruises a tree with the project's own rules; answers `file: rule` for every violation. */
async function violationsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), "lookout-boundaries-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    copyFileSync(join(project, "package.json"), join(root, "package.json"));
    symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
    const { forbidden = [], options } = await extractConfiguration(join(project, ".dependency-cruiser.mjs"));
    const result = await cruise(["."], {
      ...options,
      baseDir: root,
      preserveSymlinks: true,
      validate: true,
      ruleSet: { forbidden },
    });
    return (result.output as ICruiseResult).summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`).sort();
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe("a boundary", () => {
  let found: readonly string[] = [];

  beforeAll(async () => {
    const files = planted.map(({ file, text, beside }) => ({ [file]: text, ...beside }));
    found = await violationsOf(Object.assign({}, lawful, ...files) as Record<string, string>);
  });

  it.each(planted)("$rule stops $text in $file", ({ rule, file, beside = {} }) => {
    const reported = found.filter((line) => [file, ...Object.keys(beside)].includes(line.slice(0, line.indexOf(":"))));
    expect(new Set(reported.map((line) => line.slice(line.indexOf(":") + 2)))).toEqual(new Set([rule]));
  });

  it("accepts an allowed program", () => {
    expect(found.filter((line) => line.slice(0, line.indexOf(":")) in lawful)).toEqual([]);
  });

  it("has a planted violation for every rule", async () => {
    const { forbidden = [] } = await extractConfiguration(join(project, ".dependency-cruiser.mjs"));

    expect(new Set(planted.map(({ rule }) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
  });
});
