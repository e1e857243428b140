import type { DurationMs, EpochMs } from "#domain/shared/time";

interface Sink {
  write(text: string): unknown;
}

/** The process and its environment, as the command sees them. Only `main` reads the real ones. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An absolute path. */
  readonly cwd: string;
  /** Returns stdin in pieces of any length. Call it once. */
  stdin(): AsyncIterable<Uint8Array>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  now(): EpochMs;
  /** Fails with a `TimeoutError` when a server does not answer, unless the request has its own signal. */
  fetch(url: string, request: RequestInit): Promise<Response>;
  /** Returns a signal that Ctrl-C aborts. Before the first call, Ctrl-C ends the command. */
  interrupted(): AbortSignal;
  /** Returns a signal that a closed output aborts. Before the first call, a closed output ends the command. */
  outputClosed(): AbortSignal;
  /** Resolves when the output takes more. Without it, long outputs would fill the memory. */
  outputReady(): Promise<void>;
  /** Resolves after this time, or when the signal aborts. */
  pause(length: DurationMs, signal?: AbortSignal): Promise<void>;
  /** The terminal's width; undefined when the output is no terminal. */
  readonly columns: number | undefined;
  readonly isTerminal: boolean;
  /** IANA name. */
  readonly timeZone: string;
}
