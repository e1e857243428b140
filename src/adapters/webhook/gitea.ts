import * as z from "zod/mini";
import { anything, hostOf, instantOf, nonEmpty, parseJson, payloadOf, someText, text } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const AnyPackage = z.object({ action: z.string(), package: z.object({ type: z.string() }) });

const Container = z.object({
  package: z.object({
    name: text,
    version: text,
    owner: z.object({ login: text }),
    html_url: someText,
    created_at: anything,
  }),
  sender: z.nullish(z.object({ login: anything })),
});

/**
 * Reads the event `package` of Gitea and Forgejo, for containers. Their registry is at the root of the
 * forge's host, with names in lower case.
 *
 * @see https://docs.gitea.com/usage/webhooks
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const event = nonEmpty(request.headers["x-gitea-event"]) ?? nonEmpty(request.headers["x-forgejo-event"]);
    if (event === undefined) return invalid("the X-Gitea-Event header is missing");
    if (event !== "package") return ignored("the event is not about a package");
    const content = parseJson(payloadOf(request));
    const body = AnyPackage.safeParse(content);
    if (!body.success) return invalid("expected an action and a package with its type as JSON");
    if (body.data.action !== "created") return ignored("nothing was created");
    if (body.data.package.type !== "container") return ignored("the package is not an image");
    const container = Container.safeParse(content);
    if (!container.success) return invalid("expected a package with name, version and owner");
    const { package: published, sender } = container.data;
    const stated = {
      id: request.headers["x-gitea-delivery"],
      host: hostOf(published.html_url),
      path: `${published.owner.login}/${published.name}`.toLowerCase(),
      references: [published.version],
      pushedAt: instantOf(published.created_at),
      actor: sender?.login,
    };
    return onePush(stated, settings);
  },
  // The signature of a form covers only the JSON in the field `payload`.
  signed: payloadOf,
};
