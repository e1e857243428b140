import type { Ports } from "#app/ports";
import { exportState, importState } from "#app/transfer";
import type { ExportHeader, TransferRow } from "#contracts/api";
import { ExportSchema } from "#contracts/transfer-schemas";
import { type ByHand, lookoutByHand } from "./by-hand.ts";
import { host, type World } from "./world.ts";

/** Answers all that a Lookout exports, in pages of two lines. */
export async function exported(
  ports: Ports,
): Promise<{ readonly header: ExportHeader; readonly rows: readonly TransferRow[] }> {
  const rows: TransferRow[] = [];
  for (let after: string | undefined; ;) {
    const query = { limit: 2, history: "true", ...(after === undefined ? {} : { after }) } as const;
    const page = ExportSchema.parse(await exportState(query, ports));
    rows.push(...page.rows);
    if (page.next === undefined) return { header: page.header, rows };
    after = page.next;
  }
}

/** The repository that {@link worldWithApi} has. */
export const api = { registry: host, repository: "shop/api" };

/**
 * Ends a Lookout, and imports what it exported into another of the same cluster and registry.
 *
 * @param between - what happens after each line.
 */
export async function movedFrom(
  lookout: World,
  told = (row: TransferRow): object => row,
  between = async (other: ByHand): Promise<unknown> => other.settle(),
): Promise<ByHand> {
  const { header, rows } = await exported(lookout.ports);
  lookout.loseMessages();
  const { cluster, registry, clock } = lookout;
  const other = lookoutByHand({ installation: "zzz999", clock, cluster, clusterName: "prod", registry });
  for (const [index, row] of rows.entries()) {
    await importState({ header, firstLine: index + 2, rows: [told(row)] }, other.ports);
    await between(other);
  }
  return other;
}

/** Takes the clusters away from a Lookout; answers how they come back, and are looked at. */
export function withoutClusters(lookout: ByHand): (id?: string) => void {
  const { clusters } = lookout.ports;
  const before = { ...clusters };
  Object.assign(clusters, { names: () => [], cluster: () => undefined });
  return (id = "sync") => {
    Object.assign(clusters, before);
    lookout.send({ command: "SyncCluster", id, cluster: "prod" });
  };
}
