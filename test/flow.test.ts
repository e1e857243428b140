import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { functionName, type Route, routes, stages, type Trigger } from "#contracts/routes";
import { changesFunctions, queueFunctions, requestFunctions, scheduleFunctions } from "#runtime/local/functions";

const folder = resolve(import.meta.dirname, "..", "functions");
const all: readonly Route[] = routes;
const titled = all.map((route) => ({ title: functionName(route), route }));

const fileOf = ({ stage, name }: Route): string => join(folder, stage, `${name}.ts`);
const carried = ({ command, also = [] }: Extract<Trigger, { kind: "command" }>) => [command, ...also];
const kebab = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();

describe("the tree", () => {
  it("has one file under functions/ for each route, and no other", () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));

    expect(files.sort()).toEqual(all.map(fileOf).sort());
  });

  it("has stages in the order of the flow", () => {
    const onTheWay = stages.filter((stage) => stage !== "notify" && stage !== "api");

    expect(onTheWay.toSorted()).toEqual(onTheWay);
    expect(stages.slice(0, onTheWay.length)).toEqual(onTheWay);
  });

  it("lists its routes in the order of their stages", () => {
    const order = all.map(({ stage }) => stages.indexOf(stage));

    expect(order.toSorted((left, right) => left - right)).toEqual(order);
  });

  it("sends every command somewhere", () => {
    const sent = new Set(all.flatMap(({ emits }): readonly string[] => emits));
    const neverSent = all.filter(({ trigger }) => {
      if (trigger.kind === "event") return !sent.has(trigger.event);
      return trigger.kind === "command" && !carried(trigger).every((command) => sent.has(command));
    });

    expect(neverSent.map(functionName)).toEqual([]);
  });

  it("handles every command that is sent", () => {
    const taken = all.flatMap(({ trigger }): readonly string[] => {
      if (trigger.kind === "event") return [trigger.event];
      return trigger.kind === "command" ? carried(trigger) : [];
    });
    const sent = new Set(all.flatMap(({ emits }): readonly string[] => emits));

    expect([...sent].filter((name) => name !== "facts" && !taken.includes(name))).toEqual([]);
    expect(taken).toEqual([...new Set(taken)]);
  });
});

describe("the name of a message", () => {
  const root = resolve(folder, "..");
  const names = all.flatMap(({ trigger }) => {
    if (trigger.kind === "event") return [trigger.event];
    return trigger.kind === "command" ? carried(trigger) : [];
  });
  /** A message that a file makes is no list of names: the compiler checks it against its type. */
  const named = new RegExp(`(?<!\\bname: )"(?:${names.join("|")})"`, "g");

  it.each(["lib", "src/runtime", "src/adapters", "tools"])(
    "is never repeated in %s, but comes from its row",
    (part) => {
      const files = readdirSync(join(root, part), { recursive: true, encoding: "utf8" }).filter((file) =>
        file.endsWith(".ts"),
      );

      expect(files.length).toBeGreaterThan(0);
      expect(
        files.flatMap((file) =>
          [...readFileSync(join(root, part, file), "utf8").matchAll(named)].map(([name]) => `${file} ${name}`),
        ),
      ).toEqual([]);
    },
  );
});

describe.each(titled)("$title", ({ route }) => {
  const { name, trigger, emits } = route;

  it("is named after the command or event that starts it", () => {
    const started =
      trigger.kind === "command" ? kebab(trigger.command) : trigger.kind === "event" ? kebab(trigger.event) : name;

    expect(name).toBe(started);
  });

  it("says in its header what starts it, what it sends and how it is retried", () => {
    const header = headerOf(readFileSync(fileOf(route), "utf8"));

    expect(Object.keys(header)).toEqual(["Trigger", "Emits", "Retry"]);
    expect(header["Trigger"]).toContain(startOf(route));
    expect(header["Emits"]).toBe(`${emits.join(", ")}.`);
    expect(header["Retry"]).not.toBe("");
  });

  it("exports a handler, and nothing else", async () => {
    const exported = (await import(fileOf(route))) as Readonly<Record<string, unknown>>;

    expect(Object.entries(exported).map(([key, value]) => [key, typeof value])).toEqual([["handler", "function"]]);
  });
});

describe("the local process", () => {
  it("runs exactly the routes", async () => {
    const expected = await Promise.all(
      all.map(async (route) => [functionName(route), handlerOf(await import(fileOf(route)))] as const),
    );

    expect(new Map(running())).toEqual(new Map(expected));
    expect(running()).toHaveLength(all.length);
  });

  it("gives every queue to the function that its route names", () => {
    const queues = Object.entries(queueFunctions).map(([queue, { name }]) => [queue, name]);
    const expected = all.flatMap((route): readonly (readonly [string, string])[] => {
      const { trigger } = route;
      if (trigger.kind === "command") return [[trigger.command, functionName(route)]];
      if (trigger.kind === "event") return [[trigger.event, functionName(route)]];
      return trigger.kind === "dead-letter" ? [["dead-letter", functionName(route)]] : [];
    });

    expect(new Map(queues as [string, string][])).toEqual(new Map(expected));
  });
});

function running(): readonly (readonly [string, unknown])[] {
  const functions = [
    ...Object.values(queueFunctions),
    ...scheduleFunctions,
    ...Object.values(requestFunctions),
    ...changesFunctions,
  ];
  return functions.map(({ name, run }) => [name, run] as const);
}

function handlerOf(module: unknown): unknown {
  return (module as { readonly handler?: unknown }).handler;
}

/** What the first line of a header has to name. */
function startOf({ trigger }: Route): string {
  switch (trigger.kind) {
    case "command":
      return `${carried(trigger).join(" and ")} on its queue`;
    case "event":
      return trigger.event;
    case "dead-letter":
      return "dead letters";
    case "schedule":
      return "Schedule";
    case "changes":
      return "writes of records";
    case "http":
      return `${trigger.methods.join(" and ")} ${trigger.path}`;
  }
}

/** The lines of the comment that a file begins with, by their first word. */
function headerOf(text: string): Readonly<Record<string, string>> {
  const comment = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(text)?.[1] ?? "";
  const lines = comment.split("\n").map((line) => line.replace(/^ \* /, ""));
  return Object.fromEntries(lines.map((line) => [line.split(/\s/, 1)[0] ?? "", line.replace(/^\S+\s+/, "")]));
}
