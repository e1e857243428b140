import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ok, problem } from "#domain/shared/result";
import type { Item } from "#ports/items";
import { type Kind, reading, valueOf } from "#stored/kind";
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
      kinds.map(({ kind }) => ({ kind: kind.name, writes: kind.form, reads: kind.reads ?? kind.form })),
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

describe("a kind whose next form is already read", () => {
  const kind: Kind<string> = {
    name: "note",
    form: 1,
    reads: 2,
    read: (value, form) => (typeof value === "string" ? ok(`${value} of form ${form}`) : problem("it is no text")),
  };
  const item = (form: number): Item => ({ pk: "NOTE", sk: "1", form, value: "a" });

  it("reads both forms, and no newer form", () => {
    expect([1, 2, 3].map((form) => reading(kind, item(form)))).toEqual([
      { ok: true, value: "a of form 1" },
      { ok: true, value: "a of form 2" },
      { ok: false, problem: "has the form 3 of a newer Lookout: run that version" },
    ]);
    expect(() => valueOf(kind, item(3))).toThrow(expect.objectContaining({ name: "NewerRecordError" }));
    expect(valueOf(kind, item(2))).toBe("a of form 2");
  });
});
