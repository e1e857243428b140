import { factView } from "#contracts/messages/fact-view";
import type { Fact } from "#domain/update/events";

/** Sends facts to the current listeners. A listener gets no earlier facts. */
export interface FactStream {
  readonly publish: (fact: Fact) => void;
  /**
   * Writes the stream until the listener disconnects or falls too far behind, or the stream ends.
   *
   * @param write - resolves when there is room for the next piece
   */
  follow(write: (text: string) => Promise<unknown>, gone: AbortSignal): Promise<void>;
  /** Ends the stream for all listeners. */
  end(): void;
}

/** Proxies and clients close idle connections. */
const heartbeatMs = 15_000;
/** A slower listener must reconnect, because the process can't keep all facts. */
const mostBehind = 10_000;

/** Opens a stream of server-sent events. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function factStream(): FactStream {
  const ended = new AbortController();
  const listeners = new Set<(text: string) => void>();
  return {
    publish(fact) {
      const text = `id: ${fact.id}\nevent: ${fact.name}\ndata: ${JSON.stringify(factView(fact))}\n\n`;
      for (const send of listeners) send(text);
    },
    async follow(write, gone) {
      const waiting = [": Lookout sends all facts from now on\n\n"];
      const behind = new AbortController();
      const over = AbortSignal.any([gone, ended.signal, behind.signal]);
      let wake = (): void => undefined;
      const send = (text: string): void => {
        if (waiting.push(text) > mostBehind) behind.abort();
        wake();
      };
      const stopped = new Promise<void>((resolve) => {
        over.addEventListener("abort", () => {
          resolve();
        });
      });
      const heartbeat = setInterval(send, heartbeatMs, ": still here\n\n");
      listeners.add(send);
      try {
        while (!over.aborted) {
          const text = waiting.splice(0).join("");
          const more = new Promise<void>((resolve) => (wake = resolve));
          await Promise.race([text === "" ? more : write(text), stopped]);
        }
      } finally {
        listeners.delete(send);
        clearInterval(heartbeat);
      }
    },
    end: () => {
      ended.abort();
    },
  };
}
