import { PermanentError, TransientError } from "#ports/errors";
import type { Registry, RegistryRefusal, RepositoryName } from "#ports/registry";

/**
 * Returns a registry that gives a refusal instead of an exception. The exception concerns one
 * repository, and must not stop the containers of other repositories without a reason.
 *
 * After the abort of a request the exception stays, because no time is left to act on a refusal.
 *
 * @param unexpected - gets each error that is not an error of a port, for the log.
 */
export function answeringRegistry(registry: Registry, unexpected?: (error: unknown) => void): Registry {
  const answered = async <Answer>(
    name: RepositoryName,
    signal: AbortSignal,
    ask: () => Promise<Answer>,
  ): Promise<Answer | RegistryRefusal> => {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) throw error;
      const refusal = refusalOf(name, error);
      if (refusal.reason === "evaluation-failed") unexpected?.(error);
      return refusal;
    }
  };
  return {
    tags: (name, signal, asking) => answered(name, signal, () => registry.tags(name, signal, asking)),
    inspect: async (name, signal, asking) => {
      const inspection = await answered(name, signal, () => registry.inspect(name, signal, asking));
      return "kind" in inspection ? { listing: inspection } : inspection;
    },
    resolve: (name, tag, signal, asking) => answered(name, signal, () => registry.resolve(name, tag, signal, asking)),
    manifest: (name, digest, signal, asking) =>
      answered(name, signal, () => registry.manifest(name, digest, signal, asking)),
    config: (name, digest, signal, asking) =>
      answered(name, signal, () => registry.config(name, digest, signal, asking)),
    answers: async (name, signal) => {
      const answer = await answered(name, signal, () => registry.answers(name, signal));
      return answer.kind === "answers" || answer.kind === "limited" ? answer : { kind: "no-answer" };
    },
  };
}

function refusalOf(
  { registry }: RepositoryName,
  error: unknown,
): Extract<RegistryRefusal, { readonly kind: "unreachable" }> {
  if (error instanceof PermanentError)
    return { kind: "unreachable", reason: "registry-not-asked", detail: error.message };
  if (error instanceof TransientError) return { kind: "unreachable", detail: error.message };
  return {
    kind: "unreachable",
    reason: "evaluation-failed",
    detail: `a request to ${registry} ended with ${errorName(error)}`,
  };
}

/** Returns the name of an error. The message of an unknown error may contain secrets. */
function errorName(error: unknown): string {
  return error instanceof Error ? error.name : "an unknown error";
}

/** Returns the part of an outcome that the log shows as a failure. */
export function failureOf(failure: unknown): { readonly failure?: unknown } {
  return failure === undefined ? {} : { failure };
}
