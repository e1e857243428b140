import { streamedView } from "#contracts/messages/fact-view";
import type { RegistryFact } from "#domain/registry/outage";
import type { Fact } from "#domain/update/events";

/** Returns a fact as a listener sees it. Undefined if the listener does not get it. */
type Shows = (fact: Fact | RegistryFact) => Fact | RegistryFact | undefined;

/** Sends facts to the connected listeners. A new listener gets no earlier facts. */
export interface FactStream {
  readonly publish: (fact: Fact | RegistryFact) => void;
  /**
   * Writes the stream to a listener. The writing ends with the stream, or if the listener
   * disconnects or is too slow.
   *
   * @param write - resolves when the listener can take the next text
   * @param shows - Absent if the listener gets all facts.
   */
  follow(write: (text: string) => Promise<unknown>, gone: AbortSignal, shows?: Shows): Promise<void>;
  /** Ends the stream for all listeners. */
  end(): void;
}

/** The interval of comments on the stream. Proxies and clients close idle connections. */
const heartbeatMs = 15_000;
/** The maximum number of unsent facts of a listener. The stream disconnects a slower listener. */
const mostBehind = 10_000;

/** Opens a stream of server-sent events. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function factStream(): FactStream {
  const ended = new AbortController();
  const listeners = new Set<(text: string, fact: Fact | RegistryFact) => void>();
  return {
    publish(fact) {
      const text = textOf(fact);
      for (const tell of listeners) tell(text, fact);
    },
    async follow(write, gone, shows = (fact) => fact) {
      const waiting = [": Lookout sends all new facts\n\n"];
      const behind = new AbortController();
      const over = AbortSignal.any([gone, ended.signal, behind.signal]);
      let wake = (): void => undefined;
      const send = (text: string): void => {
        if (waiting.push(text) > mostBehind) behind.abort();
        wake();
      };
      const tell = (text: string, fact: Fact | RegistryFact): void => {
        const shown = shows(fact);
        if (shown !== undefined) send(shown === fact ? text : textOf(shown));
      };
      const stopped = new Promise<void>((resolve) => {
        over.addEventListener("abort", () => {
          resolve();
        });
      });
      const heartbeat = setInterval(send, heartbeatMs, ": heartbeat\n\n");
      listeners.add(tell);
      try {
        while (!over.aborted) {
          const text = waiting.splice(0).join("");
          const more = new Promise<void>((resolve) => (wake = resolve));
          await Promise.race([text === "" ? more : write(text), stopped]);
        }
      } finally {
        listeners.delete(tell);
        clearInterval(heartbeat);
      }
    },
    end: () => {
      ended.abort();
    },
  };
}

function textOf(fact: Fact | RegistryFact): string {
  return `id: ${fact.id}\nevent: ${fact.name}\ndata: ${JSON.stringify(streamedView(fact))}\n\n`;
}
