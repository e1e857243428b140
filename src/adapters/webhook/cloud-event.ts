import * as z from "zod/mini";
import type { ReceivedRequest } from "#ports/push-receiver";
import { anything, nonEmpty, readJson, someText } from "./notice.ts";

/** A CloudEvent in binary or structured mode. */
export interface CloudEvent {
  readonly type: string;
  readonly id?: unknown;
  readonly time?: unknown;
  readonly source?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly data?: unknown;
}

const Structured = z.object({
  specversion: z.string(),
  type: z.string(),
  id: anything,
  time: anything,
  source: someText,
  subject: someText,
  data: anything,
});

/**
 * Reads a CloudEvent in binary mode (attributes in `Ce-…` headers) or structured mode (in the
 * body). Returns undefined for other requests.
 *
 * @see https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md
 */
export function cloudEventOf(request: Pick<ReceivedRequest, "headers" | "body">): CloudEvent | undefined {
  const content = readJson(request);
  const { headers } = request;
  const structured = Structured.safeParse(content);
  if (structured.success) return structured.data;
  const type = nonEmpty(headers["ce-type"]);
  if (type === undefined || content === undefined) return undefined;
  const [id, time, source, subject] = ["ce-id", "ce-time", "ce-source", "ce-subject"].map((name) => headers[name]);
  return { type, id, time, source, subject, data: content };
}
