import type { FaultKind, PodFault } from "./pod-fault.ts";

/** Why the API server did not create a pod. */
interface Denial {
  readonly kind: FaultKind;
  readonly says: RegExp;
  /** The text for users, from the matched names. */
  readonly names: (...found: readonly string[]) => string;
}

const name = "([A-Za-z0-9.-]{1,253})";

/**
 * The messages of the API server. The first row that matches counts: the text of a webhook or a
 * policy, at the end of a message, may hold any words.
 */
const denials: readonly Denial[] = [
  {
    kind: "webhook",
    says: new RegExp(`^(?:Error creating: )?Internal error occurred: failed calling webhook "${name}"`),
    names: (webhook) => `admission webhook ${webhook} gives no answer`,
  },
  {
    kind: "denied",
    says: new RegExp(`ValidatingAdmissionPolicy '${name}'`),
    names: (policy) => `denied by ValidatingAdmissionPolicy ${policy}`,
  },
  {
    kind: "denied",
    says: new RegExp(`admission webhook "${name}" denied`),
    names: (webhook) => `denied by admission webhook ${webhook}`,
  },
  { kind: "quota", says: new RegExp(`exceeded quota: ${name}`), names: (quota) => `quota ${quota} is exceeded` },
  {
    kind: "quota",
    says: new RegExp(`status unknown for quota: ${name}`),
    names: (quota) => `the use of quota ${quota} is not known yet`,
  },
  {
    kind: "denied",
    says: new RegExp(`failed quota: ${name}: must specify`),
    names: (quota) => `quota ${quota} asks for requests or limits that the pods don't name`,
  },
  {
    kind: "denied",
    says: /violates PodSecurity "([a-z]{1,20}:[a-z0-9.-]{1,20})"/,
    names: (level) => `violates PodSecurity ${level}`,
  },
  { kind: "denied", says: /violates PodSecurity/, names: () => "violates PodSecurity" },
  {
    kind: "final",
    says: /is invalid: (?:\[)?(spec\.[A-Za-z0-9.[\]]{1,200}): ([A-Z][a-z]+ value)/,
    names: (field, value) => `${value} in ${field} of the pod`,
  },
];

/** The longest part of a message that is read. */
const mostCharacters = 4_096;

/**
 * Returns why the API server creates no pods, with the quota, policy or webhook. The text omits the
 * server's message, because the message may quote the pod.
 */
export function denialOf(message = ""): PodFault {
  const read = message.slice(0, mostCharacters);
  for (const { kind, says, names } of denials) {
    const found = says.exec(read);
    if (found !== null) return { kind, detail: `FailedCreate: ${names(...found.slice(1))}` };
  }
  return { kind: "lasting", detail: "FailedCreate: the cluster rejects the pods" };
}
