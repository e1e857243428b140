import * as z from "zod";

/* What `lookout doctor` asks of `/v1`. As in api-schemas.ts: the types are inferred, and the document is written from these. */

const instant = z.iso.datetime();

/** What a check comes to. */
export const verdicts = ["well", "doubtful", "wrong"] as const;

export const CheckSchema = z
  .object({
    check: z.string().describe("What was looked at: `table`, `cluster prod`."),
    verdict: z.enum(verdicts).describe("doubtful: it may be meant so."),
    detail: z.string(),
    remedy: z.string().exactOptional().describe("What a person can do about it."),
  })
  .readonly()
  .describe("What one look found.");

export const DoctorSchema = z
  .object({
    at: instant,
    checks: z.array(CheckSchema).readonly(),
    clusters: z
      .array(z.string())
      .readonly()
      .describe("The names of all clusters: each is looked at by itself, from where it can be reached."),
  })
  .readonly()
  .describe("What Lookout can tell of itself and of what it reaches.");

export const EchoSchema = z
  .object({
    id: z.string().describe("Of the synthetic push."),
    toldAt: instant.exactOptional().describe("When it was told; only in the answer to that."),
    arrivedAt: instant.exactOptional().describe("When it arrived where pushes are evaluated; absent: not yet."),
  })
  .readonly()
  .describe("A push that is told to see whether pushes arrive.");
