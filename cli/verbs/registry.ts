import type { RegistryChecksView } from "#contracts/api/registries";
import { type AddVerb, withExamples } from "../context.ts";
import { type ExitCode, exitCodes } from "../failure.ts";
import { printable } from "../render/printable.ts";
import { renderRegistries, renderRegistryChecks, renderRegistryResumed } from "../render/registries.ts";
import { serverVerb } from "../server-verb.ts";
import { addRegistryImport } from "./registry-import.ts";

const addRegistryList = serverVerb({
  name: "list",
  description: "list registries with their limits, pauses, breakers and credential sources",
  formats: ["table", "json", "yaml", "name"],
  examples: [["lookout registry list", ""]],
  async answer({ server, style }) {
    const view = await server.ask("listRegistries");
    return {
      value: view,
      text: () => renderRegistries(printable(view), style),
      names: () => view.registries.map(({ name }) => name),
    };
  },
});

interface CheckFlags {
  readonly repository?: string;
}

const addRegistryCheck = serverVerb<[string], CheckFlags>({
  name: "check",
  description: "request tags from a registry, and list problems; exit 1 if a check fails",
  parameters: [["<registry>", "the name of an entry in lookout.yaml, or a host"]],
  options: (command) =>
    command.option("--repository <path>", "the repository to check (default: a repository of a workload)"),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout registry check registry.example.com", "check address, certificate, login, tags, limits and clock"],
    ["lookout registry check ghcr.io --repository shop/api", "check a registry that no workload uses yet"],
  ],
  async answer({ server, flags, style }, registry) {
    const body = flags.repository === undefined ? {} : { repository: flags.repository };
    const view = await server.ask("checkRegistry", { params: { registry }, body });
    return {
      value: view,
      text: () => renderRegistryChecks(printable(view), server.label, style),
      exitCode: exitCodeOf(view),
    };
  },
});

const addRegistryResume = serverVerb<[string]>({
  name: "resume",
  description: "end the pauses of a registry and of its repositories, and check them now",
  parameters: [["<registry>", "the name of an entry in lookout.yaml, or a host"]],
  formats: ["text", "json", "yaml"],
  examples: [["lookout registry resume docker.io", "ask Docker Hub again now, after its limit was raised"]],
  async answer({ server, style }, registry) {
    const view = await server.ask("resumeRegistry", { params: { registry } });
    return { value: view, text: () => renderRegistryResumed(printable(view), style) };
  },
});

/** `lookout registry list|check|resume|import` */
export const addRegistry: AddVerb = (program, context) => {
  const group = program.command("registry").description("show, check, resume and import the registries of images");
  withExamples(group, [
    ["lookout registry list", "show limits, breakers and credential sources"],
    ["lookout registry check registry.example.com", "check one registry"],
    ["lookout registry resume registry.example.com", "end its pauses"],
  ]);
  addRegistryList(group, context);
  addRegistryCheck(group, context);
  addRegistryResume(group, context);
  addRegistryImport(group, context);
};

function exitCodeOf({ registries }: RegistryChecksView): ExitCode {
  const failed = registries.flatMap(({ rows }) => rows).filter(({ result }) => result === "failed");
  if (failed.some(({ reason }) => reason?.reason === "registry-not-allowed")) return exitCodes.refused;
  return failed.length === 0 ? exitCodes.done : exitCodes.notSo;
}
