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
import { type Credential, voterOf } from "#domain/approval/people";
import { freezeScopeText } from "#domain/gates/freezes";
import { imageNameOf } from "#domain/image/reference";
import type { TaggedImage } from "#domain/policy/tag-history";
import { deepEqual } from "#domain/shared/deep-equal";
import { ok, problem, type Result } from "#domain/shared/result";
import { shortened } from "#domain/shared/shown-text";
import { epochMs, type EpochMs, hours, plus, toIso } from "#domain/shared/time";
import { imported, importSightings, importVote } from "#domain/update/decide/imported";
import { firstVersion } from "#domain/update/effects/next-version";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import { parseWorkloadKey, workloadKey, type WorkloadName } from "#domain/workload/workload";
import { isMovedKind, type MovedKind, movedKinds, type MovedValues } from "#ports/forms";
import type { Registration } from "#ports/registrations";
import type { RepositoryName } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import { decide } from "../decide.ts";
import { mapBounded } from "../shared/bounded.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { repositoriesOf } from "../shared/subscriptions.ts";
import { leave, storeThen } from "../shared/turn.ts";
import { noteAct } from "../shared/acts.ts";
import { askerOf } from "./asker.ts";
import type { ApiError, Handlers, Served } from "./handler.ts";

/** Returns the handlers for export and import. */
export function transferHandlers(served: Served): Handlers<typeof transferOperations> {
  return {
    exportState: ({ query }) => exportState(query, served.ports),
    importState: ({ body }) => noteThenImport(body, served),
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
  const sights = ports.unreadableItems.sights();
  const { rows: places, end } = pageOf(await placesOf(ports, history === "true"), ({ place }) => place, query);
  const header = await headerOf(ports);
  const rows: TransferRow[] = [];
  let characters = 0;
  let next: Pick<ExportView, "next"> = end;
  for (const { place, read } of places) {
    const more = await read();
    rows.push(...more);
    characters += JSON.stringify(more).length;
    if (characters <= longestPage || place === places.at(-1)?.place) continue;
    next = { next: place };
    break;
  }
  const unreadable = ports.unreadableItems
    .seenSince(sights)
    .map(({ kind, key: { pk, sk }, why }) => ({ kind, partition: pk, sortKey: sk, why }));
  return { header, rows, ...(unreadable.length === 0 ? {} : { unreadable }), ...next };
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
  const known = (place: string, kind: MovedKind, value: unknown): Place => ({
    place,
    read: () => Promise.resolve([{ items: [itemOf(kind, value, ports)] }]),
  });
  return [
    ...frozen.map((freeze) => known(`1 ${freezeScopeText(freeze.scope)}`, "freeze", freeze)),
    ...quarantined.map((one) => known(`2 ${one.digest}`, "quarantined", one)),
    ...keys.map((key) => ({ place: `3 ${key}`, read: () => recordRows(key, ports) })),
    // Repositories come after records, because a sweep deletes the state of a repository without
    // subscribers.
    ...listed.map((one) => ({ place: `4 ${imageNameOf(one)}`, read: () => repositoryRows(one, ports) })),
    ...(withHistory ? keys.map((key) => ({ place: `5 ${key}`, read: () => historyRows(key, ports) })) : []),
    // Clusters come last, because a sync creates records that are not restored yet.
    ...registered.map((one) => known(`6 ${one.name}`, "registration", one)),
  ];
}

type MovedItem = TransferRow["items"][number];

function itemOf(kind: MovedKind, value: unknown, { forms }: Pick<Ports, "forms">): MovedItem {
  return { kind, form: forms.written(kind), value };
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

async function repositoryRows(state: RepositoryState, ports: Ports): Promise<readonly TransferRow[]> {
  const { tagHistory } = ports;
  const [tags, moves] = await Promise.all([tagHistory.listed(state), tagHistory.list(state)]);
  const items = [
    itemOf("repository", state, ports),
    ...moves.map((move) => itemOf("move", move, ports)),
    ...(tags === undefined ? [] : [itemOf("listing", tags, ports)]),
  ];
  return [{ items }];
}

/** Returns a line with a record, and a line with its evidence. */
async function recordRows(key: string, ports: Ports): Promise<readonly TransferRow[]> {
  // One record that can't be read must not stop the export.
  const [record] = await ports.store.readMany([key]);
  return record === undefined
    ? []
    : [{ items: [itemOf("record", record, ports)] }, ...(await evidenceRows(record, ports))];
}

/** Returns the votes on a record's updates, and the first sightings of their images. */
async function evidenceRows(
  { workload, pending, active, last }: WorkloadRecord,
  ports: Ports,
): Promise<readonly TransferRow[]> {
  const { store, sightings } = ports;
  const updates = [pending, active, last].flatMap((update) => update ?? []);
  const key = workloadKey(workload);
  const votes = (await Promise.all(updates.map(({ seq }) => store.votes(key, seq)))).flat();
  const seen = await sightings.among(updates.flatMap(({ changes }) => changes.map(imageOf)));
  const items = [
    ...votes.map((one) => itemOf("vote", one, ports)),
    ...seen.map((one) => itemOf("sighting", one, ports)),
  ];
  return items.length === 0 ? [] : [{ of: key, items }];
}

function imageOf({ imageName, tag, digest }: ImageChange): TaggedImage {
  return { imageName, tag, digest };
}

async function historyRows(key: string, ports: Ports): Promise<readonly TransferRow[]> {
  const rows = await ports.ledger.read(key, historyPerWorkload);
  return Array.from({ length: Math.ceil(rows.length / historyPerLine) }, (_, line) => ({
    items: rows.slice(line * historyPerLine, (line + 1) * historyPerLine).map((row) => itemOf("history", row, ports)),
  }));
}

/**
 * Stores the lines of an export that are not stored yet. If a line is invalid, stores nothing. Calls
 * `note` before it stores anything.
 *
 * An installation without workloads takes the name of the exported installation, so that update
 * labels stay valid. Another installation with workloads refuses the import.
 */
export async function importState(
  { header, firstLine, rows, checkOnly, withEvidence }: ImportRequest,
  ports: Ports,
  credential: Credential = { kind: "none" },
  note: () => Promise<void> = () => Promise.resolve(),
): Promise<ImportView | ApiError> {
  const owner = withEvidence === true ? ownerOf(credential, ports) : undefined;
  if (withEvidence === true && owner === undefined) return notAnOwner(ports);
  const lines: Line[] = [];
  for (const [index, row] of rows.entries()) {
    const line = readLine(row, ports);
    if (!line.ok) return { kind: "bad-line", detail: `line ${firstLine + index}: ${line.problem}` };
    lines.push(line.value);
  }
  const refusal = await whyNotHere(header, ports);
  if (refusal !== undefined) return refusal;
  const evidence = owner === undefined ? lines.filter(isEvidence) : [];
  if (checkOnly === true) return { stored: 0, kept: 0, evidence: evidence.length };
  await ports.store.adoptInstallation(header.installation);
  await note();
  const stored = await restoreAll(lines, owner, ports);
  return { stored, kept: rows.length - stored - evidence.length, evidence: evidence.length };
}

/** Imports lines, and stores the act of the person once the import is not refused. */
function noteThenImport(body: ImportRequest, served: Served): Promise<ImportView | ApiError> {
  const { ports, credential } = served;
  const {
    header: { installation, at },
    firstLine,
    rows,
  } = body;
  const detail = `lines ${firstLine} to ${firstLine + rows.length - 1} of the export of ${installation} at ${at}`;
  const note = () =>
    noteAct(
      { what: "import", at: ports.clock.now(), subject: installation, detail },
      askerOf(served, body.by, body.why),
      ports,
    );
  return importState(body, ports, credential, note);
}

/** Returns the name of a proved owner of `lookout.yaml`, or undefined for any other caller. */
function ownerOf(credential: Credential, { rules: { approvals } }: Ports): string | undefined {
  const person = voterOf(credential, approvals)?.person;
  return person !== undefined && approvals.owners?.includes(person) === true ? person : undefined;
}

function notAnOwner({
  rules: {
    approvals: { owners = [] },
  },
}: Ports): ApiError {
  const detail =
    owners.length === 0
      ? "evidence opens gates, so only an owner imports it: name people in owners of lookout.yaml"
      : `evidence opens gates, so only an owner imports it, with a proof of the person: ${owners.join(", ")}`;
  return { kind: "no-right", detail };
}

/** The values of a line, by kind. */
type Line = { readonly [Name in MovedKind]: readonly MovedValues[Name][] } & { readonly of?: WorkloadName };

function isEvidence({ vote, sighting }: Line): boolean {
  return vote.length + sighting.length > 0;
}

function readLine(row: unknown, ports: Ports): Result<Line, string> {
  const parsed = TransferRow.safeParse(row);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return problem(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "can't be parsed"}`);
  }
  const { of, items } = parsed.data;
  const values = readItems(items, ports);
  if (!values.ok) return values;
  if (of === undefined) return whole(values.value);
  const workload = parseWorkloadKey(of);
  return workload.ok
    ? whole({ ...values.value, of: workload.value })
    : problem(shortened(workload.problem, longestShown));
}

function readItems(items: readonly MovedItem[], { forms }: Ports): Result<Line, string> {
  const line = emptyLine();
  for (const { kind, form, value } of items) {
    if (!isMovedKind(kind))
      return problem(`this Lookout knows no items of the kind "${shortened(kind, longestShown)}"`);
    const read = forms.read(kind, form, value);
    if (!read.ok) return problem(`${kind}: ${read.problem}`);
    if (countersOf(read.value).some((counter) => counter > mostImported))
      return problem(`${kind}: a counter is above ${mostImported}`);
    (line[kind] as unknown[]).push(read.value);
  }
  return ok(line);
}

/** The largest counter of an import. The record of its workload can then be written for ever. */
const mostImported = 1_000_000_000;

function countersOf(value: object): readonly number[] {
  const { version = 0, seq = 0, updates = 0 } = value as Partial<WorkloadRecord>;
  return [version, seq, updates];
}

/** Returns the line, or a problem if its items lack what they belong to. */
function whole(line: Line): Result<Line, string> {
  if (isEvidence(line) && line.of === undefined) return problem("votes and first sightings belong to no workload");
  const isOfRepository = line.move.length + line.listing.length > 0;
  if (isOfRepository && line.repository.length !== 1) return problem("moves and listed tags belong to no repository");
  return ok(line);
}

/** The number of characters of foreign text that a message shows. */
const longestShown = 120;

function emptyLine(): { [Name in MovedKind]: MovedValues[Name][] } {
  return Object.fromEntries(movedKinds.map((kind) => [kind, []])) as unknown as ReturnType<typeof emptyLine>;
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

/** Stores lines one after the other, and returns the number of lines of which something was stored. */
async function restoreAll(lines: readonly Line[], owner: string | undefined, ports: Ports): Promise<number> {
  let stored = 0;
  for (const line of lines) if (await restore(line, owner, ports)) stored += 1;
  return stored;
}

/** Returns whether something of the line was stored. What is stored is never replaced. */
async function restore(line: Line, owner: string | undefined, ports: Ports): Promise<boolean> {
  const { freeze, quarantined, record, registration, repository, history } = line;
  const outcomes = [
    ...freeze.map((one) => () => restoreFreeze(one, ports)),
    ...quarantined.map((one) => () => restoreQuarantined(one, ports)),
    ...record.map((one) => () => restoreRecord(one, ports)),
    ...repository.map((one) => () => isChangedBy(() => restoreRepository(one, line, ports), one, ports)),
    ...registration.map((one) => () => restoreRegistration(one, ports)),
    () => restoreHistory(history, ports),
    () => restoreEvidence(line, owner, ports),
  ];
  let isStored = false;
  for (const outcome of outcomes) if (await outcome()) isStored = true;
  return isStored;
}

async function restoreFreeze(freeze: MovedValues["freeze"], { freezes }: Ports): Promise<boolean> {
  const scope = freezeScopeText(freeze.scope);
  if ((await freezes.list()).some((one) => freezeScopeText(one.scope) === scope)) return false;
  await freezes.put(freeze);
  return true;
}

async function restoreQuarantined(entry: MovedValues["quarantined"], { quarantine }: Ports): Promise<boolean> {
  if ((await quarantine.among([entry.digest])).length > 0) return false;
  await quarantine.add(entry);
  return true;
}

/** Stores imported history with its mark. Nothing proves it, so Lookout decides nothing by it. */
async function restoreHistory(rows: Line["history"], { ledger }: Ports): Promise<boolean> {
  return rows.length > 0 && ledger.append(rows.map((row) => ({ ...row, isImported: true })));
}

/** Stores the votes and the first sightings of a workload for an owner, and notes them in its history. */
async function restoreEvidence(
  { of: workload, vote, sighting }: Line,
  owner: string | undefined,
  ports: Ports,
): Promise<boolean> {
  if (owner === undefined || workload === undefined) return false;
  const now = ports.clock.now();
  const by = { workload, cause: `Import:${owner}:${toIso(now)}`, doing: "given evidence" };
  let isStored = false;
  for (const one of vote) {
    const wasStored = await decide(by, ports, async (record) => {
      const votes = await ports.store.votes(workloadKey(workload), one.binding.seq);
      const decision = importVote(record, one, votes, owner, now);
      return decision === undefined ? leave(false) : storeThen(record, decision, now, () => true);
    });
    isStored ||= wasStored;
  }
  const seen = sighting.map((one) => ({ ...one, seenAt: atMost(one.seenAt, now) }));
  const known = await ports.sightings.among(seen);
  const unknown = seen.filter((one) => !known.some((other) => isSameImage(one, other)));
  if (unknown.length === 0) return isStored;
  // The history comes first, so that no sighting counts that it does not name.
  const isNoted = await decide(by, ports, (record) =>
    record.version === 0 ? leave(false) : storeThen(record, importSightings(unknown, owner), now, () => true),
  );
  if (isNoted) await ports.sightings.remember(unknown, now);
  return isNoted || isStored;
}

function isSameImage(one: TaggedImage, other: TaggedImage): boolean {
  return one.imageName === other.imageName && one.tag === other.tag && one.digest === other.digest;
}

/** Returns an instant of an import. One in the future counts as now. */
function atMost(at: EpochMs, now: EpochMs): EpochMs {
  return epochMs(Math.min(at, now));
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

/** The time after the first sweep of a repository for which an import adds its moves: an import may take long. */
const importsMovesFor = hours(1);

/**
 * Restores the tag history of a repository, then its state. A subscription has already created the
 * repository.
 *
 * Moves come first, so that the next sweep reports only newer tags. A sweep that ran before keeps
 * the tags that it listed.
 */
async function restoreRepository(
  exported: RepositoryState,
  { move: moves, listing: [tags] }: Pick<Line, "move" | "listing">,
  { repositories, tagHistory, clock }: Ports,
): Promise<void> {
  const before = await repositories.read(exported);
  const isSwept = before?.firstSweptAt !== undefined;
  // Moves that no workload follows become outdated. With such moves, old tags would look new to the
  // next workload that follows moves.
  if (isSwept && before.followsMoves !== true && exported.followsMoves !== true) return;
  // A forged move would make an old tag the newest. So the moves of a repository that Lookout has
  // watched for long are only its own.
  if (isSwept && plus(before.firstSweptAt, importsMovesFor) < clock.now()) return;
  await mapBounded(moves, movesAtOnce, (move) =>
    tagHistory.remember(exported, { ...move, movedAt: atMost(move.movedAt, clock.now()) }),
  );
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
async function restoreRecord(exported: WorkloadRecord, ports: Ports): Promise<boolean> {
  const { store } = ports;
  const record = imported(exported, ports.clock.now());
  if ((await store.read(workloadKey(record.workload))) !== undefined) return false;
  if (record.tracked) await store.subscribe(record.workload, repositoriesOf(record, await settingsOf(record, ports)));
  return (await store.restore(firstVersion(record, ports.rules.tiers))).kind === "written";
}
