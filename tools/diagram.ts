import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { handles, type Route, routes, type Stage, stages } from "#contracts/routes";
import { withSection } from "./page-sections.ts";

/** The page with the diagram. */
export const diagramFile = fileURLToPath(new URL("../docs/how-it-works.md", import.meta.url));

const all: readonly Route[] = routes;

/** Returns a page with the diagram in its section `diagram`. */
export function withDiagram(page: string): string {
  return withSection(page, "diagram", `\`\`\`mermaid\n${diagram()}\n\`\`\``);
}

/**
 * Returns the diagram of all functions with their triggers and messages. The diagram omits messages
 * to a function that is earlier in the route table. So the diagram omits all messages of the API.
 */
export function diagram(): string {
  return [
    "flowchart LR",
    ...stages.flatMap(boxOf),
    "  rollout/roll-out -->|JSON Patch| cluster[(cluster)]",
    "  cluster -.->|pods| verify/check-rollout",
    ...all.flatMap(sourceOf),
    ...all.flatMap(arrowsOf),
  ]
    .map((line) => line.replaceAll(/(\w+)\/([\w-]+)/g, (_, stage: string, name: string) => idOf(stage, name)))
    .join("\n");
}

function boxOf(stage: Stage): readonly string[] {
  const functions = all.filter((route) => route.stage === stage).map(({ name }) => `    ${idOf(stage, name)}[${name}]`);
  return functions.length === 0 ? [] : [`  subgraph ${stage}`, ...functions, "  end"];
}

function sourceOf({ stage, name, trigger }: Route): readonly string[] {
  const id = `${stage}/${name}`;
  switch (trigger.kind) {
    case "http":
      return [
        `  ${trigger.path.startsWith("/webhooks") ? "registry([registry, build])" : "people([people, tools])"} --> ${id}`,
      ];
    case "schedule":
      return [clockTo(id, trigger.everyMs)];
    case "dead-letter":
      return [`  queues([queues]) -->|dead letters| ${id}`];
    case "changes":
      return [`  records[(records)] -->|every write| ${id}`, `  ${id} --> facts([facts, history])`];
    case "command":
    case "event":
      return [];
  }
}

function clockTo(id: string, everyMs: number): string {
  const minutes = everyMs / 60_000;
  return minutes === 1 ? `  clock([each minute]) --> ${id}` : `  clock${minutes}([each ${minutes} minutes]) --> ${id}`;
}

function arrowsOf(from: Route): readonly string[] {
  return all.slice(all.indexOf(from) + 1).flatMap((to) => {
    const sent = from.emits.filter((message) => handles(to, message));
    return sent.length === 0 ? [] : [`  ${from.stage}/${from.name} -->|${sent.join(", ")}| ${to.stage}/${to.name}`];
  });
}

function idOf(stage: string, name: string): string {
  return `${stage}_${name.replaceAll("-", "_")}`;
}

if (import.meta.main) await writeFile(diagramFile, withDiagram(await readFile(diagramFile, "utf8")));
