import {
  type Authentication,
  receiverKind,
  googleTokens,
  type ReceiverKind,
  type TokenTrust,
} from "#contracts/config/receiver-kinds";

/** The place of a receiver's secret. On AWS, the place includes the region of the stack. */
export type SecretSource =
  | { readonly variable: string }
  | { readonly file: string }
  | { readonly parameter: string; readonly region?: string }
  | { readonly secret: string; readonly region?: string };

/** The parts of a receiver that its sender needs. */
export interface ReceiverUrl {
  readonly receiver: string;
  readonly kind: ReceiverKind;
  readonly url: string;
  /** The place of the secret. Absent for a receiver with tokens. */
  readonly secret?: SecretSource;
  readonly authentication: Authentication;
  /** The accepted tokens. Absent for a receiver with a secret. */
  readonly tokens?: TokenTrust;
}

/** Returns the JSON of `lookout webhook url`. */
export function webhookUrlView(receiver: ReceiverUrl): Readonly<Record<string, unknown>> {
  const { receiver: name, kind, url } = receiver;
  return {
    receiver: name,
    kind,
    url,
    setting: receiverKind(kind).setting,
    proof: proofText(receiver),
    secret: placeText(receiver),
    command: trialCommand(receiver),
  };
}

/**
 * Returns the text of `lookout webhook url`: the URL, the sender's setting and a test command.
 * `about` names the source of the URL.
 */
export function renderWebhookUrl(receiver: ReceiverUrl, about: string): string {
  const { sender, setting } = receiverKind(receiver.kind);
  return [
    about,
    "",
    `URL      ${receiver.url}`,
    `Sender   ${sender}`,
    `Setting  ${setting}`,
    `Proof    ${proofText(receiver)}`,
    `Secret   ${placeText(receiver)}`,
    "",
    "Test command. With a valid proof, Lookout answers 202 and updates nothing:",
    "",
    ...trialCommand(receiver)
      .split("\n")
      .map((line) => `  ${line}`),
    "",
  ].join("\n");
}

/**
 * Returns shell commands that send a test notification with a proof. The commands never print the
 * secret.
 */
export function trialCommand(receiver: ReceiverUrl): string {
  const { headers = {}, body } = receiverKind(receiver.kind).trial;
  const proof =
    receiver.tokens === undefined
      ? secretProof(receiver.authentication)
      : { lines: [], option: '--header "Authorization: Bearer $token"' };
  const given = Object.entries({ "Content-Type": "application/json", ...headers }).map(
    ([name, value]) => `--header ${quoted(`${name}: ${value}`)}`,
  );
  return [
    receiver.tokens === undefined
      ? `secret=$(${readCommand(receiver.secret)} | head -n 1)`
      : `token=${tokenCommand(receiver.tokens)}`,
    `body=${quoted(JSON.stringify(body))}`,
    ...proof.lines,
    `curl --silent --show-error --fail-with-body ${[...given, proof.option].join(" ")} --data "$body" ${quoted(receiver.url)}`,
  ].join("\n");
}

interface ShellProof {
  readonly lines: readonly string[];
  readonly option: string;
}

function secretProof({
  scheme,
  header = "",
  query,
  prefix = "",
  algorithms: [algorithm = "sha256"] = [],
}: Authentication): ShellProof {
  const option = (value: string): string =>
    query === undefined ? `--header "${header}: ${value}"` : `--url-query "${query}=${value}"`;
  if (scheme === "plain") return { lines: [], option: option("$secret") };
  if (scheme === "basic")
    return { lines: ["proof=$(printf '%s' \"$secret\" | openssl base64 -A)"], option: option("Basic $proof") };
  // A secret that begins with a scheme is the whole header.
  if (scheme === "bearer")
    return {
      lines: ['case "$secret" in [Bb]asic\\ *|[Bb]earer\\ *) proof=$secret;; *) proof="Bearer $secret";; esac'],
      option: option("$proof"),
    };
  const hash = scheme === "hmac" ? algorithm : scheme.replace("hmac-", "");
  const lines = [`proof=$(printf '%s' "$body" | openssl dgst -${hash} -hmac "$secret" -r | cut -d' ' -f1)`];
  return { lines, option: option(`${scheme === "hmac" ? `${hash}=` : prefix}$proof`) };
}

function readCommand(source: SecretSource | undefined): string {
  if (source === undefined) return ":";
  if ("variable" in source) return `printf '%s\\n' "$${source.variable}"`;
  if ("file" in source) return `cat ${quoted(source.file)}`;
  const region = source.region === undefined ? "" : ` --region ${source.region}`;
  return "parameter" in source
    ? `aws ssm get-parameter${region} --with-decryption --name ${quoted(source.parameter)} --query Parameter.Value --output text`
    : `aws secretsmanager get-secret-value${region} --secret-id ${quoted(source.secret)} --query SecretString --output text`;
}

function tokenCommand({ issuers, audience, email }: TokenTrust): string {
  if (issuers.join() !== googleTokens.issuers.join() || email === undefined)
    return `$TOKEN   # of ${issuers.join(" or ")}, for ${audience}`;
  return `$(gcloud auth print-identity-token --include-email --impersonate-service-account=${quoted(email)} --audiences=${quoted(audience)})`;
}

function placeText({ secret, tokens }: ReceiverUrl): string {
  if (tokens !== undefined) return "none; the receiver accepts tokens";
  if (secret === undefined) return "none";
  if ("variable" in secret) return `the variable ${secret.variable}`;
  if ("file" in secret) return `the file ${secret.file}`;
  return "parameter" in secret
    ? `the parameter ${secret.parameter} of SSM`
    : `the secret ${secret.secret} of Secrets Manager`;
}

function proofText({
  authentication: { scheme, header, query = "", prefix = "", algorithms: [algorithm = "sha256"] = [] },
  tokens,
}: ReceiverUrl): string {
  if (tokens !== undefined)
    return `Authorization: Bearer and a token of ${tokens.issuers.join(" or ")}, for ${tokens.audience}, of ${[tokens.email, tokens.subject].filter((one) => one !== undefined).join(", ")}`;
  const where = header === undefined ? `?${query}= in the URL` : `the header ${header}`;
  const forms = {
    plain: "the secret",
    bearer: "Bearer and the secret",
    basic: "the secret, user:password, as a basic header",
  } as const;
  if (scheme === "plain" || scheme === "bearer" || scheme === "basic") return `${where}: ${forms[scheme]}`;
  const hash = scheme === "hmac" ? algorithm : scheme.replace("hmac-", "");
  return `${where}: ${scheme === "hmac" ? `${hash}=` : prefix}the HMAC of the body with ${hash}, in hexadecimal`;
}

/** Quotes a text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
