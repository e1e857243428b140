import type { HistoryRow } from "#domain/history/history-row";
import { type EpochMs, hours } from "#domain/shared/time";

/** The time for which rows are kept: 400 days. */
export const keptInHistory = hours(400 * 24);

/** A part of the history of the fleet. */
export interface HistoryPart {
  /** The first instant of the part. */
  readonly since: EpochMs;
  /** Only rows before this instant. */
  readonly until: EpochMs;
  /** Only rows after this place, which are older. Absent: all rows. */
  readonly after?: string;
  readonly limit: number;
}

/** A row, and its place in the history. */
export interface PlacedRow {
  readonly place: string;
  readonly row: HistoryRow;
}

/** The first rows of a part. */
export interface HistoryPage {
  readonly rows: readonly PlacedRow[];
  /** The place after which the part goes on. Absent at its end. */
  readonly next?: string;
}

/** The acts of people and the ended updates of the whole fleet. Rows never change. */
export interface History {
  /** Stores rows that do not exist yet, by instant and id. */
  append(rows: readonly HistoryRow[]): Promise<void>;
  /** Returns which of these rows are not stored. */
  missing(rows: readonly HistoryRow[]): Promise<readonly HistoryRow[]>;
  /** Reads at most `limit` rows, the newest first. */
  read(part: HistoryPart): Promise<HistoryPage>;
}
