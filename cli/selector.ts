import { exitCodes, Failure } from "./failure.ts";

/** A test of a label: it has the value, or it is there. */
export interface LabelTest {
  readonly key: string;
  /** Absent: any value. */
  readonly value?: string;
}

const pattern = /^([A-Za-z0-9][\w./-]*)(?:==?([\w.-]*))?$/;

/** Reads `app=web,tier` as kubectl does. @throws Failure for anything else */
export function readSelector(text: string): readonly LabelTest[] {
  return text.split(",").map((part) => {
    const [, key, value] = pattern.exec(part.trim()) ?? [];
    if (key !== undefined) return value === undefined ? { key } : { key, value };
    throw new Failure(exitCodes.wrongInput, `"${part}" does not choose by a label: expected KEY=VALUE or KEY.`, [
      "For example: app=web, app=web,tier=front",
    ]);
  });
}

/** Says whether labels pass every test. */
export function fitsSelector(tests: readonly LabelTest[], labels: Readonly<Record<string, string>>): boolean {
  return tests.every(({ key, value }) => {
    const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? label !== undefined : label === value;
  });
}
