import type { Registry, RegistryRefusal } from "#ports/registry";

/** The registry, with an ear on it: policies hide from each other how one was refused, and for how long. */
export function recordFirstError(registry: Registry): {
  readonly registry: Registry;
  /** The first refusal of all; undefined: there was none. */
  readonly refusal: () => RegistryRefusal | undefined;
} {
  let refusal: RegistryRefusal | undefined;
  const heard = <Answer extends { readonly kind: string }>(
    answer: Answer | RegistryRefusal,
  ): Answer | RegistryRefusal => {
    if (isRefusal(answer)) refusal ??= answer;
    return answer;
  };
  return {
    refusal: () => refusal,
    registry: {
      tags: async (...asked) => heard(await registry.tags(...asked)),
      resolve: async (...asked) => heard(await registry.resolve(...asked)),
      manifest: async (...asked) => heard(await registry.manifest(...asked)),
    },
  };
}

function isRefusal(answer: { readonly kind: string }): answer is RegistryRefusal {
  return answer.kind === "unreachable" || answer.kind === "denied";
}
