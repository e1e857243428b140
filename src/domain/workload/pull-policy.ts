import { impliedTag, parseImageReference } from "../image/reference.ts";

/** The values of `imagePullPolicy`. */
export const pullPolicies = ["Always", "IfNotPresent", "Never"] as const;
/** The rule by which a node pulls a container's image. */
export type PullPolicy = (typeof pullPolicies)[number];

/** Returns the pull policy in a container's field, or undefined without a known policy. */
export function readPullPolicy(field: unknown): PullPolicy | undefined {
  return pullPolicies.find((policy) => policy === field);
}

/**
 * Returns the pull policy of a container. The default of Kubernetes is `Always` for the tag
 * `latest` and for an image without tag and digest, and `IfNotPresent` for any other image.
 * @see https://kubernetes.io/docs/concepts/containers/images/#imagepullpolicy-defaulting
 */
export function pullPolicyOf({
  image,
  pullPolicy,
}: {
  readonly image: string;
  readonly pullPolicy?: PullPolicy;
}): PullPolicy {
  if (pullPolicy !== undefined) return pullPolicy;
  const parsed = parseImageReference(image);
  if (!parsed.ok) return "IfNotPresent";
  const { tag, digest } = parsed.value;
  return (tag ?? (digest === undefined ? impliedTag : undefined)) === impliedTag ? "Always" : "IfNotPresent";
}

/** Returns what to do about a pull policy with which nodes keep their images. */
export function keepsImage(policy: Exclude<PullPolicy, "Always">): string {
  return `with imagePullPolicy ${policy}, nodes keep the old image: set imagePullPolicy: Always`;
}
