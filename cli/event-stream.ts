/** The media type of server-sent events. */
export const eventStream = "text/event-stream";

/**
 * Yields the data of each server-sent event, in order. A broken connection ends the stream without an error.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split(/\r?\n\r?\n/);
      text = events.pop() ?? "";
      for (const event of events) {
        const data = dataOf(event);
        if (data !== "") yield data;
      }
    }
  } catch {
    // The caller reconnects. If the error persists, the new request reports the error.
  }
}

function dataOf(event: string): string {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.replace(/^data: ?/, "")).join("\n");
}
