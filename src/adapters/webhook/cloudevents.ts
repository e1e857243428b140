import * as z from "zod/mini";
import { domainOf } from "#domain/registry/ecr-host";
import { type CloudEvent, cloudEventOf } from "./cloud-event.ts";
import { hostOf, instantOf, nonEmpty, someText, type StatedPush } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const Data = z.object({
  repositoryName: someText,
  repository: someText,
  imageTag: someText,
  tag: someText,
  imageDigest: someText,
  digest: someText,
  registryUrl: someText,
  registry: someText,
  registryId: someText,
});
type Data = z.output<typeof Data>;

/**
 * Reads CloudEvents of pushes with the field names of Argo CD Image Updater. A rule of EventBridge
 * with an input transformer sends such events.
 *
 * @see https://argocd-image-updater.readthedocs.io/en/stable/configuration/webhook/
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const event = cloudEventOf(request);
    if (event === undefined) return invalid("expected a CloudEvent as JSON");
    if (!/(?:^|[._-])(?:push|pushed|published)$/i.test(event.type)) return ignored("the event's type is not a push");
    const data = Data.safeParse(event.data);
    if (!data.success) return invalid("expected data with repositoryName and imageTag");
    return onePush(statedPush(event, data.data), settings);
  },
};

/**
 * Returns the push that an event states. A repository or tag that the data lack comes from the
 * `subject`, which has the form `repository:tag`.
 */
function statedPush({ id, time, source, subject }: CloudEvent, data: Data): StatedPush {
  const [repository = "", ...tag] = (subject ?? "").split(":");
  const digest = nonEmpty(data.imageDigest) ?? nonEmpty(data.digest);
  return {
    id,
    host: hostIn(nonEmpty(data.registryUrl) ?? nonEmpty(data.registry)) ?? ecrHost(source, data) ?? hostOf(source),
    path: nonEmpty(data.repositoryName) ?? nonEmpty(data.repository) ?? repository,
    references: [nonEmpty(data.imageTag) ?? nonEmpty(data.tag) ?? tag.join(":")],
    digest,
    pushedAt: instantOf(time),
  };
}

function hostIn(registry: string | undefined): string | undefined {
  return hostOf(registry) ?? registry;
}

/**
 * Returns the host of ECR for a source of the form
 * `urn:aws:ecr:<region>:<account>:repository/<name>`.
 */
function ecrHost(source: string | null | undefined, { registryId }: Data): string | undefined {
  const [, region, account] = /^(?:urn|arn):aws[a-z-]*:ecr:([a-z0-9-]+):(\d{12}):/.exec(source ?? "") ?? [];
  if (region === undefined || account === undefined) return undefined;
  return `${nonEmpty(registryId) ?? account}.dkr.ecr.${region}.${domainOf(region)}`;
}
