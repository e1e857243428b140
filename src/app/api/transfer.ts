import {
  type ExportHeader,
  type ExportQuery,
  exportSchema,
  type ExportView,
  type ImportRequest,
  type ImportView,
  TransferRow,
  type transferOperations,
} from "#contracts/api/transfer";
import { lookoutVersion } from "#contracts/version";
import { withoutSlot } from "#domain/update/effects/budget";
import { restored } from "#domain/update/effects/next-version";
import type { TaggedImage } from "#domain/policy/tag-history";
import type { ImageChange } from "#domain/workload/patch";
import { freezeScopeText } from "#domain/gates/freezes";
import { imageNameOf } from "#domain/image/reference";
import { readStored, schemaMismatch } from "#domain/update/state/record-schema";
import { deepEqual } from "#domain/shared/deep-equal";
import { toIso } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { LedgerRow } from "#ports/ledger";
import type { QuarantinedDigest } from "#ports/quarantine";
import type { Registration } from "#ports/registrations";
import type { RepositoryName } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import type { WorkloadStore, WriteOutcome } from "#ports/store";
import { mapBounded } from "../shared/bounded.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { repositoriesOf } from "../shared/subscriptions.ts";
import type { Handlers, ApiError, Served } from "./handler.ts";

/** Returns the handlers for export and import. */
export function transferHandlers({ ports }: Served): Handlers<typeof transferOperations> {
  return {
    exportState: ({ query }) => exportState(query, ports),
    importState: ({ body }) => importState(body, ports),
  };
}

/** The limits of exported history: decisions of one workload, and decisions in one line. */
const historyPerWorkload = 1_000;
const historyPerLine = 100;

/** The number of tag moves that are restored at the same time. */
const movesAtOnce = 10;

/**
 * The number of characters of rows after which a page ends early. A Lambda function returns at most
 * six megabytes. Escaping doubles each quotation mark, and a page may exceed this number by the
 * history of one workload.
 */
const longestPage = 1_000_000;

/** One item of an export: its position, and a function that reads its rows. */
interface Place {
  readonly place: string;
  readonly read: () => Promise<readonly TransferRow[]>;
}

/**
 * Returns a page of the state that Lookout can't read from clusters or registries. Freezes come
 * first.
 */
export async function exportState({ history, ...query }: ExportQuery, ports: Ports): Promise<ExportView> {
  const { rows: places, end } = pageOf(await placesOf(ports, history === "true"), ({ place }) => place, query);
  const header = await headerOf(ports);
  const rows: TransferRow[] = [];
  let characters = 0;
  for (const { place, read } of places) {
    const more = await read();
    rows.push(...more);
    characters += JSON.stringify(more).length;
    if (characters > longestPage && place !== places.at(-1)?.place) return { header, rows, next: place };
  }
  return { header, rows, ...end };
}

async function headerOf({ store, clusters, clock }: Ports): Promise<ExportHeader> {
  return {
    lookout: "export",
    schemaVersion: exportSchema,
    installation: await store.readInstallation(),
    version: lookoutVersion,
    clusters: clusters.names(),
    at: toIso(clock.now()),
  };
}

async function placesOf(ports: Ports, withHistory: boolean): Promise<readonly Place[]> {
  const { freezes, quarantine, repositories } = ports;
  const registered = await ports.registrations.list();
  const [frozen, quarantined, listed, keys] = await Promise.all([
    freezes.list(),
    quarantine.list(),
    repositories.list(),
    workloadsOf(registered, ports),
  ]);
  return [
    ...frozen.map((freeze) => known(`1 ${freezeScopeText(freeze.scope)}`, { kind: "freeze", freeze })),
    ...quarantined.map((one) => known(`2 ${one.digest}`, { kind: "quarantined", quarantined: { ...one } })),
    ...keys.map((key) => ({ place: `3 ${key}`, read: () => recordRows(key, ports) })),
    // Repositories come after records, because a sweep deletes the state of a repository without
    // subscribers.
    ...listed.map((one) => ({ place: `4 ${imageNameOf(one)}`, read: () => repositoryRows(one, ports) })),
    ...(withHistory ? keys.map((key) => ({ place: `5 ${key}`, read: () => historyRows(key, ports) })) : []),
    // Clusters come last, because a sync creates records that are not restored yet.
    ...registered.map((one) =>
      known(`6 ${one.name}`, { kind: "registration", registration: { ...one, eks: { ...one.eks } } }),
    ),
  ];
}

/**
 * Returns the workloads of all clusters. An import may have brought registered clusters that this
 * process does not reach.
 */
async function workloadsOf(
  registered: readonly Registration[],
  { store, clusters }: Ports,
): Promise<readonly string[]> {
  const names = new Set([...clusters.names(), ...registered.map(({ name }) => name)]);
  return (await Promise.all([...names].sort().map((name) => store.workloadIndex(name)))).flat();
}

function known(place: string, row: TransferRow): Place {
  return { place, read: () => Promise.resolve([row]) };
}

async function repositoryRows(state: RepositoryState, { tagHistory }: Ports): Promise<readonly TransferRow[]> {
  const [tags, moves] = await Promise.all([tagHistory.listed(state), tagHistory.list(state)]);
  return [{ kind: "repository", repository: { ...state }, moves, ...(tags === undefined ? {} : { known: tags }) }];
}

/**
 * Returns a row with a record, and the rows of its evidence. The row omits the effects, because a
 * restore computes them again, and only an authenticated person may vote. It omits the transitions,
 * because their facts were published before.
 */
async function recordRows(key: string, ports: Ports): Promise<readonly TransferRow[]> {
  const stored = await ports.store.read(key);
  if (stored === undefined) return [];
  const { effects, transitions, ...record } = stored;
  return [{ kind: "record", record } as unknown as TransferRow, ...(await evidenceRows(stored, ports))];
}

/** Returns the votes on a record's updates, and the first sightings of their images. */
async function evidenceRows(
  { workload, pending, active, last }: WorkloadRecord,
  { store, sightings }: Ports,
): Promise<readonly TransferRow[]> {
  const updates = [pending, active, last].flatMap((update) => update ?? []);
  const key = workloadKey(workload);
  const votes = (await Promise.all(updates.map(({ seq }) => store.votes(key, seq)))).flat();
  const seen = await sightings.among(updates.flatMap(({ changes }) => changes.map(imageOf)));
  if (votes.length === 0 && seen.length === 0) return [];
  const row = { workload: key, votes: votes.map((one) => ({ ...one })), sightings: seen.map((one) => ({ ...one })) };
  return [{ kind: "evidence", ...row }];
}

function imageOf({ imageName, tag, digest }: ImageChange): TaggedImage {
  return { imageName, tag, digest };
}

async function historyRows(key: string, { ledger }: Ports): Promise<readonly TransferRow[]> {
  const rows = await ledger.read(key, historyPerWorkload);
  return Array.from({ length: Math.ceil(rows.length / historyPerLine) }, (_, line) => ({
    kind: "history",
    rows: rows.slice(line * historyPerLine, (line + 1) * historyPerLine).map((row) => ({ ...row })),
  }));
}

/**
 * Stores the lines of an export that are not stored yet. If a line is invalid, stores nothing.
 *
 * An installation without workloads takes the name of the exported installation, so that update
 * labels stay valid. Another installation with workloads refuses the import.
 */
export async function importState(
  { header, firstLine, rows, checkOnly }: ImportRequest,
  ports: Ports,
): Promise<ImportView | ApiError> {
  const read = rows.map((row, index) => readRow(row, firstLine + index));
  const refusal = read.find(isBadLine) ?? (await whyNotHere(header, ports));
  if (refusal !== undefined) return refusal;
  if (checkOnly === true) return { stored: 0, kept: 0 };
  await ports.store.adoptInstallation(header.installation);
  let stored = 0;
  for (const row of read) if (!isBadLine(row) && (await restore(row, ports))) stored += 1;
  return { stored, kept: rows.length - stored };
}

type BadLine = ApiError & { readonly kind: "bad-line" };

function isBadLine(row: KnownRow | BadLine): row is BadLine {
  return row.kind === "bad-line";
}

type KnownRow =
  Exclude<TransferRow, { readonly kind: "record" }> | { readonly kind: "known"; readonly record: WorkloadRecord };

function readRow(row: unknown, line: number): KnownRow | BadLine {
  const bad = (why: string) => ({ kind: "bad-line", detail: `line ${line}: ${why}` }) as const;
  const parsed = TransferRow.safeParse(row);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return bad(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "can't be parsed"}`);
  }
  if (parsed.data.kind !== "record") return parsed.data;
  const stored = readStored(parsed.data.record);
  if (stored.kind !== "record") return bad(schemaMismatch("the record", stored.version));
  return isRestorable(stored.record)
    ? { kind: "known", record: stored.record }
    : bad("the update of the record can't be read");
}

/** Returns whether the effects of a record's state can be computed, so that an import does not stop at it. */
function isRestorable(record: WorkloadRecord): boolean {
  try {
    restored(record);
    return true;
  } catch {
    return false;
  }
}

async function whyNotHere(header: ExportHeader, { store, clusters }: Ports): Promise<ApiError | undefined> {
  const own = await store.readInstallation();
  if (own === header.installation) return undefined;
  const names = [...new Set([...clusters.names(), ...header.clusters])];
  const known = (await Promise.all(names.map((name) => store.workloadIndex(name)))).flat().length;
  if (known === 0) return undefined;
  const workloads = known === 1 ? "1 workload" : `${known} workloads`;
  const detail = `this Lookout is installation ${own} and has ${workloads}, but the export is from installation ${header.installation}`;
  return { kind: "not-empty", detail };
}

/** Returns whether the row was stored. A stored record is never replaced. */
async function restore(row: KnownRow, ports: Ports): Promise<boolean> {
  switch (row.kind) {
    case "known":
      return restoreRecord(row.record, ports);
    case "freeze": {
      const scope = freezeScopeText(row.freeze.scope);
      if ((await ports.freezes.list()).some((freeze) => freezeScopeText(freeze.scope) === scope)) return false;
      await ports.freezes.put(row.freeze);
      return true;
    }
    case "quarantined": {
      const entry = row.quarantined as unknown as QuarantinedDigest;
      if ((await ports.quarantine.among([entry.digest])).length > 0) return false;
      await ports.quarantine.add(entry);
      return true;
    }
    case "registration":
      return restoreRegistration(row.registration as unknown as Registration, ports);
    case "repository":
      return isChangedBy(() => restoreRepository(row, ports), row.repository, ports);
    // The import may contain a forged vote or a forged age, which would open a gate.
    case "evidence":
      return false;
    case "history":
      return ports.ledger.append(row.rows as unknown as readonly LedgerRow[]);
  }
}

async function restoreRegistration(registration: Registration, { registrations }: Ports): Promise<boolean> {
  // `put` also returns true for an equal registration, but the import then stores nothing.
  const isThere = (await registrations.list()).some(({ name }) => name === registration.name);
  return !isThere && registrations.put(registration);
}

/** Returns whether a step changes the exported rows of a repository. */
async function isChangedBy(step: () => Promise<void>, name: RepositoryName, ports: Ports): Promise<boolean> {
  const told = async () => {
    const state = await ports.repositories.read(name);
    return state && repositoryRows(state, ports);
  };
  const before = await told();
  await step();
  return !deepEqual(before, await told());
}

/**
 * Restores the tag history of a repository, then its state. A subscription has already created the
 * repository.
 *
 * Moves come first, so that the next sweep reports only newer tags. A sweep that ran before keeps
 * the tags that it listed.
 */
async function restoreRepository(
  { repository, moves, known: tags }: Extract<TransferRow, { readonly kind: "repository" }>,
  { repositories, tagHistory }: Ports,
): Promise<void> {
  const exported = repository as unknown as RepositoryState;
  const before = await repositories.read(exported);
  const isSwept = before?.firstSweptAt !== undefined;
  // Moves that no workload follows become outdated. With such moves, old tags would look new to the
  // next workload that follows moves.
  if (isSwept && before.followsMoves !== true && exported.followsMoves !== true) return;
  await mapBounded(moves, movesAtOnce, (move) => tagHistory.remember(exported, move));
  if (tags !== undefined && (await tagHistory.listed(exported)) === undefined)
    await tagHistory.writeListed(exported, tags);
  if (!isSwept) await repositories.write({ ...before, ...exported });
  // The sweep may have run before a subscriber that follows moves was restored.
  else if (before.followsMoves !== true) await repositories.write(followedSince(before, exported));
}

function followedSince(swept: RepositoryState, { listedAt }: RepositoryState): RepositoryState {
  return { ...swept, followsMoves: true, ...(listedAt === undefined ? {} : { listedAt }) };
}

/**
 * Restores a record after its subscriptions. An extra subscription is harmless, but without a
 * subscription the workload misses pushes.
 */
async function restoreRecord(record: WorkloadRecord, ports: Ports): Promise<boolean> {
  const { store } = ports;
  if ((await store.read(workloadKey(record.workload))) !== undefined) return false;
  if (record.tracked) await store.subscribe(record.workload, repositoriesOf(record, await settingsOf(record, ports)));
  const outcome = await restoreWith(record, store);
  // Another workload has taken the slot, so the update continues without a slot.
  return (outcome === "slot-taken" ? await restoreWith(withoutSlot(record), store) : outcome) === "written";
}

/** Restores a record with the effects of its state, and without a vote: nothing proves who cast it. */
async function restoreWith(record: WorkloadRecord, store: WorkloadStore): Promise<WriteOutcome["kind"]> {
  return (await store.restore(restored(record))).kind;
}
