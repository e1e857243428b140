import { withoutTiers } from "#domain/tiers/rules";
import { freeze } from "#app/api/freezes";
import { putInQuarantine } from "#app/api/quarantine";
import type { Ports } from "#app/shared/ports";
import { exportState, importState } from "#app/api/transfer";
import { type ExportHeader, ExportView, type TransferRow } from "#contracts/api/transfer";
import { seconds } from "#domain/shared/time";
import { imported } from "#domain/update/decide/imported";
import { firstVersion } from "#domain/update/effects/next-version";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { stateInMemory } from "#test/state";
import { type ByHand, lookoutByHand } from "./by-hand.ts";
import { host, trackApi, type World, worldWithApi } from "./world.ts";

/** Answers all that a Lookout exports, in pages of two lines. */
export async function exported(
  ports: Ports,
): Promise<{ readonly header: ExportHeader; readonly rows: readonly TransferRow[] }> {
  const rows: TransferRow[] = [];
  for (let after: string | undefined; ;) {
    const query = { limit: 2, history: "true", ...(after === undefined ? {} : { after }) } as const;
    const page = ExportView.parse(await exportState(query, ports));
    rows.push(...page.rows);
    if (page.next === undefined) return { header: page.header, rows };
    after = page.next;
  }
}

/** Returns the kind of the first item of a line. */
export const kindOf = ({ items: [first] }: TransferRow): string => first?.kind ?? "";

/** Returns the lines with a kind of items, each value changed. */
export const changed = (
  rows: readonly TransferRow[],
  kind: string,
  change: (value: Readonly<Record<string, unknown>>) => unknown,
): readonly TransferRow[] =>
  rows.flatMap((row) =>
    kindOf(row) === kind
      ? [
          {
            ...row,
            items: row.items.map((item) =>
              item.kind === kind ? { ...item, value: change(item.value as never) } : item,
            ),
          },
        ]
      : [],
  );

/** Returns an item as a line. */
export const lineOf = (kind: string, value: unknown, form = 1): TransferRow => ({ items: [{ kind, form, value }] });

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
    lookout.send({ name: "SyncCluster", id, cluster: "prod" });
  };
}

/**
 * A workload that was updated, and has a newer update held; a freeze, and a digest in quarantine.
 */
export async function lived(): Promise<{ readonly lookout: World; readonly key: string }> {
  const lookout = await worldWithApi();
  const key = await trackApi(lookout);
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(60));
  await freeze({ scope: { cluster: "prod" }, by: "ana", why: "the year ends" }, lookout.ports);
  await putInQuarantine({ digest: `sha256:${"a".repeat(64)}`, why: "CVE-2026-1234", by: "ana" }, lookout.ports);
  await lookout.push("shop/api", "1.2.0");
  await lookout.pass(seconds(2));
  return { lookout, key };
}

/** A Lookout of the same clusters whose table is new. */
export const anew = ({ ports }: World, name = "zzz999"): Ports => ({ ...ports, ...stateInMemory(name) });

/** Returns a line of an export as the next export has it after its import. */
export function afterImport(row: TransferRow): TransferRow {
  const items = row.items.map(({ kind, form, value }) => {
    if (kind === "history") return { kind, form, value: { ...(value as object), isImported: true } };
    if (kind !== "record") return { kind, form, value };
    const exported = value as WorkloadRecord;
    return { kind, form, value: firstVersion(imported(exported, exported.changedAt), withoutTiers) };
  });
  return { ...row, items };
}
