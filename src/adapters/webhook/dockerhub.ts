import { dockerHub } from "#domain/image/reference";
import * as z from "zod/mini";
import { mayBeImage } from "./media-type.ts";
import { anything, instantOfSeconds, nonEmpty, readJson, someText } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

/**
 * A push. Lookout does not read `callback_url`, because a sender could make Lookout call any
 * address.
 */
const Push = z.object({
  push_data: z.object({ tag: someText, pushed_at: anything, pusher: anything, media_type: someText }),
  repository: z.object({ repo_name: someText, namespace: someText, name: someText }),
});

/**
 * Reads the webhooks of Docker Hub. The webhooks report only pushes, without a digest.
 *
 * @see https://docs.docker.com/docker-hub/repos/manage/webhooks/
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const body = Push.safeParse(readJson(request));
    if (!body.success) return invalid("expected push_data and repository as JSON");
    const { push_data: push, repository } = body.data;
    const path = nonEmpty(repository.repo_name) ?? joined(repository);
    if (path === undefined) return invalid("repository.repo_name is missing");
    if (push.tag === undefined || push.tag === null) return ignored("the event has no tag and no digest");
    if (!mayBeImage(push.media_type)) return ignored("the event is not a push of an image");
    const { tag, pusher: actor } = push;
    return onePush({ host, path, references: [tag], pushedAt: instantOfSeconds(push.pushed_at), actor }, settings);
  },
};

const host = dockerHub;

function joined({ namespace, name }: z.output<typeof Push>["repository"]): string | undefined {
  const space = nonEmpty(namespace);
  const last = nonEmpty(name);
  return last === undefined || space === undefined ? last : `${space}/${last}`;
}
