import * as z from "zod";
import { isDigest } from "#domain/image/reference";
import { instant, list, part, request, view } from "./schema.ts";

export const QuarantineView = view("Quarantine", "The digests in quarantine, sorted.", {
  quarantined: list(part({ digest: z.string(), by: z.string(), why: z.string(), at: instant })),
});
/** The digests in quarantine, sorted. */
export type QuarantineView = z.output<typeof QuarantineView>;

export const QuarantineRequest = request("QuarantineRequest", "Puts a digest in quarantine.", {
  digest: z.string().refine(isDigest, "expected sha256:<64 hexadecimal digits>"),
  why: z.string().min(1),
  by: z.string().min(1),
});
/** Puts a digest in quarantine. */
export type QuarantineRequest = z.output<typeof QuarantineRequest>;
