import * as z from "zod/mini";
import { readImageUrl } from "./package-url.ts";
import { anything, instantOf, readJson } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const AnyEvent = z.object({ context: z.object({ type: z.string(), id: anything, timestamp: anything }) });

/** A CloudEvent that carries the CDEvent. */
const Wrapped = z.object({ specversion: z.string(), data: anything });

const Published = z.object({
  subject: z.object({ id: z.string(), content: z.nullish(z.object({ user: anything })) }),
});

/**
 * Reads CDEvents of published artifacts whose package URL names an OCI image.
 *
 * @see https://cdevents.dev/docs/continuous-integration/#artifact-published
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    const event = Wrapped.safeParse(content).data?.data ?? content;
    const any = AnyEvent.safeParse(event);
    if (!any.success) return invalid("expected a context with its type as JSON");
    const { type, id, timestamp } = any.data.context;
    if (!type.startsWith("dev.cdevents.artifact.published.")) return ignored("no artifact was published");
    const published = Published.safeParse(event);
    if (!published.success) return invalid("expected a subject with its id");
    const { subject } = published.data;
    if (!subject.id.startsWith("pkg:oci/")) return ignored("the artifact is not an image");
    const image = readImageUrl(subject.id);
    if (image === undefined) return invalid("subject.id is not of the form pkg:oci/name@digest?repository_url=…&tag=…");
    return onePush({ id, ...image, pushedAt: instantOf(timestamp), actor: subject.content?.user }, settings);
  },
};
