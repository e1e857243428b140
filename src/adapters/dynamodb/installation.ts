import { randomInt } from "node:crypto";
import type { WorkloadStore } from "#ports/store";
import { memoizeFor } from "../shared/memoize-for.ts";
import type { DynamoTable } from "./client.ts";
import type { ItemKey } from "./keys.ts";
import { readItem } from "./reads.ts";
import { putItem, putNewItem } from "./writes.ts";

const installationKey: ItemKey = { pk: "INSTALLATION", sk: "INSTALLATION" };

/**
 * The time for which a function caches the installation's name. After an import, other functions
 * use the new name within this time.
 */
const keptMs = 30_000;

/** Returns the methods for the name of a table's installation. Only an import changes the name. */
export function dynamoInstallation(
  where: DynamoTable,
): Pick<WorkloadStore, "installation" | "readInstallation" | "adoptInstallation"> {
  const name = memoizeFor(() => readOrMakeInstallation(where), {
    keptMs: () => keptMs,
    freshMs: 0,
    monotonicMs: () => performance.now(),
  });
  return {
    installation: () => name(false),
    readInstallation: () => name(true),

    async adoptInstallation(adopted) {
      const item = { ...installationKey, installation: adopted };
      await putItem(where, item, "storing the name of the imported installation");
      await name(true);
    },
  };
}

/**
 * Returns the stored name, or stores a new name. The first of several concurrent writers wins, and
 * the others read its name.
 */
async function readOrMakeInstallation(where: DynamoTable): Promise<string> {
  const doing = "reading the name of this installation";
  const stored = await readItem(where, installationKey, doing);
  if (stored) return String(stored.installation);
  const made = sixCharacters();
  const isOurs = await putNewItem(
    where,
    { ...installationKey, installation: made },
    "storing a name for this installation",
  );
  return isOurs ? made : readOrMakeInstallation(where);
}

const sixCharacters = (): string =>
  randomInt(36 ** 6)
    .toString(36)
    .padStart(6, "0");
