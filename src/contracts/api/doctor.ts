import * as z from "zod";
import { instant, list, view } from "./schema.ts";

/** What a check comes to. */
export const verdicts = ["well", "doubtful", "wrong"] as const;

export const CheckView = view("Check", "What one look found.", {
  check: z.string().describe("What was looked at: `table`, `cluster prod`."),
  verdict: z.enum(verdicts).describe("doubtful: it may be meant so."),
  detail: z.string(),
  remedy: z.string().exactOptional().describe("What a person can do about it."),
});
/** One thing that was looked at. */
export type CheckView = z.output<typeof CheckView>;

export const DoctorView = view("Doctor", "What Lookout can tell of itself and of what it reaches.", {
  at: instant,
  checks: list(CheckView),
  clusters: list(z.string()).describe(
    "The names of all clusters: each is looked at by itself, from where it can be reached.",
  ),
});
/** What Lookout can tell of itself and of what it reaches. */
export type DoctorView = z.output<typeof DoctorView>;

export const ProbeView = view("Probe", "A push that is told to see whether pushes arrive.", {
  id: z.string().describe("Of the synthetic push."),
  sentAt: instant.exactOptional().describe("When it was told; only in the answer to that."),
  arrivedAt: instant.exactOptional().describe("When it arrived where pushes are evaluated; absent: not yet."),
});
/** Whether a push that was told arrived. */
export type ProbeView = z.output<typeof ProbeView>;
