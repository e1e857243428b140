import { type Vote, voterOfVote } from "#domain/approval/votes";
import type { StateDatabase } from "./database.ts";

/** The votes of the state file. Call its functions inside a transaction of the record. */
export interface SqliteVotes {
  put(workload: string, vote: Vote): void;
  of(workload: string, seq: number): readonly Vote[];
}

/** Returns the votes of a database: one vote for each workload, update and voter. */
export function sqliteVotes({ sql }: StateDatabase): SqliteVotes {
  const put = sql.prepare(`
    INSERT INTO votes (workload, seq, person, vote) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET vote = excluded.vote`);
  const list = sql.prepare("SELECT vote FROM votes WHERE workload = ? AND seq = ? ORDER BY person");
  return {
    put: (workload, vote) => void put.run(workload, vote.binding.seq, voterOfVote(vote), JSON.stringify(vote)),
    of: (workload, seq) => list.all(workload, seq).map(({ vote }) => JSON.parse(String(vote)) as Vote),
  };
}
