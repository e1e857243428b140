import { randomInt } from "node:crypto";
import * as z from "zod/mini";
import type { ItemKey } from "#ports/items";
import type { WorkloadStore } from "#ports/store";
import { itemOf, type Kind, type Storage, valueOf } from "./kind.ts";
import { put, putIf } from "./writes.ts";

/** The kind of the installation's name. */
export const installationKind: Kind<{ readonly name: string }> = {
  name: "name of the installation",
  form: 1,
  shape: z.object({ name: z.string().check(z.regex(/^[a-z0-9]{6}$/)) }),
};

const key: ItemKey = { pk: "INSTALLATION", sk: "INSTALLATION" };

/** Returns a random name of six characters for a new installation. */
export function newInstallation(): string {
  return randomInt(36 ** 6)
    .toString(36)
    .padStart(6, "0");
}

/** The name of an installation. */
export type InstallationStore = Pick<WorkloadStore, "readInstallation" | "adoptInstallation">;

/**
 * Returns the store of the installation's name. Only an import changes it.
 *
 * @param newName - returns a random name of six characters.
 */
export function storedInstallation({ items }: Storage, newName: () => string): InstallationStore {
  /** The first of several concurrent writers wins, and the others read its name. */
  const readInstallation = async (): Promise<string> => {
    const stored = await items.get(key, "reading the name of this installation");
    if (stored !== undefined) return valueOf(installationKind, stored).name;
    const name = newName();
    const doing = "storing a name for this installation";
    const isOurs = await putIf(items, itemOf(installationKind, key, { name }), { kind: "absent" }, doing);
    return isOurs ? name : readInstallation();
  };
  return {
    readInstallation,
    adoptInstallation: (name) =>
      put(items, itemOf(installationKind, key, { name }), "storing the name of the imported installation"),
  };
}
