import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type * as z from "zod/mini";
import { reading } from "#stored/kind";
import { kinds } from "#stored/kinds";

const folder = new URL("../fixtures/stored/", import.meta.url);

interface Fixture {
  readonly kind: string;
  readonly form: number;
  readonly pk: string;
  readonly sk: string;
  readonly value: unknown;
  /** The fingerprint of the shape of this form, of its newest form only. */
  readonly shape?: string;
}

const fixtures = readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Fixture);

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly options?: readonly z.core.$ZodType[];
  readonly checks?: readonly z.core.$ZodCheck[];
  readonly entries?: unknown;
  readonly values?: unknown;
}

const innerNames = ["element", "innerType", "keyType", "valueType", "in"];

/**
 * Returns what a shape accepts, as far as names, types and bounds tell it. A new reason is no new
 * form: an older Lookout reads it as an unknown reason.
 */
function described(schema: z.core.$ZodType): unknown {
  const definition: Definition & Readonly<Record<string, unknown>> = { ...(schema._zod.def as Definition) };
  const { type, shape = {}, options = [], checks = [], entries, values } = definition;
  const inner = innerNames.flatMap((name) => {
    const one = definition[name] as z.core.$ZodType | undefined;
    return one === undefined ? [] : [described(one)];
  });
  const members = Object.entries(shape).map(([name, one]) => [name, described(one)]);
  const bounds = checks.map(({ _zod: { def } }) => {
    const { check, value, inclusive, minimum, format, pattern } = { ...def } as Readonly<Record<string, unknown>>;
    return [check, value, inclusive, minimum, format, String(pattern)];
  });
  return [type, members, inner, options.map(described), entries, values, bounds];
}

const fingerprint = (schema: z.core.$ZodType): string =>
  createHash("sha256")
    .update(JSON.stringify(described(schema)))
    .digest("hex")
    .slice(0, 8);

describe("a stored form", () => {
  it.each(fixtures)("of a $kind, form $form, is read as it was written", ({ kind: name, form, pk, sk, value }) => {
    const { kind } = kinds.find((row) => row.kind.name === name)!;
    const stored = name === "listed tags" ? Uint8Array.from(value as number[]) : value;
    const read = reading(kind, { pk, sk, form, value: stored });

    expect(read).toEqual({ ok: true, value: form === kind.form ? stored : (expect.anything() as unknown) });
  });

  it.each(kinds)("of each release has a fixture: $kind.name", ({ kind }) => {
    const forms = fixtures.filter((one) => one.kind === kind.name).map(({ form }) => form);
    expect([...new Set(forms)].sort()).toEqual(Array.from({ length: kind.form }, (_, index) => index + 1));
  });

  it.each(kinds)("changes only with its number: $kind.name", ({ kind }) => {
    const written = fixtures.find((one) => one.kind === kind.name && one.form === kind.form && one.shape !== undefined);
    // When this fails: is a value of before still read, and does an older Lookout read the new values?
    // Then write the new fingerprint into the fixture. Otherwise raise `form`, keep the shape of before
    // in `older`, and add a fixture. docs/upgrade.md says when a form may be written.
    expect(fingerprint(kind.shape)).toBe(written?.shape);
  });
});
