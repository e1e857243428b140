import * as z from "zod";
import { answerImage } from "#cli/answers/image";
import { badLineRefusal, judge, type LineAnswer, readLine } from "./lines.ts";

const ImageLineSchema = z.strictObject({ reference: z.string() });

/** Answers `{"reference":"nginx:1.27"}` with the parts of the reference. */
export function answerImageLine(line: string): LineAnswer {
  const read = readLine(ImageLineSchema, line);
  return read.ok ? answerImage(read.value.reference) : badLineRefusal(read.problem);
}

if (import.meta.main) await judge(answerImageLine);
