import type { UnblockRequest, UnblockView } from "#contracts/api/workloads";
import { serverVerb } from "../server-verb.ts";
import { type EndFlags, endOf, withEnd } from "../end-flags.ts";
import { exitCodes, Failure } from "../failure.ts";
import { workloadParams } from "../names.ts";
import { findWorkload, type PlaceFlags } from "../scopes.ts";
import { digestText } from "../render/image.ts";
import { printable } from "../render/printable.ts";
import { hang, type Style, paintMark } from "../render/style.ts";

interface Flags extends PlaceFlags, EndFlags {
  readonly digest?: string;
  readonly hold?: true;
}

/** `lookout unblock WORKLOAD` */
export const addUnblock = serverVerb<[workload: string], Flags>({
  name: "unblock",
  description: "end the hold of a workload after a revert, and unblock its digests",
  parameters: [["<workload>", "[cluster/]namespace/[kind/]name"]],
  options: (command) =>
    withEnd(command)
      .option("--digest <digest>", "unblock only this digest: at least 12 digits, or its tag")
      .option("--hold", "end only the hold; blocked digests stay blocked"),
  scope: "place",
  formats: ["text", "json", "yaml"],
  wide: true,
  examples: [
    ["lookout unblock shop/api", "end the hold, and unblock all digests"],
    ["lookout unblock shop/api --digest 1.4.66", "let only 1.4.66 be tried again"],
    ["lookout unblock shop/api --hold", "continue the updates after a revert"],
  ],
  async answer({ server, world, flags, style }, workload) {
    const { digest, hold } = flags;
    if (digest !== undefined && hold !== undefined)
      throw new Failure(exitCodes.wrongInput, "--digest and --hold exclude each other: --hold unblocks no digest.", [
        "To end the hold and unblock all digests, use neither.",
      ]);
    const key = await findWorkload(server, workload, flags);
    const part = { ...(digest === undefined ? {} : { digest }), ...(hold === undefined ? {} : { hold }) };
    const request: UnblockRequest = { ...endOf(flags, world, server), ...part };
    const own = await server.asPerson();
    const view = await own.ask("unblockWorkload", { params: workloadParams(key), body: request });
    const start = `${paintMark("✓", style)} ${key}: `;
    return { value: view, text: () => `${hang(start, unblocked(printable(view), hold === true, style), style)}\n` };
  },
});

/** The most digests that the answer names among those that stay blocked. */
const mostLeft = 5;

function unblocked({ workload, hold, digests, rejected, left }: UnblockView, onlyHold: boolean, style: Style): string {
  const stays = `The rejected ${rejected === 1 ? "digest stays" : "digests stay"} blocked. A decider can run lookout approvals ask.`;
  const rest = [
    ...(left.hold ? [`The hold stays. To end it: lookout unblock ${workload} --hold.`] : []),
    ...(left.digests.length > rejected ? [`Still blocked: ${stillBlocked(left.digests, style)}.`] : []),
    ...(rejected > 0 ? [stays] : []),
  ];
  if (!hold && digests.length === 0) return [...nothing(onlyHold, rest), ...rest].join(" ");
  const count = `${digests.length} blocked ${digests.length === 1 ? "digest" : "digests"}`;
  const ended = [
    ...(hold ? ["the hold has ended"] : []),
    ...(digests.length > 0 ? [`${count} may be tried again: ${named(digests, style)}`] : []),
  ];
  return [`${ended.join(", and ")}.`, "Lookout evaluates the policy again.", ...rest].join(" ");
}

function nothing(onlyHold: boolean, left: readonly string[]): readonly string[] {
  if (onlyHold) return ["the workload has no hold."];
  return left.length === 0 ? ["the workload has no hold and no blocked digest."] : [];
}

function stillBlocked(digests: UnblockView["digests"], style: Style): string {
  const more = digests.length - mostLeft;
  return named(digests.slice(-mostLeft).toReversed(), style) + (more > 0 ? `, and ${more} earlier ones` : "");
}

function named(digests: UnblockView["digests"], style: Style): string {
  return digests.map(({ tag, digest }) => `${tag} @ ${digestText(digest, style)}`).join(", ");
}
