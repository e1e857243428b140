/** The ways in which a request proves that it comes from the registry. */
export const authenticationSchemes = [
  "plain",
  "bearer",
  "basic",
  "hmac",
  "hmac-sha1",
  "hmac-sha256",
  "hmac-sha512",
] as const;
/** One of {@link authenticationSchemes}. */
export type AuthenticationScheme = (typeof authenticationSchemes)[number];

/** The hash algorithms of signatures. */
export const hmacAlgorithms = ["sha1", "sha256", "sha512"] as const;
/** One of {@link hmacAlgorithms}. */
export type HmacAlgorithm = (typeof hmacAlgorithms)[number];

/** The place and form of a request's proof. Either `header` or `query` is set. */
export interface Authentication {
  /**
   * - `plain`: the secret.
   * - `bearer`: `Bearer <secret>`; a secret with its own scheme (`Basic …`) is the whole value.
   * - `basic`: the secret is `user:password`.
   * - `hmac-…`: the hexadecimal HMAC of the body.
   * - `hmac`: `<algorithm>=<digits>`.
   */
  readonly scheme: AuthenticationScheme;
  readonly header?: string;
  readonly query?: string;
  /** The text before the digits of a signature. */
  readonly prefix?: string;
  /** The accepted algorithms of `hmac`. The default is SHA-256. */
  readonly algorithms?: readonly HmacAlgorithm[];
}

/** The OpenID Connect tokens that a receiver accepts instead of a secret. */
export interface TokenTrust {
  readonly audience: string;
  readonly issuers: readonly string[];
  /** The address of the issuer's keys, or the keys themselves, as a JSON Web Key Set. */
  readonly keys: string | { readonly keys: readonly object[] };
  /** The required account, whose address the issuer has verified. */
  readonly email?: string | undefined;
  /** The required `sub`. */
  readonly subject?: string | undefined;
}

/** The properties of a kind of receiver. */
export interface ReceiverKindFacts {
  /** The display name of the system that sends the notifications. */
  readonly sender: string;
  /** The default authentication of requests. */
  readonly authentication: Authentication;
  /** The place of the URL and the secret in the sender's settings, as text for users. */
  readonly setting: string;
  /** A test notification, which proves its sender and contains no push. */
  readonly trial: { readonly headers?: Readonly<Record<string, string>>; readonly body: object };
  /** Whether notifications name the registry's host. `never`: the receiver needs a `registry`. */
  readonly namesRegistry: "always" | "sometimes" | "never";
  /**
   * The sender retries forever after a 4xx. So Lookout answers unusable notifications with 202, and
   * counts these notifications.
   */
  readonly retriesForEver?: true;
}

/** The authentication for senders that send neither signatures nor headers: a secret in the URL. */
const inAddress = { scheme: "plain", query: "secret" } as const;
const inAuthorization = { scheme: "plain", header: "Authorization" } as const;
const inOwnHeader = { scheme: "plain", header: "X-Webhook-Secret" } as const;
const bearer = { scheme: "bearer", header: "Authorization" } as const;

/** All kinds of receivers, by their names in `lookout.yaml`. */
export const receiverKinds = {
  acr: {
    sender: "Azure Container Registry, by webhook",
    authentication: inAuthorization,
    setting: 'az acr webhook create --actions push --uri URL --headers "Authorization=SECRET"',
    trial: { body: { action: "ping" } },
    namesRegistry: "sometimes",
  },
  "acr-eventgrid": {
    sender: "Azure Container Registry, by Event Grid",
    authentication: inAddress,
    setting: "Event subscription to Image Pushed, endpoint type Web Hook: URL?secret=SECRET",
    trial: { body: [{ eventType: "trial" }] },
    namesRegistry: "sometimes",
  },
  "aliyun-acr": {
    sender: "Alibaba Cloud Container Registry",
    authentication: inAddress,
    setting: "Triggers of the repository: URL?secret=SECRET",
    trial: { body: { specversion: "1.0", type: "trial" } },
    namesRegistry: "always",
  },
  cdevents: {
    sender: "CDEvents (artifact published)",
    authentication: inAddress,
    setting: "The sink of the sender: URL?secret=SECRET",
    trial: { body: { context: { type: "trial" } } },
    namesRegistry: "sometimes",
  },
  cloudevents: {
    sender: "a sender of CloudEvents about pushes",
    authentication: inOwnHeader,
    setting: "The sink of the sender: the URL, with the header X-Webhook-Secret",
    trial: { body: { specversion: "1.0", type: "trial" } },
    namesRegistry: "sometimes",
  },
  distribution: {
    sender: "the distribution registry, and the registry of self-managed GitLab",
    authentication: bearer,
    setting: "notifications.endpoints of the registry: the URL, with the header Authorization: [Bearer SECRET]",
    trial: { body: { events: [] } },
    namesRegistry: "sometimes",
    retriesForEver: true,
  },
  dockerhub: {
    sender: "Docker Hub",
    authentication: inAddress,
    setting: "Webhooks of the repository: URL?secret=SECRET",
    trial: { body: { push_data: {}, repository: { repo_name: "trial" } } },
    namesRegistry: "always",
  },
  ecr: {
    sender: "Amazon ECR, by an API destination",
    authentication: inOwnHeader,
    setting: "API destination of EventBridge: the URL, and a connection with the API key X-Webhook-Secret",
    trial: { body: { "detail-type": "trial", account: "", region: "", detail: {} } },
    namesRegistry: "always",
  },
  "gcr-gar": {
    sender: "Google Artifact Registry, by Pub/Sub",
    authentication: inAddress,
    setting: "Push subscription to the topic gcr: the URL, with authentication for tokens, else URL?secret=SECRET",
    trial: { body: { message: { data: "eyJhY3Rpb24iOiJ0cmlhbCJ9" } } },
    namesRegistry: "always",
    retriesForEver: true,
  },
  generic: {
    sender: "a build, in Lookout's own format",
    authentication: { scheme: "hmac", header: "X-Signature", algorithms: ["sha256"] },
    setting: "The build: X-Signature holds sha256= and the HMAC-SHA-256 of the body",
    trial: { body: { name: "registry.invalid/trial", tag: "sha256-00.sig" } },
    namesRegistry: "sometimes",
  },
  ghcr: {
    sender: "GitHub's container registry",
    authentication: { scheme: "hmac-sha256", header: "X-Hub-Signature-256", prefix: "sha256=" },
    setting:
      "Settings → Webhooks: URL and Secret, content type application/json, events Packages and Registry packages",
    trial: { headers: { "X-GitHub-Event": "ping" }, body: {} },
    namesRegistry: "always",
  },
  gitea: {
    sender: "Gitea and Forgejo",
    authentication: { scheme: "hmac-sha256", header: "X-Gitea-Signature" },
    setting: "Settings → Webhooks: Target URL and Secret, event Packages",
    trial: { headers: { "X-Gitea-Event": "push" }, body: {} },
    namesRegistry: "sometimes",
  },
  harbor: {
    sender: "Harbor",
    authentication: inAuthorization,
    setting: "Webhooks of the project, type http, event Artifact pushed: Endpoint URL, and the secret as Auth Header",
    trial: { body: { type: "trial" } },
    namesRegistry: "sometimes",
  },
  jfrog: {
    sender: "JFrog Artifactory",
    authentication: { scheme: "hmac-sha256", header: "X-JFrog-Event-Auth" },
    setting: "Administration → Webhooks: the URL, and the secret with “use secret for payload signing”",
    trial: { body: { domain: "trial", event_type: "trial" } },
    namesRegistry: "sometimes",
  },
  msr: {
    sender: "Mirantis Secure Registry",
    authentication: inAddress,
    setting: "Webhooks of the repository, event “Tag pushed to repository”: URL?secret=SECRET",
    trial: { body: { type: "trial" } },
    namesRegistry: "sometimes",
  },
  nexus: {
    sender: "Sonatype Nexus",
    authentication: { scheme: "hmac-sha1", header: "X-Nexus-Webhook-Signature" },
    setting: "Capabilities → Webhook: Repository, event component: URL and Secret Key",
    trial: { headers: { "X-Nexus-Webhook-Id": "trial" }, body: {} },
    namesRegistry: "never",
  },
  quay: {
    sender: "Quay",
    authentication: inAddress,
    setting: "Settings → Events and notifications, Push to Repository, Webhook POST: URL?secret=SECRET",
    trial: { body: { repository: "trial" } },
    namesRegistry: "always",
  },
  zot: {
    sender: "zot",
    authentication: { scheme: "basic", header: "Authorization" },
    setting: "extensions.events.sinks, type http: the URL, with username and password",
    trial: { body: { specversion: "1.0", type: "trial" } },
    namesRegistry: "never",
  },
} as const satisfies Readonly<Record<string, ReceiverKindFacts>>;

/** The name of a kind of receiver. */
export type ReceiverKind = keyof typeof receiverKinds;

/** Returns the properties of a kind of receiver. */
export function receiverKind(kind: ReceiverKind): ReceiverKindFacts {
  return receiverKinds[kind];
}

/**
 * The issuer of Pub/Sub's tokens:
 * https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
export const googleTokens = {
  issuers: ["https://accounts.google.com", "accounts.google.com"],
  keys: "https://www.googleapis.com/oauth2/v3/certs",
} as const;
