import type { Reason } from "#domain/shared/reasons";
import { seconds } from "#domain/shared/time";
import { type TierRules, withoutTiers } from "#domain/tiers/rules";
import type { FactName } from "#domain/update/events";
import { type DemoFleet, usualFleet } from "./demo-world.ts";

/** A tour: its clusters, its rules, and its chapters. */
export interface Tour {
  readonly fleet: DemoFleet;
  readonly tiers: TierRules;
  readonly chapters: readonly Chapter[];
  /** What a person may do after the tour. */
  readonly next: string;
  /** True if a receiver on loopback is told. */
  readonly isTold?: true;
}

/** A fact that a chapter waits for. An absent part may be any. */
export interface ExpectedFact {
  readonly fact: FactName;
  readonly workload: string;
  readonly cluster?: string;
  readonly reason?: Reason;
}

/** One chapter of the tour: an action, and the expected fact. */
export interface Chapter {
  readonly tells: string;
  readonly push?: { readonly image: string; readonly broken?: boolean };
  /** True if a person approves all waiting updates. */
  readonly approves?: true;
  readonly expects: ExpectedFact;
  /** The command that shows what happened, without `lookout`. */
  readonly shows?: string;
}

const usualChapters: readonly Chapter[] = [
  {
    tells: "A push is rolled out: the policy ^1 of shop/api selects the new tag.",
    push: { image: "shop/api:1.3.0" },
    expects: { fact: "RolloutSucceeded", workload: "api" },
  },
  {
    tells: "A window holds an update: shop/web may change on Saturdays from 22:00, in nine seconds.",
    push: { image: "shop/web:2.1.0" },
    expects: { fact: "UpdateHeld", workload: "web" },
  },
  {
    tells: "An image that can't start is rolled back, and not tried again.",
    push: { image: "shop/api:1.4.0", broken: true },
    expects: { fact: "RolledBack", workload: "api" },
  },
  {
    tells: "The window opens, and Lookout releases the held update.",
    expects: { fact: "RolloutSucceeded", workload: "web" },
  },
  {
    tells: "Each update of the namespace pay needs the approval of ana.",
    push: { image: "pay/ledger:3.2.0" },
    expects: { fact: "ApprovalRequested", workload: "ledger" },
  },
  {
    tells: "ana approves exactly this digest, and Lookout rolls it out.",
    approves: true,
    expects: { fact: "RolloutSucceeded", workload: "ledger" },
  },
];

const toldChapters: readonly Chapter[] = [
  {
    tells: "A receiver on loopback is told of a push, and of its success. It verifies each signature.",
    push: { image: "shop/api:1.3.0" },
    expects: { fact: "RolloutSucceeded", workload: "api" },
  },
  {
    tells: "An image that can't start: the receiver is told of the failure, and of the rollback.",
    push: { image: "shop/api:1.4.0", broken: true },
    expects: { fact: "RolledBack", workload: "api" },
  },
  {
    tells: "An update that needs an approval: the receiver is told at once.",
    push: { image: "pay/ledger:3.2.0" },
    expects: { fact: "ApprovalRequested", workload: "ledger" },
  },
  {
    tells: "ana approves, and the receiver is told of that too.",
    approves: true,
    expects: { fact: "RolloutSucceeded", workload: "ledger" },
  },
];

/** The Deployment of both tiers. */
const api: DemoFleet[string][number] = {
  ...{ kind: "Deployment", namespace: "shop", name: "api", tag: "1.2.0" },
  annotations: { "lookout.dev/semver-range": "^1" },
};
const tiersFleet: DemoFleet = { dev: [api], prod: [{ ...api, replicas: 3 }] };

const noPlaces = { haltOnFailure: true, namespaces: [] };
const devBeforeProd: TierRules = {
  tiers: [
    { name: "dev", soak: seconds(3), ...noPlaces },
    { name: "prod", soak: seconds(0), ...noPlaces },
  ],
  clusters: [
    { name: "dev", tier: "dev" },
    { name: "prod", tier: "prod" },
  ],
};

const tiersChapters: readonly Chapter[] = [
  {
    tells: "shop/api runs in the clusters dev and prod, which are tiers. A push is rolled out in dev first.",
    push: { image: "shop/api:1.3.0" },
    expects: { fact: "UpdateHeld", workload: "api", cluster: "prod", reason: "tier-soaking" },
    shows: "tiers shop/api",
  },
  {
    tells: "When dev has run the image for the soak of three seconds, prod gets the same digest.",
    expects: { fact: "RolloutSucceeded", workload: "api", cluster: "prod" },
    shows: "status",
  },
  {
    tells: "An image that can't start is rolled back in dev, and dev halts it.",
    push: { image: "shop/api:1.4.0", broken: true },
    expects: { fact: "RolledBack", workload: "api", cluster: "dev" },
    shows: "status",
  },
  {
    tells: "The broken image never reaches prod.",
    expects: { fact: "UpdateHeld", workload: "api", cluster: "prod", reason: "tier-halted" },
    shows: "explain prod/shop/api",
  },
];

const usual: Omit<Tour, "chapters"> = {
  fleet: usualFleet,
  tiers: withoutTiers,
  next: "To use the demo yourself: npm start",
};

/** The tours. `told`: what a receiver on loopback is told. `tiers`: dev before prod. */
export const tours = {
  usual: { ...usual, chapters: usualChapters },
  told: { ...usual, chapters: toldChapters, isTold: true },
  tiers: {
    fleet: tiersFleet,
    tiers: devBeforeProd,
    chapters: tiersChapters,
    next: "To write your own tiers: docs/tiers.md",
  },
} as const satisfies Readonly<Record<string, Tour>>;

/** One of {@link tours}. */
export type TourName = keyof typeof tours;
