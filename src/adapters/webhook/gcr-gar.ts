import * as z from "zod/mini";
import { anything, imageParts, instantOf, nonEmpty, parseJson, readJson, someText } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const Message = z.object({
  message: z.object({ data: z.string(), messageId: anything, publishTime: anything }),
});

const Notification = z.object({ action: z.string(), digest: someText, tag: someText });

/** A message of Container Analysis (`kind`) or Cloud Build (`status`) on the same topic. */
const OtherMessage = z.union([
  z.object({ name: z.string(), kind: z.string() }),
  z.object({ id: z.string(), status: z.string() }),
]);

/**
 * Reads the messages of Google's registries on the topic `gcr`, from a push subscription of Pub/Sub.
 * One push of a tag may cause two messages, for its digest and its tag.
 *
 * @see https://cloud.google.com/artifact-registry/docs/configure-notifications
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const envelope = Message.safeParse(readJson(request));
    if (!envelope.success) return invalid("expected a message of Pub/Sub with its data");
    const { data, messageId: id, publishTime } = envelope.data.message;
    const content = parseJson(Buffer.from(data, "base64"));
    const notification = Notification.safeParse(content);
    if (!notification.success && OtherMessage.safeParse(content).success)
      return ignored("the message is not about an image of a registry");
    if (!notification.success) return invalid("expected message.data to be JSON with an action, in base64");
    if (notification.data.action !== "INSERT") return ignored("nothing was inserted");
    const images = [notification.data.tag, notification.data.digest].flatMap((image) => nonEmpty(image) ?? []);
    const [image, other = image] = images.map(imageParts);
    if (image === undefined || other === undefined) return invalid("the event names neither a tag nor a digest");
    if (image.host !== other.host || image.path !== other.path)
      return invalid("the tag and the digest belong to different repositories");
    const references = images.flatMap((one) => imageParts(one).references);
    return onePush({ ...image, id, references, pushedAt: instantOf(publishTime) }, settings);
  },
};
