import { styleText } from "node:util";
import { factView } from "#contracts/messages/fact-view";
import { lookoutVersion } from "#contracts/version";
import type { Fact } from "#domain/update/events";
import { type Step, stepClock, stepColours, stepLine, stepsOf } from "#runtime/fact-lines";
import type { Log } from "../handler.ts";
import { type BannerInputs, bannerOf } from "./banner.ts";

/** How the steps of updates are shown. */
export interface ReporterOptions {
  /** `text` for people, `json` for programs: one line each. */
  readonly output: "text" | "json";
  readonly colour: boolean;
  /** The zone of the times that people read. */
  readonly timeZone: string;
  readonly write: (line: string) => void;
  readonly writeError: (line: string) => void;
}

/** Shows facts as they come, and failures of the process itself. */
export interface Reporter {
  readonly onFact: (fact: Fact) => void;
  readonly log: Log;
  /** Says something about the process itself, to people; programs read it from the error stream. */
  readonly notice: (text: string, level?: "info" | "error") => void;
  /** Says what runs and where it answers, before the first fact. */
  started(banner: BannerInputs): void;
  /** Says something that only people need. */
  aside(text: string): void;
}

/** Opens a reporter. */
export function reporter(options: ReporterOptions): Reporter {
  const clock = stepClock(options.timeZone);
  const painted = (fact: Fact, step: Step): string => {
    const line = stepLine(fact, step, clock);
    return options.colour && step.mark !== "plain" ? styleText(stepColours[step.mark], line) : line;
  };
  return {
    onFact(fact) {
      if (options.output === "json") options.write(JSON.stringify(factView(fact)));
      else for (const step of stepsOf(fact)) options.write(painted(fact, step));
    },
    notice: (text, level = "info") => {
      const mark = level === "error" ? "! " : "";
      options.writeError(options.output === "json" ? JSON.stringify({ level, message: text }) : mark + text);
    },
    started: (banner) => {
      if (options.output === "text") bannerOf(banner).forEach(options.write);
      else options.write(JSON.stringify({ name: "Started", version: lookoutVersion, ...banner }));
    },
    aside: (text) => {
      if (options.output === "text") options.write(text);
    },
    log: {
      outcome: () => undefined,
      failure({ id, correlationId, error }) {
        const message = error instanceof Error ? `${error.name}: ${error.message}` : "unknown error";
        options.writeError(
          options.output === "json"
            ? JSON.stringify({ level: "error", id, correlationId, message })
            : `! ${id}: ${message}`,
        );
      },
    },
  };
}
