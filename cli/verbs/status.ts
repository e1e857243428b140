import type { WorkloadsView } from "#contracts/api/workloads";
import { hasFailed } from "../answers/status.ts";
import { exitCodes } from "../failure.ts";
import { serverVerb } from "../server-verb.ts";
import { resolveWorkload } from "../names.ts";
import { printable } from "../render/printable.ts";
import { renderStatus, type StatusFooter } from "../render/status.ts";
import type { Server } from "../server.ts";
import { readWorkloads, workloadNames } from "../workloads.ts";

interface Flags {
  readonly exitCode?: boolean;
}

/** `lookout status [WORKLOAD…]` */
export const addStatus = serverVerb<[names: readonly string[]], Flags>({
  name: "status",
  description: "list the workloads: running image, desired image and state",
  parameters: [["[workload...]", "[cluster/]namespace/[kind/]name (default: all)"]],
  options: (command) => command.option("--exit-code", failingHelp),
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout status", "list all tracked workloads"],
    ["lookout status shop/api", "show one workload"],
    ["lookout status --output name", "list names, one per line"],
    ["lookout status shop/api --exit-code", "in a script: exit 1 if the workload needs somebody"],
  ],
  async answer({ server, flags, style }, names) {
    const shown = only(names, await readWorkloads(server));
    const footer = flags.output === "table" ? await readFooter(server) : { freezes: [], repositories: [] };
    return {
      value: shown,
      text: () => renderStatus(printable(shown), printable(footer), server.label, style),
      names: () => workloadNames(shown),
      exitCode: flags.exitCode === true && hasFailed(shown, names.length === 0) ? exitCodes.notSo : exitCodes.done,
    };
  },
});

const failingHelp =
  "exit 1 if a workload or a cluster has a problem, or a version failed; 0 if all is up to date, in progress or held as planned";

async function readFooter(server: Server): Promise<StatusFooter> {
  const [{ freezes }, { repositories }] = await Promise.all([
    server.ask("listFreezes"),
    server.ask("listRepositories"),
  ]);
  return { freezes, repositories };
}

function only(names: readonly string[], view: WorkloadsView): WorkloadsView {
  if (names.length === 0) return view;
  const known = workloadNames(view);
  const keys = new Set(names.map((text) => resolveWorkload(text, known)));
  const { workloads, unreadable = [], ...rest } = view;
  const unreadableHere = unreadable.filter(({ workload }) => workload === undefined || keys.has(workload));
  return {
    ...rest,
    workloads: workloads.filter(({ workload }) => keys.has(workload)),
    ...(unreadableHere.length === 0 ? {} : { unreadable: unreadableHere }),
  };
}
