import * as z from "zod/mini";
import { anything, instantOf, nonEmpty, readJson, text } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const AnyComponent = z.object({ action: z.string(), component: z.object({ format: z.string() }) });

const Component = z.object({
  timestamp: anything,
  initiator: anything,
  component: z.object({ name: text, version: text }),
});

/** The actions of pushes. A repeated push of a tag is an update. */
const pushActions: ReadonlySet<string> = new Set(["CREATED", "UPDATED"]);

/**
 * Reads the component webhooks of Sonatype Nexus. The webhooks have neither host nor digest.
 *
 * @see https://help.sonatype.com/en/webhooks.html
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const event = nonEmpty(request.headers["x-nexus-webhook-id"]);
    if (event === undefined) return invalid("the X-Nexus-Webhook-Id header is missing");
    if (event !== "rm:repository:component") return ignored("the event is not about a component");
    const content = readJson(request);
    const any = AnyComponent.safeParse(content);
    if (!any.success) return invalid("expected an action and a component with its format as JSON");
    if (any.data.component.format !== "docker") return ignored("the component is not an image");
    if (!pushActions.has(any.data.action)) return ignored("nothing was pushed");
    const read = Component.safeParse(content);
    if (!read.success) return invalid("expected a component with name and version");
    const { timestamp, initiator: actor, component } = read.data;
    const stated = { path: component.name, references: [component.version], pushedAt: instantOf(withColon(timestamp)) };
    return onePush({ ...stated, id: request.headers["x-nexus-webhook-delivery"], actor }, settings);
  },
};

/** Adds the colon that is missing in Nexus's time zone, such as `+0000`. */
function withColon(timestamp: unknown): string | undefined {
  return typeof timestamp === "string" ? timestamp.replace(/([+-]\d{2})(\d{2})$/, "$1:$2") : undefined;
}
