import type { Command } from "commander";
import { type EpochMs, parseInstant } from "#domain/shared/time";
import { type MaintenanceWindow, nextOpenings, windowState } from "#domain/schedule/window";
import { readWindows } from "#domain/settings/window-settings";
import { instantText, windowAnswer } from "../answers/window.ts";
import { type AddVerb, type Context, styleOf, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { writeAnswer } from "../output.ts";
import { renderWindowCheck } from "../render/window.ts";

interface Flags {
  readonly window?: string;
  readonly days?: string;
  readonly cron?: string;
  readonly blackoutWindow?: string;
  readonly blackoutDays?: string;
  readonly blackoutCron?: string;
  readonly tz?: string;
  readonly at?: string;
  readonly output: string;
}

/** The number of openings in the output. A daily window opens seven times a week. */
const openingsShown = 7;

/** `lookout window check` */
export const addWindow: AddVerb = (program, context) => {
  const group = program.command("window").description("try maintenance windows");
  const command: Command = group
    .command("check")
    .description("check maintenance windows, and list their next openings; exit 1 if they are closed")
    .option("--window <times>", "as lookout.dev/maintenance-window: HH:MM-HH:MM, separated by commas")
    .option("--days <days>", "as lookout.dev/maintenance-days: Sat,Sun or Mon-Fri")
    .option("--cron <windows>", "as lookout.dev/maintenance-cron: CRON for DURATION, separated by semicolons")
    .option("--blackout-window <times>", "as lookout.dev/blackout-window: times without updates")
    .option("--blackout-days <days>", "as lookout.dev/blackout-days")
    .option("--blackout-cron <windows>", "as lookout.dev/blackout-cron")
    .option("--tz <zone>", "as lookout.dev/maintenance-tz: the IANA name of the time zone (default: UTC)")
    .option("--at <instant>", "the instant to check, such as 2026-11-21T00:30:00Z (default: now)")
    .action((flags: Flags) => check(context, flags));
  withExamples(withOutput(command, ["table", "json", "yaml"]), [
    ["lookout window check --window 22:00-02:00 --days Sat,Sun --tz Europe/Berlin", "list the next seven openings"],
    ["lookout window check --cron '0 22 * * TUE#2 for 4h' --at 2027-03-01T00:00:00Z", "check second Tuesdays"],
  ]);
};

async function check(context: Context, flags: Flags): Promise<void> {
  const windows = windowsOf(flags);
  const at = instantOf(flags.at) ?? context.world.now();
  const state = windowState(windows, at);
  const next = state.nextChange();
  const { lookedUntil } = next;
  const answer = windowAnswer(windows, state, next);
  const openings = nextOpenings(windows, at, openingsShown);
  const value = {
    ...answer,
    openings: openings.map(({ from, until }) => ({ from: instantText(from), until: instantText(until) })),
  };
  const timeZone = windows[0]?.timeZone ?? "UTC";
  await writeAnswer(context.world, flags.output, {
    value,
    text: () => renderWindowCheck({ answer, openings, at, lookedUntil, timeZone }, styleOf(context.world)),
  });
  if (!answer.open) context.setExitCode(exitCodes.notSo);
}

/** Returns the windows of the flags. Each flag has the syntax of its annotation. */
function windowsOf(flags: Flags): readonly MaintenanceWindow[] {
  const typed: Readonly<Record<string, readonly [flag: string, value: string | undefined]>> = {
    "maintenance-window": ["--window", flags.window],
    "maintenance-days": ["--days", flags.days],
    "maintenance-cron": ["--cron", flags.cron],
    "maintenance-tz": ["--tz", flags.tz],
    "blackout-window": ["--blackout-window", flags.blackoutWindow],
    "blackout-days": ["--blackout-days", flags.blackoutDays],
    "blackout-cron": ["--blackout-cron", flags.blackoutCron],
  };
  const flagOf = (key: string): string => typed[key]?.[0] ?? key;
  const windows = readWindows({
    value: (key) => typed[key]?.[1],
    report: (key, message) => {
      const text = message.replace(/lookout\.dev\/([a-z-]+)/, (_, other: string) => flagOf(other));
      throw new Failure(exitCodes.wrongInput, `${flagOf(key)}: ${text}.`.replace(/\?\.$/, "?"));
    },
  });
  if (windows.length > 0) return windows;
  throw new Failure(
    exitCodes.wrongInput,
    "A window is missing: add --window, --cron, --blackout-window or --blackout-cron.",
  );
}

function instantOf(typed: string | undefined): EpochMs | undefined {
  if (typed === undefined) return undefined;
  const at = parseInstant(typed);
  if (at !== undefined) return at;
  throw new Failure(exitCodes.wrongInput, `"${typed}" is not an instant.`, [
    "Expected for example: 2026-11-21T00:30:00Z",
  ]);
}
