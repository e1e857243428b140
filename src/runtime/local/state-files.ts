/** The names in the state folder. SQLite and migrations add files with longer names. */
export const stateFiles = {
  state: "state.db",
  token: "token",
  server: "server.json",
  /** The folder of the copies. */
  backups: "backups",
  /** The folder of the kubeconfigs and tokens of `lookout cluster add`. */
  kubeconfigs: "kubeconfigs",
} as const;
