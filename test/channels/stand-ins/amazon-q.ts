import { isObject, parseJson } from "#domain/shared/json";

/** What Amazon Q shows in the chat. */
export interface ShownNotification {
  readonly title: string | undefined;
  readonly description: string;
  readonly nextSteps: readonly string[];
  readonly keywords: readonly string[];
  readonly threadId: string | undefined;
}

type Check = (value: unknown) => string | undefined;

const must =
  (isRight: (value: unknown) => boolean, be: string): Check =>
  (value) =>
    isRight(value) ? undefined : `must be ${be}`;

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const text = must(isText, "a text");
const boolean = must((value) => typeof value === "boolean", "true or false");
const exactly = (wanted: string): Check => must((value) => value === wanted, `"${wanted}"`);
const texts = must((value) => Array.isArray(value) && value.every(isText), "a list of texts");
const textMap = must(
  (value) => isObject(value) && Object.values(value).every((one) => typeof one === "string"),
  "a map of texts",
);

const object =
  (required: readonly string[], checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isObject(value)) return "must be an object";
    const missing = required.find((name) => value[name] === undefined);
    if (missing !== undefined) return `needs ${missing}`;
    for (const [name, field] of Object.entries(value)) {
      const fault = checks[name] === undefined ? "is unknown" : checks[name](field);
      if (fault !== undefined) return `${name} ${fault}`;
    }
    return undefined;
  };

const notification = object(["version", "source", "content"], {
  version: exactly("1.0"),
  source: exactly("custom"),
  id: text,
  content: object(["description"], {
    textType: exactly("client-markdown"),
    title: text,
    description: text,
    nextSteps: texts,
    keywords: texts,
  }),
  metadata: object([], {
    threadId: text,
    summary: text,
    eventType: text,
    relatedResources: texts,
    additionalContext: textMap,
    enableCustomActions: boolean,
  }),
});

/**
 * Reads a message of a topic as Amazon Q Developer in chat applications does. Amazon Q drops a
 * message of another shape in silence; the stand-in says why.
 *
 * @see https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html
 */
export function readNotification(
  message: string,
): { readonly shown: ShownNotification } | { readonly dropped: string } {
  const value = parseJson(message);
  const fault = value === undefined ? "is no JSON" : notification(value);
  if (fault !== undefined) return { dropped: fault };
  const { content, metadata = {} } = value as {
    readonly content: { title?: string; description: string; nextSteps?: string[]; keywords?: string[] };
    readonly metadata?: { threadId?: string };
  };
  const { title, description, nextSteps = [], keywords = [] } = content;
  return { shown: { title, description, nextSteps, keywords, threadId: metadata.threadId } };
}
