import { DatabaseSync } from "node:sqlite";
import { faultOf, portError } from "./errors.ts";
import { applicationId, fileVersion, tables, temporaryTables } from "./schema.ts";

/** The database of one installation. Only this process has the database open. */
export interface StateDatabase {
  /** The connection, for statements that are prepared once and run inside `read` and `write`. */
  readonly sql: DatabaseSync;
  /**
   * Runs a body that only reads.
   *
   * @param doing - the action and its object, for errors: `reading the record of
   * prod/shop/deployment/api`
   * @throws TransientError for an error of SQLite
   */
  read<Answer>(doing: string, body: () => Answer): Promise<Answer>;
  /**
   * Runs a body in one transaction. When the promise resolves, all writes of the body are on the
   * disk. When the promise rejects, no write of the body is on the disk.
   *
   * @throws TransientError for an error of SQLite
   */
  write<Answer>(doing: string, body: () => Answer): Promise<Answer>;
  /** Resolves with the message of SQLite when a page of the file can't be read. */
  readonly damaged: Promise<string>;
  /** Closes the file and releases its lock. A second call does nothing. */
  close(): void;
}

/**
 * Creates a database in memory. `installation` is the installation's name, as in {@link
 * WorkloadStore.installation}.
 */
export function memoryDatabase(installation: string): StateDatabase {
  const sql = new DatabaseSync(":memory:");
  createTables(sql, installation);
  return plainDatabase(sql);
}

/** Returns the database of a connection whose tables exist. Each write is one transaction. */
export function plainDatabase(sql: DatabaseSync): StateDatabase {
  return stateDatabase(sql, transactionsOf(sql));
}

/** Creates all tables of a new file in one transaction. */
export function createTables(sql: DatabaseSync, installation: string): void {
  transactionsOf(sql)(() => {
    sql.exec(tables);
    const name = sql.prepare(
      "INSERT INTO items (pk, sk, form, value) VALUES ('INSTALLATION', 'INSTALLATION', 1, json_object('name', ?))",
    );
    name.run(installation);
    sql.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${fileVersion}`);
  });
}

/** Returns the database of a connection to a file that has its tables. */
export function fileDatabase(sql: DatabaseSync): StateDatabase {
  return stateDatabase(sql, groupedWrites(sql));
}

type Write = <Answer>(body: () => Answer) => Answer | Promise<Answer>;

function stateDatabase(sql: DatabaseSync, write: Write): StateDatabase {
  sql.exec("PRAGMA temp_store = MEMORY");
  sql.exec(temporaryTables);
  const damage = Promise.withResolvers<string>();
  const told = (error: unknown, doing: string): unknown => {
    if (faultOf(error) === "damaged") damage.resolve(error instanceof Error ? error.message : "");
    return portError(error, doing);
  };
  return {
    sql,
    damaged: damage.promise,

    async read(doing, body) {
      try {
        return body();
      } catch (error) {
        throw told(error, doing);
      }
    },

    async write(doing, body) {
      try {
        return await write(body);
      } catch (error) {
        throw told(error, doing);
      }
    },

    close() {
      if (sql.isOpen) sql.close();
    },
  };
}

/** Runs a body. When the body throws, its writes are rolled back. */
export type Transaction = <Answer>(body: () => Answer) => Answer;

/** Returns the function that runs a body in one transaction of a connection. */
export function transactionsOf(sql: DatabaseSync): Transaction {
  const begin = sql.prepare("BEGIN IMMEDIATE");
  const commit = sql.prepare("COMMIT");
  const rollback = sql.prepare("ROLLBACK");
  return (body) => {
    begin.run();
    try {
      const answer = body();
      commit.run();
      return answer;
    } catch (error) {
      // When the disk is full, SQLite has already rolled the transaction back. A second ROLLBACK
      // would hide the cause.
      if (sql.isTransaction) rollback.run();
      throw error;
    }
  };
}

/** The body of a write, which waits for its transaction. */
interface Waiting {
  /**
   * Runs the body. The returned function settles the promise of the write. Call this function when
   * the transaction is on the disk.
   */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins all writes of one turn of the event loop in a transaction, which waits for the disk once. A
 * body that throws undoes only its own writes. A failed transaction fails all bodies.
 */
function groupedWrites(sql: DatabaseSync): Write {
  const inTransaction = transactionsOf(sql);
  const inSavepoint = savepointsOf(sql);
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    try {
      const settled = inTransaction(() => group.map(({ run }) => run()));
      for (const settle of settled) settle();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  return (body) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      const run = (): (() => void) => {
        try {
          const answer = inSavepoint(body);
          return () => {
            resolve(answer);
          };
        } catch (error) {
          // If SQLite has ended the transaction, the other writes are lost too.
          if (!sql.isTransaction) throw error;
          const reason = error instanceof Error ? error : new Error(String(error));
          return () => {
            reject(reason);
          };
        }
      };
      waiting.push({ run, reject });
    });
}

function savepointsOf(sql: DatabaseSync): Transaction {
  const begin = sql.prepare("SAVEPOINT body");
  const release = sql.prepare("RELEASE body");
  const rollback = sql.prepare("ROLLBACK TO body");
  return (body) => {
    begin.run();
    try {
      return body();
    } catch (error) {
      if (sql.isTransaction) rollback.run();
      throw error;
    } finally {
      if (sql.isTransaction) release.run();
    }
  };
}

/**
 * Returns the first rows of a statement. A bound LIMIT would make SQLite plan the statement again
 * for each call.
 */
export function firstOf<Row>(rows: IterableIterator<Row>, limit: number): readonly Row[] {
  return Iterator.from(rows).take(limit).toArray();
}
