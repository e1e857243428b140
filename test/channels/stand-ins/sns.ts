import type { EpochMs } from "#domain/shared/time";
import { readNotification, type ShownNotification } from "./amazon-q.ts";
import { type AwsKey, signatureFault } from "./aws-signature.ts";
import { type Outcome, type Reply, standIn, type StandIn, type StandInOptions } from "./stand-in.ts";

export interface SnsOptions extends StandInOptions {
  readonly topicArn?: string;
  readonly key?: AwsKey;
}

/** A message that the topic accepted. */
export interface Published {
  readonly message: string;
  readonly subject: string | undefined;
  /** Each by its name: its value. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly at: EpochMs;
}

export interface SnsStandIn extends StandIn {
  readonly topicArn: string;
  readonly key: AwsKey;
  readonly published: readonly Published[];
  /** What Amazon Q shows of the messages, if it is subscribed, and why it dropped the others. */
  readonly amazonQ: () => { readonly shown: readonly ShownNotification[]; readonly dropped: readonly string[] };
}

const errorStatus = {
  AuthorizationError: 403,
  IncompleteSignature: 400,
  InternalFailure: 500,
  InvalidAction: 400,
  InvalidClientTokenId: 403,
  InvalidParameter: 400,
  MissingAuthenticationToken: 403,
  NotFound: 404,
  SignatureDoesNotMatch: 403,
  Throttled: 429,
} as const;

/** An error as the Query API answers it. */
export const snsError = (code: keyof typeof errorStatus, message = "no"): Reply => {
  const type = errorStatus[code] < 500 ? "Sender" : "Receiver";
  const escaped = message.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return xml(
    errorStatus[code],
    `<ErrorResponse xmlns="${namespace}"><Error><Type>${type}</Type><Code>${code}</Code><Message>${escaped}</Message></Error><RequestId>${requestId}</RequestId></ErrorResponse>`,
  );
};

const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";
const requestId = "11111111-1111-4111-8111-111111111111";

/** Starts an SNS with `Publish` to one topic. It checks signatures with its key. */
export async function snsStandIn({
  topicArn = "arn:aws:sns:eu-central-1:111122223333:lookout",
  key = { accessKeyId: "AKIDSTANDIN", secretAccessKey: "canary" },
  ...options
}: SnsOptions = {}): Promise<SnsStandIn> {
  const published: Published[] = [];
  const region = topicArn.split(":")[3] ?? "";
  const server = await standIn(options, (request) => {
    if (request.method !== "POST" || request.path !== "/")
      return refusal("InvalidAction", "the stand-in knows only POST /");
    if (!/^application\/x-www-form-urlencoded\b/.test(request.headers["content-type"] ?? ""))
      return refusal("InvalidAction", "the body is no form");
    const unproved = signatureFault(request, key, { region, service: "sns" });
    if (unproved !== undefined) return refusal(unproved.code, unproved.message);
    const form = new URLSearchParams(request.body);
    if (form.get("Action") !== "Publish" || form.get("Version") !== "2010-03-31")
      return refusal("InvalidAction", `${String(form.get("Action"))} of version ${String(form.get("Version"))}`);
    const topic = form.get("TopicArn") ?? "";
    if (!/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]{1,256}$/.test(topic)) return refusal("InvalidParameter", "TopicArn");
    if (topic !== topicArn) return refusal("NotFound", "Topic does not exist");
    const attributes = readAttributes(form);
    if (typeof attributes === "string") return refusal("InvalidParameter", attributes);
    const message = form.get("Message") ?? "";
    const subject = form.get("Subject") ?? undefined;
    const fault = messageFault(message, subject, attributes) ?? unknownField(form);
    if (fault !== undefined) return refusal("InvalidParameter", fault);
    const values = Object.fromEntries(attributes.map(({ name, value }) => [name, value]));
    published.push({ message, subject, attributes: values, at: request.at });
    const id = `${String(published.length).padStart(8, "0")}-0000-4000-8000-000000000000`;
    return {
      reply: xml(
        200,
        `<PublishResponse xmlns="${namespace}"><PublishResult><MessageId>${id}</MessageId></PublishResult><ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></PublishResponse>`,
      ),
      warnings: attributes.length > 10 ? ["a raw delivery to SQS drops a message with more than 10 attributes"] : [],
    };
  });
  return Object.assign(server, {
    topicArn,
    key,
    published,
    amazonQ: () => {
      const read = published.map(({ message }) => readNotification(message));
      return {
        shown: read.flatMap((one) => ("shown" in one ? [one.shown] : [])),
        dropped: read.flatMap((one) => ("dropped" in one ? [one.dropped] : [])),
      };
    },
  });
}

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** Reads `MessageAttributes.entry.N.…`; a text says what is wrong. */
function readAttributes(form: URLSearchParams): readonly Attribute[] | string {
  const prefix = "MessageAttributes.entry.";
  const numbers = [...form.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const attributes: Attribute[] = [];
  for (const number of new Set(numbers.map((name) => name.split(".")[0]))) {
    const of = (name: string): string => form.get(`${prefix}${String(number)}.${name}`) ?? "";
    const one = { name: of("Name"), type: of("Value.DataType"), value: of("Value.StringValue") };
    const fault = attributeFault(one, attributes);
    if (fault !== undefined) return `The message attribute '${one.name}' ${fault}`;
    attributes.push(one);
  }
  return attributes;
}

function attributeFault({ name, type, value }: Attribute, before: readonly Attribute[]): string | undefined {
  if (!/^(?!\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/.test(name) || /^(aws|amazon)\./i.test(name))
    return "has an invalid name";
  if (before.some((one) => one.name === name)) return "is repeated";
  if (value === "") return "must contain a non-empty value";
  if (type === "Number") return Number.isFinite(Number(value)) ? undefined : "is no number";
  return type === "String" || type === "String.Array" ? undefined : `has the type '${type}'`;
}

function messageFault(
  message: string,
  subject: string | undefined,
  attributes: readonly Attribute[],
): string | undefined {
  if (message === "") return "Empty message";
  const sized = [message, ...attributes.flatMap(({ name, type, value }) => [name, type, value])];
  if (sized.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > 256 * 1_024) return "Message too long";
  return subject === undefined || /^[!-~][ -~]{0,99}$/.test(subject) ? undefined : "Subject";
}

/** A misspelt field has no effect in AWS. */
function unknownField(form: URLSearchParams): string | undefined {
  const known =
    /^(Action|Version|TopicArn|Message|Subject|MessageAttributes\.entry\.\d+\.(Name|Value\.(DataType|StringValue)))$/;
  return [...form.keys()].find((name) => !known.test(name));
}

const xml = (status: number, body: string): Reply => ({ status, headers: { "content-type": "text/xml" }, body });

const refusal = (code: keyof typeof errorStatus, message: string): Outcome => ({
  reply: snsError(code, message),
  refused: `${code}: ${message}`,
});
