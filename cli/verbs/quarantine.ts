import type { QuarantineRequest, QuarantineView } from "#contracts/api/quarantine";
import { isDigest } from "#domain/image/reference";
import { serverVerb } from "../server-verb.ts";
import { type AddVerb, userOf, withExamples } from "../context.ts";
import { type EndFlags, endOf, withEnd } from "../end-flags.ts";
import { exitCodes, Failure } from "../failure.ts";
import type { Answer } from "../output.ts";
import { counted } from "../render/counted.ts";
import { digestText } from "../render/image.ts";
import { type Style, paintMark } from "../render/style.ts";
import { printable } from "../render/printable.ts";
import { renderQuarantine } from "../render/quarantine.ts";
import type { Server } from "../server.ts";

interface AddFlags {
  readonly why: string;
  readonly by?: string;
}

const common = { formats: ["table", "json", "yaml", "name"], wide: true } as const;

/** `lookout quarantine list|add|lift` */
export const addQuarantine: AddVerb = (program, context) => {
  const group = program.command("quarantine").description("manage quarantined digests, which no workload gets");
  withExamples(group, [
    ["lookout quarantine list", "list all quarantined digests"],
    ['lookout quarantine add sha256:… --why "CVE-2026-1234"', "keep this digest from all workloads"],
    ["lookout quarantine lift 9b2c41d0e7aa", "name a digest by its first digits"],
  ]);
  for (const add of [addList, addAdd, addLift]) add(group, context);
};

const addList = serverVerb({
  ...common,
  name: "list",
  description: "list quarantined digests",
  examples: [["lookout quarantine list --wide", "show whole digests"]],
  answer: async ({ server, style }) => answerOf(await listed(server), style),
});

const addAdd = serverVerb<[digest: string], AddFlags>({
  ...common,
  name: "add",
  description: "put a digest in quarantine",
  parameters: [["<digest>", "the whole digest, with sha256: in front", wholeDigest]],
  options: (command) =>
    command
      .requiredOption("--why <text>", "the reason, which users see", readReason)
      .option("--by <name>", "your name in the list (default: the name of your token, else USER)"),
  examples: [['lookout quarantine add sha256:… --why "CVE-2026-1234"', ""]],
  async answer({ server, world, flags: { why, by }, style }, digest) {
    const request: QuarantineRequest = { digest, why, by: by ?? userOf(world, server) };
    const view = await server.ask("putInQuarantine", { body: request });
    const words = `Digest ${digestText(digest, style)} is in quarantine. No workload gets this digest.`;
    return confirmed(view, style, `${words}${effectText(view)}`);
  },
});

const addLift = serverVerb<[digest: string], EndFlags>({
  ...common,
  name: "lift",
  description: "take a digest out of quarantine",
  parameters: [["<digest>", "the digest, or its first digits"]],
  options: withEnd,
  examples: [["lookout quarantine lift 9b2c41d0e7aa", ""]],
  async answer({ world, server, flags, style }, text) {
    const digest = isDigest(text) ? text : digestByPrefix(text, await listed(server));
    const view = await server.ask("liftQuarantine", { params: { digest }, query: endOf(flags, world, server) });
    return confirmed(view, style, `Digest ${digestText(digest, style)} is out of quarantine.`);
  },
});

/** Returns a line with what runs the digest already, and what the quarantine holds. */
function effectText({ effect }: QuarantineView): string {
  if (effect === undefined) return "";
  const { workloads, runs, holds } = effect;
  const running = runs === 0 ? "None of" : `${runs} of`;
  const stay = runs === 0 ? "" : ", and stay as they are";
  return `\n  ${running} ${counted(workloads, "workload")} ${runs === 1 ? "runs" : "run"} it${stay}. It holds ${counted(holds, "waiting update")}.`;
}

function listed(server: Server): Promise<QuarantineView> {
  return server.ask("listQuarantine");
}

function confirmed(view: QuarantineView, style: Style, words: string): Answer {
  return { ...answerOf(view, style), text: () => `${paintMark("✓", style)} ${words}\n` };
}

function answerOf(view: QuarantineView, style: Style): Answer {
  return {
    value: view,
    text: () => renderQuarantine(printable(view), style),
    names: () => view.quarantined.map(({ digest }) => digest),
  };
}

function wholeDigest(text: string): string {
  if (isDigest(text)) return text;
  throw new Failure(exitCodes.wrongInput, `"${text}" is not a whole digest.`, [
    "Expected sha256: and 64 hexadecimal digits. To see whole digests:  lookout status --wide",
  ]);
}

function readReason(text: string): string {
  if (text.trim() !== "") return text;
  throw new Failure(exitCodes.wrongInput, "--why is empty: give the reason of the quarantine.");
}

const fewestDigits = 6;

function digestByPrefix(text: string, { quarantined }: QuarantineView): string {
  const short = text.replace(/^sha(256|384|512):/, "");
  if (!/^[0-9a-f]+$/.test(short) || short.length < fewestDigits)
    throw new Failure(
      exitCodes.wrongInput,
      `"${text}" is not a digest: expected at least ${fewestDigits} hexadecimal digits.`,
    );
  const found = quarantined.filter(
    ({ digest }) => digest.startsWith(text) || digest.replace(/^\w+:/, "").startsWith(short),
  );
  const [only, ...more] = found.map(({ digest }) => digest);
  if (only === undefined)
    throw new Failure(exitCodes.notSo, `No digest in quarantine begins with ${text}.`, [
      "To see all digests in quarantine:  lookout quarantine list",
    ]);
  if (more.length > 0)
    throw new Failure(
      exitCodes.wrongInput,
      `${found.length} digests in quarantine begin with ${text}. Use one of these:`,
      [only, ...more],
    );
  return only;
}
