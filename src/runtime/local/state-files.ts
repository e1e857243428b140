/** Names of the files in the state folder; SQLite keeps neighbours of the state file, whose names begin with its name. */
export const stateFiles = {
  state: "state.db",
  token: "token",
  server: "server.json",
} as const;
