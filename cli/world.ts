import type { DurationMs, EpochMs } from "#domain/shared/time";

/** The certificates that a request trusts instead of the system's. */
export interface Trust {
  /** The certificates, in PEM. */
  readonly certificates: string;
  /** True if only exactly this certificate of a server is trusted, whatever its names are. */
  readonly isPinned: boolean;
}

interface Sink {
  write(text: string): unknown;
}

/** The process and its environment, for the command. Only `main` reads the real environment. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The absolute path of the working directory. */
  readonly cwd: string;
  /** Returns stdin in pieces of any length. Callers call this function at most once. */
  stdin(): AsyncIterable<Uint8Array>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  now(): EpochMs;
  /**
   * Sends a request. A request without its own signal fails with a `TimeoutError` if no answer
   * arrives in time.
   */
  fetch(url: string, request: RequestInit, trust?: Trust): Promise<Response>;
  /** Returns a signal that Ctrl-C aborts. Before the first call, Ctrl-C ends the command. */
  interrupted(): AbortSignal;
  /**
   * Returns a signal that a closed output aborts. Before the first call, a closed output ends the
   * command.
   */
  outputClosed(): AbortSignal;
  /** Resolves after this time, or when the signal aborts. */
  pause(length: DurationMs, signal?: AbortSignal): Promise<void>;
  /** The terminal's width. Undefined if the output is not a terminal. */
  readonly columns: number | undefined;
  readonly isTerminal: boolean;
  /** True if a person sees stderr at once, so that it may show progress. */
  readonly isErrorTerminal: boolean;
  /** The IANA name of the time zone. */
  readonly timeZone: string;
}
