import { loadPatternCompiler } from "#adapters/re2js/matcher";
import { parseImageReference } from "#domain/image/reference";
import { parseSettings } from "#domain/settings/settings";
import { epochMs } from "#domain/shared/time";
import { readWindow, windowState, type WrittenWindow } from "#domain/schedule/window";
import { evilPatterns, tagsFor } from "./evil-patterns.ts";
import { type Row, rowOf, spreadOf } from "./figures.ts";
import { microsecondsRow, timed } from "./timed.ts";

const compile = await loadPatternCompiler();

const references = [
  "nginx",
  "nginx:1.27.3-alpine",
  "ghcr.io/owner/app:v1.2.3",
  "123456789012.dkr.ecr.eu-central-1.amazonaws.com/team/app:main-9f2c1ab",
  `registry.example.com:5000/a/b/c@sha256:${"0123456789abcdef".repeat(4)}`,
];

/** Measures the parsing of image references of usual lengths. */
export function oneReference(rounds: number): Row {
  return microsecondsRow("parsing an image reference", rounds, (number) =>
    parseImageReference(references[number % references.length] ?? ""),
  );
}

/** Annotations with policies of two containers, windows and other usual settings. */
const annotations = {
  "lookout.dev/enabled": "true",
  "lookout.dev/policy": "semver",
  "lookout.dev/semver-range": ">=1.2.0 <2.0.0",
  "lookout.dev/include-tags": "1.*, 2.*",
  "lookout.dev/container.proxy.policy": "digest",
  "lookout.dev/maintenance-window": "22:00-02:00",
  "lookout.dev/maintenance-days": "Mon-Fri",
  "lookout.dev/maintenance-tz": "Europe/Berlin",
  "lookout.dev/rollback-timeout": "15m",
  "kubectl.kubernetes.io/restartedAt": "2026-11-21T00:30:00Z",
};
const containers = [
  { list: "containers", name: "api", image: "ghcr.io/owner/app:1.4.2" },
  { list: "containers", name: "proxy", image: "docker.io/library/nginx:1.27" },
] as const;

/**
 * Measures the parsing of a workload's annotations.
 *
 * @throws Error if the annotations are invalid
 */
export function oneWorkload(rounds: number): Row {
  const { problems } = parseSettings(annotations, containers);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return microsecondsRow("parsing a workload", rounds, () => parseSettings(annotations, containers));
}

const windows: Readonly<Record<string, readonly WrittenWindow[]>> = {
  "checking a window of days and times": [
    { days: ["Sat", "Sun"], start: "22:00", end: "02:00", timeZone: "Europe/Berlin" },
  ],
  "checking a window of cron": [{ cron: "0 22 * * 1-5", duration: "4h", timeZone: "Europe/Berlin" }],
  "finding the next opening, up to four years away": [
    { cron: "0 22 29 2 *", duration: "4h", timeZone: "Europe/Berlin" },
  ],
  "finding no opening in eight years": [
    { start: "08:00", end: "12:00", timeZone: "Europe/Berlin" },
    { effect: "deny", start: "08:00", end: "12:00", timeZone: "Europe/Berlin" },
  ],
  "finding that adjoining windows stay open": [{ cron: "*/5 * * * *", duration: "5m", timeZone: "Europe/Berlin" }],
};

/**
 * Measures checks of windows at each hour of a year. Each answer has the next opening or closing.
 */
export function oneWindow(rounds: number): readonly Row[] {
  return Object.entries(windows).map(([what, written]) => {
    const all = written.map((one) => {
      const window = readWindow(one);
      if (!window.ok) throw new Error(window.problem.message);
      return window.value;
    });
    return microsecondsRow(what, rounds, (number) =>
      windowState(all, epochMs(1_800_000_000_000 + (number % 8_760) * 3_600_000)).nextChange(),
    );
  });
}

/**
 * Measures the first match of a freshly compiled pattern, because the first match builds tables for
 * later matches. The row has the median of five for the slower tag.
 */
export function evil(): Row {
  const times = evilPatterns.map((one) => {
    const first = (tag: string): number => {
      const pattern = compile(one.pattern);
      if (!pattern.ok) throw new Error(pattern.problem.message);
      return timed(1, () => pattern.value.match(tag));
    };
    const { hit, miss } = tagsFor(one);
    const middle = (tag: string): number => spreadOf(Array.from({ length: 5 }, () => first(tag))).median;
    return Math.max(middle(hit), middle(miss));
  });
  return rowOf("a pattern that backtracking makes slow, on 128 characters", times);
}
