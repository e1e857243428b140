import type { QuarantineRequest, QuarantineView } from "#contracts/api/quarantine";
import { isDigest } from "#domain/image/reference";
import { asking } from "../asking.ts";
import { type AddVerb, userOf, withExamples } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import type { Answer } from "../output.ts";
import { digestText } from "../render/image.ts";
import { type Look, paintMark } from "../render/look.ts";
import { printable } from "../render/printable.ts";
import { renderQuarantine } from "../render/quarantine.ts";
import type { Server } from "../server.ts";

interface AddFlags {
  readonly why: string;
  readonly by?: string;
}

const path = "/v1/quarantine";
const common = { formats: ["table", "json", "yaml", "name"], wide: true } as const;

/** `lookout quarantine list|add|lift` */
export const addQuarantine: AddVerb = (program, context) => {
  const group = program.command("quarantine").description("digests that no workload is given");
  withExamples(group, [
    ["lookout quarantine list", "all of them"],
    ['lookout quarantine add sha256:… --why "CVE-2026-1234"', "no workload is given this one"],
    ["lookout quarantine lift 9b2c41d0e7aa", "the first digits will do"],
  ]);
  for (const add of [addList, addAdd, addUnblock]) add(group, context);
};

const addList = asking({
  ...common,
  name: "list",
  tells: "the digests in quarantine",
  examples: [["lookout quarantine list --wide", "whole digests"]],
  answer: async ({ server, look }) => answerOf(await listed(server), look),
});

const addAdd = asking<[digest: string], AddFlags>({
  ...common,
  name: "add",
  tells: "put a digest in quarantine",
  takes: [["<digest>", "the whole digest: sha256:…", wholeDigest]],
  options: (command) =>
    command
      .requiredOption("--why <text>", "the reason that people are shown", someReason)
      .option("--by <name>", "who wants it (default: USER)"),
  examples: [['lookout quarantine add sha256:… --why "CVE-2026-1234"', ""]],
  async answer({ server, world, flags: { why, by }, look }, digest) {
    const request: QuarantineRequest = { digest, why, by: by ?? userOf(world) };
    const view = await server.post<QuarantineView>(path, "quarantined", request);
    return told(view, look, `${digestText(digest, look)} is in quarantine: no workload is given it.`);
  },
});

const addUnblock = asking({
  ...common,
  name: "lift",
  tells: "take a digest out of quarantine",
  takes: [["<digest>", "the digest, or as many of its first digits as tell it from the others"]],
  examples: [["lookout quarantine lift 9b2c41d0e7aa", ""]],
  async answer({ server, look }, text: string) {
    const digest = isDigest(text) ? text : meantBy(text, await listed(server));
    const view = await server.remove<QuarantineView>(`${path}/${encodeURIComponent(digest)}`, "quarantined");
    return told(view, look, `${digestText(digest, look)} is out of quarantine.`);
  },
});

function listed(server: Server): Promise<QuarantineView> {
  return server.get<QuarantineView>(path, "quarantined");
}

function told(view: QuarantineView, look: Look, words: string): Answer {
  return { ...answerOf(view, look), text: () => `${paintMark("✓", look)} ${words}\n` };
}

function answerOf(view: QuarantineView, look: Look): Answer {
  return {
    value: view,
    text: () => renderQuarantine(printable(view), look),
    names: () => view.quarantined.map(({ digest }) => digest),
  };
}

function wholeDigest(text: string): string {
  if (isDigest(text)) return text;
  throw new Failure(exitCodes.wrongInput, `"${text}" is not a whole digest.`, [
    "Expected sha256: and 64 hexadecimal digits; they are shown by:  lookout status --wide",
  ]);
}

function someReason(text: string): string {
  if (text.trim() !== "") return text;
  throw new Failure(exitCodes.wrongInput, "--why is empty: say why nobody may run this image.");
}

/** Fewer digits than this could name anything. */
const fewestDigits = 6;

function meantBy(text: string, { quarantined }: QuarantineView): string {
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
      "To see those that are:  lookout quarantine list",
    ]);
  if (more.length > 0)
    throw new Failure(exitCodes.wrongInput, `${found.length} digests in quarantine begin with ${text}; say which:`, [
      only,
      ...more,
    ]);
  return only;
}
