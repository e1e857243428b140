import type { FormCountView, KindFormsView } from "#contracts/api/stored";
import { itemsIn, type StoredForms } from "../stored-items.ts";

/** What a version does with a kind; absent for a kind that the version does not know. */
type Forms = Pick<KindFormsView, "writes" | "reads">;

/** A kind of stored item, before a deployment. */
export interface KindBeforeDeploy {
  readonly kind: string;
  /** The stored items by form. */
  readonly stored: readonly Pick<FormCountView, "form" | "items">[];
  readonly running?: Forms;
  readonly new?: Forms;
  /** The stored forms that the new version can't read. */
  readonly unreadable: readonly number[];
  /** True if the running version reads the form that the new version writes. */
  readonly allowsRollback: boolean;
}

/** What a deployment meets. */
export interface BeforeDeploy {
  readonly runningVersion: string;
  readonly newVersion: string;
  readonly items: number;
  readonly kinds: readonly KindBeforeDeploy[];
  /** True if the new version reads the forms of all items. */
  readonly readsAll: boolean;
  readonly allowsRollback: boolean;
  /** The number of items that the running version can't read. */
  readonly unreadableNow: number;
}

/** Compares the stored forms, and the forms of the running version, with the forms of the new version. */
export function beforeDeploy(
  running: StoredForms,
  next: { readonly version: string; readonly kinds: readonly KindFormsView[] },
): BeforeDeploy {
  const names = new Set([...running.kinds, ...next.kinds].map(({ kind }) => kind));
  const kinds = [...names].map((kind) => {
    const stored = running.forms.flatMap(({ kind: other, form, items }) => (other === kind ? [{ form, items }] : []));
    return kindBefore(kind, stored, formsIn(running.kinds, kind), formsIn(next.kinds, kind));
  });
  return {
    runningVersion: running.version,
    newVersion: next.version,
    items: itemsIn(running.forms),
    kinds,
    readsAll: kinds.every(({ unreadable }) => unreadable.length === 0),
    allowsRollback: kinds.every((one) => one.allowsRollback),
    unreadableNow: running.unreadableItems,
  };
}

function formsIn(kinds: readonly KindFormsView[], name: string): Forms | undefined {
  const found = kinds.find(({ kind }) => kind === name);
  return found && { writes: found.writes, reads: found.reads };
}

function kindBefore(
  kind: string,
  stored: KindBeforeDeploy["stored"],
  running: Forms | undefined,
  next: Forms | undefined,
): KindBeforeDeploy {
  return {
    kind,
    stored,
    ...(running && { running }),
    ...(next && { new: next }),
    unreadable: stored.map(({ form }) => form).filter((form) => form > (next?.reads ?? 0)),
    allowsRollback: next === undefined || next.writes <= (running?.reads ?? 0),
  };
}
