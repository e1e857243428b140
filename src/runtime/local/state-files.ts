/**
 * The names of the files in the state folder. SQLite adds files whose names start with the state
 * file's name.
 */
export const stateFiles = {
  state: "state.db",
  token: "token",
  server: "server.json",
} as const;
