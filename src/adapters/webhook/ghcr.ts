import * as z from "zod/mini";
import { isDigest } from "#domain/image/reference";
import { mayBeImage } from "./media-type.ts";
import {
  anything,
  hostOf,
  imageParts,
  instantOf,
  nonEmpty,
  parseJson,
  payloadOf,
  someText,
  type StatedPush,
} from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

/** The tag of a version. Some senders write only its name. */
const Tag = z.union([z.object({ name: someText, digest: someText }), z.string()]);

const Version = z.object({
  version: someText,
  name: someText,
  package_url: someText,
  updated_at: anything,
  // Some events omit this field or use another form. The other fields name the image too.
  container_metadata: z.catch(
    z.nullish(
      z.object({
        tag: z.catch(z.nullish(Tag), undefined),
        manifest: z.catch(z.nullish(z.object({ config: z.nullish(z.object({ media_type: someText })) })), undefined),
      }),
    ),
    undefined,
  ),
  // The form of GitHub's REST API.
  metadata: z.catch(z.nullish(z.object({ container: z.object({ tags: z.array(z.string()) }) })), undefined),
});

const Package = z.object({
  name: someText,
  package_type: z.string(),
  owner: z.nullish(z.object({ login: someText })),
  registry: z.nullish(z.object({ url: someText })),
  package_version: z.nullish(Version),
});
type Package = z.output<typeof Package>;

const AnyPackage = z.object({
  package: z.catch(z.optional(Package), undefined),
  registry_package: z.catch(z.optional(Package), undefined),
});

const Event = z.object({ action: z.string(), sender: z.nullish(z.object({ login: anything })) });

/**
 * The actions of pushes. With `updated`, a tag moved to an existing image. In 2020, `published` was
 * named `create`.
 */
const pushActions: ReadonlySet<string> = new Set(["published", "updated", "create"]);

/** The field of the package, by event. */
const memberOf: ReadonlyMap<string, "package" | "registry_package"> = new Map([
  ["package", "package"],
  ["registry_package", "registry_package"],
]);

/**
 * Reads GitHub's events `package` and `registry_package`, for containers.
 *
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads#package
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const event = nonEmpty(request.headers["x-github-event"]);
    if (event === undefined) return invalid("the X-GitHub-Event header is missing");
    const member = memberOf.get(event);
    if (member === undefined) return ignored("the event is not about a package");
    const content = parseJson(payloadOf(request));
    const body = Event.safeParse(content);
    if (!body.success) return invalid("expected an event with an action as JSON");
    if (!pushActions.has(body.data.action)) return ignored("nothing was published");
    const published = packageIn(content, member);
    if (published === undefined) return invalid(`expected a ${member} with a package_type`);
    if (!isImage(published)) return ignored("the package is not an image");
    const stated = statedPush(published);
    if (stated === undefined) return invalid("the event names no package");
    if (stated.digest === undefined && stated.references.every((tag) => nonEmpty(tag) === undefined))
      return ignored("the event names neither a tag nor a digest");
    const id = request.headers["x-github-delivery"];
    return onePush({ ...stated, id, actor: body.data.sender?.login }, settings);
  },
};

/** Returns the package. Some senders use the field of the other event. */
function packageIn(content: unknown, member: "package" | "registry_package"): Package | undefined {
  const { data } = AnyPackage.safeParse(content);
  return member === "package" ? (data?.package ?? data?.registry_package) : (data?.registry_package ?? data?.package);
}

function isImage({ package_type: type, package_version: version }: Package): boolean {
  const isContainer = ["container", "docker"].includes(type.toLowerCase());
  return isContainer && mayBeImage(version?.container_metadata?.manifest?.config?.media_type);
}

function statedPush(published: Package): StatedPush | undefined {
  const { package_version: version } = published;
  const image = imageOf(published);
  const digests = [tagIn(version).digest, version?.version, version?.name];
  const digest = digests.find((text) => isDigest(text ?? ""));
  return image && { ...image, references: tagsOf(version), digest, pushedAt: instantOf(version?.updated_at) };
}

function tagIn(version: Package["package_version"]): Exclude<z.output<typeof Tag>, string> {
  const tag = version?.container_metadata?.tag ?? {};
  return typeof tag === "string" ? { name: tag } : tag;
}

/**
 * Returns the tag in the container metadata, else in the image's name, else in the metadata of the
 * REST API. In old events, which have none of these, the version is the tag.
 */
function tagsOf(version: Package["package_version"]): StatedPush["references"] {
  const [tagInName] = imageParts(version?.package_url ?? "").references;
  const tag = nonEmpty(tagIn(version).name) ?? nonEmpty(tagInName);
  if (tag !== undefined) return [tag];
  const isOld = !version?.container_metadata?.tag;
  return version?.metadata?.container.tags ?? (isOld ? [version?.version] : []);
}

/**
 * Returns the image's host and path from the full name, else from the old registry's address, else
 * from owner and name. GitHub ignores case.
 */
function imageOf({
  package_version: version,
  registry,
  owner,
  name,
}: Package): Pick<StatedPush, "host" | "path"> | undefined {
  const whole = imageParts(nonEmpty(version?.package_url) ?? "");
  if (nonEmpty(whole.host) !== undefined) return { host: whole.host, path: whole.path.toLowerCase() };
  const address = nonEmpty(registry?.url);
  if (hostOf(address) === home) return { host: home, path: new URL(address ?? "").pathname.slice(1).toLowerCase() };
  const login = nonEmpty(owner?.login);
  const last = nonEmpty(name);
  return login === undefined || last === undefined ? undefined : { host: home, path: `${login}/${last}`.toLowerCase() };
}

const home = "ghcr.io";
