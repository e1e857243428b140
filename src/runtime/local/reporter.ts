import { styleText } from "node:util";
import { factView, registryFactView } from "#contracts/messages/fact-view";
import { printableJson, printableText } from "#domain/shared/shown-text";
import { lookoutVersion } from "#contracts/version";
import { type Step, stepsOf } from "#domain/history/steps";
import type { RegistryFact } from "#domain/registry/outage";
import type { Fact } from "#domain/update/events";
import {
  namesFor,
  registryLine,
  registryMark,
  registryText,
  stepClock,
  stepColours,
  stepLine,
} from "#runtime/fact-lines";
import { wrap } from "#runtime/text-width";
import type { Log } from "../handler.ts";
import { type BannerInputs, bannerOf } from "./banner.ts";

interface ReporterOptions {
  /** The form of the output. `json`: one line for each fact. */
  readonly output: "text" | "json";
  readonly colour: boolean;
  /** The time zone of times in text. */
  readonly timeZone: string;
  /** Returns the terminal's width. Undefined if the output is not a terminal. */
  readonly width?: () => number | undefined;
  /** Returns the number of the process's clusters. */
  readonly clusters: () => number;
  readonly write: (line: string) => void;
  readonly writeError: (line: string) => void;
}

/** Writes facts and failures of the process. */
export interface Reporter {
  readonly onFact: (fact: Fact) => void;
  /** Writes a fact about a registry, also to stderr. */
  readonly onRegistryFact: (fact: RegistryFact) => void;
  readonly log: Log;
  /** Writes a message about the process to stderr. */
  readonly notice: (text: string, level?: "info" | "error") => void;
  /** Writes the banner. */
  started(banner: BannerInputs): void;
  /** Writes a text, but only if the output is text. */
  aside(text: string): void;
}

/**
 * Returns why an authenticated notification was rejected; undefined for all other outcomes. The
 * sender may show nobody the answer, so the process must show the reason.
 */
function rejectionIn(outcome: unknown): string | undefined {
  const { kind, reason } = (outcome ?? {}) as { readonly kind?: unknown; readonly reason?: unknown };
  return kind === "invalid" && typeof reason === "string" ? reason : undefined;
}

/** Returns a reporter. */
export function reporter(options: ReporterOptions): Reporter {
  const clock = stepClock(options.timeZone);
  const painted = (text: string, mark: Step["mark"]): string => {
    const line = printableText(text);
    return options.colour && mark !== "plain" ? styleText(stepColours[mark], line) : line;
  };
  const tell = (text: string, values: object): void => {
    options.writeError(options.output === "json" ? printableJson(values) : printableText(text));
  };
  const notice = (text: string, level: "info" | "error" = "info"): void => {
    tell(level === "error" ? `! ${text}` : text, { level, message: text });
  };
  return {
    onFact(fact) {
      if (options.output === "json") options.write(printableJson(factView(fact)));
      else
        for (const step of stepsOf(fact)) {
          const form = { names: namesFor(options.clusters()), width: options.width?.() };
          options.write(painted(stepLine(fact, step, clock, form), step.mark));
        }
    },
    onRegistryFact(fact) {
      const mark = registryMark(fact);
      if (options.output === "json") options.write(printableJson(registryFactView(fact)));
      else options.write(painted(registryLine(fact, clock, options.width?.()), mark));
      notice(registryText(fact, clock), mark === "bad" ? "error" : "info");
    },
    notice,
    started: (banner) => {
      if (options.output === "text") bannerOf(banner, options.width?.()).map(printableText).forEach(options.write);
      else options.write(printableJson({ name: "Started", version: lookoutVersion, ...banner }));
    },
    aside: (text) => {
      if (options.output === "text") options.write(wrap(text, options.width?.()).join("\n"));
    },
    log: {
      outcome({ id, outcome }) {
        const message = rejectionIn(outcome);
        if (message !== undefined) tell(`! ${id}: ${message}`, { level: "error", id, message });
      },
      failure({ id, correlationId, error }) {
        const message = error instanceof Error ? `${error.name}: ${error.message}` : "unknown error";
        tell(`! ${id}: ${message}`, { level: "error", id, correlationId, message });
      },
    },
  };
}
