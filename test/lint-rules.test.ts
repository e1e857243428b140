import { ESLint } from "eslint";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const project = resolve(import.meta.dirname, "..");

interface Planted {
  readonly because: string;
  readonly folder: string;
  readonly text: string;
  readonly rule: string;
  /** What the person is told to do, where the rule's own words would not say it. */
  readonly message?: string;
}

const now = "Take `now` as an argument.";
const port = "Add a port.";
const isSynchronous = "The domain is synchronous: let the use case await values.";

const syntax = "no-restricted-syntax";
const property = "no-restricted-properties";
const global = "no-restricted-globals";
const documentation = "jsdoc/require-jsdoc";

const lines = (count: number, line: string): string => Array.from({ length: count }, () => line).join("\n");

const planted: readonly Planted[] = [
  { because: "the domain has no clock", folder: "src/domain", text: `export const a = new Date();`, rule: syntax },
  { because: "a use case has no clock", folder: "src/app", text: `export const a = new Date();`, rule: syntax },
  { because: "Date() is a clock", folder: "src/domain", text: `export const a = Date();`, rule: syntax, message: now },
  { because: "so is Date.now", folder: "src/app", text: `export const a = Date.now();`, rule: property, message: now },
  { because: "however it is spelt", folder: "src/app", text: `const { now } = Date; now();`, rule: property },
  {
    because: "so is Temporal.Now",
    folder: "src/domain",
    text: `import { Temporal } from "temporal-polyfill";\nexport const a = Temporal.Now.instant();`,
    rule: property,
    message: now,
  },
  { because: "and performance", folder: "src/app", text: `performance.now();`, rule: global, message: now },
  { because: "nothing is random", folder: "src/domain", text: `Math.random();`, rule: property, message: port },
  { because: "an identifier is not made up", folder: "src/app", text: `crypto.randomUUID();`, rule: global },
  {
    because: "a use case does not read the environment",
    folder: "src/app",
    text: `export const table = process.env["TABLE"];`,
    rule: global,
    message: port,
  },
  { because: "nor by the global object", folder: "src/app", text: `globalThis.process.exit(1);`, rule: global },
  { because: "a use case does not log", folder: "src/app", text: `console.log("held");`, rule: global, message: port },
  { because: "a use case does not call", folder: "src/app", text: `await fetch("");`, rule: global, message: port },
  { because: "a use case does not sleep", folder: "src/app", text: `setTimeout(String, 1);`, rule: global },
  { because: "nor repeat", folder: "src/app", text: `setInterval(String, 1);`, rule: global },
  { because: "nor yield", folder: "src/app", text: `setImmediate(String);`, rule: global },
  { because: "nor queue", folder: "src/app", text: `queueMicrotask(String);`, rule: global },
  { because: "a signal is given", folder: "src/app", text: `AbortSignal.timeout(1);`, rule: property },
  {
    because: "the domain has no async function",
    folder: "src/domain",
    text: `export const a = async () => {};`,
    rule: syntax,
    message: isSynchronous,
  },
  { because: "the domain awaits nothing", folder: "src/domain", text: `await a();`, rule: syntax },
  { because: "in no loop", folder: "src/domain", text: `for await (const a of b) { a(); }`, rule: syntax },
  { because: "nor generates later", folder: "src/domain", text: `async function* a() {}`, rule: syntax },
  { because: "nor promises", folder: "src/domain", text: `new Promise(String);`, rule: global },
  ...["src/domain", "src/ports", "src/app", "src/contracts"].flatMap((folder) => [
    { because: "a function is explained", folder, text: `export function select() { return 1; }`, rule: documentation },
    { because: "a type is explained", folder, text: `export type Selection = "kept" | "moved";`, rule: documentation },
    { because: "a shape is explained", folder, text: `export interface Tag { name: string }`, rule: documentation },
  ]),
  {
    because: "a port's method is explained",
    folder: "src/ports",
    text: `/** What was pushed. */\nexport interface Registry { listTags(repository: string): void }`,
    rule: documentation,
  },
  {
    because: "in either spelling",
    folder: "src/ports",
    text: `/** What was pushed. */\nexport interface Registry { readonly listTags: (repository: string) => void }`,
    rule: documentation,
  },
  {
    because: "an explanation says more than the name",
    folder: "src/ports",
    text: `/** The tag list. */\nexport type TagList = readonly string[];`,
    rule: "jsdoc/informative-docs",
  },
  {
    because: "types are written once",
    folder: "src/domain",
    text: `/**\n * Picks the highest version.\n *\n * @param {string[]} tags - any order\n */\nexport function select(tags: readonly string[]) { return tags[0]; }`,
    rule: "jsdoc/no-types",
  },
  {
    because: "a new member is met everywhere",
    folder: "src/runtime",
    text: `export function a(b: "x" | "y") { switch (b) { case "x": return 1; default: return 2; } }`,
    rule: "@typescript-eslint/switch-exhaustiveness-check",
  },
  {
    because: "a promise is not forgotten",
    folder: "src/runtime",
    text: `async function a() { await b(); }\nconst b = async () => { await a(); };\na();`,
    rule: "@typescript-eslint/no-floating-promises",
  },
  {
    because: "any is no type",
    folder: "test",
    text: `export const a: any = 1;`,
    rule: "@typescript-eslint/no-explicit-any",
  },
  {
    because: "a type error is mended, not hidden",
    folder: "test",
    text: `// @ts-ignore\nexport const a: string = 1;`,
    rule: "@typescript-eslint/ban-ts-comment",
  },
  {
    because: "things have one name",
    folder: "cli",
    text: `export default 1;`,
    rule: syntax,
    message: "Export by name.",
  },
  { because: "an enum is code", folder: "src/runtime", text: `export enum Kind { A }`, rule: syntax },
  {
    because: "a function can be followed",
    folder: "src/runtime",
    text: `export function a(b: number) {\n${lines(12, "if (b > 1) return 1;")}\nreturn 2; }`,
    rule: "complexity",
  },
  {
    because: "a contract describes routes and serves none",
    folder: "src/contracts",
    text: `import { OpenAPIHono } from "@hono/zod-openapi";\nexport const api = new OpenAPIHono();`,
    rule: "no-restricted-imports",
  },
  { because: "our own modules are not mocked", folder: "test", text: `vi.mock("#app/gate/wake");`, rule: syntax },
  ...["it.skip", "it.only", "it.todo", "describe.skip", "describe.only", "test.todo", "it.concurrent.skip"].map(
    (call) => ({
      because: `every test runs, so no ${call}`,
      folder: "test",
      text: `${call}("holds", () => undefined);`,
      rule: syntax,
    }),
  ),
  {
    because: "a rule is not switched off in passing",
    folder: "src/app",
    text: `/* eslint-disable */\nexport const a = Date.now();`,
    rule: property,
  },
];

const lawful: Readonly<Record<string, string>> = {
  "src/domain/select.ts": `const isHigher = (candidate: string, running: string): boolean => candidate > running;

/**
 * Picks the tag that replaces the running one.
 *
 * Equal versions keep what runs.
 *
 * @param tags - any order; empty keeps what runs
 */
export function selectTag(tags: readonly string[], running: string): string {
  return tags.find((tag) => isHigher(tag, running)) ?? running;
}

/** Says on which day, in UTC, an instant falls. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
`,
  "src/ports/registry.ts": `/** Where images come from. A listing that stopped early is an error, never a shorter one. */
export interface Registry {
  /** The host as image references spell it, with its port. */
  readonly host: string;

  /**
   * Reads every tag.
   *
   * @returns an empty list for an existing repository without tags
   * @throws TransientError on throttling and timeout. PermanentError on 401 and 403.
   */
  listTags(repository: string, signal: AbortSignal): Promise<readonly string[]>;
}
`,
  "src/app/evaluate/evaluate-workload.ts": `import type { Registry } from "#ports/registry";
import { selectTag } from "#domain/select";

/** Answers which tag a repository should run at \`now\`. */
export async function evaluate(registry: Registry, now: number, signal: AbortSignal): Promise<string> {
  const tags = await registry.listTags(\`shop/api-\${now}\`, signal);
  return selectTag(tags, "1.0.0");
}
`,
  "src/adapters/memory/registry.ts": `import type { Registry } from "#ports/registry";

export function memoryRegistry(tags: readonly string[]): Registry {
  return {
    host: "registry.test",
    async listTags() {
      return tags;
    },
  };
}
`,
  "test/app/evaluate.test.ts": `import { evaluate } from "#app/evaluate/evaluate-workload";
import { memoryRegistry } from "#adapters/memory/registry";
import { describe, expect, it } from "vitest";

describe("a push", () => {
  it("is taken when it is higher", async () => {
    const signal = AbortSignal.timeout(1_000);
    expect(await evaluate(memoryRegistry(["1.1.0"]), 0, signal)).toEqual("1.1.0");
    expect(["1.1.0"][0]!.length).toBe(5);
  });
});
`,
};

interface Report {
  readonly rule: string | null;
  readonly message: string;
}

const pathOf = (index: number): string => `${planted[index]!.folder}/planted-${index}.ts`;

/** Lints a tree with the project's own rules. */
async function lint(root: string): Promise<ReadonlyMap<string, readonly Report[]>> {
  const files = planted.map(({ text }, index) => [pathOf(index), text] as const);
  for (const [path, text] of [...files, ...Object.entries(lawful)]) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const name of ["package.json", "tsconfig.json"]) copyFileSync(join(project, name), join(root, name));
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  const eslint = new ESLint({ cwd: root, overrideConfigFile: join(project, "eslint.config.mjs") });
  const results = await eslint.lintFiles(["."]);
  return new Map(
    results.map(({ filePath, messages }) => [
      filePath.slice(root.length + 1),
      messages.map(({ ruleId, message }) => ({ rule: ruleId, message })),
    ]),
  );
}

describe("the lint rules", () => {
  const root = mkdtempSync(join(tmpdir(), "lookout-lint-"));
  let reports: ReadonlyMap<string, readonly Report[]> = new Map();

  beforeAll(async () => {
    reports = await lint(root);
  });

  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  it.each(planted.map((row, index) => ({ ...row, path: pathOf(index) })))(
    "check that $because ($folder)",
    ({ path, rule, message }) => {
      const found = reports.get(path)?.filter((report) => report.rule === rule) ?? [];

      expect([...new Set(found.map((report) => report.rule))]).toEqual([rule]);
      if (message !== undefined) expect(found.map((report) => report.message).join("\n")).toContain(message);
    },
  );

  it.each(Object.keys(lawful))("accept valid code (%s)", (path) => {
    expect(reports.get(path)).toEqual([]);
  });
});
