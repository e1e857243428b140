import type { controlOperations, ControlView } from "#contracts/api/control";
import { imageNameOf } from "#domain/image/reference";
import { endProblem } from "#domain/gates/freezes";
import { parseInstant, toIso, type EpochMs } from "#domain/shared/time";
import { endSkip, type Person, resume, retryFailed, skipTag, stopsOf, suspend } from "#domain/update/decide/control";
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
          done: `Its updates go on: ended ${stopsOf(record).join(", ")}.`,
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

function skipped(
  record: WorkloadRecord,
  { tag, until: untilText, end }: { readonly tag: string; readonly until?: string; readonly end?: true },
  person: Person,
  now: EpochMs,
): Simple {
  if (end === true) {
    const known = (record.skips ?? []).map((one) => one.tag);
    const decision = endSkip(record, tag, person);
    if (decision !== undefined) return { decision, done: `It no longer skips ${tag}.`, nothing: "" };
    const list = known.length === 0 ? "It skips no tag." : `It skips ${known.join(", ")}.`;
    return notFound(`${workloadKey(record.workload)} does not skip the tag ${tag}. ${list}`);
  }
  const until = untilText === undefined ? undefined : parseInstant(untilText);
  const wrong = until === undefined ? undefined : endProblem(until, now);
  if (wrong !== undefined) return { kind: "bad-end", detail: `until ${untilText ?? ""} ${wrong}` };
  const imageNames = new Set(
    record.observed.containers.flatMap((container) => {
      const name = repositoryOf(container);
      return name === undefined ? [] : [imageNameOf(name)];
    }),
  );
  const decisions = [...imageNames].map((imageName) => ({
    imageName,
    tag,
    by: person.by,
    why: person.why,
    at: now,
    ...(until === undefined ? {} : { until }),
  }));
  const [first, ...others] = decisions;
  if (first === undefined) return notFound(`${workloadKey(record.workload)} has no image that Lookout can read`);
  return {
    decision: skipTag(record, [first, ...others], person),
    done: `It skips ${tag}${until === undefined ? "" : ` until ${toIso(until)}`}.`,
    nothing: "",
  };
}
