import { type Registry, type RegistryReason, registryReasons, type RegistryRefusal } from "#ports/registry";

/**
 * Returns a registry that records its first failure, and whether it found anything. Callers need this record, because a selection
 * does not return the detail and the pause of a failure.
 */
export function recordFirstError(registry: Registry): {
  readonly registry: Registry;
  /** Returns the first failure, or undefined if no request failed. */
  readonly firstError: () => RegistryRefusal | undefined;
  /** Returns whether a request found tags or an image. */
  readonly hasAnswered: () => boolean;
} {
  let firstError: RegistryRefusal | undefined;
  let hasAnswered = false;
  const heard = <Answer extends { readonly kind: string }>(
    answer: Answer | RegistryRefusal,
  ): Answer | RegistryRefusal => {
    if (isRefusal(answer)) firstError ??= answer;
    else if (answer.kind !== "not-found") hasAnswered = true;
    return answer;
  };
  return {
    firstError: () => firstError,
    hasAnswered: () => hasAnswered,
    registry: {
      tags: async (...asked) => heard(await registry.tags(...asked)),
      inspect: (...asked) => registry.inspect(...asked),
      resolve: async (...asked) => heard(await registry.resolve(...asked)),
      manifest: async (...asked) => heard(await registry.manifest(...asked)),
      config: async (...asked) => heard(await registry.config(...asked)),
      answers: (...asked) => registry.answers(...asked),
    },
  };
}

/** Returns the reason of a refusal. */
export function reasonOfRefusal(refusal: RegistryRefusal): RegistryReason {
  const own = refusal.kind === "unreachable" ? refusal.reason : undefined;
  return own ?? registryReasons[refusal.kind];
}

function isRefusal(answer: { readonly kind: string }): answer is RegistryRefusal {
  return answer.kind in registryReasons;
}
