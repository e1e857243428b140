import type { ImagePushed } from "#domain/image/push";
import type { Ports } from "../shared/ports.ts";
import type { RegistryReads } from "../shared/registry-reads.ts";

/**
 * Publishes `PushDisputed` when the registry disagrees with a push about its tag.
 *
 * The registry is not asked for this: a push that no container could get, or that joined another
 * evaluation, is not compared.
 */
export async function publishDispute(
  push: ImagePushed,
  { resolved }: Pick<RegistryReads, "resolved">,
  { bus, metrics, clock }: Pick<Ports, "bus" | "metrics" | "clock">,
): Promise<void> {
  const { id, registry, repository, tag, digest, source } = push;
  const read = tag === undefined ? undefined : await resolved(push, tag)?.catch(() => undefined);
  if (tag === undefined || (read?.kind !== "manifest" && read?.kind !== "not-found")) return;
  const registryDigest = read.kind === "manifest" ? read.digest : undefined;
  if (registryDigest !== undefined && (digest ?? registryDigest) === registryDigest) return;
  metrics.add("PushesDisputed", 1, { registry, repository, source });
  await bus.publish([
    {
      ...{ name: "PushDisputed", id: `${id}/PushDisputed`, correlationId: id, registry, repository, tag },
      ...(digest === undefined ? {} : { digest }),
      ...(registryDigest === undefined ? {} : { registryDigest }),
      ...{ source, at: clock.now() },
    },
  ]);
}
