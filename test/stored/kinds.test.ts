import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Item } from "#ports/items";
import { formStep, type Kind, newestRead, reading, valueOf } from "#stored/kind";
import { kindForms, kinds, kindsIn } from "#stored/kinds";

const folder = new URL("../../src/stored/", import.meta.url);

/** All kinds that the files of src/stored declare. */
async function declaredKinds(): Promise<readonly Kind<unknown>[]> {
  const declared = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/^export const (\w+): Kind</gm)].map(([, name]) => {
      return { file: file.replace(/\.ts$/, ""), name: name! };
    }),
  );
  return Promise.all(
    declared.map(async ({ file, name }) => {
      const exports = (await import(`#stored/${file}`)) as Readonly<Record<string, Kind<unknown>>>;
      return exports[name]!;
    }),
  );
}

describe("the table of kinds", () => {
  it("lists every kind of src/stored once, and every kind is exported", async () => {
    const hidden = readdirSync(folder).filter((file) =>
      /^const \w+: Kind</m.test(readFileSync(new URL(file, folder), "utf8")),
    );
    const declared = await declaredKinds();

    expect(hidden).toEqual([]);
    expect(declared.length).toBeGreaterThan(20);
    expect(new Set(kinds.map(({ kind }) => kind))).toEqual(new Set(declared));
    expect(new Set(kinds.map(({ kind }) => kind.name)).size).toBe(declared.length);
  });

  it("has the forms that each kind writes and reads", () => {
    expect(kindForms).toEqual(
      [...new Set(kinds.map(({ kind }) => kind))].map((kind) => ({
        kind: kind.name,
        writes: kind.form,
        reads: newestRead(kind),
      })),
    );
    expect(kindForms.filter(({ writes, reads }) => reads < writes)).toEqual([]);
  });

  it("finds the kinds of a partition", () => {
    const names = (partition: string) => kindsIn(partition).map(({ kind }) => kind.name);

    expect(names("WORKLOAD#prod/shop/deployment/api")).toEqual([
      "record of a workload",
      "list of subscriptions",
      "vote",
      "row of the history",
      "told message",
    ]);
    expect(names("CLUSTERS")).toEqual(["registration of a cluster"]);
    expect(names("CLUSTER-STATES")).toEqual(["state of a cluster"]);
    expect(names("CLUSTER#S")).toEqual([
      "place in the list of workloads",
      "place in the list of approvals",
      "wait for a slot",
    ]);
    expect(names("FREEZE#")).toEqual([]);
  });
});

describe("a kind of form 2 that reads form 3 already", () => {
  const older = formStep(z.string(), (text) => ({ text }));
  const next = formStep(z.object({ text: z.string(), by: z.string() }), ({ text }) => ({ text }));
  const kind: Kind<{ readonly text: string }> = {
    name: "note",
    form: 2,
    shape: z.object({ text: z.string() }),
    older: [older],
    next,
  };
  const item = (form: number, value: unknown): Item => ({ pk: "NOTE", sk: "1", form, value });

  it("reads all three as its own form, and no newer form", () => {
    const items = [item(1, "a"), item(2, { text: "a" }), item(3, { text: "a", by: "ana" })];
    expect(items.map((one) => reading(kind, one))).toEqual(items.map(() => ({ ok: true, value: { text: "a" } })));
    expect(reading(kind, item(4, {}))).toEqual({
      ok: false,
      problem: "has the form 4 of a newer Lookout: run that version",
    });
    expect(() => valueOf(kind, item(4, {}))).toThrow(expect.objectContaining({ name: "NewerRecordError" }));
  });

  it.each([
    { form: 1, value: { text: "a" }, why: "is damaged: it is not as expected" },
    { form: 2, value: "a", why: "is damaged: it is not as expected" },
    { form: 3, value: { text: "a" }, why: 'is damaged: its member "by" is missing' },
  ])("says what is wrong with a value that is not of form $form", ({ form, value, why }) => {
    expect(reading(kind, item(form, value))).toEqual({ ok: false, problem: why });
  });
});
