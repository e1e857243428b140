import { exitCodes } from "../failure.ts";
import { instantOfFlag } from "../flag-times.ts";
import { renderDigest } from "../render/images.ts";
import { printable } from "../render/printable.ts";
import { serverVerb } from "../server-verb.ts";

interface Flags {
  readonly at?: string;
}

/** `lookout digest DIGEST` */
export const addDigest = serverVerb<[digest: string], Flags>({
  name: "digest",
  description: "tell which workloads run a digest, which ran it, and how it came there",
  parameters: [["<digest>", "the digest, or its first 12 or more digits"]],
  options: (command) =>
    command.option(
      "--at <time>",
      "the workloads that ran it at a time: 2d, or an instant such as 2026-11-21T09:00:00Z",
    ),
  formats: ["text", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout digest 9b2c41d0e7aa", "which workloads run it now, and which ran it before"],
    ["lookout digest sha256:… --at 2026-11-21T09:00:00Z", "which workloads ran it at that time"],
  ],
  async answer({ server, world, flags, style }, digest) {
    const at = flags.at === undefined ? undefined : instantOfFlag("--at", flags.at, world.now());
    const query = at === undefined ? {} : { at };
    const view = await server.ask("readDigest", { params: { digest }, query });
    return {
      value: view,
      text: () => renderDigest(printable(view), at, style),
      names: () => [...new Set(view.runs.map(({ workload }) => workload))],
      ...(view.runs.length === 0 ? { exitCode: exitCodes.notSo } : {}),
    };
  },
});
