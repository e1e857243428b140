/** The Lookout before the one of form 2: it writes records of form 1, and reads both forms. */
import type { WorkloadRecord } from "#domain/update/state/workload";
import { formStep, type KindForms } from "#stored/kind";
import { recordShape } from "#stored/record-shape";
import { form2, toForm1 } from "./record-form-2.ts";

export * from "#stored/kind";

/** The forms of its records. */
export const recordForms: KindForms<WorkloadRecord> = { form: 1, shape: recordShape, next: formStep(form2, toForm1) };
