import type { Command } from "commander";
import type { QuarantineRequest, QuarantineView } from "#contracts/api";
import { isDigest } from "#domain/image-reference";
import {
  type AddVerb,
  type Context,
  lookOf,
  type ServerFlags,
  userOf,
  withExamples,
  withOutput,
  withServer,
  withWide,
} from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { type Answer, writeAnswer } from "../output.ts";
import { digestText } from "../render/image.ts";
import { paintMark } from "../render/look.ts";
import { printable } from "../render/printable.ts";
import { renderQuarantine } from "../render/quarantine.ts";
import { findServer, type Server } from "../server.ts";
import type { World } from "../world.ts";

interface Flags extends ServerFlags {
  readonly output: string;
  readonly wide?: boolean;
}

interface AddFlags extends Flags {
  readonly why: string;
  readonly by?: string;
}

const path = "/v1/quarantine";
const formats = ["table", "json", "yaml", "name"] as const;

/** `lookout quarantine list|add|lift` */
export const addQuarantine: AddVerb = (program, context) => {
  const group = program.command("quarantine").description("digests that no workload is given");
  withExamples(group, [
    ["lookout quarantine list", "all of them"],
    ['lookout quarantine add sha256:… --why "CVE-2026-1234"', "no workload is given this one"],
    ["lookout quarantine lift 9b2c41d0e7aa", "the first digits will do"],
  ]);
  addList(group, context);
  addAdd(group, context);
  addLift(group, context);
};

function addList(group: Command, { world }: Context): void {
  const command = group.command("list").description("the digests in quarantine");
  command.action(async (flags: Flags) => {
    const server = await findServer(world, flags);
    await writeAnswer(world, flags.output, answerOf(world, await listed(server), flags));
  });
  withExamples(withServer(withWide(withOutput(command, formats))), [
    ["lookout quarantine list --wide", "whole digests"],
  ]);
}

function addAdd(group: Command, { world }: Context): void {
  const command = group
    .command("add")
    .description("put a digest in quarantine")
    .argument("<digest>", "the whole digest: sha256:…")
    .requiredOption("--why <text>", "the reason that people are shown")
    .option("--by <name>", "who wants it (default: USER)");
  command.action(async (digest: string, flags: AddFlags) => {
    const request = requestOf(world, digest, flags);
    const server = await findServer(world, flags);
    const view = await server.post<QuarantineView>(path, "quarantined", request);
    const words = `${digestText(digest, lookOf(world, flags))} is in quarantine: no workload is given it.`;
    await writeAnswer(world, flags.output, { ...answerOf(world, view, flags), text: () => told(world, words) });
  });
  withExamples(withServer(withWide(withOutput(command, formats))), [
    ['lookout quarantine add sha256:… --why "CVE-2026-1234"', ""],
  ]);
}

function addLift(group: Command, { world }: Context): void {
  const command = group
    .command("lift")
    .description("take a digest out of quarantine")
    .argument("<digest>", "the digest, or as many of its first digits as tell it from the others");
  command.action(async (text: string, flags: Flags) => {
    const server = await findServer(world, flags);
    const digest = isDigest(text) ? text : meantBy(text, await listed(server));
    const view = await server.remove<QuarantineView>(`${path}/${encodeURIComponent(digest)}`, "quarantined");
    const words = `${digestText(digest, lookOf(world, flags))} is out of quarantine.`;
    await writeAnswer(world, flags.output, { ...answerOf(world, view, flags), text: () => told(world, words) });
  });
  withExamples(withServer(withWide(withOutput(command, formats))), [["lookout quarantine lift 9b2c41d0e7aa", ""]]);
}

function listed(server: Server): Promise<QuarantineView> {
  return server.get<QuarantineView>(path, "quarantined");
}

function told(world: World, words: string): string {
  return `${paintMark("✓", lookOf(world))} ${words}\n`;
}

function answerOf(world: World, view: QuarantineView, flags: Flags): Required<Answer> {
  return {
    value: view,
    text: () => renderQuarantine(printable(view), lookOf(world, flags)),
    names: () => view.quarantined.map(({ digest }) => digest),
  };
}

function requestOf(world: World, digest: string, { why, by }: AddFlags): QuarantineRequest {
  if (!isDigest(digest))
    throw new Failure(exitCodes.wrongInput, `"${digest}" is not a whole digest.`, [
      "Expected sha256: and 64 hexadecimal digits; they are shown by:  lookout status --wide",
    ]);
  if (why.trim() === "") throw new Failure(exitCodes.wrongInput, "--why is empty: say why nobody may run this image.");
  return { digest, why, by: by ?? userOf(world) };
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
