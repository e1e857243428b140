import { getCACertificates } from "node:tls";
import { isDigest } from "#domain/image/reference";
import { noRequestsLeft, type RegistryAnswer } from "#domain/registry/pauses";
import type { Asking, ConfigRead, ManifestRead, Registry, RegistryRefusal, RepositoryName } from "#ports/registry";
import { type ConnectionOptions, type LookupAll, openHttp, type SendHttp } from "../shared/http-send.ts";
import { checkedDigest, checkedTag, checkRepository } from "../shared/registry-names.ts";
import { authorizationCache } from "./authorizations.ts";
import {
  digestOf,
  hashesTo,
  longestConfigBytes,
  manifestTypes,
  describedByConfig,
  platformsOf,
} from "../shared/image-content.ts";
import type { CredentialSource } from "./credentials.ts";
import type { RegistrySettings, RegistrySite } from "./hosts.ts";
import { siteOf } from "./hosts.ts";
import type { HttpAnswer, HttpRequest } from "./http.ts";
import { unreachable } from "./http.ts";
import { observer, type Observer } from "./inspection.ts";
import { isPublicAddress } from "../shared/public-address.ts";
import { pauseMsOf, unknownResetMs } from "./rate-limit.ts";
import type { AskRepository } from "./repository-client.ts";
import { repositoryClient } from "./repository-client.ts";
import { type SiteClient, siteClient, type Senders } from "./site-client.ts";
import { listTags } from "./tags.ts";

/** The options of the OCI adapter. */
export interface OciRegistryOptions {
  readonly credentials: CredentialSource;
  /**
   * The entries of `lookout.yaml`. Lookout reaches other registries by their own names, over HTTPS,
   * and only at public addresses.
   */
  readonly registries?: readonly RegistrySettings[];
  /**
   * Sends requests without a credential to hosts that a registry names. Default: only to public
   * addresses.
   */
  readonly sendInTheOpen?: SendHttp;
  /** Resolves names. Default: the system's resolver. */
  readonly lookup?: LookupAll;
  /** The time limit of one request and its answer. Default: 10 s. */
  readonly timeoutMs?: number;
  /** A clock that never goes back, for the lifetimes of tokens. */
  readonly monotonicMs?: () => number;
}

/** Lookout closes an idle connection before common registries close the connection. */
const connections = { connectMs: 10_000, keepMs: 30_000 } as const;

/** @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pushing-manifests */
const manifestLimitBytes = 4 * 1024 * 1024;

/** The maximum size of the answer to `/v2/`, which is usually empty or `{}`. */
const baseLimitBytes = 64 * 1024;

/**
 * Returns the port for registries with the OCI distribution protocol.
 *
 * @throws PermanentError from a method, for an invalid name, tag or digest.
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
export function ociRegistry(options: OciRegistryOptions): Registry {
  const senders = sendersOf(options);
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const authorizations = authorizationCache(monotonicMs);

  const clientFor = (site: RegistrySite, own: Senders) => siteClient(site, own, options.timeoutMs ?? 10_000);

  let operations = 0;
  /** Counts the answers of one operation, of which only the last is kept. */
  const counted = (spending: Asking["spending"]): Counted => {
    operations += 1;
    const thing = `answer ${operations}`;
    return {
      grew: (bytes) => spending?.hold(thing, bytes),
      end: () => spending?.hold(thing, 0),
    };
  };

  const repositoryOf = (name: RepositoryName, signal: AbortSignal, { grew }: Counted): AskRepository => {
    checkRepository(name);
    const site = siteOf(name, options.registries ?? []);
    const client = clientFor(site, senders(site.settings));
    return repositoryClient({ client, credentials: options.credentials, authorizations, name, grew, signal });
  };

  /** Runs one operation on a repository. The last answer adds its pause. */
  const operate = async <Answer extends object>(
    name: RepositoryName,
    signal: AbortSignal,
    { spending }: Asking,
    read: (ask: AskRepository) => Promise<Answer>,
  ): Promise<Answer & { readonly pauseMs?: number }> => {
    const answers = counted(spending);
    try {
      return await withPause(repositoryOf(name, signal, answers), read);
    } finally {
      answers.end();
    }
  };

  /**
   * Returns a client for an inspection. The client logs in again, so that the inspection tests the
   * credential too.
   */
  const observedRepository = (
    name: RepositoryName,
    signal: AbortSignal,
    { senders: watched, credentials }: Observer,
    { grew }: Counted,
  ) => {
    checkRepository(name);
    const site = siteOf(name, options.registries ?? []);
    return repositoryClient({
      client: clientFor(site, watched(site, senders(site.settings))),
      credentials: credentials(options.credentials),
      authorizations: authorizationCache(monotonicMs),
      name,
      grew,
      signal,
    });
  };

  return {
    tags: (name, signal, asking = {}) =>
      operate(name, signal, asking, (ask) => listTags(ask, { name, monotonicMs, ...asking })),
    inspect: async (name, signal, asking = {}) => {
      const notes = observer();
      const answers = counted(asking.spending);
      const listing = await withPause(observedRepository(name, signal, notes, answers), (ask) =>
        listTags(ask, { name, monotonicMs, ...asking }),
      );
      answers.end();
      return { listing, ...notes.seen() };
    },
    resolve: (name, tag, signal, asking = {}) =>
      operate(name, signal, asking, (ask) => resolveTag(ask, checkedTag(tag))),
    manifest: (name, digest, signal, asking = {}) =>
      operate(name, signal, asking, (ask) => readManifest(ask, checkedDigest(digest))),
    config: (name, digest, signal, asking = {}) =>
      operate(name, signal, asking, (ask) => readConfig(ask, checkedDigest(digest))),
    answers: async (name, signal) => {
      const site = siteOf(name, options.registries ?? []);
      return await answersForItself(clientFor(site, senders(site.settings)), signal);
    },
  };
}

/** Counts the bytes of an operation's answers. */
interface Counted {
  readonly grew: NonNullable<HttpRequest["grew"]>;
  readonly end: () => void;
}

/**
 * Returns the registry's answer to `/v2/`. The request has no credential, because status 401 is an
 * answer too. A limit is an answer that asks for a pause.
 */
async function answersForItself(client: SiteClient, signal: AbortSignal): Promise<RegistryAnswer> {
  const url = new URL(`${client.site.origin}/v2/`);
  const answer = await client.send({
    method: "GET",
    url,
    reach: "own",
    headers: {},
    limitBytes: baseLimitBytes,
    signal,
  });
  if (answer.kind === "answer") {
    const pauseMs = pauseMsOf(answer.headers) ?? 0;
    return pauseMs > 0 ? { kind: "limited", detail: noRequestsLeft(client.site.host), pauseMs } : { kind: "answers" };
  }
  if (answer.kind !== "unreachable" || answer.reason !== "registry-throttled") return { kind: "no-answer" };
  return { kind: "limited", detail: answer.detail, pauseMs: answer.retryAfterMs ?? unknownResetMs };
}

/**
 * Returns a function that gives the senders of an entry. The first call for an entry opens its
 * connections.
 */
function sendersOf({ sendInTheOpen, ...options }: OciRegistryOptions): (settings?: RegistrySettings) => Senders {
  const lookup = options.lookup === undefined ? {} : { lookup: options.lookup };
  const toPublic = { ...connections, ...lookup, mayDial: isPublicAddress };
  const open = sendInTheOpen ?? openHttp(toPublic).send;
  const unlisted = { own: openHttp(toPublic).send, open };
  const opened = new Map<RegistrySettings, Senders>();
  return (settings) => {
    if (settings === undefined) return unlisted;
    const known = opened.get(settings);
    if (known !== undefined) return known;
    const { allowPrivateNetwork = false, proxy, ca } = settings;
    const through = proxy === undefined ? toPublic : { ...toPublic, proxy };
    const own = { ...through, mayDial: (address: string) => allowPrivateNetwork || isPublicAddress(address) };
    const senders = { own: ca === undefined ? openHttp(own).send : withAuthorities(own, ca), open };
    opened.set(settings, senders);
    return senders;
  };
}

/**
 * Returns a sender that trusts more certificate authorities. The authorities are read before the
 * first request, and again after a failure.
 */
function withAuthorities(options: ConnectionOptions, ca: () => Promise<string>): SendHttp {
  let opened: SendHttp | undefined;
  return async (url, call) => {
    opened ??= openHttp({ ...options, ca: [...getCACertificates(), await ca()] }).send;
    return opened(url, call);
  };
}

/** Adds the pause that the ratelimit headers of the last answer demand. */
async function withPause<Answer extends object>(
  ask: AskRepository,
  read: (ask: AskRepository) => Promise<Answer>,
): Promise<Answer & { readonly pauseMs?: number }> {
  let pauseMs: number | undefined;
  const answer = await read(async (request) => {
    const answered = await ask(request);
    if (answered.kind === "answer") pauseMs = pauseMsOf(answered.headers);
    return answered;
  });
  return pauseMs === undefined ? answer : { ...answer, pauseMs };
}

/**
 * Returns the digest of a tag: the digest in the header of a HEAD, else the digest of the content.
 * A header with an invalid digest is ignored.
 */
async function resolveTag(ask: AskRepository, tag: string): Promise<ManifestRead> {
  const request = { target: `manifests/${tag}`, accept: manifestTypes, limitBytes: manifestLimitBytes };
  const head = await ask({ ...request, method: "HEAD" });
  if (head.kind !== "answer") return head;
  if (head.status !== 200) return missingOrStrange(head);
  // The client repeats a refused HEAD as a GET, whose answer has content.
  if (head.content.length > 0) return resolvedBy(head);
  const digest = statedDigest(head);
  if (digest !== undefined) return single(digest);

  const get = await ask({ ...request, method: "GET" });
  if (get.kind !== "answer") return get;
  return get.status === 200 ? resolvedBy(get) : missingOrStrange(get);
}

function resolvedBy(answer: HttpAnswer): ManifestRead {
  const { url, content } = answer;
  if (platformsOf(content) === undefined) return unreachable(url, "sent content that is not an image manifest");
  const digest = statedDigest(answer) ?? digestOf(content);
  if (hashesTo(content, digest)) return single(digest);
  return unreachable(url, `sent content that does not hash to its Docker-Content-Digest ${digest}`);
}

function statedDigest({ headers }: HttpAnswer): string | undefined {
  const digest = headers.get("docker-content-digest");
  return digest !== undefined && isDigest(digest) ? digest : undefined;
}

async function readManifest(ask: AskRepository, digest: string): Promise<ManifestRead> {
  const target = `manifests/${digest}`;
  const answer = await ask({ method: "GET", target, accept: manifestTypes, limitBytes: manifestLimitBytes });
  if (answer.kind !== "answer") return answer;
  if (answer.status !== 200) return missingOrStrange(answer);
  if (!hashesTo(answer.content, digest)) return unreachable(answer.url, `sent content that does not hash to ${digest}`);
  const platforms = platformsOf(answer.content);
  if (platforms === undefined)
    return unreachable(answer.url, `sent content for ${digest} that is not an image manifest`);
  return { kind: "manifest", digest, ...platforms };
}

/** @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-blobs */
async function readConfig(ask: AskRepository, digest: string): Promise<ConfigRead> {
  const answer = await ask({
    method: "GET",
    target: `blobs/${digest}`,
    accept: "application/octet-stream, */*",
    limitBytes: longestConfigBytes,
  });
  if (answer.kind !== "answer") return answer;
  if (answer.status !== 200) return missingOrStrange(answer);
  if (!hashesTo(answer.content, digest)) return unreachable(answer.url, `sent content that does not hash to ${digest}`);
  return { kind: "config", ...describedByConfig(answer.content) };
}

function single(digest: string): ManifestRead {
  return { kind: "manifest", digest, platforms: [] };
}

function missingOrStrange(answer: HttpAnswer): RegistryRefusal | { readonly kind: "not-found" } {
  return answer.status === 404 ? { kind: "not-found" } : unreachable(answer.url, `answered ${answer.status}`);
}
