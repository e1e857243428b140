import { withoutTiers } from "#domain/tiers/rules";
import { noCheckFacts } from "#domain/checks/facts";
import { noRules } from "#domain/approval/approvers";
import { backToHeld } from "#domain/update/decide/ending";
import { askGates, closedGates } from "#domain/gates/index";
import { unblock } from "#domain/update/decide/unblock";
import { observe } from "#domain/update/decide/observe";
import type { WorkloadPatch } from "#domain/workload/patch";
import { checkGates, propose } from "#domain/update/decide/propose";
import { afterDecision, type Decision, folded, neverTracked } from "#domain/update/state/changes";
import { nextVersion } from "#domain/update/effects/next-version";
import { type ForwardPlan, planBack, planForward } from "#domain/update/decide/patch";
import { holdDeadLettered } from "#domain/update/decide/dead-letter";
import { durationMs, type EpochMs, minutes, plus } from "#domain/shared/time";
import type { RollingBackUpdate, UnpatchedUpdate, WorkloadRecord } from "#domain/update/state/workload";
import { judgeRollback, judgeRollout } from "#domain/update/decide/verify";
import { fieldManager, type LiveWorkload, updateLabelKey } from "#domain/workload/workload";
import {
  aLive,
  aLiveContainer,
  annotated,
  image,
  installation,
  limits,
  noon,
  openFacts,
  reordered,
  settingsOf,
} from "../builders.ts";
import { digestOf, healthOf, type Move, wishesOf } from "./moves.ts";
import { type Fields, fieldsOf } from "#test/model/history/fields";
import { pinOf, tagOf } from "#test/model/image-text";
import { idOf, objectJudge } from "#test/model/judge/object-writes";
import { brokenBy } from "#test/model/judge/record-versions";

const workload = "it";

/**
 * One workload, one registry, one record; people and Lookout take turns. It complains in
 * {@link SmallWorld.broken}.
 */
export class SmallWorld {
  readonly broken: string[] = [];
  private now: EpochMs = noon;
  private record: WorkloadRecord | undefined;
  private live: LiveWorkload = aLive();
  private before: LiveWorkload = this.live;
  private readonly tags = new Map([["1.0.0", digestOf(0)]]);
  private pushes = 0;
  private readonly settings = { suspend: "false", enabled: "true" };
  private readonly factIds = new Set<string>();
  private readonly objects = objectJudge((rule, what) => this.broken.push(`${rule}: ${what}`));
  /** Images that a policy was asked about, or that Lookout wrote. */
  private readonly known = new Set<string>();
  /**
   * What Lookout read or wrote last while the workload took part: a move off anything else is not
   * to be known.
   */
  private lastRead = "";

  make(move: Move): void {
    this.now = plus(this.now, durationMs(1_000));
    switch (move.kind) {
      case "push":
        this.pushes += 1;
        this.tags.set(`1.${String(this.pushes)}.0`, digestOf(this.pushes));
        return;
      case "retag":
        this.tags.set(`1.${String(this.pushes)}.1`, digestOf(this.pushes));
        return;
      case "withdraw":
        this.tags.delete([...this.tags.keys()].at(-1) ?? "");
        return;
      case "evaluate": {
        this.evaluate();
        return;
      }
      case "wake": {
        this.wake();
        return;
      }
      case "roll-out": {
        this.rollOut(move.answerLost);
        return;
      }
      case "check": {
        this.check(move);
        return;
      }
      case "put-back": {
        this.putBack();
        return;
      }
      case "undo": {
        this.person(this.before.containers[0]!.image);
        return;
      }
      case "edit": {
        this.person(image(move.tag));
        return;
      }
      case "suspend":
      case "enable": {
        this.toggle(move.kind === "suspend" ? "suspend" : "enabled");
        return;
      }
      case "recreate":
        this.objects.recreated(workload);
        this.lastRead = "";
        this.live = this.before = { ...this.live, uid: `${this.live.uid}+`, generation: 1, labels: {} };
        return;
      case "unblock": {
        this.liftAll();
        return;
      }
      case "set-back": {
        this.store(this.record && holdDeadLettered(this.record, "TypeError", this.now));
        return;
      }
      case "wait":
        this.now = plus(this.now, minutes(move.minutes));
    }
  }

  private liftAll(): void {
    const lifted = this.record && unblock(this.record, { by: "ann" }, noRules);
    if (lifted !== undefined) this.objects.unblocked(workload);
    this.store(lifted);
  }

  private toggle(setting: "suspend" | "enabled"): void {
    this.settings[setting] = this.settings[setting] === "true" ? "false" : "true";
    this.live = { ...this.live, generation: this.live.generation + 1, annotations: annotated(this.settings) };
  }

  private shown(): string {
    return this.live.containers[0]!.image;
  }

  private person(shown: string): void {
    if (this.shown() === shown) return;
    const from = this.shown();
    const chosen = [idOf(shown)];
    this.objects.userMoved({ workload, container: "app", from, chosen, known: this.lastRead === from });
    if (shown !== this.record?.observed.containers[0]?.image) this.known.delete(shown);
    this.show(shown, this.live.labels, "kubectl-set");
  }

  private show(shown: string, labels: LiveWorkload["labels"], manager: string): void {
    this.before = this.live;
    this.live = {
      ...this.live,
      generation: this.live.generation + 1,
      labels,
      containers: [aLiveContainer({ image: shown, imageOwner: { manager, operation: "Update" } })],
    };
  }

  private evaluate(): void {
    const running = { app: [pinOf(this.shown()) ?? this.tags.get(tagOf(this.shown())) ?? digestOf(999)] };
    const stored = this.record ?? neverTracked(this.live.workload);
    const seen = observe(stored, { live: this.live, running, installation }, this.now);
    const current = afterDecision(stored, seen);
    if (!current.tracked) {
      this.store(seen);
      return;
    }
    this.lastRead = this.shown();
    const desiredImages = wishesOf(current, this.tags);
    const inputs = {
      desiredImages,
      settings: settingsOf(current),
      facts: openFacts,
      detectedAt: this.now,
      source: "sync",
      allContainers: true,
    };
    const wanted = propose(current, inputs, this.now);
    this.store(folded([seen, wanted]));
    // A person's image is known once a policy was asked about it; one that is on its way was selected for another.
    if (this.record?.observed.containers[0]?.image === this.shown()) this.known.add(this.shown());
    const again =
      this.record && propose(this.record, { ...inputs, desiredImages: wishesOf(this.record, this.tags) }, this.now);
    if (again !== undefined)
      this.broken.push(`the same look twice has something to say: ${JSON.stringify(again.transitions)}`);
  }

  private wake(): void {
    if (this.record === undefined) return;
    this.store(checkGates(this.record, { settings: settingsOf(this.record), facts: openFacts }, this.now));
  }

  private closed(record: WorkloadRecord, active: UnpatchedUpdate) {
    return closedGates(
      askGates({
        now: this.now,
        record,
        settings: settingsOf(record),
        seq: active.seq,
        changes: active.changes,
        facts: openFacts,
      }),
    );
  }

  private rollOut(answerLost: boolean): void {
    const active = this.record?.active;
    if (this.record === undefined || (active?.status !== "released" && active?.status !== "patching")) return;
    const closed = active.status === "released" ? this.closed(this.record, active) : [];
    if (closed.length > 0) {
      this.store(backToHeld(this.record, active, closed, this.now));
      return;
    }
    this.carryOut("forward", answerLost);
  }

  private putBack(): void {
    const active = this.record?.active;
    if (active?.status === "rolling-back" && active.rollback.kind === "patching") this.carryOut("back", false);
  }

  private plan(direction: "forward" | "back") {
    const record = this.record!;
    const inputs = {
      record,
      live: this.live,
      installation,
      settings: settingsOf(record),
      now: this.now,
    };
    return direction === "forward"
      ? planForward({ ...inputs, active: record.active as UnpatchedUpdate })
      : planBack({ ...inputs, active: record.active as RollingBackUpdate });
  }

  private carryOut(direction: "forward" | "back", answerLost: boolean): void {
    this.lastRead = this.shown();
    const plan = this.plan(direction);
    if (plan.kind === "decided" || plan.kind === "settings-changed") {
      this.store(plan.decision);
      return;
    }
    if (plan.kind === "other-repository") {
      this.complain(`a patch of another repository: ${plan.detail}`);
      return;
    }
    if (direction === "forward") this.store((plan as Extract<ForwardPlan, { kind: "patch" }>).intent);
    this.apply(plan.patch, direction);
    const after = answerLost ? plan : this.plan(direction);
    if (after.kind === "decided") this.store(after.decision);
    else if (!answerLost) this.broken.push(`what was just written ${direction} is not recognised`);
  }

  private apply(patch: WorkloadPatch, direction: "forward" | "back"): void {
    const [write] = patch.images;
    if (patch.uid !== this.live.uid || patch.generation !== this.live.generation || write?.from !== this.shown()) {
      this.complain(
        `a patch that its own read does not allow, or that writes nothing: ${JSON.stringify(patch.images)}`,
      );
      return;
    }
    const forward = direction === "forward";
    if (forward && !this.known.has(write.from))
      this.complain(`patched over ${write.from}, which a person set and no policy was asked about`);
    const before = fieldsOfLive(this.live);
    const updateLabel = patch.updateLabel.to;
    this.known.add(write.to);
    this.lastRead = write.to;
    this.show(write.to, { ...this.live.labels, [updateLabelKey]: updateLabel }, fieldManager);
    this.objects.lookoutWrote({
      workload,
      updateLabel,
      before,
      after: fieldsOfLive(this.live),
      images: patch.images,
      changes: [{ name: "app", to: write.to, digest: idOf(forward ? write.to : write.from) }],
      restarts: false,
    });
  }

  private complain(what: string): void {
    this.broken.push(what);
  }

  private check({ health: kind, restarts }: Extract<Move, { kind: "check" }>): void {
    const record = this.record;
    const active = record?.active;
    if (record === undefined || (active?.status !== "rolling-out" && active?.status !== "rolling-back")) return;
    if (active.status === "rolling-back" && active.rollback.kind === "patching") return;
    this.lastRead = this.shown();
    const health = healthOf(kind, restarts, this.live);
    const inputs = { health, installation, settings: settingsOf(record), limits, checks: noCheckFacts };
    const verdict =
      active.status === "rolling-back"
        ? judgeRollback(record, active, inputs, this.now)
        : judgeRollout(record, active, inputs, this.now);
    if (verdict.kind === "decided") this.store(verdict.decision);
  }

  private store(decision: Decision | undefined): void {
    if (decision === undefined) return;
    const before = this.record ?? neverTracked(this.live.workload);
    const next = nextVersion(before, decision, { cause: `at ${String(this.now)}`, now: this.now, tiers: withoutTiers });
    this.broken.push(...brokenBy(this.record, next, this.factIds));
    this.record = reordered(JSON.parse(JSON.stringify(next)) as WorkloadRecord);
  }
}

function fieldsOfLive({ labels, annotations, containers }: LiveWorkload): Fields {
  const template = { spec: { containers: containers.map(({ name, image }) => ({ name, image })) } };
  return fieldsOf({ metadata: { labels, annotations }, spec: { template } });
}
