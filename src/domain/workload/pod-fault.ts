import type { Health, LastingFault } from "./health.ts";
import type { LiveWorkload } from "./workload.ts";

/** A container that can't run, as its pod reports it. */
export interface WaitingContainer {
  /** Such as `ErrImagePull`. */
  readonly reason: string;
  /** Written by the node, the registry or anybody else. Never shown. */
  readonly message?: string | undefined;
}

/** Whether the fault of a container may end by itself. */
export type FaultKind =
  | LastingFault
  /** The image can't run: its name is invalid, or the registry does not have it. */
  | "final"
  /** The container exits again and again. */
  | "crash-loop"
  /** A policy or a webhook of the cluster denies the pod. */
  | "denied";

/** A fault of a container. */
export interface PodFault {
  readonly kind: FaultKind;
  readonly detail: string;
  /** The containers with a fault of this kind. Absent if the fault is not a container's. */
  readonly containers?: readonly string[];
}

/** A fault, and what the registry answered. */
interface Judged {
  readonly kind: FaultKind;
  readonly answer?: string;
}

/** The faults of containers by the reason for which they wait. The kubelet names more reasons. */
const kinds: Readonly<Record<string, FaultKind | "by-message">> = {
  ErrImagePull: "by-message",
  ImagePullBackOff: "by-message",
  RegistryUnavailable: "by-message",
  InvalidImageName: "final",
  ErrImageNeverPull: "lasting",
  ImageInspectError: "lasting",
  SignatureValidationFailed: "lasting",
  CreateContainerConfigError: "lasting",
  CreateContainerError: "lasting",
  RunContainerError: "lasting",
  CrashLoopBackOff: "crash-loop",
};

/**
 * What registries answer to a pull. The first row that matches counts: Docker Hub denies with
 * `repository does not exist or may require authorization`.
 */
const answers: readonly (Required<Judged> & { readonly says: RegExp })[] = [
  {
    kind: "limited",
    answer: "the registry limits pulls (429)",
    says: /too ?many ?requests|rate ?limit|rate exceeded|throttl|\b(?:status|code|http)[ :=]{1,3}429\b/i,
  },
  {
    kind: "lasting",
    answer: "the registry denies the pull",
    says: /access denied|is denied|unauthorized|forbidden|authentication required|authorization|basic auth|insufficient_scope/i,
  },
  {
    kind: "final",
    answer: "the image does not exist for the node's platform",
    says: /no matching manifest|no match for platform/i,
  },
  {
    kind: "final",
    answer: "the registry has no such image",
    says: /(?<!\b(?:host|certificate|key|credentials?|command|file) )not found|manifest unknown|name unknown|name not known|code = NotFound|repository .{0,300}does not exist/i,
  },
];

/** Returns the fault of a container, or undefined if its reason is none. */
export function faultOf({ reason, message = "" }: WaitingContainer): Judged | undefined {
  const kind = Object.hasOwn(kinds, reason) ? kinds[reason] : undefined;
  if (kind !== "by-message") return kind && { kind };
  const said = withoutNames(message);
  const answer = answers.find(({ says }) => says.test(said));
  if (answer !== undefined) return { kind: answer.kind, answer: answer.answer };
  return { kind: /^(?:back-off pulling image)?\W*$/i.test(said) ? "backing-off" : "lasting" };
}

/** The order in which faults of several containers count. A limit explains a back-off without an answer. */
const order: readonly FaultKind[] = [
  "denied",
  "final",
  "crash-loop",
  "lasting",
  "quota",
  "webhook",
  "limited",
  "backing-off",
];

/**
 * Returns the fault that counts, with the containers of all faults of its kind. Returns undefined
 * without faults.
 */
export function worstFault(faults: readonly PodFault[]): PodFault | undefined {
  const worst = faults.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
  if (worst === undefined) return undefined;
  const alike = faults.filter(({ kind }) => kind === worst.kind);
  const containers = [...new Set(alike.flatMap((one) => one.containers ?? []))].sort();
  return { kind: worst.kind, detail: worst.detail, ...(containers.length === 0 ? {} : { containers }) };
}

/**
 * Returns the health of a rollout with a fault.
 *
 * A crash loop is proved while no new pod is ready. Beside ready pods it may end by itself, such as
 * after a start that lost a race. A rollout that Kubernetes gave up is overdue; a limit of pulls or a
 * quota is no reason to give it up.
 */
export function faultyHealth(
  { kind, detail, containers }: PodFault,
  { live, ready, wanted }: { readonly live: LiveWorkload; readonly ready: number; readonly wanted: number },
  isOverdue = false,
): Health {
  const named = {
    ...(containers === undefined ? {} : { containers }),
    ...(kind === "crash-loop" ? { crashes: true as const } : {}),
  };
  const fault = kind === "crash-loop" && ready > 0 ? "lasting" : kind;
  if (fault === "denied") return { kind: "failed", live, detail, isDenied: true };
  if (fault === "final" || fault === "crash-loop" || (fault === "lasting" && isOverdue))
    return { kind: "failed", live, detail, ...named };
  return { kind: "progressing", live, ready, wanted, detail, fault, ...named };
}

/** The longest part of a message that is read. */
const mostCharacters = 4_096;

/** Returns a message without quoted texts, images and addresses, whose names may be any words. */
function withoutNames(message: string): string {
  const words = message
    .slice(0, mostCharacters)
    .replaceAll(/"[^"]*"/g, " ")
    .split(/\s+/);
  return words.filter((word) => !word.includes("/")).join(" ");
}
