import type { controlOperations, ControlView } from "#contracts/api/control";
import { imageNameOf, isTag } from "#domain/image/reference";
import { printableText, shortened } from "#domain/shared/shown-text";
import { endProblem } from "#domain/gates/freezes";
import { parseInstant, toIso, type EpochMs } from "#domain/shared/time";
import {
  endSkip,
  mostKept,
  type Person,
  type Resumable,
  resume,
  retryFailed,
  skipTag,
  stopsOf,
  stopTexts,
  suspend,
} from "#domain/update/decide/control";
import { repositoryOf } from "#domain/update/decide/desired-image";
import type { Decision } from "#domain/update/state/changes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import { decide } from "../decide.ts";
import { leave, storeThen } from "../shared/turn.ts";
import { askerOf } from "./asker.ts";
import { type ApiError, type Handlers, notFound, type Served } from "./handler.ts";
import { releaseUpdates } from "./releases.ts";
import { requestVersion } from "./request-version.ts";
import { controlView } from "./views.ts";
import { ofWorkload } from "./workloads.ts";

/** Returns the handlers for what people do to workloads. */
export function controlHandlers(served: Served): Handlers<typeof controlOperations> {
  const person = ({ by: claimed, why }: { readonly by?: string; readonly why: string }): Person => {
    const { by, provedBy } = askerOf(served, claimed);
    return { by, why, ...(provedBy === undefined ? {} : { provedBy }) };
  };
  const simple = (workload: WorkloadName, name: string, decideOn: (record: WorkloadRecord, now: EpochMs) => Simple) =>
    control(workload, name, served, decideOn);
  return {
    setVersion: ({ params, body }) =>
      ofWorkload(params, (_, workload) =>
        requestVersion({ as: "set", workload, ...person(body), ...named(body.version, body.container) }, served),
      ),
    rollBack: ({ params, body }) =>
      ofWorkload(params, (_, workload) =>
        requestVersion({ as: "rollback", workload, ...person(body), ...named(body.to, body.container) }, served),
      ),
    skipTag: ({ params, body }) =>
      ofWorkload(params, (_, workload) =>
        simple(workload, "Skip", (record, now) => skipped(record, body, person(body), now)),
      ),
    suspendWorkload: ({ params, body }) =>
      ofWorkload(params, (_, workload) =>
        simple(workload, "Suspend", (record, now) => ({
          decision: suspend(record, person(body), now),
          done: "Its updates stop until lookout resume.",
          nothing: "It was suspended already.",
        })),
      ),
    resumeWorkload: ({ params, body }) =>
      ofWorkload(params, (_, workload) =>
        simple(workload, "Resume", (record) => ({
          decision: resume(record, person(body)),
          done: resumedText(record),
          nothing: "Nothing stopped its updates.",
        })),
      ),
    retryWorkload: ({ params, body }) =>
      ofWorkload(params, (_, workload) =>
        simple(workload, "Retry", (record, now) => ({
          decision: retryFailed(record, person(body), now),
          done: "Lookout evaluates it again.",
          nothing: "",
        })),
      ),
    release: ({ body }) => releaseUpdates(body, served),
  };
}

function resumedText(record: WorkloadRecord): string {
  const ended = stopsOf(record);
  const left = stopsOf({ ...record, ...without(ended) });
  const names = (parts: readonly Resumable[]): string => parts.map((part) => stopTexts[part]).join(", ");
  if (left.length === 0) return `Ended: ${names(ended)}. Its updates go on.`;
  return `Ended: ${names(ended)}. Still there: ${names(left)}. To end it too: lookout resume once more.`;
}

function without(parts: readonly Resumable[]): Partial<WorkloadRecord> {
  return Object.fromEntries(parts.map((part) => [part, undefined]));
}

function named(version: string | undefined, container: string | undefined) {
  return { ...(version === undefined ? {} : { version }), ...(container === undefined ? {} : { container }) };
}

/** A decision, and what it says to the person. */
interface Told {
  readonly decision: Decision | undefined;
  readonly done: string;
  /** The text if nothing changed. */
  readonly nothing: string;
}

type Simple = Told | ApiError;

/** Stores a person's decision about a workload. Undefined for a workload that is not tracked. */
async function control(
  workload: WorkloadName,
  name: string,
  { ports, id }: Served,
  decideOn: (record: WorkloadRecord, now: EpochMs) => Simple,
): Promise<ControlView | ApiError | undefined> {
  const deciding = { workload, cause: `${name}:${id}`, doing: "changed" };
  return decide<ControlView | ApiError | undefined>(deciding, ports, (record) => {
    if (!record.tracked) return leave(undefined);
    const now = ports.clock.now();
    const told = decideOn(record, now);
    if ("kind" in told) return leave(told);
    const { decision, done, nothing } = told;
    if (decision === undefined) return leave(controlView(record, now, { changed: false, detail: nothing }));
    return storeThen(record, decision, now, (next) => controlView(next, now, { changed: true, detail: done }));
  });
}

interface Skip {
  readonly tag: string;
  readonly until?: string;
  readonly end?: true;
}

function skipped(record: WorkloadRecord, { tag, until: text, end }: Skip, person: Person, now: EpochMs): Simple {
  if (end === true) return skipEnded(record, tag, person);
  const until = text === undefined ? undefined : parseInstant(text);
  const refusal = skipRefusal(record, { tag, ...(text === undefined ? {} : { until: text }) }, until, now);
  if (refusal !== undefined) return refusal;
  const imageNames = record.observed.containers.flatMap((container) => {
    const name = repositoryOf(container);
    return name === undefined ? [] : [imageNameOf(name)];
  });
  const { by, why } = person;
  const last = until === undefined ? {} : { until };
  const skips = [...new Set(imageNames)].map((imageName) => ({ imageName, tag, by, why, at: now, ...last }));
  const done = `It skips ${tag}${until === undefined ? "" : ` until ${toIso(until)}`}.`;
  return { decision: skipTag(record, skips, person), done, nothing: "" };
}

function skipEnded(record: WorkloadRecord, tag: string, person: Person): Simple {
  const decision = endSkip(record, tag, person);
  if (decision !== undefined) return { decision, done: `It no longer skips ${tag}.`, nothing: "" };
  const tags = (record.skips ?? []).map((one) => one.tag);
  const list = tags.length === 0 ? "It skips no tag." : `It skips ${tags.join(", ")}.`;
  const shown = printableText(shortened(tag, 100));
  return notFound(`${workloadKey(record.workload)} does not skip the tag ${shown}. ${list}`);
}

/** Returns why a workload can't skip a tag. Undefined if it can. */
function skipRefusal(
  { workload, skips = [], observed }: WorkloadRecord,
  { tag, until: text = "" }: Skip,
  until: EpochMs | undefined,
  now: EpochMs,
): ApiError | undefined {
  if (!isTag(tag)) return { kind: "bad-request", detail: `"${printableText(shortened(tag, 100))}" is not a tag` };
  const wrong = until === undefined ? undefined : endProblem(until, now);
  if (wrong !== undefined) return { kind: "bad-end", detail: `until ${text} ${wrong}` };
  if (observed.containers.every((container) => repositoryOf(container) === undefined))
    return notFound(`${workloadKey(workload)} has no image that Lookout can read`);
  if (skips.length < mostKept || skips.some((one) => one.tag === tag)) return undefined;
  const detail = `${workloadKey(workload)} skips ${skips.length} tags, which is the most. End one: lookout skip WORKLOAD TAG --end`;
  return { kind: "version-refused", detail };
}
