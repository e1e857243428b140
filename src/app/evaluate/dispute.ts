import type { ImagePushed } from "#domain/image/push";
import type { Ports } from "../shared/ports.ts";
import type { RegistryReads } from "../shared/registry-reads.ts";

/**
 * Publishes `PushDisputed` when the registry disagrees with a push about its tag.
 *
 * A tag that no evaluation has resolved is not compared.
 */
export async function publishDispute(
  push: ImagePushed,
  reads: Pick<RegistryReads, "resolved">,
  { bus, metrics, clock }: Ports,
): Promise<void> {
  const { id, registry, repository, tag, digest, source } = push;
  if (tag === undefined) return;
  const answer = await registryAnswer({ ...push, tag }, reads);
  const agrees = answer?.registryDigest !== undefined && (digest ?? answer.registryDigest) === answer.registryDigest;
  if (answer === undefined || agrees) return;
  metrics.add("PushesDisputed", 1, { registry, repository, source });
  const said = digest === undefined ? {} : { digest };
  const fact = { id: `${id}/PushDisputed`, correlationId: id, registry, repository, tag, ...said, ...answer, source };
  await bus.publish([{ name: "PushDisputed", ...fact, at: clock.now() }]);
}

/**
 * Returns the registry's digest of the tag. Returns an empty object for a missing tag, and
 * undefined without an answer.
 */
async function registryAnswer(
  push: ImagePushed & { readonly tag: string },
  { resolved }: Pick<RegistryReads, "resolved">,
): Promise<{ readonly registryDigest?: string } | undefined> {
  const read = await resolved(push, push.tag)?.catch(() => undefined);
  if (read?.kind === "manifest") return { registryDigest: read.digest };
  return read?.kind === "not-found" ? {} : undefined;
}
