import * as z from "zod/mini";
import { anything, imageParts, instantOf, nonEmpty, readJson, someText } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const AnyNotification = z.object({ type: z.string() });

const Push = z.object({
  createdAt: anything,
  contents: z.object({
    imageName: someText,
    namespace: someText,
    repository: someText,
    tag: someText,
    digest: someText,
    author: anything,
  }),
});

/**
 * The types of pushes. One push causes events of both types with the same digest, so the second
 * event changes nothing.
 */
const pushTypes: ReadonlySet<string> = new Set(["TAG_PUSH", "MANIFEST_PUSH"]);

/**
 * Reads the webhooks of Mirantis Secure Registry, the successor of Docker Trusted Registry.
 *
 * @see https://docs.mirantis.com/msr/
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    const any = AnyNotification.safeParse(content);
    if (!any.success) return invalid("expected a type as JSON");
    if (!pushTypes.has(any.data.type)) return ignored("the event is not a push");
    const push = Push.safeParse(content);
    if (!push.success) return invalid("expected a push with its contents");
    const { imageName, namespace, repository, tag, digest, author: actor } = push.data.contents;
    const whole = imageParts(nonEmpty(imageName) ?? `/${namespace ?? ""}/${repository ?? ""}`);
    const references = nonEmpty(tag) === undefined ? whole.references : [tag];
    return onePush({ ...whole, references, digest, pushedAt: instantOf(push.data.createdAt), actor }, settings);
  },
};
