/** The names of the files in the state folder. SQLite adds files with longer names. */
export const stateFiles = {
  state: "state.db",
  token: "token",
  server: "server.json",
} as const;
