import { type Condition, type Ended, type Goal, waitExitCode, worstOf } from "./answers/wait.ts";
import { styleOf } from "./context.ts";
import { type ExitCode, formatFailure } from "./failure.ts";
import { endText, progressLine, shortName, waitStepLine, type WaitStep } from "./render/wait.ts";
import { paintMark, type Style } from "./render/style.ts";
import type { WaitReport } from "./wait-reads.ts";
import type { World } from "./world.ts";

/** The output of a wait. */
export interface WaitOutput {
  readonly report: WaitReport;
  readonly style: () => Style;
  /** Returns the worst exit code of the ended waits. */
  readonly exitCode: () => ExitCode;
  /** Removes the line of the present step from a terminal. */
  readonly clear: () => void;
}

interface Shown {
  readonly format: string;
  readonly condition: Condition;
  /** True if the wait is for one workload, so that lines need no name. */
  readonly isAlone: boolean;
}

/** Writes steps and ends as lines of JSON, as lines of text, or as one line that a terminal rewrites. */
export function waitOutput(world: World, { format, condition, isAlone }: Shown): WaitOutput {
  const isLive = format === "text" && world.isTerminal && world.environment.TERM !== "dumb";
  const codes: ExitCode[] = [];
  const notWanted: ExitCode[] = [];
  const style = (): Style => styleOf(world);
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) world.stdout.write("\r\u{1b}[K");
    isDrawn = false;
  };
  const line = (text: string): void => {
    clear();
    world.stdout.write(`${text}\n`);
  };

  const report: WaitReport = {
    step(workload, step) {
      if (format === "json") line(JSON.stringify(stepValue(workload, step)));
      else if (!isLive) line(waitStepLine(step, isAlone ? undefined : shortName(workload), style()));
    },
    progress({ workload, standing, step }) {
      if (!isLive || step === undefined) return;
      const update = standing.kind === "open" ? { update: standing.update } : {};
      clear();
      world.stdout.write(progressLine({ ...update, step, name: shortName(workload) }, style()));
      isDrawn = true;
    },
    ended(workload, goal, end, isFollowed) {
      const code = waitExitCode(end.result, condition);
      (end.result === "not-wanted" ? notWanted : codes).push(code);
      const { mark, sentence, advice } = endText({ workload, goal, end, isFollowed, isAlone }, style());
      if (format === "json") line(JSON.stringify({ ...endValue(workload, end), exitCode: code, sentence, advice }));
      else if (code === 0) line(`${paintMark(mark, style())} ${sentence}`);
      else {
        clear();
        world.stderr.write(formatFailure({ message: sentence, advice }));
      }
    },
    outage({ message }) {
      clear();
      world.stderr.write(`! ${message} The wait goes on for a minute.\n`);
    },
  };
  // A push leads to the workloads whose policies want it, if there are any.
  return { report, style, exitCode: () => worstOf(codes.length > 0 ? codes : notWanted), clear };
}

function stepValue(workload: string, { at, text }: WaitStep): object {
  return { at, workload, step: text };
}

/** Returns the last object about a workload. */
function endValue(workload: string, { result, images, seq, endedAt, reasons }: Ended): object {
  return {
    workload,
    result,
    ...(seq === undefined ? {} : { update: seq }),
    ...(endedAt === undefined ? {} : { at: endedAt }),
    images: images.map(({ container, imageName, tag, digest }) => ({ container, imageName, tag, digest })),
    ...(reasons.length === 0 ? {} : { reasons: reasons.map(({ reason }) => reason) }),
  };
}

/** Returns the goal of a wait for a version. */
export function versionGoal(text: string | undefined, digest?: string): Goal | undefined {
  if (text === undefined) return undefined;
  return { kind: "version", text, ...(digest === undefined ? {} : { digest }) };
}
