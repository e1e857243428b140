import type { DurationMs, EpochMs } from "#domain/shared/time";

/** Where text goes. */
export interface Sink {
  write(text: string): unknown;
}

/** All that the command knows of its surroundings. `main` reads it from the process; nothing else asks for it. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute: relative paths are meant from here. */
  readonly cwd: string;
  /** What is piped in, in pieces of any length; asked for once. */
  stdin(): AsyncIterable<Uint8Array>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  now(): EpochMs;
  /** Gives up by itself with a `TimeoutError` when a server stays silent, unless the request has a signal of its own. */
  fetch(url: string, request: RequestInit): Promise<Response>;
  /** From the first call on, Ctrl-C does not end the command: it aborts this signal. */
  interrupted(): AbortSignal;
  /** From the first call on, an output that nobody reads any more does not end the command: it aborts this signal. */
  outputClosed(): AbortSignal;
  /** Resolves once the output takes more: who writes without end and does not wait fills the memory. */
  outputReady(): Promise<void>;
  /** Resolves after a while, or as soon as the signal aborts, where there is one. */
  pause(length: DurationMs, signal?: AbortSignal): Promise<void>;
  /** Of the terminal; absent where the output is no terminal, and lines may be as long as they are. */
  readonly columns: number | undefined;
  readonly isTerminal: boolean;
  /** IANA name. */
  readonly timeZone: string;
}
