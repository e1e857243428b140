import { exitCodes, Failure } from "./failure.ts";

/** A condition on a label: a value, or only its presence. */
export interface LabelTest {
  readonly key: string;
  /** The required value. The default is any value. */
  readonly value?: string;
}

const pattern = /^([A-Za-z0-9][\w./-]*)(?:==?([\w.-]*))?$/;

/** Parses a selector in kubectl's form, `app=web,tier`. @throws Failure for any other text */
export function readSelector(text: string): readonly LabelTest[] {
  return text.split(",").map((part) => {
    const [, key, value] = pattern.exec(part.trim()) ?? [];
    if (key !== undefined) return value === undefined ? { key } : { key, value };
    throw new Failure(exitCodes.wrongInput, `"${part}" is not a label selector: expected KEY=VALUE or KEY.`, [
      "For example: app=web, app=web,tier=front",
    ]);
  });
}

/** Returns whether labels meet all conditions. */
export function fitsSelector(tests: readonly LabelTest[], labels: Readonly<Record<string, string>>): boolean {
  return tests.every(({ key, value }) => {
    const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? label !== undefined : label === value;
  });
}
